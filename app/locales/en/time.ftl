# Spans, instants and charts over time.
time-ms = { $n } ms
time-s = { $n } s
time-m = { $n } m
time-m-s = { $m } m { $s } s
time-h = { $n } h
time-h-m = { $h } h { $m } m
time-d = { $n } d
time-d-h = { $d } d { $h } h
time-over = > { $span }
time-now = now
time-in = in { $span }
time-ago = { $span } ago
time-left = { $span } left
time-clocks = clocks differ
time-clocks-hint = It ended before it began, or begins in the future: the clocks of two machines differ, so it is shown as 0.
time-half = { $half ->
    [am] { $clock } AM
   *[pm] { $clock } PM
}
time-weekday = { $day ->
    [1] Mon
    [2] Tue
    [3] Wed
    [4] Thu
    [5] Fri
    [6] Sat
   *[7] Sun
}
time-month = { $month ->
    [1] Jan
    [2] Feb
    [3] Mar
    [4] Apr
    [5] May
    [6] Jun
    [7] Jul
    [8] Aug
    [9] Sep
    [10] Oct
    [11] Nov
   *[12] Dec
}
time-day = { $weekday } { $day }
time-date = { $weekday } { $day } { $month } { $clock }
time-date-year = { $weekday } { $day } { $month } { $year } { $clock }
time-goal = goal
time-table = As a table
time-column = Time
time-due = Due
time-list = { $before }, { $next }
