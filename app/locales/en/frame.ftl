# What stands around every page.
frame-skip = Skip to the page
frame-pages = Pages
frame-overview = Overview
frame-nav-jobs = Jobs
frame-menu = Menu
frame-nav-desk = Support desk
frame-nav-forecast = Forecast
frame-nav-schedules = Schedules
frame-nav-workers = Workers
frame-nav-bulk = Bulk runs
frame-nav-import = Import
frame-nav-settings = Settings
frame-nav-fold = Fold the navigation
frame-nav-unfold = Unfold the navigation
frame-namespace = Namespace
frame-language = Language
frame-theme = Theme
frame-theme-system = Theme of the system
frame-theme-light = Light theme
frame-theme-dark = Dark theme
frame-fallen = This page has stopped working in your browser.
frame-load-again = Load it again
frame-jobs = { $count ->
    [one] { $count } job
   *[other] { $count } jobs
}
