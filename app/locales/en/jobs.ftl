# The lists of jobs.
jobs-title = { $list } · Reprieve
jobs-title-unread = Jobs · Reprieve
jobs-lists = Lists of jobs
jobs-table = Jobs
jobs-queue = Queue
jobs-all-queues = All queues
jobs-show = Show
jobs-job = Job
jobs-actions = Actions
jobs-main-act = Main act
jobs-act-on = { $act }: { $kind } { $id }
jobs-actions-for = Actions for { $kind } { $id }
jobs-due = Due
jobs-waiting-for = Waiting for
jobs-running-for = Running for
jobs-failed = Failed
jobs-finished = Finished
jobs-called-off = Cancelled
jobs-due-kept = Due
jobs-created-by = Created by
jobs-worker = Worker
jobs-error = Error
jobs-took = Took
jobs-by-why = Cancelled by
jobs-held-by = Held by
jobs-since = since
jobs-overdue = overdue
jobs-asked-to-stop = asked to stop
jobs-lease = lease
jobs-percent = { $percent }%
jobs-lease-over = over
jobs-attempts = { $count ->
    [one] { $count } attempt
   *[other] { $count } attempts
}
jobs-attempts-title = Attempts begun, of how many allowed
jobs-undo-until = undo until
jobs-who-why = { $who }: { $why }
jobs-enqueued = enqueued
jobs-late-by = late by { $span }
jobs-failed-with = failed:
jobs-changed-by = changed by { $who }
jobs-on-time = on time
jobs-early-by = early by { $span }
jobs-removed = Removed
jobs-not-kept = no longer kept
jobs-subject = subject
jobs-new = { $count } new
jobs-new-many = { $count }+ new
jobs-load-new = Load them (.)
jobs-paused = { $queue } is paused by { $name }: nothing of it starts
jobs-paused-open = Open the queue
jobs-order-soonest = Soonest first
jobs-order-latest = Latest first
jobs-order-next = Next to run first
jobs-order-last = Last to run first
jobs-order-lease-soonest = Lease ends soonest first
jobs-order-lease-latest = Lease ends latest first
jobs-order-oldest = Oldest first
jobs-order-newest = Newest first
jobs-other-end = The other end first
jobs-load-more = Load { $count } more
jobs-said-more = { $count ->
    [one] One more job
   *[other] { $count } more jobs
}
jobs-to-beginning = Back to the beginning
jobs-ends-here = The list ends here.
jobs-none-of-queue = No job of the queue { $queue } is in { $list }.
jobs-show-all-queues = Show all queues ({ $count })
