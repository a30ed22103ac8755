//! One plain sentence about a job: what will happen, is happening, or has.

use reprieve::model::{Job, JobState};

use crate::format::{self, Zone};

/// The sentence, in the reader's zone, as of `now_ms`.
pub(super) fn sentence(job: &Job, zone: Zone, now_ms: i64) -> String {
    let about = match &job.subject {
        Some(subject) => format!("{} for {subject}", job.kind),
        None => job.kind.to_string(),
    };
    let due = format::exact(job.due, zone);
    let worker = job.worker.as_deref().unwrap_or("a worker");
    let ago = |at: reprieve::model::Timestamp| format::span(now_ms.saturating_sub(at.as_millis()).max(0));
    let is_over = job.due.as_millis() <= now_ms;
    match job.state {
        JobState::Delayed if is_over => {
            format!("Was to run {about} on {due}; it is overdue by {}.", ago(job.due))
        }
        JobState::Delayed => {
            format!("Will run {about} on {due}, {}, unless called off.", format::distance(job.due, now_ms))
        }
        JobState::Held => {
            format!("Keeps {about} from running until it is released; its due time stays {due}.")
        }
        JobState::Ready => format!("Due on {due}; {about} waits for a free worker."),
        JobState::Active => match job.started {
            Some(started) => format!("{worker} has been running {about} for {}.", ago(started)),
            None => format!("{worker} is running {about}."),
        },
        JobState::Retrying if is_over => {
            format!("Attempt {} of {about} failed; the next one is due.", job.attempt)
        }
        JobState::Retrying => format!(
            "Attempt {} of {about} failed; the next one is on {due}, {}, unless called off.",
            job.attempt,
            format::distance(job.due, now_ms)
        ),
        JobState::Done => {
            let ended = format::exact(job.ended.unwrap_or(job.due), zone);
            match job.ended.zip(job.started) {
                Some((end, start)) => {
                    format!(
                        "Ran {about} in {} and finished on {ended}.",
                        format::span(end.millis_since(start).max(0))
                    )
                }
                None => format!("Ran {about} and finished on {ended}."),
            }
        }
        JobState::Dead => format!(
            "Gave {about} up after {} on {}; it will not run again by itself.",
            format::counted(job.attempt.into(), "attempt", "attempts"),
            format::exact(job.ended.unwrap_or(job.due), zone)
        ),
        JobState::Cancelled if job.cancelled_from == Some(JobState::Active) => {
            let ended = format::exact(job.ended.unwrap_or(job.due), zone);
            format!("Stopped {about} while it ran, as asked, on {ended}; what it had done stays done.")
        }
        JobState::Cancelled if job.why.is_empty() => {
            format!("Called off by {}; {about} will not run. It was due on {due}.", job.by)
        }
        JobState::Cancelled => {
            format!("Called off by {} ({}); {about} will not run. It was due on {due}.", job.by, job.why)
        }
    }
}
