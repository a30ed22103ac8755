//! One plain sentence about a job: what will happen, is happening, or has.

use leptos::prelude::*;
use reprieve::model::{Held, HistoryEntry, Job, JobState, Publication, Timestamp};

use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::format::{self, Zone};
use crate::{i18n, t};

/// Where a job was handed to, in words.
pub(super) fn place(publication: &Publication) -> String {
    i18n::place(publication.kind, &publication.place, publication.group.as_deref())
}

/// A sentence, and the instant in it: how far away that is goes on by itself, where the sentence has [`HERE`].
pub(super) struct Sentence {
    text: String,
    ticking: Option<(Timestamp, TimeStyle)>,
}

impl Sentence {
    fn still(text: String) -> Self {
        Self { text, ticking: None }
    }

    fn with(text: String, at: Timestamp, style: TimeStyle) -> Self {
        Self { text, ticking: Some((at, style)) }
    }

    pub(super) fn view(self) -> AnyView {
        match self.ticking {
            Some((at, style)) => view! { <TimedSentence text=self.text at style/> }.into_any(),
            None => self.text.into_any(),
        }
    }
}

/// A job that is with consumers outside: in nobody's hands, or in whose.
fn published(publication: &Publication, about: &str) -> Sentence {
    let place = place(publication);
    let (text, at) = match (&publication.taken_by, publication.taken) {
        (Some(who), Some(taken)) => {
            (t!("job-says-taken", who = who.clone(), about = about, place = place, span = HERE), taken)
        }
        _ => (t!("job-says-handed", about = about, place = place, span = HERE), publication.at),
    };
    Sentence::with(text, at, TimeStyle::Elapsed)
}

/// An instant in a sentence: with the year where it is not the one of `now_ms`. The facts of the job have all of it.
fn at(at: Timestamp, zone: Zone, now_ms: i64) -> String {
    format!("{} {}", format::date_time(at, zone, Some(now_ms)), zone.label_at(at))
}

/// What is to be known of a job, in a sentence or two, in the reader's zone, as of `now_ms`. `held` is who holds it since
/// when.
pub(super) fn sentence(job: &Job, held: Option<&Held>, zone: Zone, now_ms: i64) -> Sentence {
    let first = stands(job, held, zone, now_ms);
    let until = job.kept_until.filter(|until| until.as_millis() > now_ms);
    let Some(until) = until.map(|until| at(until, zone, now_ms)) else { return first };
    let second = match job.state {
        JobState::Cancelled => t!("job-says-put-back", until = until),
        JobState::Done | JobState::Dead => t!("job-says-kept", until = until),
        _ => return first,
    };
    Sentence { text: t!("job-says-both", first = first.text, second = second), ..first }
}

/// Who holds a held job since when, by its latest changes, the newest first. A later change is no hold.
pub(super) fn held_since(history: &[HistoryEntry]) -> Option<Held> {
    let entered = |entry: &&HistoryEntry| entry.to == JobState::Held && entry.from != Some(JobState::Held);
    history.iter().find(entered).map(|entry| Held::new(entry.at, entry.by.clone(), entry.why.clone()))
}

/// A ready job that waits longer is told of, in milliseconds: jobs start within a twentieth of a second where somebody is
/// free, and what is on screen may be a second old.
const AGED_MS: i64 = 1_000;

/// Since when a ready job waits, where that is worth a word.
pub(super) fn waited(job: &Job, now_ms: i64) -> Option<Timestamp> {
    let waited_ms = now_ms.saturating_sub(job.due.as_millis());
    (job.state == JobState::Ready && waited_ms > AGED_MS).then_some(job.due)
}

/// What the badge of a job says beside its state: that somebody asked it to stop, or who holds it since when.
pub(super) fn beside_state(job: &Job, held: Option<&Held>, zone: Zone, now_ms: i64) -> String {
    match (job.state, held) {
        (JobState::Active, _) if job.cancel_requested.is_some() => t!("job-asked-to-stop"),
        (JobState::Held, Some(held)) => {
            let since = format::date_minute(held.at, zone, Some(now_ms));
            t!("job-held-by-since", who = held.by.clone(), since = since)
        }
        _ => String::new(),
    }
}

/// Where it stands.
fn stands(job: &Job, held: Option<&Held>, zone: Zone, now_ms: i64) -> Sentence {
    let about = i18n::about(job.kind.as_str(), job.subject.as_ref());
    let due = at(job.due, zone, now_ms);
    let worker = job.worker.clone().unwrap_or_else(|| t!("job-a-worker"));
    let is_over = job.due.as_millis() <= now_ms;
    Sentence::still(match job.state {
        JobState::Delayed if is_over => {
            let text = t!("job-says-overdue", about = about, due = due, span = HERE);
            return Sentence::with(text, job.due, TimeStyle::Elapsed);
        }
        JobState::Delayed => {
            let text = t!("job-says-delayed", about = about, due = due, distance = HERE);
            return Sentence::with(text, job.due, TimeStyle::Relative);
        }
        JobState::Held => match held {
            Some(held) => {
                let since = at(held.at, zone, now_ms);
                t!("job-says-held-by", who = held.by.clone(), since = since, about = about, due = due)
            }
            None => t!("job-says-held", about = about, due = due),
        },
        JobState::Ready => t!("job-says-ready", about = about, due = due),
        JobState::Active => match (&job.publication, job.started) {
            (Some(publication), _) => return published(publication, &about),
            (None, Some(started)) => {
                let text = t!("job-says-running-for", worker = worker, about = about, span = HERE);
                return Sentence::with(text, started, TimeStyle::Elapsed);
            }
            (None, None) => t!("job-says-running", worker = worker, about = about),
        },
        JobState::Retrying if is_over => {
            t!("job-says-retry-due", attempt = job.attempt, about = about)
        }
        JobState::Retrying => {
            let text =
                t!("job-says-retrying", attempt = job.attempt, about = about, due = due, distance = HERE);
            return Sentence::with(text, job.due, TimeStyle::Relative);
        }
        JobState::Done => {
            let ended = at(job.ended.unwrap_or(job.due), zone, now_ms);
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
            ended = at(job.ended.unwrap_or(job.due), zone, now_ms)
        ),
        JobState::Cancelled => called_off(job, &about, &due, zone, now_ms),
    })
}

/// Who called it off, or asked for it to stop, and why where that was said.
fn called_off(job: &Job, about: &str, due: &str, zone: Zone, now_ms: i64) -> String {
    let ended = at(job.ended.unwrap_or(job.due), zone, now_ms);
    let (who, why) = (job.by.clone(), i18n::why(&job.why));
    match (job.cancelled_from == Some(JobState::Active), why.is_empty()) {
        (true, true) => t!("job-says-stopped", about = about, who = who, ended = ended),
        (true, false) => t!("job-says-stopped-why", about = about, who = who, why = why, ended = ended),
        (false, true) => t!("job-says-cancelled", who = who, ended = ended, about = about, due = due),
        (false, false) => {
            t!("job-says-cancelled-why", who = who, why = why, ended = ended, about = about, due = due)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn given(state: &str, more: &serde_json::Value) -> Job {
        let mut job = more.clone();
        (job["state"], job["version"]) = (state.into(), 2.into());
        crate::given::job(job)
    }

    /// Ann holds it, and ben has changed it since.
    fn held() -> Held {
        let entry = |from: &str, by: &str, at: i64| {
            crate::given::entry(json!({ "at": at, "from": from, "to": "held", "by": by }))
        };
        held_since(&[entry("held", "ben", 8_000), entry("delayed", "ann", 7_000)]).unwrap()
    }

    #[test]
    fn a_badge_says_for_how_long_a_job_waits_and_who_holds_it_since_when() {
        let held = held();
        let changed = json!({ "by": "ben" });
        let beside =
            |state: &str, now_ms| beside_state(&given(state, &changed), Some(&held), Zone::UTC, now_ms);
        let ready = given("ready", &changed);
        assert_eq!(waited(&ready, 10_900), None, "no longer than jobs wait");
        assert_eq!(waited(&ready, 22_000), Some(ready.due));
        assert_eq!(waited(&given("delayed", &changed), 22_000), None);
        assert_eq!(beside("held", 9_000), "by ann since Thu 1 Jan 00:00");
        assert_eq!(beside("delayed", 9_000), "");
    }

    #[test]
    fn a_sentence_says_who_when_and_until_when() {
        let held = held();
        let said = |state: &str, more| sentence(&given(state, &more), Some(&held), Zone::UTC, 12_000).text;
        assert_eq!(
            said("held", json!({ "by": "ben" })),
            "Held by ann since Thu 1 Jan 00:00:07 UTC; notice for resource:4711 does not run until it is \
             unheld. Its due time stays Thu 1 Jan 00:00:10 UTC."
        );
        assert_eq!(
            said("cancelled", json!({ "reason": "Incident 7", "ended": 11_000, "kept_until": 60_000 })),
            "Cancelled by ann on Thu 1 Jan 00:00:11 UTC (Incident 7); notice for resource:4711 will not run. \
             It was due on Thu 1 Jan 00:00:10 UTC. It can be reinstated until Thu 1 Jan 00:01:00 UTC."
        );
        assert!(
            said("dead", json!({ "attempt": 3, "ended": 11_000, "kept_until": 60_000 }))
                .ends_with("by itself. It is kept until Thu 1 Jan 00:01:00 UTC.")
        );
        let stopped = json!({ "cancelled_from": "active", "reason": "Incident 7", "ended": 11_000 });
        assert_eq!(
            said("cancelled", stopped),
            "Stopped notice for resource:4711 while it ran, as ann asked (Incident 7), on Thu 1 Jan 00:00:11 \
             UTC; what it had done stays done."
        );
        let years = said("done", json!({ "ended": 11_000, "kept_until": 40_000_000_000_i64 }));
        assert!(years.ends_with("It is kept until Thu 8 Apr 1971 23:06:40 UTC."), "{years}");
        let gone = said("cancelled", json!({ "ended": 11_000, "kept_until": 11_500 }));
        assert!(gone.ends_with("It was due on Thu 1 Jan 00:00:10 UTC."), "{gone}");
    }

    #[test]
    fn a_job_with_consumers_outside_says_where_and_in_whose_hands_it_is() {
        let said = |publication: &str| {
            let said = published(&serde_json::from_str(publication).unwrap(), "notice for resource:4711");
            let (since, _) = said.ticking.unwrap();
            said.text.replace(HERE, &format::span(4_000 - since.as_millis()))
        };
        assert_eq!(
            said(
                r#"{"sink":"orders","kind":"stream","place":"work","group":"mailers","entry":"17-0","token":3,
                "at":1000,"taken_by":null,"taken":null}"#
            ),
            "Handed notice for resource:4711 to stream work, group mailers 3 s ago; no consumer has taken it yet, \
             so it can still be cancelled."
        );
        assert_eq!(
            said(
                r#"{"sink":"go","kind":"asynq","place":"default","group":null,"entry":"a1.3","token":3,
                "at":1000,"taken_by":"asynq","taken":2000}"#
            ),
            "asynq took notice for resource:4711 from asynq queue default 2 s ago and works on it."
        );
    }
}
