# One job: its page and the panel beside a list.
job-page = Job
job-unknown = There is no such job
job-unknown-why = It was never enqueued here, or it ended and its retention is over. What became of a job that is gone stays with its subject: the support desk has it.
job-to-the-jobs = To the jobs
job-gone = This job is gone
job-gone-what = It ended, and its retention is over or somebody deleted it. This is what is kept of it.
job-gone-receipt = Receipt
job-gone-kind = Kind
job-gone-subject = Subject
job-gone-state = How it ended
job-gone-ended = When it ended
job-gone-ended-by = By
job-gone-cancelled-by = Cancelled by
job-gone-why = Why
job-gone-purged = Removed
job-to-the-desk = To the support desk
job-own-page = Open as a page
job-previous-key = Previous job ([)
job-next-key = Next job (])
job-close-key = Close (Esc)
job-a-worker = A worker
job-asked-to-stop = asked to stop
job-moved = Moved to { $state } at { $at }
job-unheard-soon = { $worker } has not been heard from for { $span }. Unless it reports, the job is taken back in { $seconds } s.
job-unheard = { $worker } has not been heard from for { $span }. The job is being taken back; it will be tried again.
job-silent-soon = { $worker } has missed a heartbeat. Unless it reports, the job is taken back in { $seconds } s.
job-silent = { $worker } has gone silent. The job is being taken back; it will be tried again.
job-place-stream = stream { $place }, group { $group }
job-place-asynq = asynq queue { $place }
job-says-taken = { $who } took { $about } from { $place } { $span } ago and works on it.
job-says-handed = Handed { $about } to { $place } { $span } ago; no consumer has taken it yet, so it can still be cancelled.
job-says-overdue = Was to run { $about } on { $due }; it is overdue by { $span }.
job-says-delayed = Will run { $about } { $distance } unless cancelled; due { $due }.
job-says-held = Held; { $about } does not run until it is unheld. Its due time stays { $due }.
job-says-held-by = Held by { $who } since { $since }; { $about } does not run until it is unheld. Its due time stays { $due }.
job-says-put-back = It can be reinstated until { $until }.
job-says-kept = It is kept until { $until }.
job-says-both = { $first } { $second }
job-aged = for { $span }
job-held-by-since = by { $who } since { $since }
job-says-ready = Due on { $due }; { $about } waits for a free worker.
job-says-running-for = { $worker } has been running { $about } for { $span }.
job-says-running = { $worker } is running { $about }.
job-says-retry-due = Attempt { $attempt } of { $about } failed; the next one is due.
job-says-retrying = Attempt { $attempt } of { $about } failed; the next one runs { $distance } unless cancelled; due { $due }.
job-says-done-in = Ran { $about } in { $span } and finished on { $ended }.
job-says-done = Ran { $about } and finished on { $ended }.
job-says-dead = { $attempts ->
    [one] Gave up on { $about } after { $attempts } attempt on { $ended }; it will not run again by itself.
   *[other] Gave up on { $about } after { $attempts } attempts on { $ended }; it will not run again by itself.
}
job-says-stopped = Stopped { $about } while it ran, as { $who } asked, on { $ended }; what it had done stays done.
job-says-stopped-why = Stopped { $about } while it ran, as { $who } asked ({ $why }), on { $ended }; what it had done stays done.
job-says-cancelled = Cancelled by { $who } on { $ended }; { $about } will not run. It was due on { $due }.
job-says-cancelled-why = Cancelled by { $who } on { $ended } ({ $why }); { $about } will not run. It was due on { $due }.
job-way = Its way
job-step-waits = Waits
job-step-due = Due
job-step-runs = Runs
job-step-ends = Ends
job-due-at-once = due when enqueued
job-after-attempt = after attempt { $attempt }
job-late-by = late by { $span }
job-attempt-on = attempt { $attempt } on { $worker }
job-siblings = Jobs of this subject
job-siblings-of = All jobs of { $subject }
job-siblings-earlier = { $count ->
    [one] { $count } job that ended earlier
   *[other] { $count } jobs that ended earlier
}
job-this = this job
job-facts = Facts
job-due-time = Due
job-due = due
job-was-due = was due
job-queue = Queue
job-enqueued = Enqueued
job-attempts = Attempts
job-attempt-of = { $attempt } of { $max }
job-attempt-unlimited = { $attempt } (no limit)
job-stalls = · lease lost { $count }×
job-unheard-count = · never heard of again { $count }×
job-priority = Priority
job-priority-order = (0 first, 9 last)
job-version = Version
job-lease = Lease
job-lease-over = over
job-kept-until = Kept until
job-timeout = Timeout
job-unique-key = Unique key
job-handed-to = Handed to
job-entry = Entry
job-taken-by = Taken by
job-not-taken = not yet
job-ended-untaken = ended before it was seen taken
job-headers = Headers and tags
job-payload = Payload
job-sort-empty = empty
job-sort-text = text
job-sort-bytes = bytes
job-carries-nothing = This job carries nothing.
job-raw = Raw
job-tree-more = and { $count } more
job-reveal = Reveal
job-reveal-name = Reveal { $part }
job-reveal-whole = the whole payload
job-reveal-title = Reveal { $part }
job-reveal-sentence = You see it here for a minute, or until you leave the page. That you looked, and why, stands in the audit; the value itself does not.
job-reveal-keep = Keep it hidden
job-reveal-hide = Hide it again
job-revealed = Revealed to you and written down; kept nowhere
job-revealed-once = It is shown this once. That you looked, and why, stands in the audit; the value itself is kept nowhere.
job-revealed-back = Back to the job
job-edit = Edit the payload
job-edit-new = New payload
job-edit-no-json = Not valid JSON (line { $line }, column { $column }).
job-edit-as-is = Save it although it is not valid JSON
job-edit-tick = Correct it, or tick the box to save it as it is.
job-edit-changed = The payload was changed while you typed. Saving would overwrite that, and is refused.
job-edit-take = Take the new one, drop mine
job-edit-save = Save the payload
job-edit-not-now = Only a job that waits, is on hold or is dead can be edited
job-no-attempt = No attempt has ended yet.
job-never-ran = It never ran.
job-attempts-scrollable = Attempts, scrollable
job-started = Started
job-took = Took
job-attempt-result = Result
job-worker = Worker
job-result-done = Done
job-result-failed = Failed
job-result-snoozed = Snoozed
job-result-released = Given back
job-result-stalled = Lease lost
job-result-unheard = Never heard of again
job-result-cancelled = Cancelled
job-same-error = { $count ->
    [one] Same error: { $count } other is dead
   *[other] Same error: { $count } others are dead
}
job-same-error-at-least = { $count ->
    [one] Same error: at least { $count } other is dead
   *[other] Same error: at least { $count } others are dead
}
job-same-error-retrying = { $count ->
    [one] Same error: { $count } other is to be retried
   *[other] Same error: { $count } others are to be retried
}
job-same-error-retrying-at-least = { $count ->
    [one] Same error: at least { $count } other is to be retried
   *[other] Same error: at least { $count } others are to be retried
}
job-progress = Progress
job-percent = { $percent }%
job-log = Log
job-log-kept = { $count ->
    [one] { $count } line; the last 1,000 are kept
   *[other] { $count } lines; the last 1,000 are kept
}
job-log-from = From
job-log-stop = Stop following
job-log-follow = Follow
job-log-earlier = Show earlier lines
job-log-debug = Debug
job-log-info = Info
job-log-warn = Warning
job-log-error = Error
job-result = Result
job-history = History
job-history-scrollable = History, scrollable
job-history-edited = new payload
job-history-edited-parts = new payload: { $parts }
job-when = When
job-change = Change
job-who = Who
job-why = Why
job-to = to
job-as-of = As it stood
job-as-of-version = Version { $version }
job-as-of-by = by { $who }
job-as-of-by-why = by { $who }: { $why }
job-more = More to do with this job
job-as-curl = As a call with curl
job-as-rust = As a call in Rust
job-duplicate = Duplicate
job-duplicate-due = Enqueue it once more, due
job-duplicate-hour = in an hour
job-duplicate-day = in a day
job-duplicate-now = at once
job-duplicate-same = at the time of this one
job-duplicate-open = Open the new job
job-delete = Delete permanently
job-delete-title = Delete this job permanently
job-delete-sentence = Its payload, attempts, history and log are removed at once. Only its receipt stays.
job-delete-sure = I know that this cannot be taken back
job-delete-type = Type { $id } to go on
job-delete-ended-only = Only a job that has ended can be deleted
job-delete-two-people = Deleting needs two people here: tick the job in its list instead
said-good-reveal-part = It was shown, and that stands in the audit.
said-plain-reveal-not-hidden = Nothing is hidden there; nothing was written down.
said-plain-reveal-within = It is hidden with all that is around it; look at that part.
said-bad-reveal-no-such-part = The payload has no such part.
said-bad-reveal-no-reason = It was not shown: say why, for the audit.
said-good-edit-delayed = Saved. The next attempt gets the new payload.
job-said-edit-undone = Undone. The next attempt gets the payload as it was.
said-bad-edit-wrong-state = It is on its way or over, so its payload stays as it is.
said-good-purge-purged = Deleted permanently.
said-bad-purge-wrong-state = It has not ended, so it was not deleted.
said-good-duplicate-enqueued = Enqueued once more, with an id of its own.
said-plain-duplicate-exists = The copy was there already; nothing more was enqueued.
job-copy-id = id
job-copy-subject = subject
job-copy-due = due time
job-copy-entry = entry
job-to-trace = Look at its trace
job-copy-header = header { $name }
job-copy-payload = payload
job-copy-error = error
job-copy-log = log
job-copy-result = result
job-copy-curl = call with curl
job-copy-rust = call in Rust
job-trace-libraries = { $count ->
    [one] { $count } line of libraries
   *[other] { $count } lines of libraries
}
job-rest-of-text = { $count ->
    [one] { $count } more character
   *[other] { $count } more characters
}
job-stop-times = { $count ->
    [one] once
   *[other] { $count } times
}
job-stop-stayed = for { $span }
