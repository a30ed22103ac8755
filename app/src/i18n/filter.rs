//! The words around filters: what is wrong with one, what its fields are for, what a bulk verb is called.

use reprieve::model::filter::FilterProblem;
use reprieve::model::{BulkRun, BulkState, BulkVerb, FilterError};

use super::words::{counted, known, word};
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

/// The verb of a bulk run on a button, with how many jobs: the one that the button of their list has.
pub fn bulk_act(run: &BulkRun) -> String {
    let word = if run.retries_dead() { "retry" } else { run.verb.as_str() };
    counted("bulk-act", word, run.total)
}

/// What a bulk verb means for those jobs, in one sentence; empty for `reschedule`, which it takes a run to tell.
pub fn bulk_consequence(verb: BulkVerb) -> String {
    known("bulk-means", verb.as_str()).unwrap_or_default()
}

/// What a customer feels of jobs that are in a bulk run, before their kinds; `None` of a verb that they feel nothing of.
pub fn bulk_felt(verb: BulkVerb) -> Option<String> {
    known("bulk-felt", verb.as_str())
}

/// How a bulk run stands.
pub fn bulk_state(state: BulkState) -> String {
    word("bulk-state", state.as_str())
}

/// What became of one job of a run, from its outcome's word.
pub fn bulk_word(outcome: &str) -> String {
    word("bulk-word", outcome)
}
