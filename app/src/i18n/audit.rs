//! Acts, as they are written down, in words.

use reprieve::model::{AuditEntry, AuditSort, BulkState, HaltReason, JobState};

use super::words::word;
use crate::t;

/// What acts are done to, in words.
pub fn audit_sort(sort: AuditSort) -> String {
    match sort {
        AuditSort::Jobs => t!("audit-sort-jobs"),
        AuditSort::Plans => t!("audit-sort-plans"),
        AuditSort::Bulk => t!("audit-sort-bulk"),
        AuditSort::Queues => t!("audit-sort-queues"),
        AuditSort::Schedules => t!("audit-sort-schedules"),
        AuditSort::Workers => t!("audit-sort-workers"),
        AuditSort::People => t!("audit-sort-people"),
        AuditSort::Settings => t!("audit-sort-settings"),
        _ => t!("audit-sort-data"),
    }
}

/// An act in words; its name where nobody has words for it. What was refused may be named by the right that was lacked, or by
/// the path that was asked for.
pub fn audit_verb(verb: &str) -> String {
    if verb.contains(['.', '/']) {
        return t!("audit-verb-asked", what = verb.to_owned());
    }
    word("audit-verb", verb)
}

/// What came of an act, in words; the word of the script where nobody has others.
pub fn audit_outcome(word: &str) -> String {
    if let Ok(state) = word.parse::<JobState>() {
        return super::state(state);
    }
    if let Ok(state) = word.parse::<BulkState>() {
        return super::bulk_state(state);
    }
    match word {
        "denied" => t!("audit-outcome-denied"),
        "requested" => t!("audit-outcome-requested"),
        "revealed" => t!("audit-outcome-revealed"),
        "begun" => t!("audit-outcome-begun"),
        "purged" | "erased" | "removed" | "revoked" => t!("audit-outcome-removed"),
        _ => t!("audit-outcome-done"),
    }
}

/// Why an act was done, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditWhy {
    /// In words where nobody typed it; empty when nothing was said.
    pub text: String,
    /// Whether somebody typed it, or a part of it: a browser that translates the page leaves that alone.
    pub is_typed: bool,
}

/// Why an act was done, or was refused, in words where nobody typed it.
pub fn audit_why(entry: &AuditEntry) -> AuditWhy {
    let why = entry.why.as_str();
    let ours = match why.parse::<HaltReason>() {
        Ok(reason) if entry.verb == "set_halt" => Some(halt(reason)),
        _ if entry.is_denied() => Some(denied(why)),
        _ if entry.verb.starts_with("export_") => Some(exported(why)),
        _ => None,
    };
    match ours {
        Some(text) => AuditWhy { text, is_typed: false },
        None => AuditWhy { text: super::why(why), is_typed: !why.is_empty() && !super::is_known_why(why) },
    }
}

/// Why the server refused something: in words, or the right that was lacked.
fn denied(why: &str) -> String {
    match why {
        "too often" => t!("audit-why-too-often"),
        "not allowed" => t!("audit-why-not-allowed"),
        _ => super::why(why),
    }
}

/// By what the jobs of a file were chosen, and which columns from payloads it has, if any.
fn exported(why: &str) -> String {
    match why.split_once("; columns: ") {
        Some(("", columns)) => t!("audit-why-columns", columns = columns.to_owned()),
        Some((fields, columns)) => {
            t!("audit-why-fields-and-columns", fields = fields.to_owned(), columns = columns.to_owned())
        }
        None => why.to_owned(),
    }
}

/// Why everything was stopped, in a few words.
pub fn halt(reason: HaltReason) -> String {
    word("audit-halt", reason.as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use reprieve::model::{AuditPlace, Timestamp};

    use super::*;

    fn entry(verb: &str, why: &str, outcome: &str) -> AuditEntry {
        let place: AuditPlace = "1700000000000-0-0".parse().unwrap();
        let mut entry = AuditEntry::new(place, Timestamp::EPOCH, "ann", verb, "").because(why);
        entry.outcome = outcome.to_owned();
        entry
    }

    #[test]
    fn every_act_and_what_it_is_done_to_has_words_of_its_own() {
        let verbs = || AuditSort::ALL.into_iter().flat_map(|sort| sort.verbs());
        for verb in verbs() {
            assert_ne!(audit_verb(verb), *verb);
        }
        let words: HashSet<String> = verbs().map(|verb| audit_verb(verb)).collect();
        assert_eq!(words.len(), verbs().count());
        let sorts: HashSet<String> = AuditSort::ALL.map(audit_sort).into();
        assert_eq!(sorts.len(), AuditSort::ALL.len());
        assert_eq!(audit_verb("something_new"), "something_new");
        assert!(
            audit_verb("jobs.cancel").ends_with("jobs.cancel") && audit_verb("jobs.cancel") != "jobs.cancel"
        );
    }

    #[test]
    fn why_everything_was_stopped_has_words() {
        for reason in HaltReason::ALL {
            assert_ne!(audit_why(&entry("set_halt", reason.as_str(), "set")).text, reason.as_str());
            assert_eq!(
                audit_why(&entry("cancel", reason.as_str(), "cancelled")).text,
                reason.as_str(),
                "what somebody typed is theirs"
            );
        }
    }

    #[test]
    fn what_the_server_wrote_passes_for_nobodys_own() {
        let table = [
            (entry("export_jobs", "kind; columns: to", "exported"), false),
            (entry("export_jobs", "; columns: to", "exported"), false),
            (entry("export_jobs", "kind, queue", "exported"), false),
            (entry("export_payloads", "too often", "denied"), false),
            (entry("jobs.cancel", "jobs.cancel", "denied"), false),
            (entry("/api/fn/cancel_job", "not allowed", "denied"), false),
            (entry("cancel", "Customer asked", "cancelled"), false),
            (entry("cancel", "bulk run r7", "cancelled"), false),
            (entry("cancel", "its time had passed", "cancelled"), false),
            (entry("cancel", "worker w1 lost its lease", "cancelled"), false),
            (entry("cancel", "too often", "cancelled"), true),
            (entry("cancel", "kind; columns: to", "cancelled"), true),
            (entry("cancel", "Customer asked: by telephone", "cancelled"), true),
            (entry("cancel", "bulk run r7: called twice", "cancelled"), true),
        ];
        for (entry, is_typed) in &table {
            assert_eq!(audit_why(entry).is_typed, *is_typed, "{} of {}", entry.why, entry.verb);
        }
        let owner = leptos::prelude::Owner::new();
        owner.set();
        leptos::prelude::provide_context(crate::i18n::Language::Chinese);
        let said = |verb, why, outcome| audit_why(&entry(verb, why, outcome)).text;
        assert_eq!(said("export_jobs", "kind; columns: to", "exported"), "kind；载荷列：to");
        assert_eq!(said("export_jobs", "; columns: to", "exported"), "载荷列：to");
        assert_eq!(said("export_payloads", "too often", "denied"), "过于频繁");
        assert_eq!(said("/api/fn/cancel_job", "not allowed", "denied"), "不允许");
    }
}
