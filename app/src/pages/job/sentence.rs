//! One plain sentence about a job: what will happen, is happening, or has.

use reprieve::model::{Job, JobState, Relay, Way};

use crate::format::{self, Zone};

/// Where a job was handed to, in words.
pub(super) fn place(relay: &Relay) -> String {
    match (relay.way, &relay.group) {
        (Way::Stream, Some(group)) => format!("stream {}, group {group}", relay.place),
        (Way::Asynq, _) => format!("asynq queue {}", relay.place),
        _ => format!("{} {}", relay.way, relay.place),
    }
}

/// A job that is with consumers outside: in nobody's hands, or in whose.
fn relayed(relay: &Relay, about: &str, now_ms: i64) -> String {
    let ago = |at: reprieve::model::Timestamp| format::span(now_ms.saturating_sub(at.as_millis()).max(0));
    let place = place(relay);
    match (&relay.taken_by, relay.taken) {
        (Some(who), Some(taken)) => {
            format!("{who} took {about} from {place} {} ago and works on it.", ago(taken))
        }
        _ => format!(
            "Handed {about} to {place} {} ago; no consumer has taken it yet, so it can still be called off.",
            ago(relay.at)
        ),
    }
}

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
        JobState::Active => match (&job.relay, job.started) {
            (Some(relay), _) => relayed(relay, &about, now_ms),
            (None, Some(started)) => format!("{worker} has been running {about} for {}.", ago(started)),
            (None, None) => format!("{worker} is running {about}."),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_with_consumers_outside_says_where_and_in_whose_hands_it_is() {
        let said =
            |relay: &str| relayed(&serde_json::from_str(relay).unwrap(), "notice for resource:4711", 4_000);
        assert_eq!(
            said(
                r#"{"outlet":"orders","way":"stream","place":"work","group":"mailers","entry":"17-0","token":3,
                "at":1000,"taken_by":null,"taken":null}"#
            ),
            "Handed notice for resource:4711 to stream work, group mailers 3 s ago; no consumer has taken it yet, \
             so it can still be called off."
        );
        assert_eq!(
            said(
                r#"{"outlet":"go","way":"asynq","place":"default","group":null,"entry":"a1.3","token":3,
                "at":1000,"taken_by":"asynq","taken":2000}"#
            ),
            "asynq took notice for resource:4711 from asynq queue default 2 s ago and works on it."
        );
    }
}
