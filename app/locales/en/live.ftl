# Whether the screen moves, how old it is, notices.
live-static = Static
live-live = Live
live-paused = Paused
live-lost = Not live
live-resume-name = Resume live updates
live-pause-name = Pause live updates
live-badge-name = { $state }. { $act }
live-outdated = The server has been updated.
live-foreign = Somebody else is signed in here now, or you have other rights than before.
live-load-again = Load the page again
live-clock-behind = The clock of this device is { $span } behind. Times here are the server’s.
live-clock-ahead = The clock of this device is { $span } ahead. Times here are the server’s.
live-banner-paused = Paused { $at } · { $count ->
    [one] { $count } change waiting
   *[other] { $count } changes waiting
}
live-resume = Resume
live-banner-lost = Not live. Showing data from { $at } ({ $span } ago). Reconnecting…
live-said-lost = Not live since { $at }. Reconnecting…
live-close = Close
live-undo = Undo
light-banner-paused = Paused { $at }
light-sending = Not answered yet. Asking again…
light-unknown = It is not known whether this was done: no answer came. Try again here: it is done once, however often you ask.
light-not-sent = Not sent: the server cannot be reached. Nothing is lost; try again.
