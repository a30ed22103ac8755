# What went wrong, and what a person can do about it.
errors-redis-unreachable = Redis is unreachable.
errors-redis-busy = Redis is busy: it is loading its data, or running something long.
errors-redis-denied = Redis refuses this server: its user, its password, or a right that it needs.
errors-redis-read-only = Redis takes no changes at present.
errors-moved-started = This job started { $span } ago on { $worker }, so { $so ->
    [uncancelled] it was not cancelled
   *[nothing] nothing was changed
}.
errors-moved-running = This job is running by now, so { $so ->
    [uncancelled] it was not cancelled
   *[nothing] nothing was changed
}.
errors-moved-done = This job was done { $span } ago, so { $so ->
    [uncancelled] it was not cancelled
   *[nothing] nothing was changed
}.
errors-moved-dead = This job died { $span } ago, so { $so ->
    [uncancelled] it was not cancelled
   *[nothing] nothing was changed
}.
errors-moved-cancelled = Somebody cancelled this job { $span } ago, so { $so ->
    [uncancelled] there was nothing left to cancel
   *[nothing] nothing was changed
}.
errors-moved-elsewhere = This job is now { $state } (version { $version }), so { $so ->
    [uncancelled] it was not cancelled
   *[nothing] nothing was changed
}.
errors-subject-full = Its subject has its limit of 1,000 live jobs.
errors-duplicate = Another live job, { $holder }, holds its unique key.
errors-not-found = There is no such job any more.
errors-no-run = There is no such bulk run any more.
errors-bulk-conflict = { $state ->
    [running] This bulk run is under way, so nothing else was changed
    [stopped] This bulk run has stopped by itself, so nothing was changed
    [aborted] This bulk run was aborted, and there is nothing of it to start or to change back
    [done] This bulk run is done, and there is nothing of it to start, to abort or to change back
   *[early] This bulk run has not been started yet, so nothing was changed
}.
errors-lapsed = This address searches payloads for something that only its own installation can read.
errors-invalid = That could not be done: { $why }.
errors-name-empty = a name is missing
errors-name-long = a name has at most { $count } bytes
errors-name-character = “{ $found }” does not fit in a name; allowed are { $allowed }
errors-name-dots = no part between slashes may be empty, “.” or “..”, for an address would name something else
errors-not-a-time = that is not a time; write 2026-08-12T09:00 (UTC), or +900 for 900 seconds from now
errors-not-a-number = “{ $text }” is no whole number, or too large
errors-not-a-place = that is no place in this list; begin at its first page
errors-span-long = nothing lasts longer than a thousand years
errors-due-far = jobs are moved and spread by a year at most
errors-payload-large = a payload has at most { $size }
errors-too-large = That is more than a page can send. Nothing was changed.
errors-payload-hidden = the payload holds a part that was hidden where it was copied from
errors-reason-long = a reason has 1 to 1,024 bytes
errors-storage-full = Redis is full: nothing new can be stored.
errors-forbidden = { $elsewhere ->
    [true] You have the permission { $permission } in your queues, and this is about others too.
   *[other] You lack the permission { $permission }.
}
errors-offline = The server does not answer.
errors-too-slow = The answer took too long.
errors-outcome-unknown = It is not known whether this was done: Redis was asked and did not answer.
errors-outdated = This page is of another version than the server.
errors-internal = Something went wrong on the server ({ $request_id }).
errors-setting-changed = Somebody changed this while you were looking, so nothing was saved.
errors-next-setting-changed = What you typed is still here. Save once more to put it in place of theirs.
errors-reason-too-short = A reason has at least { $count } characters, so nothing was changed.
errors-approval-required = Deleting needs two people here, so nothing was deleted.
errors-next-reason-too-short = Say what it is in the note, or choose another reason.
errors-next-approval-required = Tick the jobs in their list and ask for their deletion; somebody else then starts it.
said-bad-error-setting-changed = Somebody changed this while you were looking, so nothing was saved. This is how it stands now.
errors-signed-out = You are not signed in, or not any more.
errors-next-signed-out = Sign in again, and repeat it.
errors-prove-first = Only somebody who has confirmed lately who they are may do this.
errors-next-prove-first = Confirm that it is you, then do it again.
errors-too-many = Your role may do that to at most { $jobs_max } jobs at once.
errors-next-too-many = Choose fewer, or ask an operator.
errors-too-far = Your role may put a job off by at most { $days_max } days at once.
errors-next-too-far = Choose an earlier time, or ask an operator.
errors-rate-limited = You have done that too often lately.
errors-next-rate-limited = { $seconds ->
    [one] Wait one second and try again.
   *[other] Wait { $seconds } seconds and try again.
}
errors-next-conflict = Look at the job as it is now, then decide again.
errors-next-subject-full = Cancel some of them, or let them end. Nothing was changed.
errors-next-duplicate = Look at that job first: both at once are not wanted.
errors-next-not-found = It may have been removed after its retention. Check the id.
errors-next-no-run = It may have been removed after its retention. Look for it among all runs.
errors-next-bulk-conflict = Load the page again and look at how it stands.
errors-next-lapsed = Type that part of the filter again.
errors-next-too-large = A payload of this size can be changed over HTTP.
errors-next-invalid = Correct it and try again.
errors-next-unavailable = Nothing was changed; due jobs will run late. Check that Redis runs. The server tries again every second, and this page goes on by itself. If this takes longer than a minute, the server’s log says why.
errors-other-redis-away = The other Redis does not answer.
errors-next-other-redis = Reprieve’s own is well and nothing is lost: what was taken is here, or in the journal beside its source. Check that the other Redis runs and can be reached, then try again; if its address or login is another one now, connect to it anew.
errors-next-storage-full = Jobs can still be finished and cancelled. Give Redis more memory.
errors-next-forbidden = Ask an administrator.
errors-next-offline = Check that the server runs and try again. Jobs go on without this page.
errors-next-outcome-unknown = { $is_once ->
    [true] Try again here: it is done once, however often you ask. Or look at the page again in a moment.
   *[other] Look at the page again in a moment: do it once more only if it was not done.
}
errors-next-too-slow = Try again; where you asked for a change, look first whether it was made.
errors-next-outdated = Load the page again.
errors-next-internal = Try again. If it happens again, look for that id in the server’s log.
errors-since-ago = Since { $instant } ({ $ago }).
errors-request-id = request id
errors-away = No answer at present
errors-away-again = Try again
errors-away-back = Back to the page
errors-away-undone = What you sent was not done. Send it again once this is over.
errors-away-unknown = Nothing is known of what you sent. Look whether it was done before you send it again.
errors-away-outdated = What you sent was not done. Load the page again, then send it once more.
errors-away-broken = That did not work
errors-stopped-broken-off = The form did not arrive whole.
errors-stopped-no-form = What was sent is not in the format of forms.
errors-stopped-foreign = Another site asked for this, so nothing was done.
errors-stopped-host = This dashboard does not answer to the host name “{ $host }”.
errors-stopped-long = The address is longer than a page can have.
errors-stopped-method = Nothing answers at this address in that way.
errors-stopped-next-again = What you sent was not done. Send it again.
errors-stopped-next-foreign = If you want it done, open the page here yourself and send it from there.
errors-stopped-next-host = Open it as localhost, have the proxy in front pass on the browser’s Host, or start it with --allow-host.
errors-stopped-next-long = Open the page without it, then ask for less at once: a shorter filter, or fewer columns.
errors-stopped-there = You are not signed in.
errors-stopped-next-there = Sign in to the application that this dashboard is a part of, then open this page again.
errors-stopped-next-method = Nothing was done. Open the page, and go on from there.
said-bad-error-conflict = The job moved on while you looked, so nothing was changed. This is how it stands now.
said-bad-error-duplicate = Another live job holds its unique key, so nothing was changed.
said-bad-error-not-found = There is no such job any more.
said-bad-error-bulk-conflict = The bulk run moved on while you looked, so nothing was changed. This is how it stands now.
said-bad-error-lapsed = The filter has a part that only its own installation can read. Type that part again.
said-bad-error-invalid = That could not be understood, so nothing was changed.
said-bad-error-unavailable = Redis does not answer at present, so nothing was changed. Try again in a moment.
said-bad-error-other-redis = The other Redis does not answer at present. Check that it runs and can be reached, then try again.
said-bad-error-storage-full = Redis is full, so nothing was changed. Cancelling jobs still works.
said-bad-error-export-running = Another file is still on its way to you. Wait for its end, or stop it.
said-bad-error-forbidden = You may not do that; ask an administrator.
said-bad-error-internal = Something went wrong on the server. The log has the details.
errors-in-full = { $sentence } { $next }
errors-no-page = There is no such page
errors-no-page-next = The address may be mistyped, or the page has moved.
errors-to-overview = To the overview
