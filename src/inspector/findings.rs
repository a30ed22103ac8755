//! What each thing means that a Redis says of itself: for `reprieve doctor` and for the page of Redis alike.

use super::Inspector;
use crate::error::Result;
use crate::model::{Delay, Finding, RedisReport};
use crate::store::Examination;

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
/// A nearly empty Redis always looks fragmented.
const FRAGMENTATION_BYTES_MIN: u64 = 100 * 1_024 * 1_024;
/// A forwarder looks at least once a second.
const TICK_AGE_MAX: Delay = Delay::seconds(5);
/// Jobs run without these: `CONFIG` tells settings, `WAIT` confirms writes (and a start with `confirm_replicas` is refused
/// without it), and no client can speak to a Cluster that lacks `CLUSTER`.
const DISPENSABLE: [&str; 3] = ["CLUSTER", "CONFIG", "WAIT"];

impl Inspector {
    /// What Redis says of itself, what each of it means, and its slow calls. Changes nothing.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) when it does not answer.
    pub async fn redis(&self) -> Result<RedisReport> {
        let found = self.shards().examine(crate::store::SCHEMA).await?;
        let now = match found.now {
            Some(now) => now,
            None => self.shards.now().await?,
        };
        let mut report = RedisReport::empty(now);
        report.findings = findings(&found);
        report.started = found.uptime.map(|uptime| now - uptime);
        report.connections = found.connections;
        report.connections_max = found.connections_max;
        report.replicas = found.replicas;
        report.confirm_replicas = self.confirm_replicas;
        report.shards = self.shards.count();
        report.keys = found.keys;
        report.slow = self.shards().first().slow_calls().await;
        (report.mode, report.role) = (found.mode, found.role);
        Ok(report)
    }
}

/// What a Redis says of itself, judged.
#[must_use]
pub fn findings(found: &Examination) -> Vec<Finding> {
    if let Some(said) = found.withheld.clone() {
        return vec![rights(found), Finding::Withheld { said }];
    }
    let mut all = vec![version(found), policy(found), memory(found), persistence(found)];
    all.extend([clocks(found), going_back(found), latency(found), layout(found), forwarder(found)]);
    all.extend([rights(found), unreadable_jobs(found)]);
    all.extend(commands(found));
    all.extend(libraries(found));
    if found.role != "master" {
        all.push(Finding::Replica { role: found.role.clone() });
    }
    all
}

fn version(found: &Examination) -> Finding {
    let mut parts = found.version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let numbers = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    let server = found.server.clone();
    if numbers >= (7, 0) { Finding::Version { server } } else { Finding::VersionOld { server } }
}

fn policy(found: &Examination) -> Finding {
    let policy = found.maxmemory_policy.clone();
    match policy.as_str() {
        "noeviction" => Finding::EvictionNone,
        _ if found.evicted_keys > 0 => Finding::EvictionHappened { policy, keys: found.evicted_keys },
        word if word.starts_with("allkeys-") => Finding::EvictionOfJobs { policy },
        _ => Finding::EvictionOfExpiring { policy },
    }
}

fn memory(found: &Examination) -> Finding {
    let bytes = found.memory_bytes;
    let Some(bytes_max) = found.memory_bytes_max else { return Finding::MemoryUnlimited { bytes } };
    if bytes.saturating_mul(100) > bytes_max.saturating_mul(MEMORY_PERCENT_MAX) {
        return Finding::MemoryShort { bytes, bytes_max };
    }
    match found.fragmentation_percent {
        Some(percent) if percent > FRAGMENTATION_PERCENT_MAX && bytes > FRAGMENTATION_BYTES_MIN => {
            Finding::MemoryFragmented { bytes, bytes_max, percent }
        }
        _ => Finding::Memory { bytes, bytes_max },
    }
}

fn persistence(found: &Examination) -> Finding {
    if !found.append_is_well || !found.snapshot_is_well {
        return Finding::WriteFailed;
    }
    if !found.appends {
        return Finding::SnapshotsOnly;
    }
    match found.appendfsync.as_deref() {
        Some("always") => Finding::SyncedAlways,
        Some("everysec") => Finding::SyncedEverySecond,
        Some("no") => Finding::SyncedBySystem,
        _ => Finding::SyncUnknown,
    }
}

fn clocks(found: &Examination) -> Finding {
    let ahead_ms = found.clock_ahead_ms;
    if ahead_ms.unsigned_abs() <= CLOCK_AHEAD_MAX_MS {
        Finding::ClocksAgree { ahead_ms }
    } else {
        Finding::ClocksApart { ahead_ms }
    }
}

fn going_back(found: &Examination) -> Finding {
    match found.clock_back {
        Delay::ZERO => Finding::ClockForward,
        back => Finding::ClockBack { back_ms: back.as_millis() },
    }
}

fn latency(found: &Examination) -> Finding {
    let (p50_us, max_us) = (found.round_trip_us_p50, found.round_trip_us_max);
    if p50_us > ROUND_TRIP_BAD_US {
        Finding::RoundTripsBad { p50_us, max_us }
    } else if p50_us > ROUND_TRIP_SLOW_US {
        Finding::RoundTripsSlow { p50_us, max_us }
    } else {
        Finding::RoundTrips { p50_us, max_us }
    }
}

fn layout(found: &Examination) -> Finding {
    match found.schema.clone() {
        Some(layout) if layout == found.schema_known => Finding::LayoutOurs { layout },
        Some(layout) => Finding::LayoutOther { layout, known: found.schema_known.to_owned() },
        None => Finding::LayoutNone,
    }
}

fn forwarder(found: &Examination) -> Finding {
    // Forwarders live then, and tick no more until it ends.
    if let Some(standing) = found.halt.clone() {
        let ends = standing.until.zip(found.now).is_some_and(|(until, now)| now <= until);
        return if ends { Finding::HaltEnds { standing } } else { Finding::Halt { standing } };
    }
    let age = found.now.zip(found.forwarder_tick).map(|(now, tick)| now.millis_since(tick));
    match age {
        Some(ago_ms) if ago_ms <= TICK_AGE_MAX.as_millis() => Finding::ForwarderTicks { ago_ms },
        Some(ago_ms) => Finding::ForwarderSilent { ago_ms },
        None => Finding::ForwarderNever,
    }
}

fn rights(found: &Examination) -> Finding {
    let user = found.user.clone().unwrap_or_default();
    match found.missing_rights.clone() {
        Some(rights) if rights.is_empty() => Finding::RightsAll { user },
        Some(rights) => Finding::RightsMissing { user, rights },
        None => Finding::RightsUnknown { user },
    }
}

fn commands(found: &Examination) -> Option<Finding> {
    let commands = found.missing_commands.clone().unwrap_or_default();
    if commands.is_empty() {
        return None;
    }
    let is_needed = |command: &String| !DISPENSABLE.contains(&&**command);
    Some(if commands.iter().any(is_needed) {
        Finding::CommandsMissing { commands }
    } else {
        Finding::CommandsFewer { commands }
    })
}

fn libraries(found: &Examination) -> Option<Finding> {
    let names = found.other_libraries.clone()?;
    Some(if names.is_empty() { Finding::LibrariesOurs } else { Finding::LibrariesOld { names } })
}

const fn unreadable_jobs(found: &Examination) -> Finding {
    match (found.quarantined, found.damaged, found.mended) {
        (0, 0, 0) => Finding::JobsReadable,
        (0, 0, entries) => Finding::JobsMended { entries },
        (ids, writes, _) => Finding::JobsUnreadable { ids, writes },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Check, Halt, HaltReason, Timestamp, Verdict};

    fn healthy() -> Examination {
        let now = Timestamp::from_millis(1_000_000);
        Examination {
            version: "7.0.15".to_owned(),
            role: "master".to_owned(),
            maxmemory_policy: "noeviction".to_owned(),
            memory_bytes_max: Some(1 << 30),
            appends: true,
            append_is_well: true,
            snapshot_is_well: true,
            appendfsync: Some("always".to_owned()),
            schema: Some("1".to_owned()),
            schema_known: "1",
            user: Some("default".to_owned()),
            missing_rights: Some(Vec::new()),
            other_libraries: Some(Vec::new()),
            now,
            forwarder_tick: now,
            ..Examination::default()
        }
    }

    fn took_over(until: Timestamp) -> Halt {
        Halt::new(HaltReason::TookOver, Timestamp::from_millis(1).unwrap(), 0, Some(until))
    }

    /// What is not good of it: what, and how bad.
    fn not_good(change: impl Fn(&mut Examination)) -> Vec<(Check, Verdict)> {
        let mut found = healthy();
        change(&mut found);
        let all = findings(&found).into_iter().map(|found| (found.check(), found.verdict()));
        all.filter(|(_, verdict)| *verdict != Verdict::Good).collect()
    }

    #[test]
    fn a_healthy_redis_has_nothing_to_look_at() {
        assert_eq!(not_good(|_| {}), []);
    }

    #[test]
    fn each_fault_is_found_by_itself() {
        use Verdict::{Look, Wrong};
        type Fault = (Check, Verdict, fn(&mut Examination));
        let faults: [Fault; 28] = [
            (Check::Version, Wrong, |found| found.version = "6.2.14".to_owned()),
            (Check::Eviction, Wrong, |found| found.maxmemory_policy = "allkeys-lru".to_owned()),
            (Check::Eviction, Wrong, |found| found.maxmemory_policy = "volatile-lru".to_owned()),
            (Check::Eviction, Wrong, |found| {
                (found.maxmemory_policy, found.evicted_keys) = ("volatile-ttl".to_owned(), 7);
            }),
            (Check::Memory, Look, |found| found.memory_bytes_max = None),
            (Check::Memory, Wrong, |found| found.memory_bytes = 1 << 30),
            (Check::Memory, Look, |found| {
                (found.memory_bytes, found.fragmentation_percent) = (1 << 29, Some(300));
            }),
            (Check::Persistence, Wrong, |found| found.appends = false),
            (Check::Persistence, Wrong, |found| found.append_is_well = false),
            (Check::Persistence, Look, |found| found.appendfsync = Some("everysec".to_owned())),
            (Check::Persistence, Wrong, |found| found.appendfsync = Some("no".to_owned())),
            (Check::Clocks, Look, |found| found.clock_ahead_ms = -5_000),
            (Check::GoingBack, Wrong, |found| found.clock_back = Delay::seconds(3)),
            (Check::Latency, Look, |found| found.round_trip_us_p50 = 5_000),
            (Check::Latency, Wrong, |found| found.round_trip_us_p50 = 600_000),
            (Check::Layout, Wrong, |found| found.schema = Some("2".to_owned())),
            (Check::Forwarder, Wrong, |found| found.forwarder_tick = Timestamp::from_millis(1)),
            (Check::Halt, Wrong, |found| {
                let at = Timestamp::from_millis(1).unwrap();
                found.forwarder_tick = Some(at);
                found.halt = Some(Halt::new(HaltReason::ClockAhead, at, 3_600_000, None));
            }),
            (Check::Halt, Look, |found| {
                found.halt = Some(took_over(found.now.unwrap() + Delay::seconds(10)));
            }),
            (Check::Halt, Wrong, |found| found.halt = Some(took_over(Timestamp::from_millis(2).unwrap()))),
            (Check::Rights, Wrong, |found| {
                found.missing_rights = Some(vec!["+xadd".to_owned()]);
            }),
            (Check::Rights, Look, |found| found.missing_rights = None),
            (Check::Commands, Look, |found| {
                found.missing_commands = Some(vec!["CONFIG".to_owned(), "WAIT".to_owned()]);
            }),
            (Check::Commands, Wrong, |found| {
                found.missing_commands = Some(vec!["CONFIG".to_owned(), "FCALL".to_owned()]);
            }),
            (Check::Libraries, Look, |found| {
                found.other_libraries = Some(vec!["reprieve_0123456789abcdef".to_owned()]);
            }),
            (Check::Unreadable, Look, |found| found.mended = 1),
            (Check::Unreadable, Wrong, |found| found.quarantined = 1),
            (Check::Role, Wrong, |found| found.role = "slave".to_owned()),
        ];
        for (what, verdict, fault) in faults {
            assert_eq!(not_good(fault), [(what, verdict)], "{what:?}");
        }
    }

    #[test]
    fn of_a_redis_that_says_nothing_only_the_rights_are_judged() {
        let poor = |found: &mut Examination| {
            found.withheld = Some("no".to_owned());
            found.version.clear();
            found.missing_rights = Some(vec!["+info".to_owned()]);
        };
        assert_eq!(not_good(poor), [(Check::Rights, Verdict::Wrong), (Check::Reading, Verdict::Wrong)]);
    }
}
