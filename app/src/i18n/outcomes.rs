//! What the verbs answer, in sentences: on the spot, or from the word that a plain form left in the address.

use reprieve::model::{
    Cancelled, Edited, Enqueued, HeldBack, Purged, Reinstated, Released, Rescheduled, RetriedNow, Revealed,
    SubjectCancelled, SubjectJob,
};

use super::said::{Said, Tone};
use super::words::known;
use crate::{format, t};

/// Outcomes of acts.
pub trait Tell {
    /// `<verb>.<word>`: what the address carries after a form was sent.
    fn code(&self) -> String;
}

macro_rules! tell {
    ($($type:ident = $verb:literal),+ $(,)?) => {
        $(impl Tell for $type {
            fn code(&self) -> String {
                format!(concat!($verb, ".{}"), self.word())
            }
        })+
    };
}

tell!(
    Cancelled = "cancel",
    Reinstated = "reinstate",
    RetriedNow = "retry_now",
    Rescheduled = "reschedule",
    HeldBack = "hold",
    Released = "unhold",
    Edited = "edit",
    Purged = "purge",
    Revealed = "reveal",
);

impl Tell for Enqueued {
    fn code(&self) -> String {
        match self {
            Self::Exists(_) => "duplicate.exists".to_owned(),
            _ => "duplicate.enqueued".to_owned(),
        }
    }
}

impl Tell for SubjectCancelled {
    fn code(&self) -> String {
        match self {
            Self::TooMany { .. } => "cancel_subject.too_many",
            _ => "cancel_subject.cancelled",
        }
        .to_owned()
    }
}

/// How many jobs of a subject were called off, and what became of the others.
pub fn subject_cancelled(jobs: &[SubjectJob]) -> String {
    let asked = jobs.iter().filter(|job| matches!(job.cancelled, Cancelled::Requested(_))).count();
    let off = jobs.iter().filter(|job| matches!(job.cancelled, Cancelled::Now(_))).count();
    match (off, asked) {
        (0, 0) => t!("acts-said-subject-none"),
        (off, 0) => t!("acts-said-subject-off", off = off, all = jobs.len()),
        (off, asked) => {
            t!("acts-said-subject-partly", off = off, all = jobs.len(), asked = asked)
        }
    }
}

/// The sentence for an outcome word in an address; `None` for words nobody wrote.
///
/// The sentence is named after its tone and the word: `said-good-cancel-cancelled`. Only known words are turned into
/// sentences, so that an address cannot put text on the page.
pub fn said(code: &str) -> Option<Said> {
    if let Some(seconds) = code.strip_prefix("account.wait.") {
        return wait_for(seconds);
    }
    // What is told alike.
    let code = match code {
        "reschedule.held" | "reschedule.retrying" => "reschedule.delayed",
        "edit.held" | "edit.retrying" | "edit.dead" => "edit.delayed",
        "account.too_often" => "account.wait",
        "error.wrong_field" => "error.invalid",
        "schedule.remove.unchanged" => "schedule.put.unchanged",
        code if code.starts_with("schedule.") && code.ends_with(".conflict") => "schedule.conflict",
        code if code.starts_with("schedule.") && code.ends_with(".missing") => "schedule.missing",
        code => code,
    };
    match code {
        "error.subject_full" | "error.approval_required" | "error.no_run" | "error.outcome_unknown" => {
            known("errors", code.trim_start_matches("error.")).map(Said::bad)
        }
        "error.reason_too_short" => {
            Some(Said::bad(t!("errors-reason-too-short", count = super::reasons::OTHER_CHARS_MIN)))
        }
        code => Tone::ALL.into_iter().find_map(|tone| {
            let text = known(&format!("said-{}", tone.as_str()), code)?;
            Some(Said { tone, text })
        }),
    }
}

/// Nobody has to wait longer with a sign-in, in s: another number in an address is not believed.
const WAIT_MAX_S: i64 = 86_400;

/// That something was tried too often, and when it can be tried again.
fn wait_for(seconds: &str) -> Option<Said> {
    let seconds: i64 = seconds.parse().ok().filter(|seconds| (1..=WAIT_MAX_S).contains(seconds))?;
    Some(Said::bad(t!("account-said-wait-for", wait = format::span(seconds * 1_000))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::{JobId, JobState, Standing, Timestamp, Version};

    #[test]
    fn a_wait_is_told_where_it_is_one() {
        assert_eq!(said("account.wait.90").unwrap().text, "That was tried too often. Try again in 1 m 30 s.");
        for wrong in ["", "0", "-1", "86401", "1.5", "soon"] {
            assert!(said(&format!("account.wait.{wrong}")).is_none(), "{wrong}");
        }
    }

    #[test]
    fn what_was_done_too_often_waits_for_as_long_as_it_takes() {
        let text = said("error.rate_limited").unwrap().text;
        assert!(text.contains("Wait a minute") && text.contains("an hour"), "{text}");
        assert!(said("account.busy").unwrap().text.contains("in a moment"));
    }

    #[test]
    fn every_outcome_of_a_verb_has_a_sentence() {
        let now = Timestamp::EPOCH;
        let standing = || Standing::new(JobId::new("a").unwrap(), JobState::Delayed, Version(1), now, now);
        for word in ["cancelled", "requested", "already_finished"] {
            let code = Cancelled::from_word(word, standing()).unwrap().code();
            assert!(said(&code).is_some(), "{code}");
        }
        for word in ["delayed", "held", "overdue", "wrong_state"] {
            let code = Reinstated::from_word(word, standing()).unwrap().code();
            assert!(said(&code).is_some(), "{code}");
        }
        for word in ["delayed", "held", "retrying", "wrong_state"] {
            let code = Rescheduled::from_word(word, standing()).unwrap().code();
            assert!(said(&code).is_some(), "{code}");
        }
    }

    #[test]
    fn an_address_cannot_put_its_own_text_on_the_page() {
        assert_eq!(said("You have won <b>a prize</b>"), None);
    }
}
