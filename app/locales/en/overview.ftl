# The overview: is it healthy, and what is coming?
overview-intro = Each job waits here for its time. Until a worker starts it you can cancel it, and then it never runs.
overview-range = Range
overview-range-15m = 15 min
overview-range-1h = 1 h
overview-range-24h = 24 h
overview-range-7d = 7 d
overview-now = now
overview-throughput = Throughput
overview-throughput-unit = jobs per minute
overview-series-in = In
overview-series-done = Done
overview-series-failed = Failed
overview-lateness = Lateness
overview-lateness-unit = ready after due time
overview-wait = Wait
overview-wait-unit = time in Ready
overview-run = Run
overview-run-unit = from start to end
overview-range-2m = 2 min
overview-range-30d = 30 d
overview-how-far = How far ahead
overview-due-ahead = Due ahead
overview-to-forecast = By kind and day: forecast
overview-due-label = Jobs due ahead
overview-due-2m = { $count ->
    [one] { $count } job due in the next two minutes
   *[other] { $count } jobs due in the next two minutes
}
overview-due-1h = { $count ->
    [one] { $count } job due in the next hour
   *[other] { $count } jobs due in the next hour
}
overview-due-24h = { $count ->
    [one] { $count } job due in the next 24 hours
   *[other] { $count } jobs due in the next 24 hours
}
overview-due-30d = { $count ->
    [one] { $count } job due in the next 30 days
   *[other] { $count } jobs due in the next 30 days
}
overview-bar-first = in less than { $span }, or overdue
overview-bar = in { $from } to { $to }
overview-live-queues = Live queues
overview-other-lists = Other lists
overview-nothing-due = nothing is due
overview-nothing-waits = nothing waits
overview-oldest = oldest { $span }
overview-workers = { $count ->
    [one] { $count } worker
   *[other] { $count } workers
}
overview-dead-hour = { $count ->
    [0] none in the last hour
    [one] died once in the last hour
   *[other] died { $count } times in the last hour
}
overview-next-now = next one now
overview-next = next { $when }
overview-no-jobs = No jobs yet
overview-first-job = Enqueue one that is due in an hour. It shows up here at once, and until then you can cancel it, reinstate it, or run it now.
overview-forwarder = Forwarders
overview-ticking = ticking
overview-forwarders-on-time = { $count ->
    [one] one, on time
   *[other] { $count }, on time
}
overview-forwarders-behind = { $count ->
    [one] one, { $span } behind
   *[other] { $count }, { $span } behind
}
overview-last-tick = last tick { $at }
overview-never-ran = never ran
overview-none = none
overview-workers-title = Workers
overview-workers-slots = { $count ->
    [one] { $count } worker, { $slots } at once
   *[other] { $count } workers, { $slots } at once
}
overview-memory = Memory
overview-memory-of = { $used } of { $most }
overview-memory-free = { $used }, no limit
overview-when-full = When full
overview-durability = Durability
overview-kept-memory = memory: a crash costs everything
overview-kept-snapshots = snapshots: a crash may cost everything since the last one
overview-kept-system = logged: a power loss may cost what the system had not written yet
overview-kept-second = every second: a power loss may cost the last two seconds
overview-kept-always = always: every write is on disk before it is answered
overview-kept-unknown = logged: how often the log is synced is not known
overview-kept-replicas = { $count ->
    [one] { $count } replica, which may lag by what a failover then costs
   *[other] { $count } replicas, which may lag by what a failover then costs
}
overview-kept-needed = { $count ->
    [one] no writes with fewer than { $count } replica
   *[other] no writes with fewer than { $count } replicas
}
overview-kept-confirmed = { $count ->
    [one] what people do is confirmed by { $count } replica
   *[other] what people do is confirmed by { $count } replicas
}
overview-kept-and = { $before }; { $next }
overview-queues = Queues
overview-queues-some = { $some } of { $count } queues, those with jobs first.
overview-queues-more = Show all
overview-queues-all = All { $count } queues.
overview-queues-fewer = Show fewer
overview-all-queues = All queues
overview-col-queue = Queue
overview-col-oldest = Oldest ready
overview-col-in = In / min
overview-col-out = Done / min
overview-col-late = Late p99
overview-col-switch = Pause or resume
overview-paused-by = paused by { $name } { $at }
overview-paused-why = paused by { $name } { $at }: { $why }
overview-pause = Pause
overview-pause-named = Pause { $name }
overview-resume = Resume
overview-resume-named = Resume { $name }
overview-attention = Needs attention
overview-said-attention = { $count ->
    [one] One matter needs attention.
   *[other] { $count } matters need attention.
}
overview-quiet = Nothing needs attention.
overview-halt = Nothing starts.
overview-clock-ahead = Redis’s clock jumped ahead by { $span }: what is due by it may not be due yet. It began { $at }.
overview-clock-back = Redis’s clock jumped back by { $span }: what is due by now would come late. It began { $at }.
overview-clock-apart = Redis’s clock and those of the processes are { $span } further apart than they were: it was set while nobody looked, or has crept away. It began { $at }. It ends when they agree again, or when somebody says that they are right.
overview-failed-over = Redis has forgotten the last { $span }. What people did in that time is done again, then jobs start by themselves. It began { $at }.
overview-took-over = Redis was started again, or another server has its data now. What people did lately is done again where it is missing, then jobs start by themselves. It began { $at }.
overview-went-back = Redis’s data is as it was { $span } earlier: what ran since may run again. It began { $at }.
overview-restored = This data was restored from a backup: cancels, holds and new times made since are not in it. First cancel what must not run. It began { $at }.
overview-replaced = Redis’s data is gone, or other data is in its place. It began { $at }.
overview-clear-halt = Let jobs start
overview-overdue = Jobs of { $queue } are overdue: the forwarder is behind. The first was due { $at }.
overview-forwarder-silent = No forwarder ticks: nothing moves from Delay to Ready. The last tick was { $at }.
overview-forwarder-never = No forwarder has ever run here: nothing moves from Delay to Ready.
overview-no-workers = { $count ->
    [one] No worker serves { $queue }: one ready job waits.
   *[other] No worker serves { $queue }: { $count } ready jobs wait.
}
overview-queue-paused = { $queue } was paused { $at } by { $name }.
overview-queue-paused-why = { $queue } was paused { $at } by { $name }: { $why }
overview-dying = { $count ->
    [one] One job of { $queue } died in the last hour.
   *[other] { $count } jobs of { $queue } died in the last hour.
}
overview-dying-of = { $count ->
    [one] One job of { $queue } died in the last hour: { $error }
   *[other] { $count } jobs of { $queue } died in the last hour: { $error }
}
overview-dying-many = At least { $count } jobs of { $queue } died in the last hour.
overview-dying-many-of = At least { $count } jobs of { $queue } died in the last hour: { $error }
overview-silent-worker = Worker { $worker } is silent and was last heard from { $at }; its jobs return when their leases end.
overview-asked = { $count ->
    [one] { $name } asked to delete one job { $at }; somebody else has to start it.
   *[other] { $name } asked to delete { $count } jobs { $at }; somebody else has to start it.
}
overview-parked = { $count ->
    [one] One job was parked in the last hour: no worker knows its kind.
   *[other] { $count } jobs were parked in the last hour: no worker knows their kind.
}
overview-quarantined = { $count ->
    [one] One damaged entry was set aside: { $sample }.
   *[other] { $count } damaged entries were set aside, among them { $sample }.
}
overview-damaged-keys = { $count ->
    [one] A key holds something of another type, and its queue is passed over: { $key }. See operations.md on damaged keys.
   *[other] { $count } keys hold something of another type, and their queues are passed over, among them { $key }. See operations.md on damaged keys.
}
overview-eviction = Redis may throw jobs away when it is full: its maxmemory-policy is { $policy }. Set it to noeviction.
overview-memory-near = Redis uses { $used } of { $most }. Give it more before it is full.
overview-unknown = Something this page does not know yet. Update this server to see what it is.
overview-see-them = See them
overview-look-at-it = Look at it
overview-by-error = By error
overview-to-queue = To the queue
overview-to-forwarders = To the forwarders
overview-to-redis = What Redis says
overview-as-of = Counts at an earlier time
overview-as-of-label = As of
overview-as-of-how = Move the slider, with the arrow keys too, to see the counts of every queue as of that minute.
overview-as-of-unknown = Nobody wrote it down in that minute: no process ran, Redis was full, or it is too long ago.
overview-as-of-at = This is how it stood on { $at }.
overview-as-of-some = { $count ->
    [0] The first { $some } queues by name were written down: others of yours may be missing.
   *[other] The first { $some } of { $count } queues, by name, without those that had no job: more are not written down.
}
overview-as-of-show = Show
overview-ago = { $span } ago
