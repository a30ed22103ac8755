//! What was found when Redis was looked at, in words: for its page, and for `reprieve doctor`.

use reprieve::model::{Check, Finding};

use crate::{format, i18n, t};

/// What was looked at.
pub fn title(check: Check) -> String {
    match check {
        Check::Version => t!("redis-check-version"),
        Check::Eviction => t!("redis-check-eviction"),
        Check::Memory => t!("redis-check-memory"),
        Check::Persistence => t!("redis-check-persistence"),
        Check::Clocks => t!("redis-check-clocks"),
        Check::GoingBack => t!("redis-check-going-back"),
        Check::Latency => t!("redis-check-latency"),
        Check::Layout => t!("redis-check-layout"),
        Check::Forwarder => t!("redis-check-forwarder"),
        Check::Halt => t!("redis-check-halt"),
        Check::Rights => t!("redis-check-rights"),
        Check::Commands => t!("redis-check-commands"),
        Check::Reading => t!("redis-check-reading"),
        Check::Libraries => t!("redis-check-libraries"),
        Check::Unreadable => t!("redis-check-unreadable"),
        Check::Role => t!("redis-check-role"),
        _ => t!("redis-check-other"),
    }
}

/// What was found.
pub fn sentence(finding: &Finding) -> String {
    let of = |bytes: &u64, bytes_max: &u64| (format::bytes(*bytes), format::bytes(*bytes_max));
    match finding {
        Finding::Version { server } | Finding::VersionOld { server } => server.clone(),
        Finding::EvictionNone => t!("redis-found-eviction-none"),
        Finding::EvictionHappened { policy, keys } => {
            t!("redis-found-eviction-happened", policy = policy.as_str(), count = *keys)
        }
        Finding::EvictionOfJobs { policy } => t!("redis-found-eviction-jobs", policy = policy.as_str()),
        Finding::EvictionOfExpiring { policy } => {
            t!("redis-found-eviction-expiring", policy = policy.as_str())
        }
        Finding::Memory { bytes, bytes_max } | Finding::MemoryShort { bytes, bytes_max } => {
            let percent = bytes.saturating_mul(100).checked_div(*bytes_max).unwrap_or_default();
            let (used, most) = of(bytes, bytes_max);
            t!("redis-found-memory", used = used, most = most, percent = percent)
        }
        Finding::MemoryUnlimited { bytes } => {
            t!("redis-found-memory-unlimited", used = format::bytes(*bytes))
        }
        Finding::MemoryFragmented { bytes, bytes_max, percent } => {
            let (used, most) = of(bytes, bytes_max);
            t!("redis-found-memory-fragmented", used = used, most = most, percent = *percent)
        }
        Finding::SyncedAlways => t!("redis-found-synced-always"),
        Finding::SyncedEverySecond => t!("redis-found-synced-second"),
        Finding::SyncedBySystem => t!("redis-found-synced-system"),
        Finding::SyncUnknown => t!("redis-found-sync-unknown"),
        Finding::SnapshotsOnly => t!("redis-found-snapshots"),
        Finding::WriteFailed => t!("redis-found-write-failed"),
        Finding::ClocksAgree { ahead_ms } | Finding::ClocksApart { ahead_ms } => {
            let apart = format::span(*ahead_ms);
            if *ahead_ms < 0 {
                t!("redis-found-clock-behind", apart = apart)
            } else {
                t!("redis-found-clock-ahead", apart = apart)
            }
        }
        Finding::ClockForward => t!("redis-found-clock-forward"),
        Finding::ClockBack { back_ms } => t!("redis-found-clock-back", back = format::span(*back_ms)),
        Finding::RoundTrips { p50_us, max_us }
        | Finding::RoundTripsSlow { p50_us, max_us }
        | Finding::RoundTripsBad { p50_us, max_us } => {
            t!("redis-found-round-trip", half = *p50_us, most = *max_us)
        }
        Finding::LayoutOurs { layout } => t!("redis-found-layout-ours", layout = layout.as_str()),
        Finding::LayoutNone => t!("redis-found-layout-none"),
        Finding::LayoutOther { layout, known } => {
            t!("redis-found-layout-other", layout = layout.as_str(), known = known.as_str())
        }
        Finding::ForwarderTicks { ago_ms } => t!("redis-found-forwarder-ticks", ago = format::span(*ago_ms)),
        Finding::ForwarderSilent { ago_ms } => {
            t!("redis-found-forwarder-silent", ago = format::span(*ago_ms))
        }
        Finding::ForwarderNever => t!("redis-found-forwarder-never"),
        Finding::Halt { standing } | Finding::HaltEnds { standing } => {
            t!("redis-found-halt", why = i18n::halt(standing.why))
        }
        Finding::RightsAll { user } => t!("redis-found-rights-all", user = user.as_str()),
        Finding::RightsMissing { user, rights } => {
            t!("redis-found-rights-missing", user = user.as_str(), rights = rights.join(" "))
        }
        Finding::CommandsMissing { commands } | Finding::CommandsFewer { commands } => {
            t!("redis-found-commands-missing", commands = commands.join(", "))
        }
        Finding::Withheld { said } => t!("redis-found-withheld", said = said.as_str()),
        Finding::LibrariesOurs => t!("redis-found-libraries-ours"),
        Finding::LibrariesOld { names } => {
            t!("redis-found-libraries-old", count = names.len(), names = names.join(", "))
        }
        Finding::RightsUnknown { user } if user.is_empty() => t!("redis-found-rights-nobody"),
        Finding::RightsUnknown { user } => t!("redis-found-rights-unknown", user = user.as_str()),
        Finding::JobsReadable => t!("redis-found-jobs-readable"),
        Finding::JobsMended { entries } => t!("redis-found-jobs-mended", count = *entries),
        Finding::JobsUnreadable { ids, writes } => {
            t!("redis-found-jobs-unreadable", ids = *ids, writes = *writes)
        }
        Finding::Replica { role } => t!("redis-found-replica", role = role.as_str()),
        _ => t!("redis-check-other"),
    }
}

/// What to do about it; nothing where all is well.
pub fn advice(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::VersionOld { .. } => t!("redis-advice-version"),
        Finding::EvictionHappened { .. }
        | Finding::EvictionOfJobs { .. }
        | Finding::EvictionOfExpiring { .. } => t!("redis-advice-eviction"),
        Finding::MemoryUnlimited { .. } => t!("redis-advice-memory-unlimited"),
        Finding::MemoryShort { .. } => t!("redis-advice-memory-short"),
        Finding::MemoryFragmented { .. } => t!("redis-advice-memory-fragmented"),
        Finding::SyncedEverySecond => t!("redis-advice-synced-second"),
        Finding::SyncedBySystem => t!("redis-advice-synced-system"),
        Finding::SyncUnknown => t!("redis-advice-sync-unknown"),
        Finding::SnapshotsOnly => t!("redis-advice-snapshots"),
        Finding::WriteFailed => t!("redis-advice-write-failed"),
        Finding::ClocksApart { .. } => t!("redis-advice-clocks"),
        Finding::ClockBack { .. } => t!("redis-advice-clock-back"),
        Finding::RoundTripsSlow { .. } => t!("redis-advice-round-trip-slow"),
        Finding::RoundTripsBad { .. } => t!("redis-advice-round-trip-bad"),
        Finding::LayoutNone => t!("redis-advice-layout-none"),
        Finding::LayoutOther { .. } => t!("redis-advice-layout-other"),
        Finding::ForwarderSilent { .. } => t!("redis-advice-forwarder-silent"),
        Finding::ForwarderNever => t!("redis-advice-forwarder-never"),
        Finding::HaltEnds { .. } => t!("redis-advice-halt-ends"),
        Finding::Halt { standing } if standing.until.is_some() => t!("redis-advice-halt-ends"),
        Finding::Halt { .. } => t!("redis-advice-halt"),
        Finding::RightsMissing { user, rights } => {
            t!("redis-advice-rights-missing", user = user.as_str(), rights = rights.join(" "))
        }
        Finding::CommandsMissing { .. } => t!("redis-advice-commands-missing"),
        Finding::CommandsFewer { .. } => t!("redis-advice-commands-fewer"),
        Finding::Withheld { .. } => t!("redis-advice-withheld"),
        Finding::LibrariesOld { names } => {
            t!("redis-advice-libraries-old", name = names.first().map_or("", String::as_str))
        }
        Finding::RightsUnknown { .. } => t!("redis-advice-rights-unknown"),
        Finding::JobsMended { .. } | Finding::JobsUnreadable { .. } => t!("redis-advice-jobs-unreadable"),
        Finding::Replica { .. } => t!("redis-advice-replica"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::{Halt, HaltReason, Timestamp, Verdict};

    #[test]
    fn whatever_is_not_good_says_what_to_do() {
        let at = Timestamp::from_millis(1).unwrap();
        let halt = |until| Halt::new(HaltReason::TookOver, at, 0, until);
        let found = [
            Finding::VersionOld { server: "Redis 6.2".to_owned() },
            Finding::EvictionOfExpiring { policy: "volatile-lru".to_owned() },
            Finding::MemoryUnlimited { bytes: 1 },
            Finding::SnapshotsOnly,
            Finding::SyncUnknown,
            Finding::ClocksApart { ahead_ms: -5_000 },
            Finding::RoundTripsBad { p50_us: 1, max_us: 2 },
            Finding::LayoutNone,
            Finding::ForwarderNever,
            Finding::Halt { standing: halt(None) },
            Finding::Halt { standing: halt(Some(at)) },
            Finding::HaltEnds { standing: halt(Some(at)) },
            Finding::RightsUnknown { user: String::new() },
            Finding::RightsMissing { user: "shop".to_owned(), rights: vec!["+xadd".to_owned()] },
            Finding::Withheld { said: "no".to_owned() },
            Finding::LibrariesOld { names: vec!["reprieve_0123456789abcdef".to_owned()] },
            Finding::JobsMended { entries: 1 },
            Finding::JobsUnreadable { ids: 1, writes: 0 },
            Finding::Replica { role: "slave".to_owned() },
        ];
        for finding in found {
            assert_ne!(finding.verdict(), Verdict::Good);
            let advice = advice(&finding).unwrap_or_else(|| panic!("{finding:?} leaves one alone"));
            assert!(!advice.starts_with("redis-"), "{advice} is no sentence");
        }
        assert_eq!(advice(&Finding::SyncedAlways), None);
    }
}
