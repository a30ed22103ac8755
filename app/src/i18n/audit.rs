//! Acts, as they are written down, in words.

use reprieve::model::{BulkState, JobState};

use crate::t;

/// The acts a filter offers; others are found by their address.
pub const AUDIT_VERBS: [&str; 33] = [
    "cancel",
    "reinstate",
    "retry_now",
    "reschedule",
    "hold",
    "unhold",
    "edit",
    "purge",
    "reveal",
    "cancel_plan",
    "reinstate_plan",
    "hold_plan",
    "unhold_plan",
    "pause",
    "resume",
    "stand_still",
    "go_on",
    "limit",
    "bulk_cancel",
    "bulk_reschedule",
    "bulk_retry_now",
    "bulk_purge",
    "bulk_undo",
    "cron_put",
    "cron_pause",
    "cron_run",
    "set_retention",
    "set_look",
    "set_muted",
    "erase_subject",
    "export_jobs",
    "take_over",
    "roll_back",
];

/// An act in words; its name where nobody has words for it.
#[must_use]
pub fn audit_verb(verb: &str) -> String {
    match verb {
        "cancel" => t!("audit-verb-cancel"),
        "reinstate" => t!("audit-verb-reinstate"),
        "retry_now" => t!("audit-verb-retry"),
        "reschedule" => t!("audit-verb-reschedule"),
        "hold" => t!("audit-verb-hold"),
        "unhold" => t!("audit-verb-release"),
        "edit" => t!("audit-verb-edit"),
        "purge" => t!("audit-verb-purge"),
        "reveal" => t!("audit-verb-reveal"),
        "cancel_plan" => t!("audit-verb-cancel-plan"),
        "reinstate_plan" => t!("audit-verb-reinstate-plan"),
        "hold_plan" => t!("audit-verb-hold-plan"),
        "unhold_plan" => t!("audit-verb-release-plan"),
        "reanchor" => t!("audit-verb-move-plan"),
        "pause" => t!("audit-verb-pause"),
        "resume" => t!("audit-verb-resume"),
        "stand_still" => t!("audit-verb-stand-still"),
        "go_on" => t!("audit-verb-go-on"),
        "limit" => t!("audit-verb-limit"),
        "bulk_cancel" => t!("audit-verb-bulk-cancel"),
        "bulk_reinstate" => t!("audit-verb-bulk-reinstate"),
        "bulk_retry_now" => t!("audit-verb-bulk-retry"),
        "bulk_reschedule" => t!("audit-verb-bulk-reschedule"),
        "bulk_hold" => t!("audit-verb-bulk-hold"),
        "bulk_unhold" => t!("audit-verb-bulk-release"),
        "bulk_purge" => t!("audit-verb-bulk-purge"),
        "bulk_undo" => t!("audit-verb-bulk-undo"),
        "cron_put" => t!("audit-verb-cron-put"),
        "cron_pause" => t!("audit-verb-cron-pause"),
        "cron_resume" => t!("audit-verb-cron-resume"),
        "cron_run" => t!("audit-verb-cron-run"),
        "cron_remove" => t!("audit-verb-cron-remove"),
        "batch_close" => t!("audit-verb-batch-close"),
        "batch_cancel" => t!("audit-verb-batch-cancel"),
        "quiet_worker" => t!("audit-verb-worker-quiet"),
        "resume_worker" => t!("audit-verb-worker-resume"),
        "stop_worker" => t!("audit-verb-worker-stop"),
        "add_token" => t!("audit-verb-token-add"),
        "revoke_token" => t!("audit-verb-token-revoke"),
        "erase_subject" => t!("audit-verb-erase"),
        "set_rule" => t!("audit-verb-set-rule"),
        "set_retention" => t!("audit-verb-set-retention"),
        "set_look" => t!("audit-verb-set-look"),
        "set_redaction" => t!("audit-verb-set-redaction"),
        "set_reasons" => t!("audit-verb-set-reasons"),
        "set_index_fields" => t!("audit-verb-set-index-fields"),
        "set_second_person" => t!("audit-verb-set-second-person"),
        "set_alerts" => t!("audit-verb-set-alerts"),
        "set_muted" => t!("audit-verb-set-muted"),
        "export_jobs" => t!("audit-verb-export-jobs"),
        "export_audit" => t!("audit-verb-export-audit"),
        "export_outcomes" => t!("audit-verb-export-outcomes"),
        "take_over" => t!("audit-verb-take-over"),
        "roll_back" => t!("audit-verb-roll-back"),
        other => other.to_owned(),
    }
}

/// What came of an act, in words; the word of the script where nobody has others.
#[must_use]
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
        "" | "exported" | "set" | "paused" | "resumed" | "limited" | "ordered" | "closed" | "added"
        | "created" | "changed" | "moved" | "reinstated" | "released" | "made" => t!("audit-outcome-done"),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_act_of_the_filter_has_words() {
        for verb in AUDIT_VERBS {
            assert_ne!(audit_verb(verb), verb);
        }
        assert_eq!(audit_verb("something_new"), "something_new");
    }
}
