# 每个页面的外框。
frame-skip = 跳到页面内容
frame-pages = 页面
frame-overview = 概览
frame-nav-jobs = 任务
frame-namespace = 命名空间
frame-language = 语言
frame-theme = 主题
frame-theme-system = 跟随系统的主题
frame-theme-light = 浅色主题
frame-theme-dark = 深色主题
frame-fallen = 此页面在您的浏览器中已停止工作。
frame-load-again = 重新加载
frame-jobs = { $count } 个任务
