# The page of one queue.
queue-title = Queue
queue-unknown = No job is in a queue of this name, nothing is set for it, and nobody works it. The first job that is enqueued makes it.
queue-lists = Lists of this queue
queue-running = Running
queue-paused = Paused
queue-paused-by = { $at } by { $who }
queue-paused-by-why = { $at } by { $who }: { $why }
queue-pause = Pause
queue-resume = Resume
queue-no-workers = { $count ->
    [one] No worker serves this queue; { $count } job is due and waits.
   *[other] No worker serves this queue; { $count } jobs are due and wait.
}
queue-workers = Workers
queue-modes = Delivery
queue-mode-handlers = workers
queue-mode-claimed = claimed by programs over HTTP
queue-mode-posted = posted to { $origin }
queue-mode-handed = handed on to { $place }
queue-handed-out = { $count ->
    [0] none is out there
    [one] one is not acknowledged
   *[other] { $count } are not acknowledged
}
queue-handed-oldest = Oldest of them:
queue-next-due = Next due
queue-oldest-ready = Oldest ready
queue-in = Enqueued per minute (last 5 min)
queue-out = Done per minute (last 5 min)
queue-late = Late p99 (last 15 min)
queue-dead-hour = Dead in the last hour
queue-limits = Limits
queue-limits-none = No limit: as much runs as the workers take.
queue-limits-by = Set by { $who }
queue-limits-by-why = Set by { $who }: { $why }
queue-limited-concurrency = { $count ->
    [one] At most { $count } job runs at once.
   *[other] At most { $count } jobs run at once.
}
queue-limited-rate = { $count ->
    [one] At most { $count } job starts in { $span }.
   *[other] At most { $count } jobs start in { $span }.
}
queue-limited-per-key = At most { $count } of one concurrency key at once.
queue-limited-ordered = A retried job holds back the later ones of its key.
queue-limit-concurrency = Jobs at once
queue-limit-rate = Starts at most
queue-limit-seconds = within (seconds)
queue-limit-seconds-wrong = “{ $text }” is no number of seconds; the shortest is 0.001
queue-limit-per-key = Jobs of one concurrency key at once
queue-limit-ordered = Keep the order of a key when a job is retried
queue-limit-save = Set the limits
queue-limits-effect = { $active } running now. What is above a lower limit finishes; nothing new starts until then.
said-good-limit-changed = The limits are set. They hold for what starts from now on.
said-plain-limit-same = These limits hold already.
queue-test = Enqueue a test job
queue-test-kind = Kind
queue-test-payload = Payload
queue-test-due = Due
queue-test-now = At once
queue-test-minute = In a minute
queue-test-hour = In an hour
queue-test-enqueue = Enqueue
queue-test-open = Open the job
said-plain-enqueue-exists = It was enqueued before, as it was sent first; nothing more was enqueued. Press again for another.
queue-empty = Empty this queue
queue-empty-ready = Empty the ready list
queue-empty-ready-sentence = Every job that is ready now would be cancelled. You see which ones before anything happens.
queue-empty-dead = Empty the dead list
queue-empty-dead-sentence = Every job that is dead now would be deleted permanently. You see which ones before anything happens.
queue-empty-look = See what would happen
