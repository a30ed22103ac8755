//! The table of rights in words: what it calls its actions, limits and conditions, for people.

use crate::t;

/// An action of the table; as the table has it where nobody has words for it.
pub fn right_action(action: &str) -> String {
    match action {
        "see overview, queues, counts, lag" => t!("rights-see-overview"),
        "list and search jobs" => t!("rights-list-jobs"),
        "see a job without its payload" => t!("rights-see-job"),
        "see payloads, hidden parts hidden, and short errors" => t!("rights-see-payloads"),
        "reveal one hidden part" => t!("rights-reveal"),
        "see whole errors, logs and traces" => t!("rights-see-errors"),
        "see live events" => t!("rights-see-events"),
        "see instances and workers" => t!("rights-see-workers"),
        "see Redis details" => t!("rights-see-redis"),
        "export a list, hidden parts hidden" => t!("rights-export-list"),
        "export payloads" => t!("rights-export-payloads"),
        "cancel one waiting job" => t!("rights-cancel"),
        "undo a cancel" => t!("rights-reinstate"),
        "postpone one job" => t!("rights-postpone"),
        "run a waiting job now" => t!("rights-run"),
        "retry one dead job" => t!("rights-retry"),
        "delete one dead job" => t!("rights-purge"),
        "bulk cancel and postpone" => t!("rights-bulk-cancel"),
        "bulk retry" => t!("rights-bulk-retry"),
        "bulk delete of dead jobs" => t!("rights-bulk-purge"),
        "stop a running bulk" => t!("rights-bulk-abort"),
        "ask a running job to stop" => t!("rights-stop"),
        "enqueue by hand" => t!("rights-enqueue"),
        "edit a payload" => t!("rights-edit"),
        "pause and resume a queue" => t!("rights-pause"),
        "empty a list of a queue" => t!("rights-empty"),
        "release what a clock or a restart holds" => t!("rights-clear-halt"),
        "quiet and stop an instance" => t!("rights-order-workers"),
        "put parked jobs back" => t!("rights-put-parked-back"),
        "see the audit" => t!("rights-see-audit"),
        "export the audit" => t!("rights-export-audit"),
        "erase a subject" => t!("rights-erase"),
        "retention, limits, masks, webhooks" => t!("rights-settings"),
        "people, roles, queues" => t!("rights-people"),
        "end sessions" => t!("rights-end-sessions"),
        "own password and second factor" => t!("rights-own-account"),
        "API tokens" => t!("rights-tokens"),
        "metrics, readiness" => t!("rights-metrics"),
        "hold a job and unhold it" => t!("rights-hold"),
        "change limits of a queue" => t!("rights-limit"),
        "change retention" => t!("rights-retention"),
        "mute a failure" => t!("rights-mute"),
        "schedules" => t!("rights-schedules"),
        "take foreign queues over" => t!("rights-import"),
        "claim jobs and report on them" => t!("rights-work"),
        other => other.to_owned(),
    }
}

/// How much of an action a role gets.
pub fn right_limit(limit: &str) -> String {
    match limit {
        "20 an hour" => t!("rights-limit-20-an-hour"),
        "1,000 rows" => t!("rights-limit-1000-rows"),
        "30 days ahead" => t!("rights-limit-30-days"),
        "25 jobs" => t!("rights-limit-25-jobs"),
        "10,000 jobs" => t!("rights-limit-10000-jobs"),
        "10,000 jobs; confirmed above 100" => t!("rights-limit-10000-jobs-confirmed"),
        "confirmed above 100" => t!("rights-limit-confirmed-above-100"),
        "before its start" => t!("rights-limit-before-start"),
        "own" => t!("rights-limit-own"),
        "own acts" => t!("rights-limit-own-acts"),
        "own queues" => t!("rights-limit-own-queues"),
        "own rights, 90 days" => t!("rights-limit-own-rights"),
        other => other.to_owned(),
    }
}

/// What has to be so besides; empty for nothing.
pub fn right_condition(condition: &str) -> String {
    match condition {
        "own queues" => t!("rights-when-in-own-queues"),
        "reason; audited" => t!("rights-when-reason-audited"),
        "the same fields as above" => t!("rights-when-same-fields"),
        "5 an hour" => t!("rights-when-5-an-hour"),
        "confirmed; audited" => t!("rights-when-confirmed-audited"),
        "each job checked" => t!("rights-when-each-checked"),
        "cooperative; cancelling a whole subject, plan or batch asks its running jobs too" => {
            t!("rights-when-cooperative")
        }
        "confirmed; typed count" => t!("rights-when-confirmed-count"),
        "confirmed" => t!("rights-when-confirmed"),
        "confirmed; ticket" => t!("rights-when-confirmed-ticket"),
        "confirmed; of all queues; never the last admin" => t!("rights-when-last-admin"),
        "those of others with people.manage" => t!("rights-when-others-sessions"),
        "present password" => t!("rights-when-present-password"),
        "shown once, kept as a hash" => t!("rights-when-shown-once"),
        "or a token with metrics.view" => t!("rights-when-or-token"),
        "meant for tokens of workers" => t!("rights-when-for-worker-tokens"),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Language;
    use leptos::prelude::{Owner, provide_context};
    use reprieve::model::matrix::{Grant, MATRIX};
    use std::collections::BTreeSet;

    /// Everything the table says, in the words of a language.
    fn said(language: Language) -> Vec<(&'static str, String)> {
        Owner::new().with(|| {
            provide_context(language);
            let mut said = Vec::new();
            for rule in MATRIX {
                said.push((rule.action, right_action(rule.action)));
                said.push((rule.condition, right_condition(rule.condition)));
                let limits = rule.grants.iter().filter_map(|grant| match grant {
                    Grant::Limited(limit) => Some(*limit),
                    Grant::No | Grant::Yes => None,
                });
                said.extend(limits.map(|limit| (limit, right_limit(limit))));
            }
            said.retain(|(kept, _)| !kept.is_empty());
            said
        })
    }

    #[test]
    fn everything_in_the_table_of_rights_is_said_in_every_language() {
        let chinese = said(Language::Chinese);
        let unsaid: Vec<_> = chinese.iter().filter(|(_, words)| words.is_ascii()).collect();
        assert!(unsaid.is_empty(), "in no file of words: {unsaid:?}");
        let english = said(Language::English);
        let keys: Vec<_> = english.iter().filter(|(_, words)| words.starts_with("rights-")).collect();
        assert!(keys.is_empty(), "in no file of words: {keys:?}");
        let actions: BTreeSet<_> = MATRIX.iter().map(|rule| right_action(rule.action)).collect();
        assert_eq!(actions.len(), MATRIX.len(), "two actions are called alike");
    }
}
