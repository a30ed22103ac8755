# The page of Redis, and what `reprieve doctor` says.
redis-title = Redis
redis-check-version = version
redis-check-eviction = eviction
redis-check-memory = memory
redis-check-persistence = persistence
redis-check-clocks = clocks
redis-check-going-back = going back
redis-check-latency = latency
redis-check-layout = layout
redis-check-forwarder = forwarder
redis-check-halt = halt
redis-check-rights = rights
redis-check-commands = commands
redis-check-reading = reading
redis-check-libraries = functions
redis-check-unreadable = unreadable jobs
redis-check-role = role
redis-check-other = something this version does not know
redis-found-version = { $server }
redis-found-eviction-none = noeviction: nothing is thrown away
redis-found-eviction-happened = { $keys ->
    [one] { $policy }; { $keys } key was thrown away
   *[other] { $policy }; { $keys } keys were thrown away
}
redis-found-eviction-of-jobs = { $policy }: jobs are thrown away when it is full
redis-found-eviction-of-expiring = { $policy }: keys that expire are thrown away when it is full
redis-found-memory = { $bytes } of { $bytes_max } ({ $percent }%)
redis-found-memory-unlimited = { $bytes }, without a limit
redis-found-memory-fragmented = { $bytes } of { $bytes_max }; the system holds { $percent }% of what is in use
redis-found-synced-always = every write is on disk before it is answered
redis-found-synced-every-second = appendfsync everysec: a power loss may cost the last two seconds
redis-found-synced-by-system = appendfsync no: a power loss costs what the system had not written yet
redis-found-sync-unknown = writes are logged; this user may not ask how often the log is synced
redis-found-snapshots-only = snapshots only: a crash costs every job since the last one
redis-found-write-failed = the last write to disk failed
redis-found-clock-ahead = Redis is { $apart } ahead of this machine
redis-found-clock-behind = Redis is { $apart } behind this machine
redis-found-clock-forward = its clock has not gone back
redis-found-clock-back = its clock lies { $back_ms } before the latest change
redis-found-round-trips = a round trip takes { $p50_us } µs, the longest of 21 took { $max_us } µs
redis-found-layout-ours = { $layout }, which is ours
redis-found-layout-none = nothing was ever written
redis-found-layout-other = { $layout }, and this version knows { $known }
redis-found-forwarder-ticks = looked { $ago_ms } ago
redis-found-forwarder-silent = none has looked for { $ago_ms }
redis-found-forwarder-never = none has ever looked
redis-found-halt = nothing starts: { $why }
redis-found-rights-all = { $user } may use every command that is needed
redis-found-rights-missing = { $user } lacks { $rights }
redis-found-rights-unknown = { $user } may not ask whether it has every right
redis-found-rights-nobody = this user may not even ask who it is
redis-found-commands-missing = this server has no { $commands }: not there, disabled or renamed
redis-found-withheld = nothing else could be read: { $said }
redis-found-libraries-ours = of this version only
redis-found-libraries-old = { $count ->
    [one] { $count } library of another version of Reprieve is loaded too: { $names }
   *[other] { $count } libraries of other versions of Reprieve are loaded too: { $names }
}
redis-found-jobs-readable = none were set aside
redis-found-jobs-mended = { $entries ->
    [one] none were set aside; one damaged entry was put right
   *[other] none were set aside; { $entries } damaged entries were put right
}
redis-found-jobs-unreadable = ids set aside: { $ids }; writes skipped because a key held something else: { $writes }
redis-found-replica = this is a { $role }
redis-advice-version-old = 7.0 or later is needed, or any Valkey: upgrade it
redis-advice-eviction = CONFIG SET maxmemory-policy noeviction, and the same in its configuration file
redis-advice-memory-unlimited = set maxmemory below what the machine has, or the system ends Redis when memory is short
redis-advice-memory-short = raise maxmemory (of the embedded Redis: redis_maxmemory), shorten retention, or purge: at its limit Redis takes nothing new in
redis-advice-memory-fragmented = switch activedefrag on, or restart Redis when it suits
redis-advice-synced-every-second = CONFIG SET appendfsync always if that is too much; it costs speed
redis-advice-synced-by-system = CONFIG SET appendfsync everysec, or always
redis-advice-sync-unknown = look at appendfsync in its configuration, or allow CONFIG GET
redis-advice-snapshots-only = CONFIG SET appendonly yes, and the same in its configuration file
redis-advice-write-failed = look at Redis’s log and the disk: until it works again, a restart loses what came since
redis-advice-clocks-apart = due times are met by Redis’s clock: set both by NTP, or what producers name as an instant is off by that much
redis-advice-clock-back = nothing becomes due until it has caught up: set it by NTP; if it stood wrong ahead, see operations.md
redis-advice-round-trips-slow = bring them closer, or find what keeps Redis busy: SLOWLOG GET, LATENCY DOCTOR
redis-advice-round-trips-bad = bring them closer: leases are renewed every four seconds, and this endangers them
redis-advice-layout-none = is this the namespace you mean? --namespace names another
redis-advice-layout-other = use the version that wrote it, or another namespace
redis-advice-forwarder-silent = due jobs do not move: start `reprieve serve`, `reprieve worker` or a process with maintenance
redis-advice-forwarder-never = due jobs move once a process runs: `reprieve serve`, `reprieve worker` or one with maintenance
redis-advice-halt = look whether Redis's clock and data are right; then "Let jobs start" on the overview, or `reprieve halt clear`, ends it
redis-advice-halt-ends = it ends by itself; if it stays, look whether every process reaches Redis
redis-advice-rights-missing = ACL SETUSER { $user } { $rights } grants them, then ACL SAVE or its configuration file keeps them; `reprieve acl` prints all there are
redis-advice-rights-unknown = allow it acl|whoami and acl|dryrun to be sure, or compare with what `reprieve acl` prints
redis-advice-commands-missing = jobs cannot run here: name a server that has them, or allow them there (rename-command)
redis-advice-commands-fewer = jobs run without them; confirm_replicas needs WAIT, and what CONFIG would tell is not checked: look at appendfsync yourself
redis-advice-withheld = give the user its rights first, then look again
redis-advice-libraries-old = when no process of those versions runs any more, remove each: redis-cli FUNCTION DELETE { $first }
redis-advice-jobs-unreadable = something else writes into the keys of this namespace: see operations.md on damaged keys
redis-advice-replica = jobs need the one that takes writes: name the master, or its Sentinels
redis-summary-good = All { $count } checks are good.
redis-summary = Wrong: { $wrong }. To look at: { $look }. Good: { $good }.
redis-findings = Checks
redis-what = Check
redis-found = Found
redis-advice = What to do
redis-verdict = Verdict
redis-verdict-good = Good
redis-verdict-look = Warning
redis-verdict-wrong = Wrong
redis-facts = At a glance
redis-mode = Mode
redis-role = Role
redis-uptime = Up since
redis-connections = Connections
redis-connections-of = { $count } of { $most }
redis-replicas = Replicas
redis-confirmed = Writes confirmed by
redis-confirmed-by = { $count ->
    [0] the master alone
    [one] { $count } replica
   *[other] { $count } replicas
}
redis-shards = Shards
redis-keys = Keys
redis-not-said = it does not say
redis-slow = Slow calls
redis-slow-none = No slow call is remembered.
redis-slow-denied = This user may not read the slow log. Allow it with: ACL SETUSER <user> +slowlog|get
redis-slow-hint = Redis remembers calls that took longer than its slowlog-log-slower-than; their arguments are not shown, for they may hold payloads.
redis-slow-when = When
redis-slow-took = Took
redis-slow-what = What
redis-slow-script = script { $name }
redis-slow-command = command { $name }
redis-looked = Redis was looked at on { $at }.
redis-again = Look again
