# Dead jobs by their error.
dead-title = Dead, by error
dead-as-list = As a list
dead-by-error = By error
dead-of-queue = Queue { $queue }.
dead-looked-at = { $total ->
    [one] { $total } dead job
   *[other] { $total } dead jobs
} with { $groups ->
    [one] one error.
   *[other] { $groups } errors.
}
dead-looked-at-part = { $groups ->
    [one] Looked at the latest { $scanned } of { $total } dead jobs: one error.
   *[other] Looked at the latest { $scanned } of { $total } dead jobs: { $groups } errors.
}
dead-not-shown = { $count ->
    [one] The rarest error is not shown.
   *[other] The { $count } rarest errors are not shown.
}
dead-no-error = (no message)
dead-first = First
dead-last = Last
dead-kinds = Kinds
dead-others = others { $count }
dead-queues = Queues
dead-example = Latest job
dead-list = Show in the list
dead-hours = { $count ->
    [one] { $count } in the last 24 hours
   *[other] { $count } in the last 24 hours
}
dead-retry = { $count ->
    [one] Retry { $count } job
   *[other] Retry { $count } jobs
}
dead-retry-all = { $count ->
    [one] { $count } job runs again. The run stops by itself when most of them fail again.
   *[other] { $count } jobs run again. The run stops by itself when most of them fail again.
}
dead-retry-look = Nothing runs again before it is looked at and started on the page of the run.
dead-at-rate = How fast
dead-rate = { $count ->
    [one] { $count } job a second
   *[other] { $count } jobs a second
}
dead-run = Watch the run
said-good-retry-failures-started = The retry has started.
dead-mute = Mute
dead-mute-title = Mute this error
dead-mute-what = For that long these jobs appear neither under “Needs attention” nor in an alert. They stay dead and can be retried.
dead-mute-keep = Keep reporting
dead-mute-span = For how long
dead-mute-most = at most { $most } errors are muted at a time; unmute one first
dead-muted-by = Muted by { $name } until { $at }.
dead-muted = { $count ->
    [one] One muted error
   *[other] { $count } muted errors
}
dead-unmute = Unmute
said-good-mute-muted = The error is muted.
said-good-unmute-changed = This error is reported again.
said-plain-unmute-same = The error was not muted.
dead-all-errors = All errors
dead-not-that = No dead job has that error any more.
