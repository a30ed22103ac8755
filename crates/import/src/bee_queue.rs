//! Bee-Queue: per queue a hash with all jobs as JSON by their ids, a list and a sorted set of ids that wait, and sets of those
//! that have ended.
//!
//! Not taken are what its workers have (`active`) and what has ended well.

use super::candidate::Candidate;
use super::door::{Answer, Format, shown};
use super::items::{Items, Stored};
use super::score::ScoreUnit;
use super::source::QueuesSource;
use super::translate::{self, Raw};
use super::unit::{Place, Unit, unless_failed};
use crate::ImportFormat;
use reprieve::internals::{Adoptee, Foreign, Past, invalid};
use reprieve::model::{Delay, JobState, Timestamp};
use reprieve::{Due, NewJob, Result};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

/// What the keys of all queues begin with, unless somebody has chosen another.
const PREFIX: &str = "bq";

/// What is read of a job.
#[derive(Deserialize)]
struct Job<'a> {
    #[serde(borrow)]
    data: &'a RawValue,
    #[serde(borrow)]
    options: &'a RawValue,
}

#[derive(Deserialize)]
struct Options {
    timestamp: Option<i64>,
    /// Why each attempt failed, the latest first.
    #[serde(default)]
    stacktraces: Vec<serde_json::Value>,
    /// Retries that are left.
    #[serde(default)]
    retries: u64,
    /// In ms.
    #[serde(default)]
    timeout: u32,
}

/// Queues of Bee-Queue.
#[derive(Debug, Clone)]
pub(super) struct BeeQueue(pub(super) QueuesSource);

impl Format for BeeQueue {
    fn format(&self) -> ImportFormat {
        ImportFormat::BeeQueue
    }

    fn shown(&self) -> String {
        shown("bee-queue", &self.0.queues)
    }

    fn check(&self) -> Result<()> {
        // Bee-Queue has no list of its queues.
        if self.0.queues.is_empty() {
            return Err(invalid("queues", "name at least one queue, and none is empty"));
        }
        self.0.check("Bee-Queue", &["unacked"])
    }

    fn units<'a>(&'a self, _source: &'a Foreign) -> Answer<'a, Vec<String>> {
        Box::pin(async { Ok(self.0.queues.clone()) })
    }

    fn lists<'a>(&'a self, source: &'a Foreign, unit: &'a Unit) -> Answer<'a, bool> {
        Box::pin(async move {
            let mut exists = redis::cmd("EXISTS");
            exists.arg(format!("{}id", unit.base));
            source.query(&exists).await
        })
    }

    fn base(&self, label: &str) -> String {
        format!("{}:{label}:", self.0.prefix.as_deref().unwrap_or(PREFIX))
    }

    fn places(&self, unit: &Unit) -> Vec<Place> {
        let place = |name, shape, stays| unit.place(name, shape, stays, name == "delayed");
        vec![
            place("waiting", "list", ""),
            place("delayed", "zset", ""),
            place("failed", "set", unless_failed(self.0.failed)),
            place("active", "list", "its workers have them"),
            place("succeeded", "set", "they have ended"),
        ]
    }

    fn items(&self, unit: &Unit) -> Items {
        Items {
            record: Stored::Field,
            records: format!("{}jobs", unit.base),
            wake: format!("{}earlierDelayed", unit.base),
            ..Items::default()
        }
    }

    fn key_of_its_own(&self, unit: &Unit, _raw: &Raw) -> Option<Vec<u8>> {
        Some(format!("{}jobs", unit.base).into_bytes())
    }

    fn has_fields(&self) -> bool {
        true
    }

    fn translate(&self, unit: &Unit, raw: &Raw) -> std::result::Result<Adoptee, String> {
        let record = raw.fields.get("record").ok_or("its job is gone")?;
        let no_json = |error| translate::no_json("Bee-Queue", &error);
        let theirs: Job<'_> = serde_json::from_slice(record).map_err(no_json)?;
        let options: Options = serde_json::from_str(theirs.options.get()).map_err(no_json)?;
        let has_ended = raw.place == "failed";
        let made = u32::try_from(options.stacktraces.len()).unwrap_or(u32::MAX);

        let kind = self.0.kind.clone().map_or_else(|| translate::kind(&unit.label), Ok)?;
        let mut job = NewJob::new(kind, theirs.data.get());
        job.queue = self.0.names().queue(&unit.label)?;
        job.subject = translate::subject(&job.payload, self.0.subject.as_ref())?;
        let created = options.timestamp.map(Timestamp::saturating_from_millis);
        job.due = match raw.place.as_str() {
            "delayed" => Due::At(translate::due(&raw.score, ScoreUnit::Ms)?),
            // Nothing says when it failed.
            "failed" => created.map_or(Due::Now, Due::At),
            _ => Due::Now,
        };
        // What has failed made its last attempt.
        let retries = options.retries.saturating_add(made.into()).saturating_sub(has_ended.into());
        job.max_attempts = Some(translate::attempts(retries, made, has_ended));
        job.timeout = Some(options.timeout).filter(|&ms| ms > 0).map(|ms| Delay::millis(ms.into()));
        job.headers = BTreeMap::from([("bee-queue-queue".to_owned(), unit.label.clone())]);
        job.headers.extend(translate::header("bee-queue-id", &raw.name));
        job.headers.extend(translate::header("bee-queue-options", theirs.options.get().as_bytes()));
        let error = options.stacktraces.first().map(|error| match error.as_str() {
            Some(text) => text.to_owned(),
            None => error.to_string(),
        });
        let past = Past {
            state: match raw.place.as_str() {
                "delayed" if made > 0 => Some(JobState::Retrying),
                "failed" => Some(JobState::Dead),
                _ => None,
            },
            attempt: made,
            last_error: translate::error(&error.unwrap_or_default()),
            created,
            ..Past::default()
        };
        Ok(Adoptee { id: translate::counted_id(&unit.label, &unit.base, &raw.name), job, past })
    }

    fn names_of(&self, unit: &Unit, _raw: &Raw) -> [Option<String>; 2] {
        self.0.names().unset(None, Some(unit.label.clone()))
    }

    fn due(&self, raw: &Raw) -> Option<Timestamp> {
        translate::due(&raw.score, ScoreUnit::Ms).ok()
    }
}

/// The queues whose jobs lie under these keys.
pub(super) fn recognise(hashes: &BTreeSet<String>) -> Vec<Candidate> {
    let queue = |key: &String| Some(key.strip_prefix("bq:")?.strip_suffix(":jobs")?.to_owned());
    let candidate = |queue: String| Candidate {
        format: ImportFormat::BeeQueue,
        keys: vec![(format!("bq:{queue}:delayed"), "zset"), (format!("bq:{queue}:waiting"), "list")],
        place: queue,
    };
    hashes.iter().filter_map(queue).map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(place: &str, name: &str, score: &str, options: &str) -> std::result::Result<Adoptee, String> {
        let unit = Unit { label: "mail".to_owned(), base: "bq:mail:".to_owned(), journal: String::new() };
        let record =
            format!(r#"{{"data":{{"x":1.10}},"options":{options},"status":"created","progress":0}}"#);
        let raw = Raw {
            place: place.to_owned(),
            name: name.as_bytes().to_vec(),
            score: score.to_owned(),
            fields: BTreeMap::from([("record".to_owned(), record.into_bytes())]),
            ..Raw::default()
        };
        BeeQueue(QueuesSource::default()).translate(&unit, &raw)
    }

    #[test]
    fn every_field_has_its_place_and_numbers_stay_as_they_were_written() {
        let options = r#"{"timestamp":1700000000123,"stacktraces":["Error: b\n at x","Error: a"],"retries":3,"timeout":1500}"#;
        let Adoptee { id, job, past } = read("delayed", "7", "2000000000123", options).unwrap();
        assert_eq!((id.as_str(), job.kind.as_str(), job.queue.as_str()), ("mail:7", "mail", "mail"));
        assert_eq!((job.payload.as_slice(), job.max_attempts), (br#"{"x":1.10}"#.as_slice(), Some(6)));
        assert_eq!(job.due, Due::At(Timestamp::saturating_from_millis(2_000_000_000_123)));
        assert_eq!(job.timeout, Some(Delay::millis(1_500)));
        assert_eq!((past.state, past.attempt), (Some(JobState::Retrying), 2));
        assert_eq!(
            (past.last_error.as_str(), past.created.unwrap().as_millis()),
            ("Error: b\n at x", 1_700_000_000_123)
        );
        assert_eq!(job.headers["bee-queue-options"], options);
    }

    #[test]
    fn an_id_that_somebody_chose_stays_and_what_has_failed_is_dead() {
        let Adoptee { id, job, past } = read("failed", "order 7", "", r#"{"stacktraces":["E"]}"#).unwrap();
        assert_eq!((id.as_str(), past.state, past.attempt), ("order@207", Some(JobState::Dead), 1));
        assert_eq!(job.max_attempts, Some(1));
    }

    proptest! {
        #[test]
        fn any_options_are_a_job_or_a_reason(options in "\\PC{0,200}", score in any::<f64>()) {
            if let Err(why) = read("delayed", "1", &score.to_string(), &options) {
                prop_assert!(!why.is_empty());
            }
        }
    }
}
