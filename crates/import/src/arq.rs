//! arq: per queue a sorted set of ids, with the due time in ms, and a string per job, pickled unless somebody chose another
//! serializer.
//!
//! A job stays in the set while a worker has it; a key beside it says so. Not taken are those, what a cron made, and what
//! was aborted.

use super::candidate::Candidate;
use super::door::{Answer, Format, shown};
use super::items::{Items, Stored};
use super::python::{self, Value};
use super::score::ScoreUnit;
use super::source::QueuesSource;
use super::translate::{self, Raw};
use super::unit::{Place, Unit};
use crate::ImportFormat;
use reprieve::internals::{Adoptee, Foreign, Past};
use reprieve::model::{JobState, Timestamp};
use reprieve::{Due, NewJob, Result};
use std::collections::{BTreeMap, BTreeSet};

/// The queue of those who name none: the key of its set.
const QUEUE: &str = "arq:queue";
const JOB: &str = "arq:job:";
const IN_PROGRESS: &str = "arq:in-progress:";
/// Retries after the first attempt, unless a worker says otherwise: it alone knows.
const RETRIES: u64 = 4;
/// The score of a job that was aborted while it waited.
const ABORTED: &str = "1";

/// Queues of arq.
#[derive(Debug, Clone)]
pub(super) struct Arq(pub(super) QueuesSource);

/// What is read of a job: how it is written down, its function, and the try that it is to begin with.
struct Written {
    content_type: &'static str,
    function: Option<String>,
    first_try: u64,
}

impl Written {
    /// `{"t": try or nothing, "f": function, …}`, in this order where order counts.
    fn read(record: &[u8]) -> Self {
        let written = |content_type, values: Vec<Value>| {
            let mut values = values.into_iter();
            let is_try = values.next() == Some(Value::Text("t".to_owned()));
            let first_try = values.next();
            let is_function = values.next() == Some(Value::Text("f".to_owned()));
            let function = values.next().and_then(Value::text).filter(|_| is_try && is_function);
            let first_try = match first_try {
                Some(Value::Number(number)) => u64::try_from(number).unwrap_or(0),
                _ => 0,
            };
            Self { content_type, function, first_try }
        };
        if let Some(values) = python::first_values(record) {
            return written("application/python-pickle", values);
        }
        if let Some(values) = python::first_values_of_msgpack(record) {
            return written("application/msgpack", values);
        }
        match serde_json::from_slice::<serde_json::Value>(record) {
            Ok(json) => Self {
                content_type: "application/json",
                function: json.get("f").and_then(|name| name.as_str()).map(str::to_owned),
                first_try: json.get("t").and_then(serde_json::Value::as_u64).unwrap_or(0),
            },
            Err(_) => written("application/octet-stream", Vec::new()),
        }
    }
}

impl Format for Arq {
    fn format(&self) -> ImportFormat {
        ImportFormat::Arq
    }

    fn shown(&self) -> String {
        shown("arq", &self.0.queues)
    }

    fn check(&self) -> Result<()> {
        self.0.check("arq", &["prefix", "failed", "unacked"])
    }

    fn units<'a>(&'a self, _source: &'a Foreign) -> Answer<'a, Vec<String>> {
        Box::pin(async { Ok(self.0.queues_or(QUEUE)) })
    }

    fn places(&self, unit: &Unit) -> Vec<Place> {
        vec![Place { name: "queued", key: unit.base.clone(), shape: "zset", stays: "", waits: true }]
    }

    fn items(&self, _unit: &Unit) -> Items {
        Items {
            record: Stored::String,
            records: JOB.to_owned(),
            beside: BTreeMap::from([("in-progress", [IN_PROGRESS, ""]), ("retry", ["arq:retry:", ""])]),
            guard: IN_PROGRESS,
            ..Items::default()
        }
    }

    fn key_of_its_own(&self, _unit: &Unit, raw: &Raw) -> Option<Vec<u8>> {
        Some([JOB.as_bytes(), &raw.name].concat())
    }

    fn translate(&self, unit: &Unit, raw: &Raw) -> std::result::Result<Adoptee, String> {
        let record = raw.fields.get("record").ok_or("its job has run out there, or is gone")?;
        if raw.fields.contains_key(":in-progress") {
            return Err("its workers have it".to_owned());
        }
        if raw.score == ABORTED {
            return Err("it was aborted there".to_owned());
        }
        let Written { content_type, function, first_try } = Written::read(record);
        if function.as_ref().is_some_and(|function| function.starts_with("cron:")) {
            return Err("it was made by a schedule, which goes on when it runs there".to_owned());
        }
        let made = raw.number(":retry").unwrap_or(0).max(first_try.saturating_sub(1));
        let made = u32::try_from(made).map_err(|_| "its number of attempts made is no count")?;

        let mut job = NewJob::new(self.0.kind_of(function.as_deref())?, record.clone());
        job.queue = self.0.names().queue(&unit.label)?;
        job.subject = translate::subject(&job.payload, self.0.subject.as_ref())?;
        job.due = Due::At(translate::due(&raw.score, ScoreUnit::Ms)?);
        job.max_attempts = Some(translate::attempts(RETRIES, made, false));
        job.headers = BTreeMap::from([
            ("content-type".to_owned(), content_type.to_owned()),
            ("arq-queue".to_owned(), unit.label.clone()),
        ]);
        job.headers.extend(translate::header("arq-id", &raw.name));
        job.headers.extend(function.map(|function| ("arq-function".to_owned(), function)));
        let state = (made > 0).then_some(JobState::Retrying);
        let past = Past { state, attempt: made, ..Past::default() };
        Ok(Adoptee { id: translate::job_id(JOB, &raw.name), job, past })
    }

    fn names_of(&self, unit: &Unit, raw: &Raw) -> [Option<String>; 2] {
        let function = raw.fields.get("record").and_then(|record| Written::read(record).function);
        self.0.names().unset(function, Some(unit.label.clone()))
    }

    fn due(&self, raw: &Raw) -> Option<Timestamp> {
        translate::due(&raw.score, ScoreUnit::Ms).ok()
    }
}

/// The queues whose keys begin as arq's own does.
pub(super) fn recognise(sets: &BTreeSet<String>) -> Vec<Candidate> {
    let is_queue = |key: &&String| *key == QUEUE || key.starts_with("arq:queue:");
    let is_queue = |key: &&String| is_queue(key) && !key.ends_with(":health-check");
    let candidate = |key: &String| Candidate {
        format: ImportFormat::Arq,
        place: key.clone(),
        keys: vec![(key.clone(), "zset")],
    };
    sets.iter().filter(is_queue).map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `pickle.dumps({"t": None, "f": "send", "a": (), "k": {}, "et": 1})`, protocol 4
    const PICKLE: &[u8] =
        b"\x80\x04\x95\x29\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01t\x94N\x8c\x01f\x94\x8c\x04send\x94\
        \x8c\x01a\x94)\x8c\x01k\x94}\x94\x8c\x02et\x94K\x01u.";

    fn read(record: &[u8], score: &str, beside: &[(&str, &str)]) -> std::result::Result<Adoptee, String> {
        let unit = Unit { label: QUEUE.to_owned(), base: QUEUE.to_owned(), journal: String::new() };
        let mut fields: BTreeMap<String, Vec<u8>> =
            beside.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
        fields.insert("record".to_owned(), record.to_vec());
        let raw = Raw { name: b"a1".to_vec(), score: score.to_owned(), fields, ..Raw::default() };
        Arq(QueuesSource::default()).translate(&unit, &raw)
    }

    #[test]
    fn a_job_is_carried_as_it_is_and_its_function_is_the_kind() {
        let Adoptee { id, job, past } = read(PICKLE, "2000000000123", &[]).unwrap();
        assert_eq!((id.as_str(), job.kind.as_str(), job.queue.as_str()), ("a1", "send", "arq.queue"));
        assert_eq!(job.due, Due::At(Timestamp::saturating_from_millis(2_000_000_000_123)));
        assert_eq!((job.payload.as_slice(), job.max_attempts, past.state), (PICKLE, Some(5), None));
        assert_eq!(job.headers["content-type"], "application/python-pickle");
    }

    #[test]
    fn jobs_in_msgpack_and_json_are_read_as_well_and_others_need_a_kind() {
        let packed = b"\x85\xa1t\x03\xa1f\xa4send\xa1a\x90\xa1k\x80\xa2et\x01";
        let Adoptee { job, past, .. } = read(packed, "2000000000123", &[]).unwrap();
        assert_eq!(
            (job.kind.as_str(), job.headers["content-type"].as_str()),
            ("send", "application/msgpack")
        );
        assert_eq!((past.attempt, past.state), (2, Some(JobState::Retrying)));
        let json = read(br#"{"t":null,"f":"send","a":[],"k":{},"et":1}"#, "2", &[]).unwrap().job;
        assert_eq!((json.kind.as_str(), json.headers["content-type"].as_str()), ("send", "application/json"));
        assert!(read(b"\x01", "2", &[]).unwrap_err().starts_with("its function cannot be read"));
    }

    #[test]
    fn tries_that_were_made_count() {
        let Adoptee { job, past, .. } = read(PICKLE, "2000000000123", &[(":retry", "7")]).unwrap();
        assert_eq!((job.max_attempts, past.attempt, past.state), (Some(8), 7, Some(JobState::Retrying)));
    }

    #[test]
    fn what_is_not_taken_has_a_reason() {
        assert_eq!(read(PICKLE, "2", &[(":in-progress", "1")]).unwrap_err(), "its workers have it");
        assert_eq!(read(PICKLE, "1", &[]).unwrap_err(), "it was aborted there");
        let cron = br#"{"t":null,"f":"cron:nightly"}"#;
        assert!(read(cron, "2", &[]).unwrap_err().starts_with("it was made by a schedule"));
    }

    proptest! {
        #[test]
        fn any_record_is_a_job_or_a_reason(bytes in proptest::collection::vec(any::<u8>(), 0..100), score in any::<f64>()) {
            let packed = [b"\x85\xa1t", bytes.as_slice()].concat();
            for record in [&bytes, &packed] {
                if let Err(why) = read(record, &score.to_string(), &[]) {
                    prop_assert!(!why.is_empty());
                }
            }
        }
    }
}
