//! Who may do what: the one table that the gate, the buttons and the tests read.
//!
//! A row is an action; its permission is what the program asks for. Rows that share a permission give it to the same
//! roles. What stands beside a limited grant is the limit.

use super::permission::Permission;
use Grant::{Limited, No, Yes};
use Permission as P;

/// What a role gets of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// Nothing.
    No,
    /// All of it.
    Yes,
    /// Some of it, within the limit that is named.
    Limited(&'static str),
}

/// One action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// What somebody does.
    pub action: &'static str,
    /// What the program asks for.
    pub permission: Permission,
    /// What each role gets of it, in the order of [`Role::ALL`](super::Role::ALL).
    pub grants: [Grant; 4],
    /// What has to be so besides; empty for nothing.
    pub condition: &'static str,
}

const fn rule(
    action: &'static str,
    permission: Permission,
    grants: [Grant; 4],
    condition: &'static str,
) -> Rule {
    Rule { action, permission, grants, condition }
}

/// The table.
pub const MATRIX: &[Rule] = &[
    rule("see overview, queues, counts, lag", P::View, [Yes, Yes, Yes, Yes], "own queues"),
    rule("list and search jobs", P::View, [Yes, Yes, Yes, Yes], "own queues"),
    rule("see a job without its payload", P::View, [Yes, Yes, Yes, Yes], "own queues"),
    rule("see payloads, hidden parts hidden, and short errors", P::SeePayloads, [No, Yes, Yes, Yes], ""),
    rule("reveal one hidden part", P::RevealFields, [No, Limited("20 an hour"), Yes, Yes], "reason; audited"),
    rule("see whole errors, logs and traces", P::SeeErrors, [No, No, Yes, Yes], ""),
    rule("see live events", P::View, [Yes, Yes, Yes, Yes], "the same fields as above"),
    rule("see instances and workers", P::View, [Yes, Yes, Yes, Yes], "own queues"),
    rule("see Redis details", P::SeeRedis, [No, No, Yes, Yes], ""),
    rule(
        "export a list, hidden parts hidden",
        P::ExportLists,
        [No, Limited("1,000 rows"), Yes, Yes],
        "5 an hour",
    ),
    rule("export payloads", P::ExportPayloads, [No, No, No, Yes], "confirmed; audited"),
    rule("cancel one waiting job", P::CancelJobs, [No, Yes, Yes, Yes], ""),
    rule("undo a cancel", P::ReinstateJobs, [No, Yes, Yes, Yes], ""),
    rule("postpone one job", P::RescheduleJobs, [No, Limited("30 days ahead"), Yes, Yes], ""),
    rule("run a waiting job now", P::RunJobs, [No, No, Yes, Yes], ""),
    rule("retry one dead job", P::RetryJobs, [No, Yes, Yes, Yes], ""),
    rule("delete one dead job", P::PurgeJobs, [No, No, Yes, Yes], ""),
    rule(
        "bulk cancel and postpone",
        P::RunBulk,
        [No, Limited("25 jobs"), Limited("10,000 jobs; confirmed above 100"), Limited("confirmed above 100")],
        "each job checked",
    ),
    rule(
        "bulk retry",
        P::RunBulk,
        [No, Limited("25 jobs"), Limited("10,000 jobs; confirmed above 100"), Limited("confirmed above 100")],
        "each job checked",
    ),
    rule(
        "bulk delete of dead jobs",
        P::PurgeJobs,
        [No, No, Limited("10,000 jobs; confirmed above 100"), Limited("confirmed above 100")],
        "",
    ),
    rule("stop a running bulk", P::RunBulk, [No, Limited("own"), Yes, Yes], ""),
    rule(
        "ask a running job to stop",
        P::StopJobs,
        [No, No, Yes, Yes],
        "cooperative; cancelling a whole subject, plan or batch asks its running jobs too",
    ),
    rule("enqueue by hand", P::EnqueueJobs, [No, No, Yes, Yes], ""),
    rule("edit a payload", P::EditJobs, [No, No, No, Limited("before its start")], ""),
    rule("pause and resume a queue", P::PauseQueues, [No, No, Yes, Yes], ""),
    rule("empty a list of a queue", P::EmptyQueues, [No, No, No, Yes], "confirmed; typed count"),
    rule("release what a clock or a restart holds", P::PauseQueues, [No, No, Yes, Yes], "confirmed"),
    rule("quiet and stop an instance", P::ManageWorkers, [No, No, Yes, Yes], ""),
    rule("put parked jobs back", P::ManageWorkers, [No, No, Yes, Yes], ""),
    rule("see the audit", P::SeeAudit, [No, Limited("own acts"), Limited("own queues"), Yes], ""),
    rule("export the audit", P::ExportAudit, [No, No, No, Yes], ""),
    rule("erase a subject", P::EraseSubjects, [No, No, No, Yes], "confirmed; ticket"),
    rule("retention, limits, masks, webhooks", P::ManageSettings, [No, No, No, Yes], "confirmed; audited"),
    rule(
        "people, roles, queues",
        P::ManagePeople,
        [No, No, No, Yes],
        "confirmed; of all queues; never the last admin",
    ),
    rule(
        "end sessions",
        P::OwnAccount,
        [Limited("own"), Limited("own"), Limited("own"), Yes],
        "those of others with people.manage",
    ),
    rule("own password and second factor", P::OwnAccount, [Yes, Yes, Yes, Yes], "present password"),
    rule(
        "API tokens",
        P::ManageTokens,
        [No, No, Limited("own rights, 90 days"), Yes],
        "shown once, kept as a hash",
    ),
    rule("metrics, readiness", P::SeeMetrics, [No, No, Yes, Yes], "or a token with metrics.view"),
    // What came later.
    rule("hold a job and unhold it", P::HoldJobs, [No, Yes, Yes, Yes], ""),
    rule("change limits of a queue", P::LimitQueues, [No, No, No, Yes], ""),
    rule("change retention", P::SetRetention, [No, No, No, Yes], "confirmed; audited"),
    rule("mute a failure", P::PauseQueues, [No, No, Yes, Yes], ""),
    rule("schedules", P::ManageCron, [No, No, Yes, Yes], ""),
    rule("take foreign queues over", P::ImportJobs, [No, No, No, Yes], ""),
    rule("claim jobs and report on them", P::WorkJobs, [No, No, No, Yes], "meant for tokens of workers"),
];

/// How many rows stand for the actions the program began with.
pub const ACTIONS: usize = 38;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permission_has_a_row_and_rows_that_share_one_agree() {
        for permission in Permission::ALL {
            let mut rows = MATRIX.iter().filter(|rule| rule.permission == permission);
            let given = |rule: &Rule| rule.grants.map(|grant| grant != No);
            let first = rows.next().unwrap_or_else(|| panic!("{permission} has no row"));
            for other in rows {
                assert_eq!(given(first), given(other), "{permission}: {} and {}", first.action, other.action);
            }
        }
        assert!(MATRIX.len() >= ACTIONS);
    }
}
