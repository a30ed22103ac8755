//! The usual reasons: kept in one language, shown in the reader's.

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

/// What dialogs offer: the reasons of the namespace, or the usual ones.
#[must_use]
pub fn reasons() -> Vec<String> {
    let own = Session::get().reasons;
    if own.is_empty() { REASONS.map(ToOwned::to_owned).into() } else { own }
}

/// A kept reason in the language of this page; as it is if it is none of [`REASONS`].
#[must_use]
pub fn reason(kept: &str) -> String {
    match kept {
        "Customer asked" => t!("acts-reason-customer"),
        "Renewed or paid" => t!("acts-reason-renewed"),
        "Wrong customer or resource" => t!("acts-reason-wrong"),
        "Legal hold" => t!("acts-reason-legal"),
        "Duplicate" => t!("acts-reason-duplicate"),
        "Incident" => t!("acts-reason-incident"),
        other => other.to_owned(),
    }
}

/// Why something was done, as kept, for a person: a usual reason in the language of this page, and what was
/// added to it as it was written.
#[must_use]
pub fn why(kept: &str) -> String {
    match kept.split_once(": ") {
        Some((usual, added)) if REASONS.contains(&usual) => {
            t!("acts-reason-and-more", reason = reason(usual), more = added.to_owned())
        }
        _ => reason(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_reason_is_said_in_words_of_its_own() {
        for kept in REASONS {
            assert_eq!(reason(kept), kept, "English shows what is kept");
        }
        assert_eq!(why("Incident: 4711"), "Incident: 4711");
        assert_eq!(why("because: I say so"), "because: I say so");
    }
}
