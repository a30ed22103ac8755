# What stands around every page.
frame-skip = Skip to the page
frame-pages = Pages
frame-overview = Overview
frame-nav-jobs = Jobs
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
