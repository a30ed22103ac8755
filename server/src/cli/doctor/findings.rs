//! What each thing that was looked at means, and what to do about it.

use crate::cli::output::Verdict;
use app::format::{bytes, span};
use reprieve::Examination;
use reprieve::model::{Attention, Delay, Overview};
use serde::Serialize;

/// Clocks closer than this need nobody: a due time is met by Redis's clock alone.
const CLOCK_AHEAD_MAX_MS: u64 = 2_000;
/// A round trip that is slower than this limits one worker to a thousand jobs a second and less.
const ROUND_TRIP_SLOW_US: u64 = 1_000;
/// Slower than this, a lease may end before its worker can say that it lives.
const ROUND_TRIP_BAD_US: u64 = 500_000;
/// Redis refuses new jobs at its limit; this leaves time to act.
const MEMORY_PERCENT_MAX: u64 = 90;
/// The system holds this much more than is in use, in hundredths.
const FRAGMENTATION_PERCENT_MAX: u64 = 200;
/// A forwarder looks at least once a second.
const TICK_AGE_MAX: Delay = Delay::seconds(5);

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    /// How good it is.
    pub(super) verdict: Verdict,
    /// What was looked at.
    pub(super) what: &'static str,
    /// What was found.
    pub(super) found: String,
    /// What to do; nothing where all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) advice: Option<String>,
}

impl Finding {
    fn good(what: &'static str, found: impl Into<String>) -> Self {
        Self { verdict: Verdict::Good, what, found: found.into(), advice: None }
    }

    fn look(what: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { verdict: Verdict::Warning, what, found: found.into(), advice: Some(advice.into()) }
    }

    fn wrong(what: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { verdict: Verdict::Bad, what, found: found.into(), advice: Some(advice.into()) }
    }
}

/// Nobody answers.
pub(super) fn unreachable(why: &str, place: &str) -> Finding {
    Finding::wrong(
        "reachability",
        why,
        format!("look whether a Redis listens at {place}; `reprieve serve` starts an embedded one"),
    )
}

/// It answers, and must not be used as it is.
pub(super) fn refused(why: &str) -> Finding {
    Finding::wrong("namespace", why, "do what the sentence says; nothing was changed")
}

/// What is kept does not read.
pub(super) fn unreadable(why: &str) -> Finding {
    Finding::wrong("namespace", why, "look at the key it names, and see operations.md on damaged keys")
}

/// What a Redis says of itself.
pub(super) fn of_redis(found: &Examination) -> Vec<Finding> {
    let mut all = vec![version(found), policy(found), memory(found), persistence(found)];
    all.extend([clocks(found), going_back(found), latency(found), schema(found), forwarder(found)]);
    all.extend([rights(found), unreadable_jobs(found)]);
    if found.role != "master" {
        all.push(Finding::wrong(
            "role",
            format!("this is a {}", found.role),
            "jobs need the one that takes writes: name the master, or its Sentinels",
        ));
    }
    all
}

fn version(found: &Examination) -> Finding {
    let mut parts = found.version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if version >= (7, 0) {
        return Finding::good("version", format!("Redis {}", found.version));
    }
    Finding::wrong(
        "version",
        format!("Redis {}", found.version),
        "7.0 or later is needed, or any Valkey: upgrade it",
    )
}

fn policy(found: &Examination) -> Finding {
    let policy = found.maxmemory_policy.as_str();
    let set = "CONFIG SET maxmemory-policy noeviction, and the same in its configuration file";
    if found.evicted_keys > 0 && policy != "noeviction" {
        return Finding::wrong(
            "eviction",
            format!("{policy}; {} keys were thrown away", found.evicted_keys),
            set,
        );
    }
    match policy {
        "noeviction" => Finding::good("eviction", "noeviction: nothing is thrown away"),
        policy if policy.starts_with("allkeys-") => {
            Finding::wrong("eviction", format!("{policy}: jobs are thrown away when it is full"), set)
        }
        policy => Finding::look(
            "eviction",
            format!("{policy}: keys with an end are thrown away when it is full"),
            set,
        ),
    }
}

fn memory(found: &Examination) -> Finding {
    let used = bytes(found.memory_bytes);
    let Some(most) = found.memory_bytes_max else {
        return Finding::look(
            "memory",
            format!("{used}, without a limit"),
            "set maxmemory below what the machine has, or the system ends Redis when memory is short",
        );
    };
    let percent = found.memory_bytes.saturating_mul(100).checked_div(most).unwrap_or_default();
    let found_text = format!("{used} of {} ({percent} %)", bytes(most));
    if percent > MEMORY_PERCENT_MAX {
        return Finding::wrong(
            "memory",
            found_text,
            "raise maxmemory, shorten retention, or purge: at its limit Redis takes nothing new in",
        );
    }
    match found.fragmentation_percent {
        // A nearly empty Redis always looks fragmented.
        Some(held) if held > FRAGMENTATION_PERCENT_MAX && found.memory_bytes > 100 * 1_024 * 1_024 => {
            Finding::look(
                "memory",
                format!("{found_text}; the system holds {held} % of that"),
                "switch activedefrag on, or restart Redis when it suits",
            )
        }
        _ => Finding::good("memory", found_text),
    }
}

fn persistence(found: &Examination) -> Finding {
    if !found.append_is_well || !found.snapshot_is_well {
        return Finding::wrong(
            "persistence",
            "the last write to disk failed",
            "look at Redis's log and the disk: until it works again, a restart loses what came since",
        );
    }
    if !found.appends {
        return Finding::wrong(
            "persistence",
            "snapshots only: a crash costs every job since the last one",
            "CONFIG SET appendonly yes, and the same in its configuration file",
        );
    }
    match found.appendfsync.as_deref() {
        Some("always") => Finding::good("persistence", "every write is on disk before it is answered"),
        Some("everysec") => Finding::look(
            "persistence",
            "appendfsync everysec: a power loss may cost the last two seconds",
            "CONFIG SET appendfsync always if that is too much; it costs speed",
        ),
        Some("no") => Finding::wrong(
            "persistence",
            "appendfsync no: a power loss costs what the system had not written yet",
            "CONFIG SET appendfsync everysec, or always",
        ),
        _ => Finding::look(
            "persistence",
            "writes are logged; how often the log is synced it may not say",
            "look at appendfsync in its configuration, or allow CONFIG GET",
        ),
    }
}

fn clocks(found: &Examination) -> Finding {
    let (apart, side) = (found.clock_ahead_ms, if found.clock_ahead_ms < 0 { "behind" } else { "ahead of" });
    let text = format!("Redis is {} {side} this machine", span(apart));
    if apart.unsigned_abs() <= CLOCK_AHEAD_MAX_MS {
        return Finding::good("clocks", text);
    }
    Finding::look(
        "clocks",
        text,
        "due times are met by Redis's clock: set both by NTP, or what producers name as an instant is off by that much",
    )
}

fn going_back(found: &Examination) -> Finding {
    if found.clock_back == Delay::ZERO {
        return Finding::good("going back", "its clock has not gone back");
    }
    Finding::wrong(
        "going back",
        format!("its clock lies {} before the latest change", span(found.clock_back.as_millis())),
        "nothing becomes due until it has caught up: set it by NTP; if it stood wrong ahead, see operations.md",
    )
}

fn latency(found: &Examination) -> Finding {
    let (p50, max) = (found.round_trip_us_p50, found.round_trip_us_max);
    let text = format!("a round trip takes {p50} µs, the longest of 21 took {max} µs");
    if p50 > ROUND_TRIP_BAD_US {
        return Finding::wrong(
            "latency",
            text,
            "bring them closer: leases are renewed every four seconds, and this endangers them",
        );
    }
    if p50 > ROUND_TRIP_SLOW_US {
        return Finding::look(
            "latency",
            text,
            "bring them closer, or find what keeps Redis busy: SLOWLOG GET, LATENCY DOCTOR",
        );
    }
    Finding::good("latency", text)
}

fn schema(found: &Examination) -> Finding {
    match found.schema.as_deref() {
        Some(schema) if schema == found.schema_known => {
            Finding::good("layout", format!("{schema}, which is ours"))
        }
        None => Finding::look(
            "layout",
            "nothing was ever written",
            "is this the namespace you mean? --namespace names another",
        ),
        Some(other) => Finding::wrong(
            "layout",
            format!("{other}, and this version knows {}", found.schema_known),
            "use the version that wrote it, or another namespace",
        ),
    }
}

fn forwarder(found: &Examination) -> Finding {
    let age = found.now.zip(found.forwarder_tick).map(|(now, tick)| now.millis_since(tick));
    match age {
        Some(age) if age <= TICK_AGE_MAX.as_millis() => {
            Finding::good("forwarder", format!("looked {} ago", span(age)))
        }
        Some(age) => Finding::wrong(
            "forwarder",
            format!("none has looked for {}", span(age)),
            "due jobs do not move: start `reprieve serve`, `reprieve worker` or a process with maintenance",
        ),
        None => Finding::look(
            "forwarder",
            "none has ever looked",
            "due jobs move once a process runs: `reprieve serve`, `reprieve worker` or one with maintenance",
        ),
    }
}

fn rights(found: &Examination) -> Finding {
    let user = found.user.as_deref().unwrap_or("an unknown user");
    match found.forbidden.as_deref() {
        Some([]) => Finding::good("rights", format!("{user} may use every command that is needed")),
        Some(forbidden) => Finding::wrong(
            "rights",
            format!("{user} may not use {}", forbidden.join(", ")),
            "`reprieve acl` prints the command that gives it every right it needs",
        ),
        None => Finding::look(
            "rights",
            format!("whether {user} may do everything it may not say"),
            "allow ACL DRYRUN to be sure, or compare with what `reprieve acl` prints",
        ),
    }
}

fn unreadable_jobs(found: &Examination) -> Finding {
    let (ids, writes) = (found.quarantined, found.damaged);
    if ids == 0 && writes == 0 {
        return Finding::good("unreadable jobs", "none were set aside");
    }
    Finding::wrong(
        "unreadable jobs",
        format!("{ids} ids were set aside, {writes} writes skipped because a key held something else"),
        "something else writes into the keys of this namespace: see operations.md on damaged keys",
    )
}

/// What the screens would call to somebody's attention.
pub(super) fn of_namespace(overview: &Overview) -> Vec<Finding> {
    let mut all = Vec::new();
    for attention in &overview.attention {
        let finding = match attention {
            Attention::Overdue { queue, since } => Finding::wrong(
                "queue",
                format!(
                    "{queue} has jobs that were due {} ago and do not move",
                    span(overview.read_at.millis_since(*since))
                ),
                "start a process with a forwarder, and look whether its clock is right",
            ),
            Attention::NoWorkers { queue, ready } => Finding::look(
                "queue",
                format!("{queue} has {ready} ready jobs and no worker"),
                "start a worker that serves it, or configure a webhook",
            ),
            Attention::Dying { queue, last_hour } => Finding::look(
                "queue",
                format!("{last_hour} jobs of {queue} died in the last hour"),
                "reprieve jobs dead says why",
            ),
            Attention::Paused { queue, paused } => Finding::look(
                "queue",
                format!("{queue} is paused by {}", paused.by),
                "reprieve resume lets it go on",
            ),
            Attention::SilentWorker { worker, .. } => Finding::look(
                "worker",
                format!("{worker} is silent with jobs in its hands"),
                "its jobs are taken back when their leases end; look what became of it",
            ),
            Attention::Parked { jobs } => Finding::look(
                "queue",
                format!("{jobs} jobs found no handler in the last hour"),
                "start a worker with a handler for their kinds",
            ),
            // Said already, from what Redis says itself.
            _ => continue,
        };
        all.push(finding);
    }
    all.push(Finding::good(
        "work",
        format!(
            "{} queues, {} workers with {} slots",
            overview.queues.len(),
            overview.workers,
            overview.slots
        ),
    ));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn healthy() -> Examination {
        let mut found = Examination::default();
        found.version = "7.0.15".to_owned();
        found.role = "master".to_owned();
        found.maxmemory_policy = "noeviction".to_owned();
        found.memory_bytes_max = Some(1 << 30);
        (found.appends, found.append_is_well, found.snapshot_is_well) = (true, true, true);
        found.appendfsync = Some("always".to_owned());
        (found.schema, found.schema_known) = (Some("1".to_owned()), "1");
        (found.user, found.forbidden) = (Some("default".to_owned()), Some(Vec::new()));
        found.now = reprieve::model::Timestamp::from_millis(1_000_000);
        found.forwarder_tick = found.now;
        found
    }

    /// What is not good of it: what, and how bad.
    fn not_good(change: impl Fn(&mut Examination)) -> Vec<(&'static str, Verdict)> {
        let mut found = healthy();
        change(&mut found);
        let all = of_redis(&found).into_iter().filter(|finding| finding.verdict != Verdict::Good);
        all.inspect(|finding| assert!(finding.advice.is_some()))
            .map(|finding| (finding.what, finding.verdict))
            .collect()
    }

    #[test]
    fn a_healthy_redis_has_nothing_to_look_at() {
        assert_eq!(not_good(|_| {}), []);
    }

    #[test]
    fn each_fault_is_found_by_itself_and_has_advice() {
        use Verdict::{Bad, Warning};
        type Fault = (&'static str, Verdict, fn(&mut Examination));
        let faults: [Fault; 18] = [
            ("version", Bad, |found| found.version = "6.2.14".to_owned()),
            ("eviction", Bad, |found| found.maxmemory_policy = "allkeys-lru".to_owned()),
            ("eviction", Warning, |found| found.maxmemory_policy = "volatile-lru".to_owned()),
            ("memory", Warning, |found| found.memory_bytes_max = None),
            ("memory", Bad, |found| found.memory_bytes = 1 << 30),
            ("persistence", Bad, |found| found.appends = false),
            ("persistence", Bad, |found| found.append_is_well = false),
            ("persistence", Warning, |found| found.appendfsync = Some("everysec".to_owned())),
            ("persistence", Bad, |found| found.appendfsync = Some("no".to_owned())),
            ("clocks", Warning, |found| found.clock_ahead_ms = -5_000),
            ("going back", Bad, |found| found.clock_back = Delay::seconds(3)),
            ("latency", Warning, |found| found.round_trip_us_p50 = 5_000),
            ("layout", Bad, |found| found.schema = Some("2".to_owned())),
            ("forwarder", Bad, |found| found.forwarder_tick = reprieve::model::Timestamp::from_millis(1)),
            ("rights", Bad, |found| found.forbidden = Some(vec!["XADD"])),
            ("rights", Warning, |found| found.forbidden = None),
            ("unreadable jobs", Bad, |found| found.quarantined = 1),
            ("role", Bad, |found| found.role = "slave".to_owned()),
        ];
        for (what, verdict, fault) in faults {
            assert_eq!(not_good(fault), [(what, verdict)], "{what}");
        }
    }
}
