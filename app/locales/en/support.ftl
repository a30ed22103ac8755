# The support desk. No word of queues, workers or jobs.
support-title = Support desk
support-find-label = Find by number: { $sorts }
support-find-any = Find by number
support-find = Find
support-find-demo = In the demo, try 4711.
support-find-another = Find another
support-forecast = Calendar
support-recent = Recently viewed
support-several = { $count ->
    [one] Is this the one?
   *[other] { $count } match. Which one do you mean?
}
support-several-cut = The first { $count } that match. Which one do you mean?
support-since = begun { $at }
support-pending = something is planned
support-next-step = next: { $step }, { $at }
support-nothing-pending = nothing is planned
support-unknown = Nothing is known of “{ $asked }”.
support-unknown-next = Check the number. What ended long ago is not kept.
support-not-all = You see a part of what is planned here. There may be more that you are not allowed to see.
support-subject-title = { $label } · Support desk
support-nothing-planned = Nothing is planned for { $label }.
support-outcomes = In the last 90 days
support-outcome-done = was done on { $at }; it cannot be undone here.
support-outcome-called-off = was called off on { $at } by { $by }.
support-outcome-failed = did not work on { $at }.
support-outcome-left-out = was left out: its time had passed when the plan was made.
support-outcome-left-out-at = was left out on { $at }: its time had passed.
support-outcome-waited = was left out on { $at }: what comes before it was not done.
support-time-passed = its time had passed
support-begun = Begun
support-acts = What can be done
support-called-off-by = Called off by { $by }
support-held-by = On hold; put on hold by { $by }
support-because = ({ $why })
support-receipt-link = Receipt
support-step-ahead = { $distance }
support-step-due = is due now and begins at any moment
support-step-waits = has been due since { $at } and has not begun
support-step-active = is being done now
support-step-stopping = is being done now; it was asked to stop
support-step-retrying = did not work; will be tried again { $distance }
support-step-retrying-now = did not work; will be tried again at any moment
support-step-held = on hold; waits until somebody takes it off hold
support-step-waits-for-others = waits until what comes before it is done
support-step-shut = what comes before it was not done; somebody has to look at it
support-step-failed = did not work; somebody has to look at it
support-step-called-off = called off
support-step-done = done
support-step-done-late = done, { $span } late
support-step-at = { $step } ({ $at })
support-more-steps = { $count ->
    [one] one more
   *[other] { $count } more
}
support-and-more-steps = and { $more }
support-call-off = Call off { $noun }
support-call-off-plan = Call off this plan
support-call-off-seen = Call off the steps you can see
support-keep = Keep { $noun }
support-keep-plan = Keep this plan
support-act-of = { $act }: { $label }
support-stops = { $count ->
    [one] Stops one step, which has not run yet: { $list }.
   *[other] Stops { $count } steps, none of which has run yet: { $list }.
}
support-stops-partly = { $count ->
    [one] Stops one step: { $list }.
   *[other] Stops { $count } steps: { $list }.
} It may be too late to stop “{ $step }”, which is being done now.
support-stops-late = “{ $step }” is being done now. It will be asked to stop, but it may be finished all the same.
support-put-back = Put the plan back
support-put-back-sentence = What was called off gets its time again and will happen. What was done by then stays done.
support-put-back-keep = Change nothing
support-put-back-now = Put it back
support-hold = Put on hold
support-hold-more = Put on hold…
support-hold-sentence = Nothing of it happens until somebody takes it off hold. The times stay as they are.
support-hold-sentence-partly = What waits for its time does not happen until somebody takes it off hold. Not held, and may happen all the same: { $list }. The times stay as they are.
support-release = Take off hold
support-close = Close
support-postpone = Postpone
support-postpone-more = Postpone…
support-postpone-sentence = “{ $step }” is planned for { $at }. Everything that is still to come moves by as much.
support-postpone-how-much = How much later
support-later-by = { $count ->
    [one] 1 day later
   *[other] { $count } days later
}
support-later-at = On another day
support-not-later = the new time must be later than the old one, and within ten years
support-still-past = the time of { $list } would have passed even so; choose a later one
support-past-title = The time of some steps has passed. What should happen to them?
support-past-steps = They are: { $list }.
support-past-skip = Put back only what is still to come
support-past-hold = Leave them on hold, go on with the others
support-past-leave-out = Leave them out, go on with the others
support-past-run = Do them at once
said-good-desk-called-off = Called off.
said-good-desk-put-back = Put back, at the times it had.
said-good-desk-postponed = Postponed.
said-good-desk-held = Put on hold. Nothing of it happens until somebody takes it off hold.
said-good-desk-released = Taken off hold. It will happen at its planned times.
said-plain-desk-past = The time of some steps has passed, so nothing was changed. Choose below.
said-bad-desk-conflict = It changed while you looked, so nothing was changed. This is how it stands now.
support-said-partly = Only some of it was changed. As before, and may happen all the same: { $list }.
said-plain-desk-partly = Only some of it was changed. What is being done, is about to be, or is to be tried again is as before and may happen all the same.
support-said-back-at-once = Put back. Its time had passed, so this happens now: { $list }.
support-said-back-rest = Put back, except what has no time left; this stays called off: { $list }.
support-said-goes-on = Nothing was changed. As before, and may happen all the same: { $list }.
said-bad-desk-goes-on = Nothing was changed. What is being done, is about to be, or is to be tried again is as before and may happen all the same.
said-plain-desk-nothing-back = Nothing was put back: somebody has already done so, or its time has passed. This is how it stands now.
said-plain-desk-nothing = There was nothing to do: it had happened, been called off before, or its time has passed.
support-receipt-title = Receipt { $number } · Support desk
support-no-receipt = There is no such receipt.
support-no-receipt-next = Receipts are not kept for ever. The plan shows how it stands now.
support-receipt-heading = Called off
support-receipt-partly = Partly called off
support-receipt-unsure = Asked to stop; it may be too late
support-receipt-nothing = Nothing was left to call off
support-receipt-number = Receipt
support-receipt-time = Time
support-receipt-who = By
support-receipt-what = receipt
support-receipt-copy = Receipt { $number } for { $label }: { $heading }
support-receipt-line = { $step }: { $outcome }
support-receipt-due = was due
support-print = Print
support-to-subject = Show the plan
support-told-done = called off
support-told-under-way = was being done at that moment; asked to stop, but may have been finished
support-told-ended = had been done before
support-told-off-before = had been called off before
support-told-failed-before = had failed before
support-told-stays = not touched
support-undo-until = You can take this back until
support-undo-over = It is more than a day old. The plan itself shows whether it can be put back.
support-undone = This has been taken back since.
support-undo-nothing = Nothing was stopped for certain, so there is nothing to take back. The plan shows how it stands now.
support-undo-elsewhere = It cannot be taken back here. The plan shows how it stands now.
support-searched-part = Only part of what is planned was looked through. Type more of the number.
support-refused-outcome-unknown = { $is_once ->
    [true] It is not known yet whether this was done. Try again here: it is done once, however often you ask.
   *[other] It is not known yet whether this was done. Look at the plan again before you repeat it.
}
support-refused-unavailable = This cannot be done just now. Look at the plan again before you repeat it; if it stays like this, tell the person who looks after this program.
support-refused-too-slow = This cannot be done just now. Look at the plan again before you repeat it; if it stays like this, tell the person who looks after this program.
support-refused-offline = The server does not answer, so nobody knows whether this was done. Look at the plan again before you repeat it.
support-refused-not-found = This plan is no longer kept. Find it again by its number.
support-refused-storage-full = Nothing new can be stored just now. Calling off still works; tell the person who looks after this program.
support-refused-too-large = That is more than can be done at once here. Nothing was changed; tell the person who looks after this program.
support-refused-internal = Something went wrong ({ $request_id }). Try again; if it stays like this, tell the person who looks after this program, with that number.
support-too-far = You may postpone by at most { $count } days at once.
support-away = This cannot be shown just now.
support-away-stale = This cannot be read again just now. What is shown here may have changed since.
support-away-next = Nothing is lost; tell the person who looks after this program.
