# The page of settings.
settings-title = Settings
settings-sections = Sections of the settings
settings-save = Save
settings-of-all-queues = What is set for the namespace holds in all of its queues, and is shown to people who may see all of them.
settings-remove = Remove
said-good-settings-set = Saved. It holds from now on.
said-plain-settings-same = It was so already.
said-good-settings-appearance = Saved for this browser.
said-good-settings-tested = A test alert was enqueued: it arrives where jobs of the kind reprieve_alert go.
settings-appearance = Appearance
settings-appearance-hint = How the screens look to you, in this browser.
settings-density = Rows
settings-density-roomy = Two lines
settings-density-compact = Compact
settings-clock = Hours
settings-clock-24 = 24-hour clock
settings-clock-12 = 12-hour clock (AM, PM)
settings-zone = Zone
settings-zone-hint = An IANA name such as Asia/Shanghai, or UTC, or browser for that of the browser; empty for the zone of the namespace, or of the browser where it has none.
settings-zone-unknown = { $zone } is not the name of a zone; write it as Asia/Shanghai
settings-title-long = a name has at most { $count } characters
settings-environment-long = an environment has at most { $count } characters
settings-too-large = that is more than fits into the settings
settings-keys = Keyboard
settings-keys-on = Single letters are shortcuts
settings-namespace = Namespace
settings-namespace-hint = How this namespace looks to everybody, so that nobody takes one for another.
settings-look-title = Name on screen
settings-look-environment = Environment
settings-look-environment-hint = Shown as a badge; production has a bar across the whole screen.
settings-look-colour = Colour of its mark
settings-look-zone = Zone of the namespace
settings-look-zone-hint = An IANA name such as Asia/Shanghai. A person who chose no zone reads times in it; empty for the zone of each browser.
settings-colour-grey = Grey
settings-colour-indigo = Indigo
settings-colour-amber = Amber
settings-colour-cyan = Cyan
settings-colour-green = Green
settings-colour-red = Red
settings-retention = Retention
settings-retention-hint = How long ended jobs are kept, in days or as 12h or 30min, and how many of them each queue keeps at most; the oldest go first. Leave a field empty to use the value of the namespace. A new time applies to jobs that end from now on, a new number at once. If the server has retention times in its configuration, they replace those of the namespace whenever it starts.
settings-retention-all = The namespace
settings-retention-most = At most
settings-retention-most-of = At most, of { $state }
settings-retention-now = { $count ->
    [one] now { $count }
   *[other] now { $count }
}
settings-days = days
settings-days-wrong = { $text } is not a span; write 7 for days, 12h or 30min
settings-most-wrong = { $text } is not a number of jobs; write one from 1 to 1,000,000,000
settings-deleting = Deleting
settings-deleting-hint = What is deleted cannot be put back. Where two people are needed, one asks for a run that deletes and somebody else starts it; retention goes on as it is set.
settings-deleting-one = One person is enough.
settings-deleting-two = Two people are needed.
settings-deleting-need-two = Need two people
settings-deleting-let-one = Let one person delete
settings-redaction = Redaction
settings-redaction-hint = The parts of payloads that nobody sees on a screen, in a list, in an export or over HTTP. Workers and webhooks get payloads whole. Other servers follow within two seconds.
settings-redaction-none = Nothing is hidden.
settings-redaction-rule = { $keep ->
    [0] { $path } of { $kinds } is hidden
    [one] { $path } of { $kinds } is hidden but for { $keep } character at its end
   *[other] { $path } of { $kinds } is hidden but for { $keep } characters at its end
}
settings-redaction-path = Path in the payload
settings-redaction-path-hint = customer.phone, items.*.card, **.token at any depth, or * for all of it. Do not begin it with payload.
settings-redaction-kinds = Kinds
settings-redaction-kinds-hint = A name, with * for any characters
settings-redaction-keep = Characters that stay at the end
settings-redaction-add = Hide it
settings-redaction-preview = Preview
settings-redaction-sample-kind = Kind of the sample
settings-redaction-sample = Sample payload
settings-redaction-shown = What people see, with the rule above
settings-redaction-hides = { $count ->
    [0] Nothing is hidden in it.
    [one] { $count } value is hidden.
   *[other] { $count } values are hidden.
}
settings-search = Search
settings-search-hint = Fields of payloads by which a filter such as payload.order.id:4711 finds jobs at once, instead of looking through them. Their values are kept a second time in Redis, and go with their job. What redaction hides from somebody is not found by them. Payloads above 64 KiB are not in the index.
settings-search-label = One field a line
settings-search-label-hint = Up to eight paths into payloads, written as in filters: order.id, amount, items.0.sku. Empty it to have no index.
settings-search-none = No field is indexed: filters look through payloads.
settings-search-making = { $count ->
    [one] The index is being made; { $count } job is in it so far. Until it is complete, filters look through payloads.
   *[other] The index is being made; { $count } jobs are in it so far. Until it is complete, filters look through payloads.
}
settings-search-complete = { $count ->
    [one] The index is complete: { $count } job has one of the fields. Filters on them are answered at once.
   *[other] The index is complete: { $count } jobs have one of the fields. Filters on them are answered at once.
}
settings-search-wrong = “{ $text }” is not a path into a payload, or is too long; write it as order.id or items.0.sku
settings-search-most = these are { $count } fields, and at most { $most } can be indexed
settings-reasons-wrong = there are at most { $most } reasons, of 1 to { $chars } characters each
settings-alerts-most = there are at most { $most } alerts; remove one first
settings-redaction-wrong = a rule names kinds, with * for any characters, and a path such as customer.phone, items.*.card, **.token or *; there are at most { $most }
settings-reasons = Reasons
settings-reasons-hint = What dialogs offer when somebody changes a job. “Other” is always there.
settings-reasons-label = One reason a line
settings-reasons-usual = These are the usual ones, shown in the language of the reader. Empty it to have them back.
settings-reasons-own = These are your own, shown as they are written. Empty it to have the usual ones back.
settings-there-now = This is how it stands now:
settings-there-nothing = nothing
settings-alerts = Alerts
settings-alerts-hint = Checked every fifteen seconds. Each rule sends at most one alert an hour for each queue.
settings-alerts-none = No alerts yet.
settings-alert-what = When
settings-alert-late = Over 1% of jobs ready late by more than (ms)
settings-alert-dead = More jobs die within an hour than
settings-alert-unserved = More ready jobs wait with no worker than
settings-alert-waiting = A ready job waits for a worker longer than (ms)
settings-alert-over = Limit
settings-alert-over-hint = A number of jobs or of milliseconds. Lateness is counted in steps: { $steps } ms; a limit between two steps counts as the lower one.
settings-alert-over-large = lateness is counted up to { $most } ms; a limit is lower than that
settings-alert-queue = Queue
settings-alert-queue-hint = Empty for each queue by itself
settings-alert-each = each queue
settings-alert-add = Add alert
settings-alert-late-rule = { $queue }: more than 1 of 100 jobs is ready later than { $over } ms after its due time
settings-alert-dead-rule = { $over ->
    [one] { $queue }: more than one job dies within an hour
   *[other] { $queue }: more than { $over } jobs die within an hour
}
settings-alert-unserved-rule = { $over ->
    [one] { $queue }: more than one ready job waits and nobody works on it
   *[other] { $queue }: more than { $over } ready jobs wait and nobody works on them
}
settings-alert-waiting-rule = { $queue }: a ready job waits for a worker longer than { $over } ms
settings-alert-where = Where alerts go
settings-alert-where-hint = An alert is a job of the kind reprieve_alert in the queue reprieve_alerts: it is signed, retried and seen like any other. A webhook for that queue receives it:
settings-alert-test = Send a test alert
settings-roles = Roles
settings-roles-hint = What each role may do. Rights hold in the queues a person is given; none given means all. Without a right its button is off, with the name of the right.
settings-roles-what = What one does
settings-roles-when = Conditions
settings-roles-yours = (you)
settings-roles-yes = yes
settings-roles-no = no
settings-webhooks = Webhooks
settings-webhooks-hint = Where due jobs are posted; the first that fits a job is used. They are set in the configuration of the server, for they hold secrets and reach into its network. To try one, enqueue a job of its kind.
settings-webhooks-none = No job is posted anywhere.
settings-webhook = { $kind } goes to { $origin }
settings-webhook-of-queue = { $kind } in { $queue } goes to { $origin }
settings-webhook-signed = Signed
settings-webhook-unsigned = Not signed: its receiver cannot tell who sent it
settings-about = About
settings-about-hint = What runs here.
settings-api = API
settings-health = Health
settings-zone-rules = Time zone rules
settings-licence = Licence
