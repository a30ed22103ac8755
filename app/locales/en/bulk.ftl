# One verb on many jobs.
bulk-title = Bulk runs
bulk-bar = What to do with the jobs ticked
bulk-tick = Tick { $kind } { $id }
bulk-tick-all = Tick all on this page (a)
bulk-ticked = { $count ->
    [one] { $count } selected
   *[other] { $count } selected
}
bulk-all-in = All { $count } in { $list }
bulk-all-matching = All { $count } matching { $filter }
bulk-all-matching-some = All that match { $filter } ({ $count } found so far)
bulk-untick = Clear selection
bulk-verb-cancel = Cancel
bulk-verb-ask = Ask to stop
bulk-verb-retry-now = Run now
bulk-verb-retry = Retry now
bulk-verb-reschedule = Reschedule
bulk-verb-hold = Hold
bulk-verb-unhold = Unhold
bulk-verb-reinstate = Reinstate
bulk-verb-purge = Delete permanently
bulk-reschedule-title = Reschedule all of them
bulk-later = Later by
bulk-later-15m = 15 minutes
bulk-later-1h = 1 hour
bulk-later-24h = 24 hours
bulk-later-at = To the time below
bulk-at = Date and time
bulk-spread = Spread over minutes (0 for not at all)
bulk-look-first = Look at what it would do
bulk-keep = Keep jobs
bulk-leave = Leave them as they are
bulk-act-cancel = { $count ->
    [one] Cancel { $count } job
   *[other] Cancel { $count } jobs
}
bulk-act-reinstate = { $count ->
    [one] Reinstate { $count } job
   *[other] Reinstate { $count } jobs
}
bulk-act-retry-now = { $count ->
    [one] Run { $count } job now
   *[other] Run { $count } jobs now
}
bulk-act-retry = { $count ->
    [one] Retry { $count } job now
   *[other] Retry { $count } jobs now
}
bulk-act-reschedule = { $count ->
    [one] Reschedule { $count } job
   *[other] Reschedule { $count } jobs
}
bulk-act-hold = { $count ->
    [one] Hold { $count } job
   *[other] Hold { $count } jobs
}
bulk-act-unhold = { $count ->
    [one] Unhold { $count } job
   *[other] Unhold { $count } jobs
}
bulk-act-purge = { $count ->
    [one] Delete { $count } job permanently
   *[other] Delete { $count } jobs permanently
}
bulk-means-cancel = These jobs will not run. A job that starts first is skipped. You can undo the run; due times are kept.
bulk-means-cancel-all = These jobs will not run. A job that starts first is asked to stop. You can undo the run; due times are kept.
bulk-means-reinstate = They wait for their original due times again; those whose time has passed are left alone.
bulk-means-retry-now = They are ready at once, and run as soon as workers are free.
bulk-means-to = They all get the due time { $at }.
bulk-means-later = Each will be due { $span } later than it is now.
bulk-means-earlier = Each will be due { $span } earlier than it is now; any that this makes overdue run at once.
bulk-means-back = Each gets back the due time it had before; those whose time has passed are left alone.
bulk-means-spread = They are spread evenly over { $span } from there on.
bulk-means-apart = Each comes later by its part of { $span }: the first not at all, the last by nearly all of it. None runs before its time.
bulk-means-hold = They keep their due times and do not run until they are taken off hold.
bulk-means-unhold = They wait for their due times again; those that are overdue run at once.
bulk-means-unhold-back = They wait for their due times again; those whose time has passed stay on hold.
bulk-means-purge = They are removed with their payloads and histories. This cannot be undone; receipts stay.
bulk-state-collecting = Looking for its jobs
bulk-state-frozen = Not started
bulk-state-waiting = Waits for a second person
bulk-state-running = Running
bulk-state-stopped = Stopped
bulk-state-aborted = Aborted
bulk-state-done = Done
bulk-word-cancelled = cancelled
bulk-word-requested = asked to stop
bulk-word-already-finished = had ended already
bulk-word-ready = ready
bulk-word-delayed = delayed
bulk-word-held = on hold
bulk-word-retrying = waits for its next attempt
bulk-word-purged = deleted
bulk-word-wrong-state = its state does not allow it
bulk-word-overdue = its time had passed
bulk-word-free = waits for nothing any more
bulk-word-subject-full = its subject has its limit of live jobs
bulk-word-duplicate = another job holds its unique key
bulk-word-changed = changed since it was looked at
bulk-word-started = had started meanwhile
bulk-word-forbidden = in a queue that is not yours
bulk-word-protected = of a kind that is protected
bulk-word-missing = gone
bulk-word-damaged = damaged
bulk-matching = matching { $filter }
bulk-due-from = due from { $at } on
bulk-due-before = due before { $at }
bulk-picked = selected one by one
bulk-everything = all of these states
bulk-undo-of = undoes another run
bulk-snapshot = { $count ->
    [one] Exactly this { $count } job, as it was on { $at }.
   *[other] Exactly these { $count } jobs, as they were on { $at }.
}
bulk-later-ones = Jobs added later are not touched. This page expires { $at }.
bulk-cut = There were more than a run may have or look at: only the first ones are part of it.
bulk-looking = Looking for its jobs: { $count } found among { $looked } looked at so far. Nothing changes by that.
bulk-look-on = Go on looking
bulk-looked = The look is over: { $count ->
    [one] { $count } job found.
   *[other] { $count } jobs found.
}
bulk-none = No job fits. Nothing would change.
bulk-none-first = None of the first { $looked } that were looked at fits; there are more than one run looks at. Narrow the filter.
bulk-by-state = By state at the snapshot
bulk-by-queue = By queue
bulk-by-kind = By kind
bulk-by-subject = By subject
bulk-others = others
bulk-due-range = Due between
bulk-skipped-before = { $count ->
    [one] { $count } of them will be skipped: its state does not allow it now.
   *[other] { $count } of them will be skipped: their state does not allow it now.
}
bulk-forbidden-before = { $count ->
    [one] One job that was picked is in a queue that is not yours. It is left alone, and the audit says so.
   *[other] { $count } jobs that were picked are in queues that are not yours. They are left alone, and the audit says so.
}
bulk-protected-before = { $count ->
    [one] { $count } of them is of a kind that a rule protects from bulk runs. It is left alone.
   *[other] { $count } of them are of kinds that a rule protects from bulk runs. They are left alone.
}
bulk-felt-cancel = Customers will not get:
bulk-felt-hold = Customers will get this only after the jobs are unheld:
bulk-felt-retry-now = Customers will get this at once:
bulk-felt-reschedule = Customers will get this at another time:
bulk-felt-reinstate = What customers feel of it happens after all:
bulk-felt-unhold = What customers feel of it happens after all:
bulk-felt-kind = { $kind }: { $count }
bulk-felt-most = { $kind }: { $count } at most
bulk-only-in = Only in these queues: { $queues }
bulk-running-asked = { $count ->
    [one] { $count } is running: its worker is asked to stop.
   *[other] { $count } are running: their workers are asked to stop.
}
bulk-samples = The first { $count }
bulk-samples-all = All { $count }
bulk-sample-job = Job
bulk-sample-due = Due
bulk-sample-state = State now
bulk-samples-skipped = { $count ->
    [one] { $count } of these will be skipped: its state does not allow it any more.
   *[other] { $count } of these will be skipped: their state does not allow it any more.
}
bulk-type-count = Type { $count } to go on
bulk-reason-hint = Choose one, or say it in at least 10 characters: it is more than 25 jobs
bulk-reason-hint-production = Choose one, or say it in at least 10 characters: this is production
bulk-typed-wrong = the run has { $count ->
    [one] { $count } job
   *[other] { $count } jobs
}; type that number
bulk-ask = { $count ->
    [one] Ask for { $count } job to be deleted
   *[other] Ask for { $count } jobs to be deleted
}
bulk-two-people = Deleting needs two people here: somebody else has to start this run within a day.
bulk-asked-by-you = You asked for this. Somebody else who may delete jobs has to start it; send them the address of this page.
bulk-asked-by = { $name } asked for this, and somebody else has to start it. Look at the jobs, then start it below or turn it down.
bulk-asked-at = They asked { $at }.
bulk-take-back = Take it back
bulk-turn-down = Turn it down
said-good-bulk-asked = Asked. Somebody else has to start this run now.
bulk-progress = Progress
bulk-progress-of = { $done } of { $total }
bulk-rate = { $rate } a second
bulk-said-ended = { $act }: ended. { $changed } changed, { $skipped } skipped, { $failed } failed.
bulk-said-stopped = { $act }: stopped by itself. { $changed } changed, { $skipped } skipped, { $failed } failed, { $left } to come.
bulk-said-cut-off = { $act }: aborted. { $changed } changed, { $skipped } skipped, { $failed } failed, { $left } left alone.
bulk-changed = Changed
bulk-skipped = Skipped
bulk-failed = Failed
bulk-pending = To come
bulk-left = Left alone
bulk-ended = Ended { $at }.
bulk-ended-by = Ended { $at } by { $who }.
bulk-started-by = Started by { $who }.
bulk-abort = Abort
bulk-abort-hint = Stops the rest; what is done stays done
bulk-undo = Undo this run
bulk-undo-hint = { $count ->
    [one] { $count } job goes back to how it was before.
   *[other] { $count } jobs go back to how they were before.
}
bulk-undone = Undone by another run
bulk-undo-waits = Its undo is prepared and not started: nothing is undone yet. Look at it
bulk-undoes = Undoes an earlier run
bulk-go-on = Go on
bulk-outcomes = What became of each
bulk-outcome = Outcome
bulk-outcome-from = Was
bulk-earlier-runs = Earlier runs
bulk-latest-runs = The latest runs
bulk-more-outcomes = The next ones
bulk-download = Download all
bulk-who-why = By
bulk-what = What
bulk-which = Which jobs
bulk-when = When
bulk-how = State
bulk-counts = Changed / skipped / failed
bulk-no-runs = No bulk run yet. Tick jobs in a list, or filter it and choose all that match.
bulk-to-lists = To the lists
bulk-back-to-runs = All runs
bulk-unknown = There is no such bulk run
said-good-bulk-started = Started. It goes on whether or not this page stays open.
said-plain-bulk-aborted = Aborted. What was done stays done; the rest was left alone.
bulk-mark = Snapshot
bulk-more-subjects = { $count ->
    [one] and { $count } more subject
   *[other] and { $count } more subjects
}
bulk-touches = { $count ->
    [one] Affects { $count } subject.
   *[other] Affects { $count } subjects.
}
bulk-takes-about = It takes about { $span }, as fast as Redis allows.
bulk-takes = It takes about { $span } at its rate.
bulk-samples-behind = { $first } to { $last }
bulk-samples-another = Another 20
bulk-samples-first = Back to the first
bulk-undo-until = Possible until { $at }, for those jobs that are still kept then.
