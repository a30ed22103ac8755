//! The usual reasons: kept in one language, shown in the reader's.

use reprieve::model::why_of;

use crate::session::Session;
use crate::t;

/// The reasons a person can choose from when they change a job, as they are kept in its history.
///
/// Kept in English whoever chooses them, so that one history can be searched and counted.
pub const REASONS: [&str; 6] = [
    "Customer asked",
    "Renewed or paid",
    "Wrong customer or resource",
    "Legal hold",
    "Duplicate",
    "Incident",
];

/// What a form sends for a reason that is none of those it offers: what it is stands in the note.
pub const OTHER_REASON: &str = "other";
/// A note that is the only reason has at least as many characters: a word of two letters explains nothing to whoever
/// reads the audit.
pub const OTHER_CHARS_MIN: usize = 10;

/// The usual reason that has a number of its own: that of the incident.
pub const INCIDENT: &str = "Incident";
/// The number of an incident is no longer, in characters.
pub const INCIDENT_CHARS_MAX: usize = 60;

/// What the engine writes as the reason where it leaves a step of a plan out: see `plan.skip` in `lua/lib/plan.lua`.
pub const TIME_PASSED: &str = "its time had passed";

/// Why somebody acts, in one text, from the fields of a form; `None` when *Other* was chosen and its note says too little.
///
/// The number of an incident stands behind that reason, `Incident 4711`, and is nothing beside any other.
#[must_use]
pub fn chosen_why(reason: &str, note: &str, ticket: &str, incident: &str) -> Option<String> {
    if reason == INCIDENT {
        return Some(why_of(&numbered(incident), note, ticket));
    }
    if reason != OTHER_REASON {
        return Some(why_of(reason, note, ticket));
    }
    (note.trim().chars().count() >= OTHER_CHARS_MIN).then(|| why_of("", note, ticket))
}

/// The reason of an incident with its number, if it has one.
fn numbered(incident: &str) -> String {
    let number: String = incident.trim().chars().take(INCIDENT_CHARS_MAX).collect();
    if number.is_empty() { INCIDENT.to_owned() } else { format!("{INCIDENT} {number}") }
}

/// What dialogs offer: the reasons of the namespace, or the usual ones.
#[must_use]
pub fn reasons() -> Vec<String> {
    let own = Session::get().reasons;
    if own.is_empty() { REASONS.map(ToOwned::to_owned).into() } else { own }
}

/// A kept reason in the language of this page; as it is if it is neither one of [`REASONS`] nor the engine's.
#[must_use]
pub fn reason(kept: &str) -> String {
    match kept {
        "Customer asked" => t!("acts-reason-customer"),
        "Renewed or paid" => t!("acts-reason-renewed"),
        "Wrong customer or resource" => t!("acts-reason-wrong"),
        "Legal hold" => t!("acts-reason-legal"),
        "Duplicate" => t!("acts-reason-duplicate"),
        "Incident" => t!("acts-reason-incident"),
        TIME_PASSED => t!("support-time-passed"),
        other => match other.strip_prefix("Incident ") {
            Some(number) => t!("acts-reason-incident-number", number = number.to_owned()),
            None => other.to_owned(),
        },
    }
}

/// Why something was done, as kept, for a person: a usual reason in the language of this page, and what was
/// added to it as it was written.
#[must_use]
pub fn why(kept: &str) -> String {
    match kept.split_once(": ") {
        Some((usual, added)) if REASONS.contains(&usual) || usual.starts_with("Incident ") => {
            t!("acts-reason-and-more", reason = reason(usual), more = added.to_owned())
        }
        _ => reason(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_says_what_it_is_in_ten_characters() {
        let table = [
            (("other", "called twice", ""), Some("called twice")),
            (("other", " too short ", "8812"), None),
            (("other", "", "8812"), None),
            (("other", "因为客户今天打来电话说", "7"), Some("因为客户今天打来电话说 (ticket 7)")),
            (("Incident", "", "7"), Some("Incident: ticket 7")),
            // What sends no reason was not asked for one: an act that is taken back at once.
            (("", "", ""), Some("")),
        ];
        for ((reason, note, ticket), why) in table {
            assert_eq!(chosen_why(reason, note, ticket, "").as_deref(), why, "{reason} {note} {ticket}");
        }
    }

    #[test]
    fn an_incident_is_named_by_its_number() {
        let table = [
            (("Incident", "pager", "7", " 4711 "), "Incident 4711: pager (ticket 7)"),
            (("Incident", "", "", "INC-12"), "Incident INC-12"),
            (("Incident", "", "", " "), "Incident"),
            // Typed before another reason was chosen.
            (("Duplicate", "", "", "4711"), "Duplicate"),
        ];
        for ((reason, note, ticket, incident), why) in table {
            assert_eq!(
                chosen_why(reason, note, ticket, incident).as_deref(),
                Some(why),
                "{reason} {incident}"
            );
        }
        let owner = leptos::prelude::Owner::new();
        owner.set();
        leptos::prelude::provide_context(crate::i18n::Language::Chinese);
        assert_eq!(why("Incident 4711: pager (ticket 7)"), "事故 4711：pager (ticket 7)");
        assert_eq!(why("Incident INC-12"), "事故 INC-12");
        assert_eq!(why(TIME_PASSED), "其时间已过");
    }

    #[test]
    fn every_usual_reason_is_said_in_words_of_its_own() {
        for kept in REASONS {
            assert_eq!(reason(kept), kept, "English shows what is kept");
        }
        assert_eq!(why(TIME_PASSED), TIME_PASSED);
        assert_eq!(why("Incident: 4711"), "Incident: 4711");
        assert_eq!(why("because: I say so"), "because: I say so");
    }
}
