//! RQ 2 and 3: per queue a list of ids, which workers take from its left end, sorted sets of ids for what is scheduled or has
//! ended, and a hash per job. What the job is to do is deflated, and pickled unless a queue was given another serializer.
//!
//! Not taken are what its workers have, what has ended well, and what only RQ can go on with: jobs that others wait for or
//! that wait for others, with callbacks, repeats or rate limits.

use super::candidate::{Candidate, texts_in, wrong_type_is};
use super::door::{Answer, Format, Pause, shown};
use super::items::{Items, Stored};
use super::python::{self, Value};
use super::score::ScoreUnit;
use super::source::QueuesSource;
use super::translate::{self, Raw};
use super::unit::{Place, Unit, unless_failed};
use crate::ImportFormat;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use redis::cmd;
use reprieve::internals::{Adoptee, Foreign, Past};
use reprieve::model::{Delay, JobState, Timestamp};
use reprieve::{Due, NewJob, PAYLOAD_BYTES_MAX, Result};
use std::collections::BTreeMap;

/// All queues, each by the key of its list.
const QUEUES: &str = "rq:queues";
const QUEUE: &str = "rq:queue:";
const JOB: &str = "rq:job:";
/// There while all workers are suspended.
const SUSPENDED: &str = "rq:suspended";

/// Queues of RQ.
#[derive(Debug, Clone)]
pub(super) struct Rq(pub(super) QueuesSource);

/// What a job is to do.
struct Call {
    bytes: Vec<u8>,
    content_type: &'static str,
    function: Option<String>,
}

impl Call {
    fn read(raw: &Raw) -> std::result::Result<Self, String> {
        let stored = raw.fields.get("data").ok_or("its hash is gone, or is none of a job")?;
        // What is not deflated is read as it is, as RQ does.
        let bytes = match decompress_to_vec_zlib_with_limit(stored, PAYLOAD_BYTES_MAX) {
            Err(error) if error.status == miniz_oxide::inflate::TINFLStatus::HasMoreOutput => {
                return Err(format!("what it is to do is more than {PAYLOAD_BYTES_MAX} bytes"));
            }
            inflated => inflated.unwrap_or_else(|_| stored.clone()),
        };
        if let Some(values) = python::first_values(&bytes) {
            let function = values.into_iter().next().and_then(Value::text);
            return Ok(Self { bytes, content_type: "application/python-pickle", function });
        }
        match serde_json::from_slice::<serde_json::Value>(&bytes) {
            Ok(json) => {
                let function = json.get(0).and_then(|name| name.as_str()).map(str::to_owned);
                Ok(Self { bytes, content_type: "application/json", function })
            }
            Err(_) => Ok(Self { bytes, content_type: "application/octet-stream", function: None }),
        }
    }
}

impl Format for Rq {
    fn format(&self) -> ImportFormat {
        ImportFormat::Rq
    }

    fn shown(&self) -> String {
        shown("rq", &self.0.queues)
    }

    fn check(&self) -> Result<()> {
        self.0.check("RQ", &["prefix", "unacked"])
    }

    fn lists_units(&self) -> bool {
        self.0.queues.is_empty()
    }

    fn units<'a>(&'a self, source: &'a Foreign) -> Answer<'a, Vec<String>> {
        Box::pin(async move {
            if self.0.queues.is_empty() { queues(source).await } else { Ok(self.0.queues.clone()) }
        })
    }

    fn lists<'a>(&'a self, source: &'a Foreign, unit: &'a Unit) -> Answer<'a, bool> {
        Box::pin(async move { Ok(queues(source).await?.contains(&unit.label)) })
    }

    fn places(&self, unit: &Unit) -> Vec<Place> {
        let place = |name: &'static str, key: &str, shape, stays| Place {
            name,
            key: format!("rq:{key}:{}", unit.label),
            shape,
            stays,
            waits: name == "scheduled",
        };
        vec![
            place("queued", "queue", "list", ""),
            place("scheduled", "scheduled", "zset", ""),
            place("failed", "failed", "zset", unless_failed(self.0.failed)),
            place("deferred", "deferred", "zset", "they wait for other jobs; RQ starts them"),
            place("started", "wip", "zset", "its workers have them"),
            place("finished", "finished", "zset", "they have ended"),
            place("canceled", "canceled", "zset", "they have ended"),
        ]
    }

    fn items(&self, unit: &Unit) -> Items {
        Items {
            record: Stored::Hash,
            records: JOB.to_owned(),
            from_left: true,
            beside: BTreeMap::from([("dependents", [JOB, ":dependents"])]),
            mover: format!("rq:scheduler-lock:{}", unit.label),
            ..Items::default()
        }
    }

    fn key_of_its_own(&self, _unit: &Unit, raw: &Raw) -> Option<Vec<u8>> {
        Some([JOB.as_bytes(), &raw.name].concat())
    }

    fn translate(&self, unit: &Unit, raw: &Raw) -> std::result::Result<Adoptee, String> {
        let call = Call::read(raw)?;
        check(unit, raw)?;
        let made = raw.number("number_of_retries").unwrap_or(0);
        let left = raw.number("retries_left").unwrap_or(0);
        let made = u32::try_from(made).map_err(|_| "its number of attempts made is no count")?;

        let kind = self.0.kind_of(call.function.as_deref())?;
        let mut job = NewJob::new(kind, call.bytes);
        job.queue = self.0.names().queue(&unit.label)?;
        job.subject = translate::subject(&job.payload, self.0.subject.as_ref())?;
        let has_ended = raw.place == "failed";
        let ended = instant(raw, "ended_at").or_else(|| instant(raw, "created_at"));
        job.due = match raw.place.as_str() {
            "scheduled" => Due::At(translate::due(&raw.score, ScoreUnit::S)?),
            // Its score is when RQ forgets it.
            "failed" => ended.map_or(Due::Now, Due::At),
            _ => Due::Now,
        };
        job.max_attempts = Some(translate::attempts(left.saturating_add(made.into()), made, has_ended));
        let seconds =
            |field| raw.number(field).and_then(|seconds| i64::try_from(seconds).ok()).filter(|&s| s > 0);
        job.timeout = seconds("timeout").map(Delay::seconds);
        job.retention = seconds("result_ttl").map(Delay::seconds);
        job.headers = BTreeMap::from([
            ("content-type".to_owned(), call.content_type.to_owned()),
            ("rq-queue".to_owned(), unit.label.clone()),
        ]);
        job.headers.extend(translate::header("rq-id", &raw.name));
        job.headers.extend(call.function.map(|function| ("rq-function".to_owned(), function)));
        for (name, field) in [("rq-description", "description"), ("rq-group", "group_id")] {
            let text = raw.fields.get(field).filter(|text| !text.is_empty() && text.len() < 1_024);
            job.headers.extend(text.and_then(|text| translate::header(name, text)));
        }
        let past = Past {
            state: match raw.place.as_str() {
                "scheduled" if made > 0 => Some(JobState::Retrying),
                "failed" => Some(JobState::Dead),
                _ => None,
            },
            attempt: if has_ended { made.saturating_add(1) } else { made },
            failed: ended.filter(|_| has_ended),
            created: instant(raw, "created_at"),
            ..Past::default()
        };
        job.max_attempts = job.max_attempts.map(|most| most.max(past.attempt));
        Ok(Adoptee { id: translate::job_id(JOB, &raw.name), job, past })
    }

    fn names_of(&self, unit: &Unit, raw: &Raw) -> [Option<String>; 2] {
        let function = Call::read(raw).ok().and_then(|call| call.function);
        self.0.names().unset(function, Some(unit.label.clone()))
    }

    fn notes<'a>(
        &'a self,
        source: &'a Foreign,
        unit: &'a Unit,
        notes: &'a mut Vec<String>,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            if suspended(source).await?.is_some() {
                notes.push(format!("queue {} is paused; so will ours be", unit.label));
            }
            Ok(())
        })
    }

    /// While all workers are suspended every queue stays paused, or its jobs would run at once.
    fn pause<'a>(&'a self, source: &'a Foreign, unit: &'a Unit) -> Answer<'a, Option<Pause>> {
        Box::pin(async move {
            let since = suspended(source).await?;
            let (system, why) = ("RQ", "the workers of RQ are suspended".to_owned());
            Ok(Some(Pause { since, queue: self.0.names().queue(&unit.label), system, why }))
        })
    }

    fn due(&self, raw: &Raw) -> Option<Timestamp> {
        translate::due(&raw.score, ScoreUnit::S).ok()
    }
}

/// What only RQ can go on with stays there.
fn check(unit: &Unit, raw: &Raw) -> std::result::Result<(), String> {
    let has = |field: &str| raw.fields.get(field).is_some_and(|value| !value.is_empty());
    let status = raw.text("status").unwrap_or_default();
    if status != raw.place {
        return Err(format!(
            "its hash says that it is {}",
            if status.is_empty() { "nowhere" } else { &status }
        ));
    }
    if raw.text("origin").is_some_and(|origin| origin != unit.label) {
        return Err("its message says that it is of another queue".to_owned());
    }
    if has(":moving") {
        return Err("it is due, and RQ's scheduler may be moving it".to_owned());
    }
    if has(":dependents") {
        return Err("other jobs wait for it, which RQ starts".to_owned());
    }
    if ["success_callback_name", "failure_callback_name", "stopped_callback_name", "webhooks"]
        .into_iter()
        .any(has)
    {
        return Err("it has callbacks, which only RQ can call".to_owned());
    }
    if raw.number("repeats_left").is_some_and(|left| left > 0) {
        return Err("it repeats, which only RQ goes on with".to_owned());
    }
    if has("rate_limit_key") {
        return Err("its rate is limited, which only RQ counts".to_owned());
    }
    Ok(())
}

fn instant(raw: &Raw, field: &str) -> Option<Timestamp> {
    let time: jiff::Timestamp = raw.text(field)?.parse().ok()?;
    Some(Timestamp::saturating_from_millis(time.as_millisecond()))
}

async fn suspended(source: &Foreign) -> Result<Option<String>> {
    wrong_type_is(None, source.query(cmd("GET").arg(SUSPENDED)).await)
}

/// All queues it knows, in order.
async fn queues(source: &Foreign) -> Result<Vec<String>> {
    let keys = wrong_type_is(Vec::new(), texts_in(source, QUEUES).await)?;
    Ok(keys.iter().filter_map(|key| key.strip_prefix(QUEUE).map(str::to_owned)).collect())
}

/// The queues that RQ lists.
pub(super) async fn recognise(there: &Foreign) -> Result<Vec<Candidate>> {
    let candidate = |queue: String| Candidate {
        format: ImportFormat::Rq,
        keys: vec![(format!("rq:scheduled:{queue}"), "zset"), (format!("{QUEUE}{queue}"), "list")],
        place: queue,
    };
    Ok(queues(there).await?.into_iter().map(candidate).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::deflate::compress_to_vec_zlib;
    use proptest::prelude::*;

    /// `pickle.dumps(("shop.mail", None, (), {}))`
    const PICKLE: &[u8] = b"\x80\x05\x95\x14\x00\x00\x00\x00\x00\x00\x00(\x8c\x09shop.mail\x94N)}\x94t\x94.";

    fn read(
        place: &str,
        score: &str,
        data: &[u8],
        fields: &[(&str, &str)],
    ) -> std::result::Result<Adoptee, String> {
        let unit = Unit { label: "low".to_owned(), base: "low".to_owned(), journal: String::new() };
        let own = [("status", place), ("origin", "low"), ("timeout", "180"), ("result_ttl", "500")];
        let mut all: BTreeMap<String, Vec<u8>> = own
            .iter()
            .chain(fields)
            .map(|(field, value)| ((*field).to_owned(), value.as_bytes().to_vec()))
            .collect();
        all.insert("data".to_owned(), compress_to_vec_zlib(data, 6));
        let raw = Raw {
            place: place.to_owned(),
            name: b"a1".to_vec(),
            score: score.to_owned(),
            fields: all,
            ..Raw::default()
        };
        Rq(QueuesSource::default()).translate(&unit, &raw)
    }

    #[test]
    fn a_pickled_call_is_carried_as_it_is_and_its_function_is_the_kind() {
        let created = [("created_at", "2026-11-29T05:00:00.123456Z"), ("description", "Mail to Ann")];
        let Adoptee { id, job, past } = read("scheduled", "2000000000", PICKLE, &created).unwrap();
        assert_eq!((id.as_str(), job.kind.as_str(), job.queue.as_str()), ("a1", "shop.mail", "low"));
        assert_eq!((job.payload.as_slice(), job.max_attempts), (PICKLE, Some(1)));
        assert_eq!(job.due, Due::At(Timestamp::saturating_from_millis(2_000_000_000_000)));
        assert_eq!((job.timeout, job.retention), (Some(Delay::seconds(180)), Some(Delay::seconds(500))));
        assert_eq!(past.created.unwrap().as_millis() % 1_000, 123);
        assert_eq!(job.headers["content-type"], "application/python-pickle");
        assert_eq!(
            (job.headers["rq-id"].as_str(), job.headers["rq-description"].as_str()),
            ("a1", "Mail to Ann")
        );
    }

    #[test]
    fn calls_in_json_are_told_from_pickled_ones_and_others_need_a_kind() {
        let job = read("queued", "", br#"["shop.mail",null,[1],{}]"#, &[]).unwrap().job;
        assert_eq!(
            (job.kind.as_str(), job.headers["content-type"].as_str()),
            ("shop.mail", "application/json")
        );
        let unknown = read("queued", "", b"\x01\x02", &[]).unwrap_err();
        assert_eq!(unknown, "its function cannot be read; `kind` names a kind for such jobs");
    }

    #[test]
    fn retries_that_were_made_count_and_what_has_failed_is_dead_since_then() {
        let retried = [("number_of_retries", "2"), ("retries_left", "1")];
        let Adoptee { job, past, .. } = read("scheduled", "2000000000", PICKLE, &retried).unwrap();
        assert_eq!((job.max_attempts, past.attempt, past.state), (Some(4), 2, Some(JobState::Retrying)));
        let ended = [("number_of_retries", "2"), ("ended_at", "2026-11-29T05:00:00.5Z")];
        let Adoptee { job, past, .. } = read("failed", "1826000000", PICKLE, &ended).unwrap();
        assert_eq!((job.max_attempts, past.attempt, past.state), (Some(3), 3, Some(JobState::Dead)));
        assert_eq!(past.failed.unwrap().as_millis(), 1_795_928_400_500);
    }

    #[test]
    fn what_is_not_taken_has_a_reason() {
        let reason = |field: &str, value: &str| read("queued", "", PICKLE, &[(field, value)]).unwrap_err();
        assert_eq!(reason("status", "started"), "its hash says that it is started");
        assert_eq!(reason("origin", "high"), "its message says that it is of another queue");
        assert_eq!(reason(":dependents", "1"), "other jobs wait for it, which RQ starts");
        assert_eq!(reason("success_callback_name", "a.b"), "it has callbacks, which only RQ can call");
        assert_eq!(reason("repeats_left", "2"), "it repeats, which only RQ goes on with");
        let long = read("queued", "", &vec![b'x'; PAYLOAD_BYTES_MAX + 1], &[]).unwrap_err();
        assert_eq!(long, "what it is to do is more than 262144 bytes");
    }

    proptest! {
        #[test]
        fn any_data_are_a_job_or_a_reason(data in proptest::collection::vec(any::<u8>(), 0..200), score in any::<f64>()) {
            if let Err(why) = read("scheduled", &score.to_string(), &data, &[]) {
                prop_assert!(!why.is_empty());
            }
        }
    }
}
