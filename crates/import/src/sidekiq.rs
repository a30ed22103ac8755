//! Sidekiq 6 to 8: two sorted sets of jobs that wait for their time, whatever their queue, and a list for each queue. The
//! member is the job, as JSON.
//!
//! Not taken are what its processes have, which is in no key they could be taken from, and jobs of a batch.

use super::OF_ANOTHER_QUEUE;
use super::candidate::{Candidate, texts_in, wrong_type_is};
use super::door::{Answer, Format, shown};
use super::score::ScoreUnit;
use super::source::QueuesSource;
use super::translate::{self, Raw};
use super::unit::{Place, Unit, unless_failed};
use crate::ImportFormat;
use redis::cmd;
use reprieve::internals::{Adoptee, Foreign, Past};
use reprieve::model::{JobState, Timestamp};
use reprieve::{Due, NewJob, Result};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// The unit of the sorted sets; the others are queues.
const SETS: &str = "sidekiq";
/// What the label of a queue's unit begins with, and its key behind the prefix.
const QUEUE: &str = "queue:";
/// Retries unless said otherwise.
const RETRIES: u64 = 25;

/// What is read of a job. All of it stays in the journal, and in a header where it is short.
#[derive(Deserialize)]
struct Job<'a> {
    class: String,
    /// The class that a wrapper of Active Job is for.
    wrapped: Option<String>,
    #[serde(borrow)]
    args: &'a RawValue,
    queue: String,
    jid: String,
    /// `true`, `false`, or how many.
    #[serde(default)]
    retry: Value,
    /// Retries made, from 0: the first failure makes it 0.
    retry_count: Option<u32>,
    error_class: Option<String>,
    error_message: Option<String>,
    /// Times are seconds with a fraction; from version 8 on whole milliseconds.
    failed_at: Option<Number>,
    retried_at: Option<Number>,
    created_at: Option<Number>,
    /// Its batch.
    bid: Option<Value>,
}

impl Job<'_> {
    fn read(member: &[u8]) -> std::result::Result<Job<'_>, String> {
        serde_json::from_slice(member).map_err(|error| translate::no_json("Sidekiq", &error))
    }

    fn kind(&self) -> String {
        self.wrapped.as_ref().unwrap_or(&self.class).replace("::", ".")
    }

    fn retries(&self) -> u64 {
        match &self.retry {
            Value::Bool(false) => 0,
            Value::Number(most) => most.as_u64().unwrap_or(RETRIES),
            _ => RETRIES,
        }
    }
}

/// Queues of Sidekiq.
#[derive(Debug, Clone)]
pub(super) struct Sidekiq(pub(super) QueuesSource);

impl Format for Sidekiq {
    fn format(&self) -> ImportFormat {
        ImportFormat::Sidekiq
    }

    fn shown(&self) -> String {
        shown("sidekiq", &self.0.queues)
    }

    fn check(&self) -> Result<()> {
        self.0.check("Sidekiq", &["kind", "unacked"])
    }

    fn id_in_member(&self, raw: &Raw) -> Option<Option<String>> {
        Some(Job::read(&raw.name).ok().map(|job| job.jid))
    }

    fn lists_units(&self) -> bool {
        self.0.queues.is_empty()
    }

    fn units<'a>(&'a self, source: &'a Foreign) -> Answer<'a, Vec<String>> {
        Box::pin(async move {
            let mut queues = self.0.queues.clone();
            if queues.is_empty() {
                queues = queues_of(source, &self.0.key("queues")).await?;
            }
            let queues = queues.into_iter().map(|queue| format!("{QUEUE}{queue}"));
            Ok(std::iter::once(SETS.to_owned()).chain(queues).collect())
        })
    }

    fn lists<'a>(&'a self, source: &'a Foreign, unit: &'a Unit) -> Answer<'a, bool> {
        Box::pin(async move {
            let Some(queue) = unit.label.strip_prefix(QUEUE) else { return Ok(false) };
            let known = queues_of(source, &self.0.key("queues")).await?;
            Ok(known.iter().any(|known| known == queue))
        })
    }

    fn base(&self, label: &str) -> String {
        self.0.key(if label == SETS { "" } else { label })
    }

    fn places(&self, unit: &Unit) -> Vec<Place> {
        if unit.label != SETS {
            let key = unit.base.clone();
            return vec![Place { name: "waiting", key, shape: "list", stays: "", waits: false }];
        }
        let place = |name: &'static str, stays| Place {
            name,
            key: self.0.key(name),
            shape: "zset",
            stays,
            waits: name != "dead",
        };
        vec![place("schedule", ""), place("retry", ""), place("dead", unless_failed(self.0.failed))]
    }

    fn translate(&self, unit: &Unit, raw: &Raw) -> std::result::Result<Adoptee, String> {
        let theirs = Job::read(&raw.name)?;
        let settings = &self.0;
        if theirs.bid.is_some() {
            return Err("it is part of a batch, which only Sidekiq can end".to_owned());
        }
        if unit.label.strip_prefix(QUEUE).is_some_and(|queue| queue != theirs.queue) {
            return Err("its message says that it is of another queue".to_owned());
        }
        if !settings.queues.is_empty() && !settings.queues.contains(&theirs.queue) {
            return Err(OF_ANOTHER_QUEUE.to_owned());
        }
        if theirs.jid.is_empty() {
            return Err("it has no id".to_owned());
        }
        let made = theirs.retry_count.map_or(0, |retries| retries.saturating_add(1));
        let mut job = NewJob::new(settings.names().kind(&theirs.kind())?, theirs.args.get());
        job.queue = settings.names().queue(&theirs.queue)?;
        job.subject = translate::subject(&job.payload, settings.subject.as_ref())?;
        job.due =
            if raw.score.is_empty() { Due::Now } else { Due::At(translate::due(&raw.score, ScoreUnit::S)?) };
        job.max_attempts = Some(translate::attempts(theirs.retries(), made, raw.place == "dead"));
        let id = translate::job_id(&unit.base, theirs.jid.as_bytes());
        let past = past(&theirs, &raw.place, made);
        job.headers = BTreeMap::from([
            ("sidekiq-class".to_owned(), theirs.class),
            ("sidekiq-queue".to_owned(), theirs.queue),
            ("sidekiq-jid".to_owned(), theirs.jid),
        ]);
        job.headers.extend(translate::header("sidekiq-job", &raw.name));
        Ok(Adoptee { id, job, past })
    }

    fn names_of(&self, _unit: &Unit, raw: &Raw) -> [Option<String>; 2] {
        let job = Job::read(&raw.name).ok();
        let kind = job.as_ref().map(Job::kind);
        self.0.names().unset(kind, job.map(|job| job.queue))
    }

    fn due(&self, raw: &Raw) -> Option<Timestamp> {
        translate::due(&raw.score, ScoreUnit::S).ok()
    }
}

fn past(job: &Job<'_>, place: &str, made: u32) -> Past {
    let instant = |time: Option<&Number>| translate::due(&time?.to_string(), ScoreUnit::Auto).ok();
    let error = [job.error_class.as_deref(), job.error_message.as_deref()].into_iter().flatten();
    Past {
        state: match place {
            "retry" if made > 0 => Some(JobState::Retrying),
            "dead" => Some(JobState::Dead),
            _ => None,
        },
        attempt: made,
        last_error: translate::error(&error.collect::<Vec<_>>().join(": ")),
        failed: instant(job.retried_at.as_ref().or(job.failed_at.as_ref())),
        created: instant(job.created_at.as_ref()),
        ..Past::default()
    }
}

/// The queues that it lists under a key, in order.
async fn queues_of(source: &Foreign, key: &str) -> Result<Vec<String>> {
    wrong_type_is(Vec::new(), texts_in(source, key).await)
}

/// Sidekiq without a prefix, told by a job of its own: its keys have names that anybody may use.
pub(super) async fn recognise(there: &Foreign) -> Result<Vec<Candidate>> {
    let sets = ["schedule", "retry"].map(|key| (key.to_owned(), "zset"));
    let queues = queues_of(there, "queues").await?;
    let lists = queues.into_iter().map(|queue| (format!("{QUEUE}{queue}"), "list"));
    let keys: Vec<_> = sets.into_iter().chain(lists).collect();
    for (key, shape) in &keys {
        let command = if *shape == "zset" { "ZRANGE" } else { "LRANGE" };
        let first: Vec<Vec<u8>> =
            wrong_type_is(Vec::new(), there.query(cmd(command).arg(key).arg(0).arg(0)).await)?;
        if first.first().is_some_and(|member| Job::read(member).is_ok()) {
            return Ok(vec![Candidate { format: ImportFormat::Sidekiq, place: String::new(), keys }]);
        }
    }
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_from(place: &str, score: &str, more: &str) -> std::result::Result<Adoptee, String> {
        let member = format!(
            r#"{{"retry":true,"queue":"mail","class":"A::Note","args":[1,{{"x":12345678901234567890.10}}],"jid":"b1"{more}}}"#
        );
        let label = if score.is_empty() { "queue:mail" } else { SETS };
        let unit = Unit { label: label.to_owned(), base: String::new(), journal: String::new() };
        let raw = Raw {
            place: place.to_owned(),
            name: member.into_bytes(),
            score: score.to_owned(),
            ..Raw::default()
        };
        Sidekiq(QueuesSource::default()).translate(&unit, &raw)
    }

    #[test]
    fn every_field_has_its_place_and_numbers_stay_as_they_were_written() {
        let Adoptee { id, job, past } =
            read_from("schedule", "2000000000.1234", r#","created_at":1700000000.5"#).unwrap();
        assert_eq!((id.as_str(), job.kind.as_str(), job.queue.as_str()), ("b1", "A.Note", "mail"));
        assert_eq!(job.payload, br#"[1,{"x":12345678901234567890.10}]"#);
        assert_eq!(
            (job.due, job.max_attempts),
            (Due::At(Timestamp::saturating_from_millis(2_000_000_000_124)), Some(26))
        );
        assert_eq!((past.state, past.created.unwrap().as_millis()), (None, 1_700_000_000_500));
        assert_eq!(job.headers["sidekiq-class"], "A::Note");
        assert!(job.headers["sidekiq-job"].contains("\"retry\":true"));
    }

    #[test]
    fn retries_count_from_zero_and_times_are_read_in_either_unit() {
        let failed = r#","retry_count":1,"error_class":"E","error_message":"no","failed_at":1700000000.25,"retried_at":1700000001500"#;
        let Adoptee { job, past, .. } = read_from("retry", "2000000000", failed).unwrap();
        assert_eq!((past.state, past.attempt, job.max_attempts), (Some(JobState::Retrying), 2, Some(26)));
        assert_eq!(
            (past.last_error.as_str(), past.failed.unwrap().as_millis()),
            ("E: no", 1_700_000_001_500)
        );
        let dead = read_from("dead", "2000000000", r#","retry_count":25"#).unwrap();
        assert_eq!(
            (dead.past.state, dead.past.attempt, dead.job.max_attempts),
            (Some(JobState::Dead), 26, Some(26))
        );
        let used_up = read_from("waiting", "", r#","retry_count":25"#).unwrap();
        assert_eq!(
            (used_up.job.due, used_up.job.max_attempts, used_up.past.attempt),
            (Due::Now, Some(27), 26)
        );
    }

    #[test]
    fn a_wrapped_job_is_of_the_kind_of_its_class() {
        let job = read_from("schedule", "1", r#","wrapped":"ActionMailer::MailDeliveryJob""#).unwrap().job;
        assert_eq!(job.kind.as_str(), "ActionMailer.MailDeliveryJob");
    }

    #[test]
    fn what_is_not_taken_has_a_reason() {
        let reason = |more: &str| read_from("schedule", "1", more).unwrap_err();
        assert_eq!(reason(r#","bid":"x""#), "it is part of a batch, which only Sidekiq can end");
        assert!(reason(r#","retry_count":-1"#).starts_with("its job is no JSON of Sidekiq's: invalid value"));
        assert!(reason(",").starts_with("its job is no JSON of Sidekiq's: "));
    }

    proptest! {
        #[test]
        fn any_member_is_a_job_or_a_reason(more in "\\PC{0,200}", score in any::<f64>()) {
            if let Err(why) = read_from("retry", &score.to_string(), &more) {
                prop_assert!(!why.is_empty());
            }
        }
    }
}
