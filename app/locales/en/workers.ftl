# The page of workers: who is working, who is not.
workers-title = Workers
workers-none = No worker has been heard from in the last day.
workers-none-next = Start the program that holds your handlers. Or have due jobs sent to a URL: add this to the settings of the server, and restart it.
workers-more = { $count ->
    [one] { $count } more worker is not shown.
   *[other] { $count } more workers are not shown.
}
workers-unserved = { $count ->
    [one] No workers for queue { $queue }: { $count } ready job waits.
   *[other] No workers for queue { $queue }: { $count } ready jobs wait.
}
workers-see-them = See them
workers-start = Start the program that holds its handlers. Or have its jobs sent to a URL: add this to the settings of the server, and restart it.
workers-state = State
workers-state-live = Live
workers-state-quiet = Quiet: finishing
workers-state-stopping = Stopping
workers-state-silent = Silent
workers-state-silent-for = Silent: not heard from for { $span }
workers-state-gone-for = Gone: not heard from for { $span }
workers-pending-quiet = Becomes quiet at its next heartbeat
workers-pending-resume = Takes jobs again at its next heartbeat
workers-pending-stop = Stops at its next heartbeat
workers-pending-claim = Gets nothing more from its next claim on
workers-quiet-by-itself = Its own program asked for it
workers-quiet-unsaid = No order keeps it quiet; whether its own program does is not known
workers-host = Host
workers-process = Process
workers-version = Version
workers-queue = Queue
workers-queues = Queues
workers-modes = Jobs are
workers-slots = Slots in use
workers-slots-of = { $busy } of { $slots }
workers-memory = Memory
workers-started = Started
workers-heartbeat = Last heartbeat
workers-first-claim = First claim
workers-last-claim = Last claim
workers-in-hand = Jobs in hand
workers-stuck = { $count ->
    [one] { $count } handler runs on although it should have ended.
   *[other] { $count } handlers run on although they should have ended.
}
workers-job = Job
workers-jobs = { $count ->
    [one] Running { $count } job
   *[other] Running { $count } jobs
}
workers-jobs-label = Jobs in the hands of this worker
workers-jobs-more = { $count ->
    [one] and { $count } more
   *[other] and { $count } more
}
workers-running-for = Running for
workers-lease = Lease
workers-lease-over = over; it is being taken back
workers-quiet = Stop taking jobs
workers-resume = Resume
workers-stop = Stop worker
workers-stop-title = Stop this worker?
workers-stop-sentence = { $count ->
    [0] It takes nothing new and ends. It runs nothing.
    [one] It takes nothing new. Its { $count } job has a moment to finish; if it does not finish, it returns to Ready without costing an attempt.
   *[other] It takes nothing new. Its { $count } jobs have a moment to finish; those that do not finish return to Ready without costing an attempt.
}
workers-stop-keep = Keep worker
workers-off-gone = It has not been heard from for a minute: nobody is there to obey
workers-off-claims = It claims by calls of its own: only its own program can stop it. Quiet gives it nothing more
workers-off-stopping = It was told to stop, which cannot be taken back
said-good-worker-quiet = Told. It finishes what it has and takes nothing new from its next heartbeat on.
said-good-worker-resume = Told. It takes jobs again from its next heartbeat on.
said-good-worker-stop = Told. It ends from its next heartbeat on; what it does not finish returns to Ready.
said-plain-worker-unchanged = It has that order already.
said-plain-worker-stopping = It was told to stop before, which cannot be taken back.
said-plain-worker-claims = It claims by calls of its own: only its own program can stop it.
said-bad-worker-missing = There is no such worker any more.
workers-forwarders = Forwarders
workers-forwarder-tick = Last looked for due jobs: { $at }
workers-forwarder-never = No forwarder has ever run here: nothing moves from Delay to Ready.
workers-last-tick = Last tick
