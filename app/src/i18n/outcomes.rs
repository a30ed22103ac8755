//! What the verbs answer, in sentences: on the spot, or from the word that a plain form left in the address.

use reprieve::model::{
    Cancelled, Edited, Enqueued, HeldBack, Purged, QueueName, Reinstated, Released, Rescheduled, RetriedNow,
    Revealed, Standing, SubjectCancelled, SubjectJob,
};

use super::said::Said;
use crate::zone::Zone;
use crate::{format, t};

/// Outcomes that can be told: on the spot from the answer, after a plain form from the word in the address.
pub trait Tell {
    /// `<verb>.<word>`: what the address carries after a plain form was sent.
    fn code(&self) -> String;

    /// The whole sentence. Without further detail than the code itself has.
    fn said(&self) -> Said {
        said(&self.code()).unwrap_or_else(|| Said::plain(self.code()))
    }

    /// Where the one job that it is about stands.
    fn standing(&self) -> Option<&Standing> {
        None
    }
}

macro_rules! tell {
    ($($type:ident = $verb:literal),+ $(,)?) => {
        $(impl Tell for $type {
            fn code(&self) -> String {
                format!(concat!($verb, ".{}"), self.word())
            }

            fn standing(&self) -> Option<&Standing> {
                Some(Self::standing(self))
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
);

impl Tell for Enqueued {
    fn code(&self) -> String {
        match self {
            Self::Exists(_) => "duplicate.exists".to_owned(),
            _ => "duplicate.enqueued".to_owned(),
        }
    }
}

impl Tell for Revealed {
    fn code(&self) -> String {
        format!("reveal.{}", self.word())
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

    fn said(&self) -> Said {
        match self {
            Self::Cancelled { jobs } => subject_cancelled(jobs),
            _ => said(&self.code()).unwrap_or_else(|| Said::plain(self.code())),
        }
    }
}

/// What came of putting a job back: that is due at its original time, at one that was given, or where its plan has moved.
pub fn reinstated(outcome: &Reinstated, zone: Zone) -> Said {
    match outcome {
        Reinstated::Delayed(now) => {
            Said::good(t!("acts-said-reinstated-to", due = format::exact(now.due, zone)))
        }
        outcome => outcome.said(),
    }
}

/// How many jobs of a subject were called off, and what became of the others.
fn subject_cancelled(jobs: &[SubjectJob]) -> Said {
    let asked = jobs.iter().filter(|job| matches!(job.cancelled, Cancelled::Requested(_))).count();
    let off = jobs.iter().filter(|job| matches!(job.cancelled, Cancelled::Now(_))).count();
    match (off, asked) {
        (0, 0) => Said::plain(t!("acts-said-subject-none")),
        (off, 0) => Said::good(t!("acts-said-subject-off", off = off, all = jobs.len())),
        (off, asked) => {
            Said::plain(t!("acts-said-subject-partly", off = off, all = jobs.len(), asked = asked))
        }
    }
}

/// The sentence for an outcome word in an address; `None` for words nobody wrote.
///
/// Only known words are turned into sentences, so that an address cannot put text on the page.
pub fn said(code: &str) -> Option<Said> {
    if let Some(seconds) = code.strip_prefix("account.wait.") {
        return wait_for(seconds);
    }
    Some(match code {
        "cancel.cancelled" => Said::good(t!("acts-said-cancelled")),
        "cancel.requested" => Said::plain(t!("acts-said-cancel-requested")),
        "cancel.already_finished" => Said::plain(t!("acts-said-cancel-final")),
        "cancel_subject.cancelled" => Said::good(t!("acts-said-subject-cancelled")),
        "cancel_subject.too_many" => Said::bad(t!("acts-said-subject-too-many")),
        "reinstate.delayed" => Said::good(t!("acts-said-reinstated")),
        "reinstate.at" => Said::good(t!("acts-said-reinstated-at")),
        "reinstate.moved" => Said::good(t!("acts-said-reinstated-moved")),
        "reinstate.held" => Said::good(t!("acts-said-reinstated-held")),
        "reinstate.overdue" => Said::bad(t!("acts-said-reinstate-overdue")),
        "reinstate.wrong_state" => Said::bad(t!("acts-said-reinstate-refused")),
        "retry_now.ready" => Said::good(t!("acts-said-retry-ready")),
        "retry_now.wrong_state" => Said::bad(t!("acts-said-retry-refused")),
        "reschedule.delayed" | "reschedule.held" | "reschedule.retrying" => {
            Said::good(t!("acts-said-rescheduled"))
        }
        "reschedule.wrong_state" => Said::bad(t!("acts-said-reschedule-refused")),
        "hold.held" => Said::good(t!("acts-said-held")),
        "hold.wrong_state" => Said::bad(t!("acts-said-hold-refused")),
        "unhold.delayed" => Said::good(t!("acts-said-released")),
        "unhold.wrong_state" => Said::bad(t!("acts-said-unhold-refused")),
        "edit.delayed" | "edit.held" | "edit.retrying" | "edit.dead" => Said::good(t!("job-said-edited")),
        "edit.wrong_state" => Said::bad(t!("job-said-edit-refused")),
        "purge.purged" => Said::good(t!("job-said-deleted")),
        "purge.wrong_state" => Said::bad(t!("job-said-delete-refused")),
        "reveal.part" => Said::good(t!("job-said-revealed")),
        "reveal.not_hidden" => Said::plain(t!("job-said-not-hidden")),
        "reveal.within" => Said::plain(t!("job-said-hidden-within")),
        "reveal.no_such_part" => Said::bad(t!("job-said-no-such-part")),
        "reveal.no_reason" => Said::bad(t!("job-said-no-reason")),
        "duplicate.enqueued" => Said::good(t!("job-said-duplicated")),
        "enqueue.exists" => Said::plain(t!("queue-said-enqueued-before")),
        "duplicate.exists" => Said::plain(t!("job-said-duplicated-before")),
        "retry_failures.started" => Said::good(t!("dead-said-started")),
        "mute.muted" => Said::good(t!("dead-said-muted")),
        "unmute.changed" => Said::good(t!("dead-said-unmuted")),
        "unmute.same" => Said::plain(t!("dead-said-not-muted")),
        "limit.changed" => Said::good(t!("queue-said-limited")),
        "limit.same" => Said::plain(t!("queue-said-limits-same")),
        "pause.changed" => Said::good(t!("acts-said-paused")),
        "pause.same" => Said::plain(t!("acts-said-paused-before")),
        "resume.changed" => Said::good(t!("acts-said-resumed")),
        "resume.same" => Said::plain(t!("acts-said-not-paused")),
        "halt.changed" => Said::good(t!("acts-said-going-on")),
        "halt.same" => Said::plain(t!("acts-said-stood-not")),
        "desk.called_off" => Said::good(t!("support-said-called-off")),
        "desk.put_back" => Said::good(t!("support-said-put-back")),
        "desk.postponed" => Said::good(t!("support-said-postponed")),
        "desk.held" => Said::good(t!("support-said-held")),
        "desk.released" => Said::good(t!("support-said-released")),
        "desk.past" => Said::plain(t!("support-said-past")),
        "desk.conflict" => Said::bad(t!("support-said-conflict")),
        "desk.partly" => Said::plain(t!("support-said-partly-some")),
        "desk.goes_on" => Said::bad(t!("support-said-goes-on-all")),
        "desk.nothing_back" => Said::plain(t!("support-said-nothing-back")),
        "desk.nothing" => Said::plain(t!("support-said-nothing")),
        "settings.set" => Said::good(t!("settings-said-set")),
        "settings.same" => Said::plain(t!("settings-said-same")),
        "settings.appearance" => Said::good(t!("settings-said-appearance")),
        "settings.tested" => Said::good(t!("settings-said-tested")),
        "import.taken" => Said::good(t!("import-said-taken")),
        "import.restored" => Said::good(t!("import-said-restored")),
        "worker.quiet" => Said::good(t!("workers-said-quiet")),
        "worker.resume" => Said::good(t!("workers-said-resume")),
        "worker.stop" => Said::good(t!("workers-said-stop")),
        "worker.unchanged" => Said::plain(t!("workers-said-unchanged")),
        "worker.stopping" => Said::plain(t!("workers-said-stopping")),
        "worker.claims" => Said::plain(t!("workers-said-claims")),
        "worker.missing" => Said::bad(t!("workers-said-missing")),
        "bulk.asked" => Said::good(t!("bulk-said-asked")),
        "bulk.started" => Said::good(t!("bulk-said-started")),
        "bulk.aborted" => Said::plain(t!("bulk-said-aborted")),
        "view.saved" => Said::good(t!("filter-said-view-saved")),
        "view.removed" => Said::plain(t!("filter-said-view-removed")),
        "account.password" => Said::good(t!("account-said-password")),
        "account.wrong" => Said::bad(t!("account-said-wrong")),
        "account.differ" => Said::bad(t!("account-said-differ")),
        "account.code" => Said::bad(t!("account-said-code")),
        "account.factor" => Said::good(t!("account-said-factor")),
        "account.no_factor" => Said::good(t!("account-said-no-factor")),
        "account.ended" => Said::good(t!("account-said-ended")),
        "account.proved" => Said::good(t!("account-said-proved")),
        "account.proved_ahead" => Said::good(t!("account-said-proved-ahead")),
        "account.wait" => Said::bad(t!("account-said-wait")),
        "account.busy" => Said::bad(t!("account-said-busy")),
        "account.first_over" => Said::bad(t!("account-said-first-over")),
        "account.first_elsewhere" => Said::bad(t!("account-said-first-elsewhere")),
        "account.invitation_over" => Said::bad(t!("account-said-invitation-over")),
        "account.short" => Said::bad(t!("account-said-short")),
        "account.long" => Said::bad(t!("account-said-long")),
        "account.common" => Said::bad(t!("account-said-common")),
        "account.too_often" => Said::bad(t!("account-said-wait")),
        "account.oidc_untrue" => Said::bad(t!("account-said-oidc-untrue")),
        "account.oidc_away" => Said::bad(t!("account-said-oidc-away")),
        "account.oidc_expired" => Said::bad(t!("account-said-oidc-expired")),
        "account.oidc_denied" => Said::bad(t!("account-said-oidc-denied")),
        "account.oidc_group" => Said::bad(t!("account-said-oidc-group")),
        "account.oidc_claim" => Said::bad(t!("account-said-oidc-claim")),
        "account.oidc_name" => Said::bad(t!("account-said-oidc-name")),
        "account.oidc_taken" => Said::bad(t!("account-said-oidc-taken")),
        "account.oidc_disabled" => Said::bad(t!("account-said-oidc-disabled")),
        "account.oidc_unproved" => Said::bad(t!("account-said-oidc-unproved")),
        "people.has_factor" => Said::bad(t!("account-said-has-factor")),
        "people.federated" => Said::bad(t!("account-said-federated")),
        "people.saved" => Said::good(t!("account-said-saved")),
        "people.removed" => Said::good(t!("account-said-removed")),
        "people.taken" => Said::bad(t!("account-said-taken")),
        "people.nobody" => Said::bad(t!("account-said-nobody")),
        "people.changed" => Said::bad(t!("account-said-changed")),
        "people.full" => Said::bad(t!("account-said-full")),
        "people.token_taken" => Said::bad(t!("account-said-token-taken")),
        "people.token_powerless" => Said::bad(t!("account-said-token-powerless")),
        "people.token_full" => Said::bad(t!("account-said-token-full")),
        "people.last_admin" => Said::bad(t!("account-said-last-admin")),
        "people.raised" => Said::bad(t!("account-said-raised")),
        "people.invalid" => Said::bad(t!("account-said-invalid")),
        "people.revoked" => Said::good(t!("account-said-revoked")),
        "error.signed_out" => Said::bad(t!("account-said-signed-out")),
        "error.prove_first" => Said::bad(t!("account-said-prove")),
        "error.too_far" => Said::bad(t!("account-said-too-far")),
        "error.subject_full" => Said::bad(t!("errors-subject-full")),
        "error.too_many" => Said::bad(t!("account-said-too-many")),
        "error.rate_limited" => Said::bad(t!("account-said-too-often")),
        "error.export_running" => Said::bad(t!("errors-said-export-running")),
        "error.conflict" => Said::bad(t!("errors-said-conflict")),
        "error.duplicate" => Said::bad(t!("errors-said-duplicate")),
        "error.setting_changed" => Said::bad(t!("errors-said-setting-changed")),
        "error.approval_required" => Said::bad(t!("errors-second-person")),
        "error.not_found" => Said::bad(t!("errors-said-not-found")),
        "error.bulk_conflict" => Said::bad(t!("errors-said-run-moved")),
        "error.no_run" => Said::bad(t!("errors-no-run")),
        "error.lapsed" => Said::bad(t!("errors-said-lapsed")),
        "error.reason_too_short" => {
            Said::bad(t!("errors-reason-too-short", count = super::reasons::OTHER_CHARS_MIN))
        }
        "error.invalid" | "error.wrong_field" => Said::bad(t!("errors-said-invalid")),
        "error.unavailable" => Said::bad(t!("errors-said-unavailable")),
        "error.outcome_unknown" => Said::bad(t!("errors-outcome-unknown")),
        "error.other_redis" => Said::bad(t!("errors-said-other-redis")),
        "error.storage_full" => Said::bad(t!("errors-said-storage-full")),
        "error.forbidden" => Said::bad(t!("errors-said-forbidden")),
        "error.internal" => Said::bad(t!("errors-said-internal")),
        _ => return super::schedules::said(code),
    })
}

/// Nobody has to wait longer with a sign-in, in s: another number in an address is not believed.
const WAIT_MAX_S: i64 = 86_400;

/// That something was tried too often, and when it can be tried again.
fn wait_for(seconds: &str) -> Option<Said> {
    let seconds: i64 = seconds.parse().ok().filter(|seconds| (1..=WAIT_MAX_S).contains(seconds))?;
    Some(Said::bad(t!("account-said-wait-for", wait = format::span(seconds * 1_000))))
}

/// A queue was paused.
pub fn queue_paused(queue: &QueueName) -> Said {
    Said::good(t!("acts-said-queue-paused", queue = queue.to_string()))
}

/// A queue was resumed.
pub fn queue_resumed(queue: &QueueName) -> Said {
    Said::good(t!("acts-said-queue-resumed", queue = queue.to_string()))
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
