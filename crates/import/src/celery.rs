//! Celery 4 and later on Redis, by kombu: a list of messages for each queue and priority, and what workers have received but
//! not acknowledged in a hash, with a sorted set beside it.
//!
//! A running worker receives every message with a due time at once and keeps it in memory until then; stopped in an orderly way
//! it puts them back into their lists. Only a worker that was killed leaves them in the hash, where they are taken on request.
//! Not taken is what only Celery can go on with: chains, chords and callbacks.

use super::candidate::{Candidate, wrong_type_is};
use super::door::{Answer, Format, shown};
use super::items::{Items, Stored};
use super::source::QueuesSource;
use super::translate::{self, Raw};
use super::unit::{Place, Unit, unless};
use crate::ImportFormat;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use redis::cmd;
use reprieve::internals::{Adoptee, Foreign, Past};
use reprieve::model::{Delay, JobState, LatePolicy, Lateness, Priority, Timestamp};
use reprieve::{Due, NewJob, Result};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The queue of those who name none.
const QUEUE: &str = "celery";
/// The unit of what workers have received; kombu has a hash of that name, so that no queue has it.
const UNACKED: &str = "unacked";
/// The lists of a queue, the most urgent first. Celery uses 0, 3, 6 and 9 unless told otherwise.
const PRIORITIES: [&str; 10] = [
    "priority 0",
    "priority 1",
    "priority 2",
    "priority 3",
    "priority 4",
    "priority 5",
    "priority 6",
    "priority 7",
    "priority 8",
    "priority 9",
];
/// What the key of the list of any other priority than 0 has between the queue and the priority, and what parts of a binding
/// have between them.
const SEPARATOR: &str = "\u{6}\u{16}";
/// Retries unless a task says otherwise: it alone knows.
const RETRIES: u64 = 3;
/// Where its priorities begin here: 0 is the usual one in both.
const PRIORITY_FROM: u8 = 5;

#[derive(Deserialize)]
struct Message {
    body: String,
    #[serde(rename = "content-type", default)]
    content_type: String,
    headers: Headers,
    #[serde(default)]
    properties: Properties,
}

#[derive(Deserialize)]
struct Headers {
    task: Option<String>,
    id: Option<String>,
    eta: Option<String>,
    expires: Option<String>,
    retries: Option<u32>,
    /// Hard and soft, in seconds.
    #[serde(default)]
    timelimit: Vec<Option<f64>>,
    compression: Option<String>,
    group: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Properties {
    body_encoding: Option<String>,
    priority: u8,
    delivery_info: Delivery,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Delivery {
    routing_key: String,
}

impl Message {
    fn read(raw: &Raw) -> std::result::Result<Self, String> {
        let no_json = |error| translate::no_json("Celery", &error);
        match raw.fields.get("record") {
            // With the exchange and routing key it came by.
            Some(record) => {
                serde_json::from_slice::<(Self, Value, Value)>(record).map(|read| read.0).map_err(no_json)
            }
            None => serde_json::from_slice(&raw.name).map_err(no_json),
        }
    }

    fn payload(&self) -> std::result::Result<Vec<u8>, String> {
        match self.properties.body_encoding.as_deref() {
            Some("base64") => {
                STANDARD.decode(&self.body).map_err(|error| format!("its body is no base64: {error}"))
            }
            _ => Ok(self.body.clone().into_bytes()),
        }
    }

    /// The queue it is sent to.
    fn queue(&self, unit: &Unit) -> String {
        if unit.label == UNACKED {
            self.properties.delivery_info.routing_key.clone()
        } else {
            unit.label.clone()
        }
    }
}

/// Queues of Celery.
#[derive(Debug, Clone)]
pub(super) struct Celery(pub(super) QueuesSource);

impl Format for Celery {
    fn format(&self) -> ImportFormat {
        ImportFormat::Celery
    }

    fn shown(&self) -> String {
        shown("celery", &self.0.queues)
    }

    fn check(&self) -> Result<()> {
        self.0.check("Celery", &["failed", "kind"])
    }

    fn id_in_member(&self, raw: &Raw) -> Option<Option<String>> {
        let is_whole = !raw.fields.contains_key("record");
        is_whole.then(|| Message::read(raw).ok().and_then(|message| message.headers.id))
    }

    fn units<'a>(&'a self, _source: &'a Foreign) -> Answer<'a, Vec<String>> {
        Box::pin(async {
            let mut units = self.0.queues_or(QUEUE);
            units.push(UNACKED.to_owned());
            Ok(units)
        })
    }

    fn base(&self, label: &str) -> String {
        self.0.key(label)
    }

    fn places(&self, unit: &Unit) -> Vec<Place> {
        if unit.label == UNACKED {
            let stays = unless(
                self.0.unacked,
                "its workers hold them, those with a due time as well; stop them, and ask for these if they stay",
            );
            let key = self.0.key("unacked_index");
            return vec![Place { name: "received", key, shape: "zset", stays, waits: false }];
        }
        let list = |(priority, name): (usize, &'static str)| {
            let key =
                if priority == 0 { unit.base.clone() } else { format!("{}{SEPARATOR}{priority}", unit.base) };
            Place { name, key, shape: "list", stays: "", waits: false }
        };
        PRIORITIES.into_iter().enumerate().map(list).collect()
    }

    fn items(&self, unit: &Unit) -> Items {
        let record = if unit.label == UNACKED { Stored::Field } else { Stored::Member };
        Items { record, records: self.0.key(UNACKED), ..Items::default() }
    }

    fn translate(&self, unit: &Unit, raw: &Raw) -> std::result::Result<Adoptee, String> {
        let message = Message::read(raw)?;
        let payload = message.payload()?;
        let queue = message.queue(unit);
        if !self.0.queues_or(QUEUE).contains(&queue) {
            return Err(super::OF_ANOTHER_QUEUE.to_owned());
        }
        let headers = message.headers;
        let Some((task, id)) = headers.task.zip(headers.id) else {
            return Err("it is a message of another protocol than Celery's second".to_owned());
        };
        let is_json = message.content_type == "application/json" && headers.compression.is_none();
        if is_json {
            check_embedded(&payload)?;
        }
        let eta = headers.eta.as_deref().map(instant).transpose()?;
        if unit.label == UNACKED && eta.is_none() {
            return Err("it has no due time, and a worker may be working on it".to_owned());
        }
        let made = headers.retries.unwrap_or(0);

        let mut job = NewJob::new(self.0.names().kind(&task)?, payload);
        job.queue = self.0.names().queue(&queue)?;
        job.subject = translate::subject(&job.payload, self.0.subject.as_ref())?;
        job.due = eta.map_or(Due::Now, Due::At);
        job.lateness = lateness(eta, headers.expires.as_deref())?;
        job.priority = priority(message.properties.priority);
        job.max_attempts = Some(translate::attempts(RETRIES, made, false));
        job.timeout = timeout(&headers.timelimit);
        job.headers = BTreeMap::from([
            ("content-type".to_owned(), message.content_type),
            ("celery-task".to_owned(), task),
            ("celery-queue".to_owned(), queue),
        ]);
        job.headers.extend(headers.compression.map(|name| ("celery-compression".to_owned(), name)));
        job.headers.extend(headers.group.map(|name| ("celery-group".to_owned(), name)));
        let state = (made > 0 && eta.is_some()).then_some(JobState::Retrying);
        let past = Past { state, attempt: made, ..Past::default() };
        Ok(Adoptee { id: translate::job_id(QUEUE, id.as_bytes()), job, past })
    }

    fn names_of(&self, unit: &Unit, raw: &Raw) -> [Option<String>; 2] {
        let message = Message::read(raw).ok();
        let queue = message.as_ref().map(|message| message.queue(unit));
        self.0.names().unset(message.and_then(|message| message.headers.task), queue)
    }

    /// The due time is in the message, and no place has it as its score.
    fn due(&self, _raw: &Raw) -> Option<Timestamp> {
        None
    }
}

/// Reads `[args, kwargs, embed]`: what Celery is to do when the task has ended.
fn check_embedded(payload: &[u8]) -> std::result::Result<(), String> {
    let body: Value =
        serde_json::from_slice(payload).map_err(|error| translate::no_json("Celery", &error))?;
    let follows = |field: &str| match &body[2][field] {
        Value::Null => false,
        Value::Array(tasks) => !tasks.is_empty(),
        _ => true,
    };
    if ["callbacks", "errbacks", "chain", "chord"].into_iter().any(follows) {
        return Err("other tasks follow on it, which only Celery starts".to_owned());
    }
    Ok(())
}

/// An instant with its time zone, rounded up to whole milliseconds: never early.
fn instant(text: &str) -> std::result::Result<Timestamp, String> {
    let time: jiff::Timestamp =
        text.parse().map_err(|_| "its eta is no time, or has no time zone".to_owned())?;
    let micros = time.as_microsecond();
    let up = i64::from(micros.rem_euclid(1_000) != 0);
    Ok(Timestamp::saturating_from_millis(micros.div_euclid(1_000).saturating_add(up)))
}

/// Celery drops what starts later than it expires. That can be kept where it is known when it is due.
fn lateness(eta: Option<Timestamp>, expires: Option<&str>) -> std::result::Result<Option<Lateness>, String> {
    let Some(expires) = expires else { return Ok(None) };
    let Some(eta) = eta else {
        return Err("it expires and has no due time, so that nothing is left to plan".to_owned());
    };
    let most = Delay::millis(instant(expires)?.millis_since(eta).max(0));
    Ok(Some(Lateness { most, policy: LatePolicy::Skip }))
}

fn timeout(limits: &[Option<f64>]) -> Option<Delay> {
    let seconds = limits.iter().flatten().copied().filter(|&seconds| seconds > 0.0).fold(f64::NAN, f64::max);
    #[expect(clippy::cast_possible_truncation, reason = "a float saturates, and NaN is 0")]
    let ms = (seconds * 1e3).ceil() as i64;
    (ms > 0).then(|| Delay::millis(ms))
}

/// Four of the usual steps have room here.
fn priority(theirs: u8) -> Priority {
    Priority::new(PRIORITY_FROM.saturating_add(theirs / 2)).unwrap_or(Priority::LAST)
}

/// The queues that are bound to an exchange, as these keys say.
pub(super) async fn recognise(there: &Foreign, bindings: &BTreeSet<String>) -> Result<Vec<Candidate>> {
    let mut queues = BTreeSet::new();
    for key in bindings.iter().filter(|key| !key.ends_with(".pidbox") && !key.ends_with(".celeryev")) {
        let bound: Vec<Vec<u8>> = wrong_type_is(Vec::new(), there.query(cmd("SMEMBERS").arg(key)).await)?;
        let names = bound.into_iter().filter_map(|name| String::from_utf8(name).ok());
        queues.extend(names.filter_map(|name| Some(name.rsplit(SEPARATOR).next()?.to_owned())));
    }
    queues.retain(|queue| !queue.contains(".pidbox") && !queue.starts_with("celeryev."));
    let list = |queue: &str, priority: usize| match priority {
        0 => (queue.to_owned(), "list"),
        _ => (format!("{queue}{SEPARATOR}{priority}"), "list"),
    };
    let candidate = |queue: String| Candidate {
        format: ImportFormat::Celery,
        keys: (0..PRIORITIES.len()).map(|priority| list(&queue, priority)).collect(),
        place: queue,
    };
    Ok(queues.into_iter().map(candidate).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_as(
        label: &str,
        headers: &str,
        properties: &str,
        body: &str,
    ) -> std::result::Result<Adoptee, String> {
        let body = STANDARD.encode(body);
        let message = format!(
            r#"{{"body":"{body}","content-encoding":"utf-8","content-type":"application/json","headers":{{"task":"shop.mail","id":"a1"{headers}}},"properties":{{"body_encoding":"base64"{properties}}}}}"#
        );
        let mut raw =
            Raw { place: "priority 0".to_owned(), name: message.clone().into_bytes(), ..Raw::default() };
        if label == UNACKED {
            raw.name = b"tag".to_vec();
            raw.fields.insert("record".to_owned(), format!(r#"[{message},"","celery"]"#).into_bytes());
        }
        let unit = Unit { label: label.to_owned(), base: label.to_owned(), journal: String::new() };
        Celery(QueuesSource::default()).translate(&unit, &raw)
    }

    const BODY: &str =
        r#"[[1], {"x": 1.10}, {"callbacks": null, "errbacks": null, "chain": null, "chord": null}]"#;

    #[test]
    fn every_field_has_its_place_and_a_due_time_is_rounded_up() {
        let headers = r#","eta":"2033-05-18T05:33:20.123001+02:00","retries":2,"timelimit":[60,null]"#;
        let Adoptee { id, job, past } = read_as("celery", headers, r#","priority":3"#, BODY).unwrap();
        assert_eq!((id.as_str(), job.kind.as_str(), job.queue.as_str()), ("a1", "shop.mail", "celery"));
        assert_eq!((job.payload.as_slice(), job.max_attempts), (BODY.as_bytes(), Some(4)));
        assert_eq!(job.due, Due::At(Timestamp::saturating_from_millis(2_000_000_000_124)));
        assert_eq!((job.timeout, job.priority.as_u8()), (Some(Delay::seconds(60)), 6));
        assert_eq!((past.state, past.attempt), (Some(JobState::Retrying), 2));
    }

    #[test]
    fn priorities_keep_the_order_of_the_usual_steps() {
        assert_eq!([0, 3, 6, 9, 255].map(|theirs| priority(theirs).as_u8()), [5, 6, 8, 9, 9]);
    }

    #[test]
    fn what_expires_is_called_off_as_late_as_celery_would() {
        let both = r#","eta":"2033-05-18T03:33:20+00:00","expires":"2033-05-18T03:34:20+00:00""#;
        let job = read_as("celery", both, "", BODY).unwrap().job;
        assert_eq!(job.lateness, Some(Lateness { most: Delay::seconds(60), policy: LatePolicy::Skip }));
        let alone = read_as("celery", r#","expires":"2033-05-18T03:34:20+00:00""#, "", BODY).unwrap_err();
        assert_eq!(alone, "it expires and has no due time, so that nothing is left to plan");
    }

    #[test]
    fn of_what_workers_have_received_only_what_waits_is_taken() {
        let celery = r#","delivery_info":{"exchange":"","routing_key":"celery"}"#;
        let waits = read_as(UNACKED, r#","eta":"2033-05-18T03:33:20+00:00""#, celery, BODY).unwrap();
        assert_eq!((waits.id.as_str(), waits.job.queue.as_str()), ("a1", "celery"));
        let reason =
            |headers: &str, properties: &str| read_as(UNACKED, headers, properties, BODY).unwrap_err();
        assert_eq!(reason("", celery), "it has no due time, and a worker may be working on it");
        assert_eq!(reason("", &celery.replace("celery", "other")), "it is of a queue that was not named");
    }

    #[test]
    fn what_only_celery_can_go_on_with_stays() {
        let reason = |body: &str, headers: &str| read_as("celery", headers, "", body).unwrap_err();
        let follows = "other tasks follow on it, which only Celery starts";
        assert_eq!(reason(r#"[[], {}, {"chain": [{"task": "b"}]}]"#, ""), follows);
        assert_eq!(reason(r#"[[], {}, {"chord": {"task": "b"}}]"#, ""), follows);
        assert!(read_as("celery", "", "", r#"[[], {}, {"chain": []}]"#).is_ok());
        assert_eq!(
            reason(BODY, r#","eta":"2033-05-18T03:33:20""#),
            "its eta is no time, or has no time zone"
        );
    }

    proptest! {
        #[test]
        fn any_headers_and_body_are_a_job_or_a_reason(headers in "\\PC{0,100}", body in "\\PC{0,100}") {
            if let Err(why) = read_as("celery", &headers, "", &body) {
                prop_assert!(!why.is_empty());
            }
        }
    }
}
