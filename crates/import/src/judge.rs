//! Judges whether a source is a plan at all. What recognising, observing and taking over say of it comes from here.

use crate::{ImportWarning, ImportWarningCode, KnownSet, SetContent};
use reprieve::internals::read_last;
use reprieve::model::Timestamp;

/// A due time further ahead is hardly meant: ten years.
const FAR_MS: i64 = 3_652 * 86_400_000;
/// Bytes of a member that may be an id alone: a UUID has 36.
const ID_BYTES_MAX: usize = 64;

/// What of a sorted set speaks for or against its being a plan.
#[derive(Debug, Default)]
pub(super) struct Judge {
    set: Option<KnownSet>,
    items: u64,
    due: u64,
    far: u64,
    ids: u64,
}

impl Judge {
    /// Looks at one item that would become a job.
    pub(super) fn see(&mut self, key: &str, member: &[u8], due: Timestamp, now: Timestamp) {
        if self.set.is_none() {
            self.set = known_set(key, member);
        }
        self.items += 1;
        self.due += u64::from(due <= now);
        self.far += u64::from(due.as_millis().saturating_sub(now.as_millis()) > FAR_MS);
        self.ids += u64::from(is_bare_id(member));
    }

    /// What has to be accepted before it is taken over.
    pub(super) fn warnings(self) -> Vec<ImportWarning> {
        use ImportWarningCode::{AllDue, BareIds, FarFuture, KnownSet};
        let Self { set, items, due, far, ids } = self;
        let mut warnings = Vec::new();
        let mut warn = |code, items| {
            warnings.push(ImportWarning::new(code, items, set.clone().filter(|_| code == KnownSet)));
        };
        if set.is_some() {
            warn(KnownSet, items);
        }
        if items > 0 && due == items {
            warn(AllDue, items);
        }
        if far > 0 {
            warn(FarFuture, far);
        }
        // Of a set that is known, it was said what its members are.
        if set.is_none() && items > 0 && ids == items {
            warn(BareIds, items);
        }
        warnings
    }
}

/// Whether a member is nothing but an id: short, without structure, spaces or punctuation of a text.
pub(super) fn is_bare_id(member: &[u8]) -> bool {
    let is_of_id = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'-');
    (1..=ID_BYTES_MAX).contains(&member.len()) && member.iter().all(is_of_id)
}

/// What a well-known system keeps in a sorted set, by its key and one of its members.
pub(super) fn known_set(key: &str, member: &[u8]) -> Option<KnownSet> {
    use SetContent::{Books, Ended, Ids};
    let last = key.rsplit(':').next().unwrap_or(key);
    let (system, holds) = if let Some(rest) = key.strip_prefix("bull:") {
        // `bull:<queue>:<set>`. A score of `delayed` is ms × 4096 and a counter.
        match rest.rsplit(':').next()? {
            "completed" | "failed" => ("BullMQ", Ended),
            "delayed" | "prioritized" | "priority" => ("BullMQ", Ids),
            _ => ("BullMQ", Books),
        }
    } else if let Some(rest) = key.strip_prefix("rq:") {
        match rest.split(':').next()? {
            "finished" | "failed" | "canceled" => ("RQ", Ended),
            "scheduled" | "scheduler" | "deferred" => ("RQ", Ids),
            _ => ("RQ", Books),
        }
    } else if key.starts_with("bq:") && last == "delayed" {
        ("Bee-Queue", Ids)
    } else if key.starts_with("dramatiq:") {
        ("Dramatiq", if key.ends_with(".XQ") { Ended } else { Books })
    } else if key.starts_with("arq:queue") {
        ("arq", Ids)
    } else if key.starts_with("arq:") {
        ("arq", Books)
    } else if key.starts_with("rrq:queue:") {
        ("RRQ", Ids)
    } else if last == "delayed_queue_schedule" {
        ("Resque", Ids)
    } else if key.ends_with("unacked_index") || key.starts_with("_kombu.") {
        ("Celery", Books)
    } else {
        return of_sidekiq(last, member);
    };
    Some(KnownSet { system: system.to_owned(), holds })
}

/// Sidekiq and Faktory keep whole jobs under names that anybody may use: their members tell.
fn of_sidekiq(last: &str, member: &[u8]) -> Option<KnownSet> {
    let holds = match last {
        "schedule" | "scheduled" | "retry" | "retries" => SetContent::Jobs,
        "dead" => SetContent::Ended,
        _ => return None,
    };
    let json = read_last(member)?;
    json.pointer("/jid")?;
    let system = if json.pointer("/class").is_some() {
        "Sidekiq"
    } else if json.pointer("/jobtype").is_some() {
        "Faktory"
    } else {
        return None;
    };
    Some(KnownSet { system: system.to_owned(), holds })
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: &[u8] = br#"{"class":"Mail","jid":"a","args":[]}"#;

    fn told(key: &str, member: &[u8]) -> Option<(String, SetContent)> {
        known_set(key, member).map(|set| (set.system, set.holds))
    }

    #[test]
    fn sets_of_well_known_systems_are_told_by_their_keys() {
        use SetContent::{Books, Ended, Ids};
        for (key, system, holds) in [
            ("bull:mail:delayed", "BullMQ", Ids),
            ("bull:mail:completed", "BullMQ", Ended),
            ("bull:mail:failed", "BullMQ", Ended),
            ("bull:mail:repeat", "BullMQ", Books),
            ("rq:finished:default", "RQ", Ended),
            ("rq:failed:default", "RQ", Ended),
            ("rq:scheduled:default", "RQ", Ids),
            ("rq:wip:default", "RQ", Books),
            ("bq:mail:delayed", "Bee-Queue", Ids),
            ("dramatiq:__heartbeats__", "Dramatiq", Books),
            ("dramatiq:default.XQ", "Dramatiq", Ended),
            ("arq:queue", "arq", Ids),
            ("unacked_index", "Celery", Books),
            ("_kombu.binding_deadlines", "Celery", Books),
            ("resque:delayed_queue_schedule", "Resque", Ids),
        ] {
            assert_eq!(told(key, b"17"), Some((system.to_owned(), holds)), "{key}");
        }
        for key in ["due", "bullet", "queues:default:delayed"] {
            assert_eq!(told(key, b"17"), None, "{key}");
        }
    }

    #[test]
    fn sidekiqs_names_alone_tell_nothing() {
        use SetContent::{Ended, Jobs};
        assert_eq!(told("schedule", b"17"), None);
        assert_eq!(told("dead", br#"{"class":"a"}"#), None);
        assert_eq!(told("dead", JOB), Some(("Sidekiq".to_owned(), Ended)));
        assert_eq!(told("shop:schedule", JOB), Some(("Sidekiq".to_owned(), Jobs)));
        let faktory = br#"{"jid":"a","jobtype":"Mail"}"#;
        assert_eq!(told("retries", faktory), Some(("Faktory".to_owned(), Jobs)));
    }

    #[test]
    fn an_id_is_short_and_without_structure() {
        for id in ["17", "order:4711", "9f1c0a52-7b1e-4a7e-9d57-3c1d1f1d2e3f"] {
            assert!(is_bare_id(id.as_bytes()), "{id}");
        }
        let long = "a".repeat(ID_BYTES_MAX + 1);
        for work in ["", r#"{"id":1}"#, "two words", "ann@shop.example", "https://shop.example/x", &long] {
            assert!(!is_bare_id(work.as_bytes()), "{work}");
        }
    }

    #[test]
    fn one_item_that_waits_is_enough_for_a_plan_and_one_beyond_ten_years_is_too_far() {
        let now = Timestamp::from_millis(1_800_000_000_000).unwrap();
        let at = |days: i64| Timestamp::from_millis(now.as_millis() + days * 86_400_000).unwrap();
        let codes = |items: &[(&[u8], i64)]| {
            let mut judge = Judge::default();
            items.iter().for_each(|(member, days)| judge.see("due", member, at(*days), now));
            judge.warnings().into_iter().map(|warning| (warning.code, warning.items)).collect::<Vec<_>>()
        };
        use ImportWarningCode::{AllDue, BareIds, FarFuture};
        assert_eq!(codes(&[(b"{}", -1), (b"{}", 1)]), []);
        assert_eq!(codes(&[(b"{}", -1), (b"{}", -2)]), [(AllDue, 2)]);
        assert_eq!(codes(&[(b"{}", 1), (b"{}", 3_651), (b"{}", 3_653)]), [(FarFuture, 1)]);
        assert_eq!(codes(&[(b"1", 1), (b"2", 1)]), [(BareIds, 2)]);
        assert_eq!(codes(&[(b"1", 1), (b"{}", 1)]), []);
        assert_eq!(codes(&[]), []);
    }
}
