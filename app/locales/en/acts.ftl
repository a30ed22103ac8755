# What a person does to jobs, and what came of it.
acts-group = What to do with this job
acts-with-key = { $act } ({ $key })
acts-kind-for = { $kind } for { $subject }
acts-copy = Copy { $what }
acts-copied = Copied: { $what }
acts-not-copied = The browser did not copy this: { $what }. Select it and copy it by hand.
acts-run-now = Run now
acts-retry-now = Retry now
acts-undo = Undo
acts-reschedule = Reschedule
acts-hold = Hold
acts-unhold = Unhold
acts-cancel = Cancel
acts-ask-to-stop = Ask to stop
acts-not-cancelled = It is not cancelled
acts-not-held = It is not on hold
acts-hold-first-only = Only a job before its first attempt can be put on hold
acts-held-already = It is on hold already
acts-due-already = It is due; the next free worker takes it
acts-due-cancel-instead = It is due and waits for a worker; cancel it instead
acts-active-now = A worker has it now
acts-done-already = It is done
acts-dead-retry-instead = It is dead; retry it instead
acts-undo-first = It is cancelled; undo that first
acts-overtaken = Not done to { $job }: before that could be sent, what you did just before had changed it, or its page was left. Do it again if you still want it.
acts-ended-already = It has ended already
acts-cancelled-already = Already cancelled
acts-undo-name = Reinstate it at its original due time ({ $key })
acts-undo-overdue-title = Its due time has passed
acts-undo-overdue = It was due { $due }. Nothing runs unless you say when.
acts-keep-off = Keep it cancelled
acts-at-another-time = Or at another time
acts-put-back-at = Reinstate at that time
acts-reschedule-title = Reschedule this job
acts-due-now = { $about } is due { $due }.
acts-keep-time = Keep its time
acts-new-due = New due time
acts-in = In { $span }
acts-earlier-than-now = { $span } earlier than now planned
acts-later-than-now = { $span } later
acts-tomorrow-nine = Tomorrow 09:00
acts-at = At
acts-date-and-time = Date and time
acts-asked-already = Its worker has been asked to stop
acts-ask-title = Ask the worker to stop
acts-cancel-title = Cancel this job
acts-ask-it = Ask it to stop
acts-cancel-anyway = Cancel it anyway
acts-cancel-job = Cancel job
acts-keep-job = Keep job
acts-keep-waiting = Keep as it is
acts-run-at-once = { $about } runs at once instead of on { $due }, and what it has done stays done.
acts-run-consequence = { $about } runs at once instead of on { $due }. A customer feels it, and what it has done stays done.
acts-run-again-consequence = { $about } runs once more, at once. A customer feels it, and what it has done stays done.
acts-keep-jobs = Keep jobs
acts-ask-consequence = { $about } is running. Its worker is asked to stop; what it has done already stays done.
acts-cancel-consequence = { $about }, due { $due }, will not run. You can undo this while the job is kept; its due time stays.
acts-cancel-its-jobs = Cancel its jobs
acts-cancel-its-live-jobs = { $count ->
    [one] Cancel its one live job
   *[other] Cancel all { $count } live jobs
}
acts-cancel-subject-title = Cancel the jobs of { $subject }
acts-cancel-subject-consequence = { $count ->
    [one] { $count } job
   *[other] { $count } jobs
} of { $subject } will not run, or be asked to stop where they run already. Each can be reinstated by itself.
acts-subject-nothing-live = No job of this subject is still to come
acts-cancel-jobs = { $count ->
    [one] Cancel { $count } job
   *[other] Cancel { $count } jobs
}
acts-reason = Reason
acts-reason-choose = Choose a reason
acts-reason-none = No reason
acts-reason-customer = Customer asked
acts-reason-renewed = Renewed or paid
acts-reason-wrong = Wrong customer or resource
acts-reason-legal = Legal hold
acts-reason-duplicate = Duplicate
acts-reason-fixed = Cause fixed
acts-reason-outage-over = Outage over
acts-reason-maintenance = Maintenance
acts-reason-incident = Incident
acts-reason-incident-number = Incident { $number }
acts-reason-other = Other
acts-reason-and-more = { $reason }: { $more }
acts-note = Note
acts-ticket = Ticket
acts-incident = Number of the incident
acts-optional = (optional)
acts-said-subject-none = No job of this subject was still to come.
acts-said-subject-off = Cancelled { $off } of { $all } jobs of this subject.
acts-said-subject-partly = Cancelled { $off } of { $all } jobs of this subject; { $asked } had started and will be asked to stop.
said-good-cancel-cancelled = Cancelled. No worker will start this job.
said-plain-cancel-requested = It was already running: its worker is asked to stop. What it has done stays done.
said-plain-cancel-already-finished = It had already ended, so there was nothing to cancel.
said-good-cancel-subject-cancelled = Cancelled: no job of this subject will be started.
said-bad-cancel-subject-too-many = Too many jobs at once for one step. Nothing was changed; cancel them from the list.
said-good-reinstate-delayed = Reinstated, due at its original time.
said-good-reinstate-at = Reinstated, due at the time that was given.
said-good-reinstate-moved = Reinstated. Its plan has moved meanwhile, and it is due where that is now.
acts-said-reinstated-to = Reinstated, due { $due }.
said-good-reinstate-held = Reinstated on hold, as it was. It will not run until somebody unholds it.
said-bad-reinstate-overdue = Its due time has passed. Run it now, or reschedule it; nothing was changed.
said-bad-reinstate-wrong-state = It is not cancelled, so there is nothing to reinstate.
said-good-retry-now-ready = Ready: the next free worker takes it.
said-bad-retry-now-wrong-state = It is already on its way or done, so nothing was changed.
said-good-reschedule-delayed = Rescheduled.
acts-said-rescheduled-to = Rescheduled to { $due }.
said-bad-reschedule-wrong-state = It does not wait any more, so it was not rescheduled.
said-good-hold-held = On hold. It keeps its due time and will not run until it is taken off hold.
said-bad-hold-wrong-state = It is not delayed, so it was not put on hold.
said-good-unhold-delayed = Off hold. It will run at its due time.
said-bad-unhold-wrong-state = It is not on hold, so nothing was done.
said-good-pause-changed = Paused. No job of this queue starts until it is resumed.
said-plain-pause-same = The queue was already paused.
said-good-resume-changed = Resumed. Jobs of this queue start again.
said-plain-resume-same = The queue was not paused.
acts-said-queue-paused = Paused { $queue }. No job of it starts until it is resumed.
acts-said-queue-resumed = Resumed { $queue }. Its jobs start again.
said-good-halt-changed = Jobs start again.
said-plain-halt-same = Nothing stood still.
acts-typed-wrong = in production its id has to be typed: { $id }
acts-tick-wanted = what cannot be taken back has to be ticked first
acts-why-run = bulk run { $run }
acts-why-run-because = bulk run { $run }: { $why }
# Scripts write these in English, and are understood by them: they change together.
acts-why-stopped = stopped when asked
acts-why-failed = failed for good
acts-why-worker-stopped = its worker stopped
acts-why-gate-open = what it waited for is done
acts-why-batch = waits for its batch
acts-why-batch-open = its batch is open
acts-why-batch-unread = its batch cannot be read
acts-why-rolled-back = rolled back
acts-why-adopted = as it was where it comes from
acts-why-attempts = { $count ->
    [one] its one attempt used
   *[other] all { $count } attempts used
}
acts-why-killed = killed its worker { $count } times
acts-why-lease = worker { $worker } lost its lease
acts-why-unheard = was handed to { $worker } and never heard of again
acts-why-lost = lost { $count } times: { $why }
acts-why-steps = waits for { $steps }
acts-why-published = published to { $place }
acts-why-taken = taken by { $who }
acts-why-replaced = replaced
acts-why-debounced = debounced
acts-why-window = outside the window of its kind
acts-why-windows-unknown = the windows of its kind are not known at present
acts-why-not-published = it could not be published
acts-why-plan-held = its plan is held
acts-why-and-plan-held = { $why }; its plan is held
acts-why-expired = expired: { $late } ms late, at most { $most } are allowed
acts-why-batch-failed = of its batch { $dead ->
    [one] { $dead } is
   *[other] { $dead } are
} dead and { $cancelled } cancelled
acts-why-paused-there = paused in asynq since { $since } (Unix seconds)
acts-why-most-failed = { $failed } of the last { $last } failed again; find out why before the rest
acts-why-signed-off = { $who } may not sign in any more
acts-why-right-unknown = it is not known what { $who } would have to be allowed to do
acts-why-right-lost = { $who } is now { $role } and has lost the permission { $right }
acts-why-other-queues = the rights of { $who } do not hold in all queues of the run
acts-why-step = { $step } is { $state }
