# The page that takes foreign queues over.
import-title = Import
import-intro = A plain sorted set, a topic of delayq or the queues of another job system can be taken over while they run, and put back. Nothing is written before the fifth step. The address of this page keeps where you are: leave it and come back.
import-step-connect = Choose the Redis
import-step-source = Name the source
import-step-look = Look at it
import-step-shadow = Watch it
import-step-take = Take it over
import-step-back = Put it back
import-nothing-yet = Name a source to see what it holds. Looking changes nothing.
import-connect-hint = Connecting reads the names of keys and the first items; it writes nothing.
import-here = The Redis of this server
import-elsewhere = Another Redis
import-address = Address
import-address-hint = redis://host:port/database; rediss:// speaks TLS, and the certificate is checked
import-address-wrong = the address is redis://host:port/database or rediss://host:port/database, with one login
import-user = User
import-password = Password
import-password-hint = It stays in the memory of this server for twelve hours, is never shown and never logged
import-authority-more = Own CA or client certificate
import-authority = Authority
import-authority-hint = Certificates in PEM; without them the usual authorities are trusted
import-authority-long = certificates and keys have at most 64 KiB each
import-certificate = Client certificate
import-certificate-hint = In PEM, for a Redis that asks for one
import-key = Key of the client certificate
import-key-hint = In PEM, without a passphrase. It stays in the memory of this server like the password
import-key-wrong = the key is no private key in PEM, or it needs a passphrase
import-client-half = a client certificate needs its key, and the key its certificate
import-connect = Connect
import-connected = Connected to { $address }
import-connected-here = Looked at the Redis of this server
import-source-forgotten = this server does not remember the way to that Redis any more; connect to it again, everything else stays filled in
import-recognised = What was recognised
import-recognised-none = No sorted set of times, no topic of delayq and no queue of a known system is there. One that is empty can be named below all the same.
import-recognised-more = { $count ->
    [one] { $count } more is there.
   *[other] { $count } more are there.
}
import-recognised-others = { $count ->
    [one] { $count } sorted set holds scores that are no times; it is not named.
   *[other] { $count } sorted sets hold scores that are no times; they are not named.
}
import-recognised-partly = There are more keys than are looked at: about { $count } were.
import-is-queue = Queue { $place } of { $system }
import-is-delayq = Topic { $place } of delayq
import-is-zset = Sorted set { $place }
import-items = { $count ->
    [one] { $count } item waits
   *[other] { $count } items wait
}
import-items-due = { $count ->
    [one] { $count } is due already
   *[other] { $count } are due already
}
import-known = Sets of other systems that are not offered
import-set-jobs = { $system } keeps its waiting jobs there, of all types and queues: all would become one kind in one queue.
import-set-ids = { $system } keeps ids there: the jobs are in other keys and would not come along.
import-set-ended = { $system } keeps jobs there that have ended: they would run again.
import-set-books = { $system } keeps its own books there, and no waiting jobs.
import-warnings = What speaks against taking it over
import-warns-due = { $count ->
    [one] The only item is due by now: it would start at once.
   *[other] All { $count } items are due by now: they would start at once.
}
import-warns-far = { $count ->
    [one] { $count } item is due more than ten years from now: its score may be no time.
   *[other] { $count } items are due more than ten years from now: their scores may be no times.
}
import-warns-ids = { $count ->
    [one] The only item is a bare id: what it stands for is in another key and would not come along.
   *[other] All { $count } items are bare ids: what they stand for is in other keys and would not come along.
}
import-accept = Take over in spite of this: { $warnings }
import-accept-missing = there is a warning that nobody has ticked, so nothing was changed; look again
import-use = Use it
import-use-named = Use { $name }
import-evidence = What shows it
import-format = Format
import-format-zset = A plain sorted set
import-format-unknown = { $format } is none of the formats
import-place = Key, topic or queues
import-place-hint = Sorted set: its key. delayq: its topic. Other formats: queue names, separated by commas; leave it empty for every queue that the system lists (BullMQ has no list). Write a prefix of your own as prefix:queue, and a comma in a name as \,
import-kind = Kind of its jobs
import-kind-hint = Required for a sorted set. Other formats: leave it empty to use each job’s own type.
import-kind-missing = a sorted set needs the kind of its jobs
import-place-missing = what is to be taken over is missing: the name of its key, topic or queues
import-pointer-wrong = a path to a field begins with a slash, such as /order/id
import-into = Queue of its jobs
import-into-hint = Leave it empty to keep the name of each queue; jobs without one go to default.
import-unit = Unit of the scores
import-unit-auto = By their size
import-unit-s = Seconds
import-unit-ms = Milliseconds
import-unit-us = Microseconds
import-id = Where the id is
import-id-hint = If the entry is JSON: a path such as /order/id. Leave it empty to derive the id from the entry.
import-subject = Where the subject is
import-subject-hint = If the payload is JSON: a path such as /customer/id. Leave it empty for jobs without a subject.
import-name = Name of this import
import-name-taken = Under this name lies what was taken from a source that speaks something else. Choose another name.
import-place-ours = This key is one of Reprieve’s own. Name another.
import-name-elsewhere = This name is that of an import from another Redis. Choose another name.
import-name-hint = Use the same name in every step of this import. If you leave it empty, it is the name of the format.
import-look = Look at it
import-found = { $takeable ->
    [one] { $takeable } item can be taken over
   *[other] { $takeable } items can be taken over
}, { $left ->
    [one] { $left } stays
   *[other] { $left } stay
}, { $overdue ->
    [one] { $overdue } is due already.
   *[other] { $overdue } are due already.
}
import-partial = There are more items than are looked at one by one; the others are counted only.
import-places = Places of the source
import-where = Place
import-count = Items
import-what = What becomes of them
import-taken = taken over
import-samples = Five of them, decoded
import-item = Item
import-job = Becomes
import-due = Due
import-payload = Payload
import-stays = { $count ->
    [one] { $count } item stays where it is
   *[other] { $count } items stay where they are
}
import-shadow-hint = Six looks, a second apart: what leaves there, and when, beside what would have left here. Changes nothing.
import-watch = Watch for six seconds
import-watching = Watching…
import-seen = Items seen waiting
import-ours = We would have forwarded by now
import-theirs = They have forwarded
import-early = Left before their due time
import-overdue = Due and still waiting there
import-moved = Got another due time
import-late-p50 = Half of theirs left within
import-late-p99 = 99 of 100 of theirs left within
import-take-sentence = { $count ->
    [0] There is nothing to take over.
    [one] { $count } item leaves its source and becomes a job here. Workers there may run on: the first to take an item keeps it.
   *[other] { $count } items leave their source and become jobs here. Workers there may run on: the first to take an item keeps it.
}
import-take-sentence-partly = At least { $least } and at most { $most } items leave their source and become jobs here: there are more than are looked at one by one, and all that can be taken are. Workers there may run on: the first to take an item keeps it.
import-take-long = So many may take longer than a request may. Nothing is lost when it ends early: look again and take over again, and it goes on where it was.
import-writes-source-most = at most { $most } items are removed from the source, each in one step with its entry in the journal
import-writes-jobs-most = at most { $most } jobs of this namespace, each with its due time to the millisecond
import-take-all = Take over all that can be
import-writes = What will be written
import-writes-source = { $count ->
    [one] { $count } item is removed from the source, in one step with its entry in the journal
   *[other] { $count } items are removed from the source, each in one step with its entry in the journal
}
import-writes-journal = a journal beside it, under the name { $name }, from which everything can be put back
import-writes-jobs = { $count ->
    [one] { $count } job of this namespace, with its due time to the millisecond
   *[other] { $count } jobs of this namespace, each with its due time to the millisecond
}
import-type-count = Type { $count } to confirm
import-reason-hint = Choose one, or say it in at least 10 characters: it is about all there is
import-typed-wrong = the number that was typed is not the one that was announced, so nothing was changed
import-take = { $count ->
    [one] Take over { $count } item
   *[other] Take over { $count } items
}
import-took = Took over { $taken }, of which { $replaced } replaced a waiting job; { $resumed ->
    [one] { $resumed } was on its way from an earlier run
   *[other] { $resumed } were on their way from an earlier run
}; { $left ->
    [one] { $left } stays.
   *[other] { $left } stay.
}
import-took-more = { $count ->
    [one] One of them came after the look and was taken as well.
   *[other] { $count } of them came after the look and were taken as well.
}
import-standing = { $moved ->
    [one] { $moved } item was taken over and is in the journal
   *[other] { $moved } items were taken over and are in the journal
}; { $parked ->
    [one] { $parked } is on its way.
   *[other] { $parked } are on their way.
}
import-open = This import is open.
import-closed = Putting items back has closed this import; taking over opens it again.
import-roll-back = Put back what has not run
said-good-import-taken = Taken over. How much that is, and what stays, is told below.
said-good-import-restored = Put back what had not run. What is left of it is told below.
import-restored = { $restored ->
    [one] { $restored } item is back where it was
   *[other] { $restored } items are back where they were
}; { $kept ->
    [one] { $kept } stays here.
   *[other] { $kept } stay here.
}
import-back-until = It can be put back for as long as its journal is kept: for good, until somebody ends that with
import-nothing-there = Nothing is there under that name. It may be spelled otherwise, or be empty just now.
import-wrong-type = not taken: a { $holds } is there, which this format does not use
import-type-string = string
import-type-list = list
import-type-set = set
import-type-zset = sorted set
import-type-hash = hash
import-type-stream = stream
import-nothing-taken = Nothing that was taken over under this name is left to put back.
# The engine writes these in English, and is understood by them: they change together.
import-said-stay-archived = they have ended; reprieve import asynq take-over --archived takes them as dead jobs
import-said-stay-completed = they have ended; reprieve import asynq take-over --completed takes them as done jobs
import-said-stay-failed = they have ended; reprieve import … take-over --failed takes them as dead jobs
import-said-stay-ended = they have ended
import-said-stay-children = they wait for other jobs of their flow; BullMQ starts them
import-said-stay-repeat = they are schedules; make cron jobs of them, and remove them there
import-said-stay-active = its workers have them
import-said-stay-groups = groups wait to become one task; asynq joins them
import-said-stay-joining = groups are just becoming one task; asynq joins them
import-said-stay-process = its workers may be working on them; let them end, or stop them: reprieve import delayq take-over --processing takes these as well
import-said-note-closed = a roll back began meanwhile; nothing more was taken
import-said-note-paused = queue { $queue } is paused since { $since } (Unix seconds); so will ours be
import-said-note-groups = queue { $queue } has groups whose tasks stay: { $count }
import-said-note-kinds = types { $types } become one kind: { $kind }
import-said-note-queues = queues { $queues } become one queue: { $queue }
import-said-note-is-paused = queue { $queue } is paused; so will ours be
import-said-note-opened = queue { $queue } was last opened by { $version }
import-said-note-pauses = paused queue { $queue }, as { $there } is in { $system }
import-said-note-worked-on = ids in the set of what is worked on: { $count }; delayq leaves those there that were called off too late or have used up their retries
import-said-bad-hash = its hash has no message
import-said-bad-retries = its number of retries is negative
import-said-bad-retried = its number of retries made is negative
import-said-bad-ours = Reprieve has published it
import-said-bad-id = its message says that it has another id
import-said-bad-queue = its message says that it is of another queue
import-said-bad-type = its message has no type
import-said-bad-group = it goes back to its group when it is due
import-said-bad-ghost = it has no job in the pool: called off after it was forwarded
import-said-bad-pool-id = its job in the pool says that it has another id
import-said-bad-topic = its job in the pool says that it is of another topic
import-said-bad-count = its RetryCount is no count
import-said-bad-most = its MaxRetry is neither a count nor -1
import-said-bad-ttr = its TTR is negative
import-said-bad-score = its score is no number
import-said-bad-double = another item here has the same id
import-said-bad-taken = its id is that of another job here
import-said-bad-subject-full = its subject has 1,000 live jobs, and a subject holds no more
import-said-bad-protobuf = its message is no protobuf of asynq's: { $why }
import-said-bad-json = its job is no JSON of { $system }'s: { $why }
import-said-bad-batch = it is part of a batch, which only { $system } can end
import-said-bad-other-queue = it is of a queue that was not named
import-said-bad-no-id = it has no id
import-said-bad-gone = its job is gone
import-said-bad-ran-out = its job has run out there, or is gone
import-said-bad-aborted = it was aborted there
import-said-bad-working = its workers have it
import-said-bad-function = its function cannot be read; the field for the kind names one for such jobs
import-said-bad-big = what it is to do is more than { $most } bytes
import-said-bad-moving = it is due, and { $system }'s scheduler may be moving it
import-said-bad-awaited = other jobs wait for it, which { $system } starts
import-said-bad-follows = other tasks follow on it, which only { $system } starts
import-said-bad-callbacks = it has callbacks, which only { $system } can call
import-said-bad-repeats = it repeats, which only { $system } goes on with
import-said-bad-rate = its rate is limited, which only { $system } counts
import-said-bad-protocol = it is a message of another protocol than Celery's second
import-said-bad-received = it has no due time, and a worker may be working on it
import-said-bad-eta = its eta is no time, or has no time zone
import-said-bad-expires = it expires and has no due time, so that nothing is left to plan
import-said-stay-deferred = they wait for other jobs; RQ starts them
import-said-stay-received = its workers hold them, those with a due time as well; stop them, and take what stays with reprieve import celery take-over --unacked
import-said-bad-options = its options are no JSON of BullMQ's: { $why }
import-said-bad-job = its hash is gone, or is none of a job
import-said-bad-attempts = its number of attempts is no count
import-said-bad-made = its number of attempts made is no count
import-said-bad-child = it is part of a flow: its parent waits for it
import-said-bad-parent = it is part of a flow: what its children returned is kept beside it
import-said-bad-schedule = it was made by a schedule, which goes on when it runs there
import-said-bad-base64 = its body is no base64: { $why }
import-said-bad-state = its hash says that it is { $there }
import-said-bad-late = its score { $score } lies beyond the year 9999
import-said-bad-path = it has no text or number at { $path }
import-said-bad-subject = what it has at { $path } cannot be a subject: it is empty or too long, or holds control characters, `.` or `..`
import-said-bad-negative = its { $what } is negative
import-said-kept-there = { $system } has a job of that id again; the one it had before stays here
import-said-in-journal = { $why }; it is kept in the journal
import-said-not-put-back = { $why }; nothing was put back there
import-said-other-full = The other Redis has reached its memory limit
import-said-bad-key = { $key } holds a { $found }, not a { $wanted }
import-said-bad-many = { $key } has more than { $most } members
import-said-kept-again = the source has an item of that name again; it is kept in the journal
import-said-kept-changed = somebody changed job { $id } here, it is { $state }; cancel it here, or let it run here
import-said-kept-ended = job { $id } has ended here: it is { $state }
import-said-kept-running = job { $id } is running here
import-said-kept-gone = job { $id } ran here and is no longer kept
