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
