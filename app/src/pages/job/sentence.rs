//! One plain sentence about a job: what will happen, is happening, or has.

use reprieve::model::{Job, JobState, Relay};

use crate::format::{self, Zone};
use crate::{i18n, t};

/// Where a job was handed to, in words.
pub(super) fn place(relay: &Relay) -> String {
    i18n::place(relay.way, &relay.place, relay.group.as_deref())
}

/// A job that is with consumers outside: in nobody's hands, or in whose.
fn relayed(relay: &Relay, about: &str, now_ms: i64) -> String {
    let ago = |at: reprieve::model::Timestamp| format::span(now_ms.saturating_sub(at.as_millis()).max(0));
    let place = place(relay);
    match (&relay.taken_by, relay.taken) {
        (Some(who), Some(taken)) => {
            t!("job-says-taken", who = who.clone(), about = about, place = place, span = ago(taken))
        }
        _ => t!("job-says-handed", about = about, place = place, span = ago(relay.at)),
    }
}

/// The sentence, in the reader's zone, as of `now_ms`.
pub(super) fn sentence(job: &Job, zone: Zone, now_ms: i64) -> String {
    let about = match &job.subject {
        Some(subject) => t!("acts-kind-for", kind = job.kind.to_string(), subject = subject.to_string()),
        None => job.kind.to_string(),
    };
    let due = format::exact(job.due, zone);
    let worker = job.worker.clone().unwrap_or_else(|| t!("job-a-worker"));
    let ago = |at: reprieve::model::Timestamp| format::span(now_ms.saturating_sub(at.as_millis()).max(0));
    let is_over = job.due.as_millis() <= now_ms;
    match job.state {
        JobState::Delayed if is_over => {
            t!("job-says-overdue", about = about, due = due, span = ago(job.due))
        }
        JobState::Delayed => {
            t!("job-says-delayed", about = about, due = due, distance = format::distance(job.due, now_ms))
        }
        JobState::Held => {
            t!("job-says-held", about = about, due = due)
        }
        JobState::Ready => t!("job-says-ready", about = about, due = due),
        JobState::Active => match (&job.relay, job.started) {
            (Some(relay), _) => relayed(relay, &about, now_ms),
            (None, Some(started)) => {
                t!("job-says-running-for", worker = worker, about = about, span = ago(started))
            }
            (None, None) => t!("job-says-running", worker = worker, about = about),
        },
        JobState::Retrying if is_over => {
            t!("job-says-retry-due", attempt = job.attempt, about = about)
        }
        JobState::Retrying => t!(
            "job-says-retrying",
            attempt = job.attempt,
            about = about,
            due = due,
            distance = format::distance(job.due, now_ms)
        ),
        JobState::Done => {
            let ended = format::exact(job.ended.unwrap_or(job.due), zone);
            match job.ended.zip(job.started) {
                Some((end, start)) => {
                    let span = format::span(end.millis_since(start).max(0));
                    t!("job-says-done-in", about = about, span = span, ended = ended)
                }
                None => t!("job-says-done", about = about, ended = ended),
            }
        }
        JobState::Dead => t!(
            "job-says-dead",
            about = about,
            attempts = job.attempt,
            ended = format::exact(job.ended.unwrap_or(job.due), zone)
        ),
        JobState::Cancelled if job.cancelled_from == Some(JobState::Active) => {
            let ended = format::exact(job.ended.unwrap_or(job.due), zone);
            t!("job-says-stopped", about = about, ended = ended)
        }
        JobState::Cancelled if job.why.is_empty() => {
            t!("job-says-cancelled", who = job.by.clone(), about = about, due = due)
        }
        JobState::Cancelled => {
            t!(
                "job-says-cancelled-why",
                who = job.by.clone(),
                why = job.why.clone(),
                about = about,
                due = due
            )
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
             so it can still be cancelled."
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
