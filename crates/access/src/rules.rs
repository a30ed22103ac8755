//! What an act needs beyond the right of its verb, told by the job or the bulk run that it is about.

use reprieve::model::{BulkRun, BulkVerb, JobRow, JobState, Permission, Shift, Timestamp};

/// Whether a job waits for a time that is still to come, or would, had it not been cancelled: to run it now needs the right
/// to run jobs before their time.
#[must_use]
pub fn waits(row: &JobRow, now: Timestamp) -> bool {
    match row.state {
        JobState::Delayed | JobState::Held => true,
        JobState::Cancelled => row.due > now,
        _ => false,
    }
}

/// The right that a bulk run needs beyond that of its verb, if any: to stop running jobs, or to run waiting ones before their
/// time. The undo of a run needs none: it puts back what was.
pub(crate) fn run_needs(run: &BulkRun, now: Timestamp) -> Option<Permission> {
    if run.undo_of.is_some() {
        return None;
    }
    let has = |state: JobState| run.split.get(&format!("state:{state}")).is_some_and(|count| *count > 0);
    let waits = has(JobState::Delayed) || has(JobState::Held);
    let last = run.due_ms.map(|(_, last)| last);
    match run.verb {
        // What runs by then is asked to stop too, unless the run leaves it alone.
        BulkVerb::Cancel if has(JobState::Active) || run.acts_on_changed && !run.spares_started => {
            Some(Permission::StopJobs)
        }
        BulkVerb::RetryNow if waits => Some(Permission::RunJobs),
        BulkVerb::RetryNow if has(JobState::Cancelled) && last > Some(now) => Some(Permission::RunJobs),
        BulkVerb::Reschedule if waits && run.shift.is_some_and(|shift| hastens(shift, last)) => {
            Some(Permission::RunJobs)
        }
        _ => None,
    }
}

/// A time as forms know it: they have no seconds.
pub(crate) fn minute(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(60_000)
}

/// Whether a shift brings a job forward of which the last is due then.
fn hastens(shift: Shift, last: Option<Timestamp>) -> bool {
    match shift {
        Shift::To(at) => last.is_some_and(|last| minute(at) < minute(last)),
        Shift::By(ms) => ms < 0,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that ends at noon, with so many jobs in a state; what else it is comes from `more`.
    fn run(verb: &str, state: &str, more: &serde_json::Value) -> BulkRun {
        let mut run = serde_json::json!({
            "id": "r1", "verb": verb, "state": "frozen", "filter": null, "shift": null, "spread_ms": 0, "rate": 50,
            "stops_itself": false, "acts_on_changed": false, "spares_started": false, "by": "ann", "reason": "",
            "created_ms": 1, "ended_by": "", "ended_why": "", "looked_at": 3, "cut": false, "total": 3, "pending": 3,
            "changed": 0, "skipped": 0, "failed": 0, "words": {}, "split": { format!("state:{state}"): 3 },
            "due_ms": [1_000, 120_000], "went_well": 0, "failed_again": 0, "undoable": 0,
        });
        let (run_fields, more) = (run.as_object_mut().unwrap(), more.as_object().unwrap().clone());
        run_fields.extend(more);
        serde_json::from_value(run).unwrap()
    }

    #[test]
    fn a_run_needs_more_than_its_verb_where_jobs_run_or_wait() {
        let now = Timestamp::from_millis(60_000).unwrap();
        let needs = |verb, state| run_needs(&run(verb, state, &serde_json::json!({})), now);
        assert_eq!(needs("cancel", "active"), Some(Permission::StopJobs));
        assert_eq!(needs("cancel", "delayed"), None);
        assert_eq!(needs("retry_now", "held"), Some(Permission::RunJobs));
        assert_eq!(
            needs("retry_now", "cancelled"),
            Some(Permission::RunJobs),
            "the last of them is still to come"
        );
        assert_eq!(needs("retry_now", "dead"), None);
        assert_eq!(needs("purge", "done"), None);

        let by = |ms: i64, state| {
            run_needs(&run("reschedule", state, &serde_json::json!({ "shift": { "shift_ms": ms } })), now)
        };
        assert_eq!(by(-60_000, "delayed"), Some(Permission::RunJobs));
        assert_eq!(by(60_000, "delayed"), None);
        assert_eq!(by(-60_000, "dead"), None);
    }

    #[test]
    fn an_undo_puts_back_what_was_and_needs_no_more() {
        let undo = run("retry_now", "held", &serde_json::json!({ "undo_of": "r0" }));
        assert_eq!(run_needs(&undo, Timestamp::EPOCH), None);
    }
}
