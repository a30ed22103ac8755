# 画面是否实时更新、数据有多旧、通知。
live-static = 静态
live-live = 实时
live-paused = 已暂停
live-lost = 非实时
live-resume-name = 继续实时更新
live-pause-name = 暂停实时更新
live-badge-name = { $state }。{ $act }
live-outdated = 服务器已更新。
live-load-again = 重新加载页面
live-clock-behind = 此设备的时钟慢了 { $span }。此处显示的是服务器时间。
live-clock-ahead = 此设备的时钟快了 { $span }。此处显示的是服务器时间。
live-banner-paused = 已于 { $at } 暂停 · { $count } 项变化等待显示
live-resume = 继续
live-banner-lost = 未实时更新。显示的是 { $at } 的数据（{ $span }前）。正在重新连接……
live-said-lost = 自 { $at } 起未实时更新。正在重新连接……
live-close = 关闭
live-undo = 撤回
