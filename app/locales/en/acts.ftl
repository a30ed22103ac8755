# What a person does to jobs, and what came of it.
acts-group = What to do with this job
acts-with-key = { $act } ({ $key })
acts-kind-for = { $kind } for { $subject }
acts-copy = Copy { $what }
acts-run-now = Run now
acts-retry-now = Retry now
acts-undo = Undo
acts-reschedule = Reschedule
acts-hold = Hold
acts-release = Release
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
acts-ended-already = It has ended already
acts-undo-name = Put it back at its original due time ({ $key })
acts-undo-overdue-title = Its due time has passed
acts-undo-overdue = It was due { $due }. Nothing runs unless you say when.
acts-keep-off = Keep it off
acts-at-another-time = Or at another time
acts-put-back-at = Put back at that time
acts-reschedule-title = Another due time
acts-due-now = It is due { $due } now.
acts-keep-time = Keep its time
acts-new-due = New due time
acts-later-by = +{ $span }
acts-tomorrow-nine = Tomorrow 09:00
acts-at = At
acts-date-and-time = Date and time
acts-due-passed = { $due } has passed: it will run at once.
acts-due-then = Due { $due }, { $distance }.
acts-asked-already = Its worker has been asked to stop
acts-ask-title = Ask the worker to stop
acts-cancel-title = Call this job off
acts-ask-it = Ask it to stop
acts-cancel-anyway = Cancel it anyway
acts-cancel-job = Cancel job
acts-keep-job = Keep job
acts-keep-jobs = Keep jobs
acts-ask-consequence = { $about } is running. Its worker is asked to stop; what it has done already stays done.
acts-cancel-consequence = { $about }, due { $due }, will not run. You can undo this while the job is kept; its due time stays.
acts-cancel-its-jobs = Call off its jobs
acts-cancel-its-live-jobs = { $count ->
    [one] Call off its one live job
   *[other] Call off all { $count } live jobs
}
acts-cancel-subject-title = Call off { $subject }
acts-cancel-subject-consequence = { $count ->
    [one] { $count } job
   *[other] { $count } jobs
} of { $subject } will not run, or be asked to stop where they run already. Each can be put back by itself.
acts-subject-nothing-live = No job of this subject is still to come
acts-cancel-jobs = { $count ->
    [one] Cancel { $count } job
   *[other] Cancel { $count } jobs
}
acts-outcome-cancelled = cancelled
acts-outcome-asked = was running already; asked to stop
acts-outcome-ended = had ended before
acts-reason = Reason
acts-reason-customer = Customer asked
acts-reason-renewed = Renewed or paid
acts-reason-wrong = Wrong customer or resource
acts-reason-legal = Legal hold
acts-reason-duplicate = Duplicate
acts-reason-incident = Incident
acts-reason-other = Other
acts-reason-and-more = { $reason }: { $more }
acts-note = Note
acts-optional = (optional)
acts-said-subject-none = No job of this subject was still to come.
acts-said-subject-off = Cancelled { $off } of { $all } jobs of this subject.
acts-said-subject-partly = Cancelled { $off } of { $all } jobs of this subject; { $asked } had started and will be asked to stop.
acts-said-cancelled = Cancelled. No worker will start this job.
acts-said-cancel-requested = It was already running: its worker is asked to stop. What it has done stays done.
acts-said-cancel-final = It had already ended, so there was nothing to cancel.
acts-said-subject-cancelled = Called off: no job of this subject will be started.
acts-said-subject-too-many = Too many jobs at once for one step. Nothing was changed; cancel them from the list.
acts-said-reinstated = Put back, due at its original time.
acts-said-reinstate-overdue = Its due time has passed. Run it now, or reschedule it; nothing was changed.
acts-said-reinstate-refused = It is not cancelled, so there is nothing to put back.
acts-said-retry-ready = Ready: the next free worker takes it.
acts-said-retry-refused = It is already on its way or done, so nothing was changed.
acts-said-rescheduled = Rescheduled.
acts-said-rescheduled-to = Rescheduled to { $due }.
acts-said-reschedule-refused = It does not wait any more, so it was not rescheduled.
acts-said-held = On hold. It keeps its due time and will not run until released.
acts-said-hold-refused = It is not delayed, so it was not put on hold.
acts-said-released = Released. It will run at its due time.
acts-said-unhold-refused = It is not on hold, so there was nothing to release.
acts-said-paused = Paused. No job of this queue starts until it is resumed.
acts-said-paused-before = The queue was already paused.
acts-said-resumed = Resumed. Jobs of this queue start again.
acts-said-not-paused = The queue was not paused.
acts-said-queue-paused = Paused { $queue }. No job of it starts until it is resumed.
acts-said-queue-resumed = Resumed { $queue }. Its jobs start again.
acts-said-going-on = Jobs start again.
acts-said-stood-not = Nothing stood still.
