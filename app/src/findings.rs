//! What was found when Redis was looked at, in words: for its page, and for `reprieve doctor`.

use reprieve::model::{Check, Finding};

use crate::i18n::Tagged;
use crate::{format, i18n, t};

/// The name of a finding in JSON.
const TAG: &str = "found";

/// What was looked at.
pub fn title(check: Check) -> String {
    i18n::word("redis-check", &i18n::json_word(&check))
}

/// What was found.
pub fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::ClocksAgree { ahead_ms } | Finding::ClocksApart { ahead_ms } => {
            let apart = format::span(*ahead_ms);
            if *ahead_ms < 0 {
                t!("redis-found-clock-behind", apart = apart)
            } else {
                t!("redis-found-clock-ahead", apart = apart)
            }
        }
        Finding::Halt { standing } | Finding::HaltEnds { standing } => {
            t!("redis-found-halt", why = i18n::halt(standing.why))
        }
        Finding::RightsUnknown { user } if user.is_empty() => t!("redis-found-rights-nobody"),
        Finding::Memory { bytes, bytes_max } | Finding::MemoryShort { bytes, bytes_max } => {
            let percent = bytes.saturating_mul(100).checked_div(*bytes_max).unwrap_or_default();
            said(Tagged::of(finding, TAG).with("percent", percent))
        }
        _ => said(Tagged::of(finding, TAG)),
    }
}

/// The sentence of what was found.
fn said(mut found: Tagged) -> String {
    // What is told alike.
    let word = match found.word.as_str() {
        "version_old" => "version",
        "memory_short" => "memory",
        "round_trips_slow" | "round_trips_bad" => "round_trips",
        "commands_fewer" => "commands_missing",
        word => word,
    };
    found.word = word.to_owned();
    found.said("redis-found").unwrap_or_else(|| t!("redis-check-other"))
}

/// What to do about it; nothing where all is well.
pub fn advice(finding: &Finding) -> Option<String> {
    match finding {
        Finding::EvictionHappened { .. }
        | Finding::EvictionOfJobs { .. }
        | Finding::EvictionOfExpiring { .. } => Some(t!("redis-advice-eviction")),
        Finding::Halt { standing } if standing.until.is_some() => Some(t!("redis-advice-halt-ends")),
        Finding::JobsMended { .. } => Some(t!("redis-advice-jobs-unreadable")),
        _ => Tagged::of(finding, TAG).said("redis-advice"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::{Halt, HaltReason, Timestamp, Verdict};
    use serde_json::json;

    #[test]
    fn whatever_is_found_has_a_sentence_and_what_is_not_good_says_what_to_do() {
        let at = Timestamp::from_millis(1).unwrap();
        for until in [None, Some(at)] {
            let mut found = json!({
                "server": "Redis 6.2", "policy": "volatile-lru", "keys": 1, "bytes": 1, "bytes_max": 2, "percent": 3,
                "ahead_ms": -5_000, "back_ms": 1, "p50_us": 1, "max_us": 2, "layout": "1", "known": "2", "ago_ms": 1,
                "standing": Halt::new(HaltReason::TookOver, at, 0, until), "user": "shop", "rights": ["+xadd"],
                "commands": ["WAIT"], "said": "no", "names": ["reprieve_0123456789abcdef"], "entries": 1, "ids": 1,
                "writes": 0, "role": "slave",
            });
            for tag in i18n::tags::<Finding>(TAG) {
                found[TAG] = tag.into();
                let finding: Finding = serde_json::from_value(found.clone()).unwrap();
                let (sentence, advice) = (sentence(&finding), advice(&finding));
                assert_ne!(sentence, t!("redis-check-other"), "{finding:?}");
                assert_eq!(
                    advice.is_none(),
                    finding.verdict() == Verdict::Good,
                    "{finding:?} leaves one alone"
                );
                // Where a sentence is given nothing for a place, the place stays.
                let all = format!("{sentence} {}", advice.unwrap_or_default());
                assert!(!all.contains('{'), "{finding:?}: {all}");
                assert_ne!(title(finding.check()), "", "{finding:?}");
            }
        }
        assert_eq!(
            sentence(&Finding::RightsUnknown { user: String::new() }),
            t!("redis-found-rights-nobody")
        );
    }
}
