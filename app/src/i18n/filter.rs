//! The words around filters: what is wrong with one, what its fields are for, what a bulk verb is called.

use reprieve::model::filter::{Field, FilterProblem};
use reprieve::model::{BulkRun, BulkState, BulkVerb, FilterError};

use super::words::word;
use crate::t;

/// What is wrong with a filter, for a person.
pub fn filter_problem(wrong: &FilterError) -> String {
    match &wrong.problem {
        FilterProblem::UnknownField { meant } => t!("filter-unknown-field", meant = meant.to_string()),
        FilterProblem::NoValue => t!("filter-no-value"),
        FilterProblem::UnknownState => t!("filter-unknown-state"),
        FilterProblem::BadName => t!("filter-bad-name"),
        FilterProblem::BadTime => t!("filter-bad-time"),
        FilterProblem::BadNumber => t!("filter-bad-number"),
        FilterProblem::BadPath => t!("filter-bad-path"),
        FilterProblem::OpenQuote => t!("filter-open-quote"),
        FilterProblem::TooLong | FilterProblem::TooManyTerms | FilterProblem::TooManyValues => {
            t!("filter-too-long")
        }
        _ => wrong.to_string(),
    }
}

/// What a field asks.
pub fn filter_field(field: Field) -> String {
    word("filter-field", field.as_str())
}

/// The verb of a bulk run on a button, with how many jobs: the one that the button of their list has.
pub fn bulk_act(run: &BulkRun) -> String {
    let count = run.total;
    match run.verb {
        BulkVerb::Cancel => t!("bulk-act-cancel", count = count),
        BulkVerb::Reinstate => t!("bulk-act-reinstate", count = count),
        BulkVerb::RetryNow if run.retries_dead() => t!("bulk-act-retry", count = count),
        BulkVerb::RetryNow => t!("bulk-act-run", count = count),
        BulkVerb::Reschedule => t!("bulk-act-reschedule", count = count),
        BulkVerb::Hold => t!("bulk-act-hold", count = count),
        BulkVerb::Unhold => t!("bulk-act-release", count = count),
        BulkVerb::Purge => t!("bulk-act-purge", count = count),
        verb => verb.to_string(),
    }
}

/// What a bulk verb means for those jobs, in one sentence; empty for `reschedule`, which it takes a run to tell.
pub fn bulk_consequence(verb: BulkVerb) -> String {
    match verb {
        BulkVerb::Cancel => t!("bulk-means-cancel"),
        BulkVerb::Reinstate => t!("bulk-means-reinstate"),
        BulkVerb::RetryNow => t!("bulk-means-retry"),
        BulkVerb::Hold => t!("bulk-means-hold"),
        BulkVerb::Unhold => t!("bulk-means-release"),
        BulkVerb::Purge => t!("bulk-means-purge"),
        _ => String::new(),
    }
}

/// What a customer feels of jobs that are in a bulk run, before their kinds; `None` of a verb that they feel nothing of.
pub fn bulk_felt(verb: BulkVerb) -> Option<String> {
    match verb {
        BulkVerb::Cancel => Some(t!("bulk-felt-cancel")),
        BulkVerb::Hold => Some(t!("bulk-felt-hold")),
        BulkVerb::RetryNow => Some(t!("bulk-felt-retry")),
        BulkVerb::Reschedule => Some(t!("bulk-felt-reschedule")),
        BulkVerb::Reinstate | BulkVerb::Unhold => Some(t!("bulk-felt-back")),
        _ => None,
    }
}

/// How a bulk run stands.
pub fn bulk_state(state: BulkState) -> String {
    word("bulk-state", state.as_str())
}

/// What became of one job of a run, from its outcome's word.
pub fn bulk_word(outcome: &str) -> String {
    word("bulk-word", outcome)
}
