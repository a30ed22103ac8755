# The forecast: what fires when.
forecast-title = Forecast
forecast-views = How much of the calendar
forecast-view-day = Day
forecast-view-week = Week
forecast-view-month = Month
forecast-view-400d = 400 days
forecast-steps = Earlier or later
forecast-before = Earlier
forecast-after = Later
forecast-today = Today
forecast-date = Date
forecast-zone = Zone
forecast-queue = Queue
forecast-all-queues = all
forecast-subject = Subject
forecast-all-subjects = all
forecast-show = Show
forecast-no-date = There is no such date or time zone; write 2026-08-12 and a zone such as Europe/Berlin.
forecast-too-far = The forecast reaches 400 days either way; choose a nearer date.
forecast-month-of = { $month ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
} { $year }
forecast-day-of = { $weekday } { $day } { $month } { $year }
forecast-from-to = { $from } – { $to }
forecast-total = { $count ->
    [0] Nothing is due in this range.
    [one] One job is due in this range.
   *[other] { $count } jobs are due in this range.
}
forecast-earlier = { $count ->
    [one] One more was due before it and still waits.
   *[other] { $count } more were due before it and still wait.
}
forecast-empty = Nothing is due here.
forecast-next = The next job is due on { $at }.
forecast-behind = The next job after this range is due on { $at }.
forecast-month-label = Jobs due by day
forecast-chart-label = Jobs due over time, by kind
forecast-mon = Mon
forecast-tue = Tue
forecast-wed = Wed
forecast-thu = Thu
forecast-fri = Fri
forecast-sat = Sat
forecast-sun = Sun
forecast-ticks = { $count ->
    [one] + one tick of a schedule
   *[other] + { $count } ticks of schedules
}
forecast-past = { $started } started
forecast-past-expected = { $started } started, { $expected } expected
forecast-clocks-forward = the clocks go forward
forecast-clocks-back = the clocks go back
forecast-clocks = { $date }: { $change }.
forecast-other-kinds = other kinds
forecast-legend-ticks = Schedules
forecast-legend-past = Started
forecast-legend-expected = Expected
forecast-legend-capacity = What workers can run
forecast-legend-quiet = Quiet hours
forecast-capacity = Workers can run about { $count } jobs an hour: { $slots } at once, { $span } each over the last day.
forecast-no-capacity = What the workers can run is not known: none is live, or nothing ran in the last day.
forecast-claimed-capacity = What the workers can run is not known: some claim jobs by themselves, and do not say how many at once.
forecast-over = { $count ->
    [one] One span holds more than the workers can run in its time.
   *[other] { $count } spans hold more than the workers can run in their time.
}
forecast-quiet = Outside of their delivery hours, these wait for the next opening: { $kinds }.
forecast-counts-exact = Counts are exact: they are those of the list behind them.
forecast-kinds-exact = So are the numbers by kind.
forecast-kinds-sample = Numbers by kind are a share, worked out from a sample of the jobs of each queue.
forecast-ticks-about = Fast schedules are counted on at their pace.
forecast-between-hours = What has run is known by full hours of UTC only, which are not those of this zone; of the last 24 hours, see a day.
forecast-to-schedules = To the schedules
forecast-as-table = As a table
forecast-col-when = When
forecast-col-due = Due
forecast-peak = { $when }: { $count } jobs
forecast-spread-title = Spread a peak over a window
forecast-spread-what = Jobs due in it come later, evenly over the window; none runs before its time. First you see which ones, and nothing changes until you start it.
forecast-spread-over = over
forecast-spread = Look at it
forecast-file = Export
