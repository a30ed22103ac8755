# 时长、时刻与时间图表。
time-ms = { $n } 毫秒
time-s = { $n } 秒
time-m = { $n } 分钟
time-m-s = { $m } 分 { $s } 秒
time-h = { $n } 小时
time-h-m = { $h } 小时 { $m } 分钟
time-d = { $n } 天
time-d-h = { $d } 天 { $h } 小时
time-over = > { $span }
time-now = 现在
time-in = { $span }后
time-ago = { $span }前
time-left = 剩余 { $span }
time-clocks = 时钟不一致
time-clocks-hint = 结束早于开始，或开始时间尚未到来：两台机器的时钟不一致，因此按 0 显示。
time-half = { $half ->
    [am] 上午 { $clock }
   *[pm] 下午 { $clock }
}
time-weekday = { $day ->
    [1] 周一
    [2] 周二
    [3] 周三
    [4] 周四
    [5] 周五
    [6] 周六
   *[7] 周日
}
time-month = { $month } 月
time-day = { $day } 日 { $weekday }
time-date = { $month } { $day } 日 { $weekday } { $clock }
time-date-year = { $year } 年 { $month } { $day } 日 { $weekday } { $clock }
time-goal = 目标
time-table = 以表格显示
time-column = 时间
time-due = 到期
time-list = { $before }、{ $next }
