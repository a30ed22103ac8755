//! asynq: per queue a list of what is pending, sorted sets of what waits or
//! has ended, and a hash per task with its protobuf.
//!
//! Not taken are what its workers have (`active`), and groups, whose tasks it
//! joins to one; both are said.

use super::candidate::texts_in;
use super::check;
use super::door::{Answer, Format, Pause, shown};
use super::score::SECONDS;
use super::script;
use super::source::AsynqSource;
use super::translate::{self, Raw};
use super::unit::{Call, Place, Unit, unless};
use crate::ImportFormat;
use prost::Message as _;
use reprieve::internals::{Adoptee, Foreign, Past};
use reprieve::model::{Delay, JobState, Timestamp};
use reprieve::{Due, NewJob, Result};
use reprieve_sinks::TaskMessage;
use std::collections::BTreeMap;

/// All queues asynq knows.
const QUEUES: &str = "asynq:queues";

/// The beginning of the keys of a queue.
fn base(queue: &str) -> String {
    format!("asynq:{{{queue}}}:")
}

/// All queues it knows, in order.
pub(super) async fn queues(source: &Foreign) -> Result<Vec<String>> {
    texts_in(source, QUEUES).await
}

/// The sorted sets of a queue whose tasks wait for their time.
pub(super) fn waiting_keys(queue: &str) -> Vec<String> {
    ["scheduled", "retry"].map(|place| format!("{}{place}", base(queue))).into()
}

/// Whether a key is one of its own.
pub(super) fn is_key(key: &str) -> bool {
    key.starts_with("asynq:")
}

#[derive(Debug, Clone)]
pub(super) struct Asynq(pub(super) AsynqSource);

impl Format for Asynq {
    fn format(&self) -> ImportFormat {
        ImportFormat::Asynq
    }

    fn shown(&self) -> String {
        shown("asynq", &self.0.queues)
    }

    fn check(&self) -> Result<()> {
        check::pointer("subject", self.0.subject.as_ref())
    }

    fn lists_units(&self) -> bool {
        self.0.queues.is_empty()
    }

    fn units<'a>(&'a self, source: &'a Foreign) -> Answer<'a, Vec<String>> {
        Box::pin(async move {
            let mut queues = self.0.queues.clone();
            if queues.is_empty() {
                queues = self::queues(source).await?;
            }
            check::count(&queues)?;
            Ok(queues)
        })
    }

    fn lists<'a>(&'a self, source: &'a Foreign, unit: &'a Unit) -> Answer<'a, bool> {
        Box::pin(async move { Ok(queues(source).await?.contains(&unit.label)) })
    }

    fn base(&self, label: &str) -> String {
        base(label)
    }

    fn due(&self, raw: &Raw) -> Option<Timestamp> {
        translate::due(&raw.score, SECONDS).ok()
    }

    /// What is due first.
    fn places(&self, unit: &Unit) -> Vec<Place> {
        let place = |name, shape, stays, waits| unit.place(name, shape, stays, waits);
        let archived =
            unless(self.0.archived, "they have ended; ask for archived tasks to take them as dead jobs");
        let completed =
            unless(self.0.completed, "they have ended; ask for completed tasks to take them as done jobs");
        vec![
            place("pending", "list", "", false),
            place("scheduled", "zset", "", true),
            place("retry", "zset", "", true),
            place("archived", "zset", archived, false),
            place("completed", "zset", completed, false),
            place("active", "list", "its workers have them", false),
            place("groups", "set", "groups wait to become one task; asynq joins them", false),
            place("aggregation_sets", "zset", "groups are just becoming one task; asynq joins them", false),
        ]
    }

    fn look(&self, unit: &Unit, place: &Place) -> Call {
        let arguments = vec![format!("{}t:", unit.base), place.shape.to_owned()];
        Call { arguments, ..Call::new(&script::ASYNQ_LOOK, vec![place.key.clone()]) }
    }

    /// The hash of a task.
    fn key_of_its_own(&self, unit: &Unit, raw: &Raw) -> Option<Vec<u8>> {
        Some([unit.base.as_bytes(), b"t:", &raw.name].concat())
    }

    fn park(&self, unit: &Unit) -> Call {
        Call::new(&script::ASYNQ_PARK, vec![unit.journal.clone(), unit.base.clone()])
    }

    fn restore(&self, unit: &Unit) -> Call {
        Call::new(&script::ASYNQ_RESTORE, vec![unit.journal.clone(), unit.base.clone()])
    }

    fn translate(&self, unit: &Unit, raw: &Raw) -> std::result::Result<Adoptee, String> {
        // At the source it is read beside the other fields; in the journal it is one of them.
        let bytes = raw.body.as_ref().or_else(|| raw.fields.get("msg")).ok_or("its hash has no message")?;
        let task = TaskMessage::decode(bytes.as_slice())
            .map_err(|error| format!("its message is no protobuf of asynq's: {error}"))?;
        check(unit, raw, &task)?;

        let names = self.0.names();
        let mut job = NewJob::new(names.kind(&task.r#type)?, task.payload.clone());
        job.queue = names.queue(&unit.label)?;
        job.subject = translate::subject(&task.payload, self.0.subject.as_ref())?;
        job.due = match raw.place.as_str() {
            "scheduled" | "retry" => Due::At(translate::due(&raw.score, SECONDS)?),
            "archived" | "completed" => Due::At(translate::due(&raw.score, SECONDS)?),
            _ => Due::Now,
        };
        let retries = u32::try_from(task.retry).map_err(|_| "its number of retries is negative")?;
        let retried = u32::try_from(task.retried).map_err(|_| "its number of retries made is negative")?;
        let attempt = attempts(raw, &task, retried);
        job.max_attempts = Some(retries.max(retried).saturating_add(1));
        job.timeout = span("timeout", task.timeout)?;
        job.retention = span("retention", task.retention)?;
        job.unique = raw.lock_ms.and_then(|ms| {
            let key = raw.fields.get("unique_key").map_or(task.unique_key.as_bytes(), Vec::as_slice);
            Some((translate::unique_key(key)?, Delay::millis(ms)))
        });
        job.headers = headers(raw, &task);
        let past = Past {
            state: match raw.place.as_str() {
                "retry" => Some(JobState::Retrying),
                "archived" => Some(JobState::Dead),
                "completed" => Some(JobState::Done),
                _ => None,
            },
            attempt,
            last_error: translate::error(&task.error_msg),
            failed: Some(task.last_failed_at).filter(|&at| at > 0).map(second),
            result: raw.fields.get("result").cloned().unwrap_or_default(),
            created: raw
                .fields
                .get("pending_since")
                .and_then(|text| std::str::from_utf8(text).ok()?.parse::<i64>().ok())
                .map(|nanos| Timestamp::saturating_from_millis(nanos / 1_000_000)),
        };
        Ok(Adoptee { id: translate::job_id(&unit.label, &raw.name), job, past })
    }

    /// Its type and queue, unless the settings say what these become.
    fn names_of(&self, unit: &Unit, raw: &Raw) -> [Option<String>; 2] {
        let bytes = raw.body.as_ref().or_else(|| raw.fields.get("msg"));
        let task = bytes.and_then(|bytes| TaskMessage::decode(bytes.as_slice()).ok());
        self.0.names().unset(task.map(|task| task.r#type), Some(unit.label.clone()))
    }

    fn notes<'a>(
        &'a self,
        source: &'a Foreign,
        unit: &'a Unit,
        notes: &'a mut Vec<String>,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let queue = &unit.label;
            let call = script::ASYNQ_STATE.key(&unit.base);
            let mut state = source.call(&call).await?;
            if let Some(since) = state.optional_text()? {
                notes.push(format!("queue {queue} is paused since {since} (Unix seconds); so will ours be"));
            }
            let groups = state.text()?;
            if groups != "0" {
                notes.push(format!("queue {queue} has groups whose tasks stay: {groups}"));
            }
            Ok(())
        })
    }

    /// A paused queue stays paused, or its tasks would run at once.
    fn pause<'a>(&'a self, source: &'a Foreign, unit: &'a Unit) -> Answer<'a, Option<Pause>> {
        Box::pin(async move {
            let call = script::ASYNQ_STATE.key(&unit.base);
            let since = source.call(&call).await?.optional_text()?;
            Ok(Some(Pause {
                why: format!("paused in asynq since {} (Unix seconds)", since.as_deref().unwrap_or_default()),
                since,
                queue: self.0.names().queue(&unit.label),
                system: "asynq",
            }))
        })
    }
}

/// Half-written tasks stay where they are, and those that a sink of ours has published: each would be a job once more.
fn check(unit: &Unit, raw: &Raw, task: &TaskMessage) -> std::result::Result<(), String> {
    if raw.fields.contains_key("x-reprieve") {
        return Err("Reprieve has published it".to_owned());
    }
    if task.id.as_bytes() != raw.name {
        return Err("its message says that it has another id".to_owned());
    }
    if task.queue != unit.label {
        return Err("its message says that it is of another queue".to_owned());
    }
    if task.r#type.trim().is_empty() {
        return Err("its message has no type".to_owned());
    }
    let state = raw.fields.get("state").map(|state| String::from_utf8_lossy(state).into_owned());
    if state.as_deref() != Some(raw.place.as_str()) {
        return Err(format!("its hash says that it is {}", state.as_deref().unwrap_or("nowhere")));
    }
    if raw.fields.contains_key("group") {
        return Err("it goes back to its group when it is due".to_owned());
    }
    Ok(())
}

/// Attempts made: asynq counts those that were followed by another one.
fn attempts(raw: &Raw, task: &TaskMessage, retried: u32) -> u32 {
    let failed_for_good = raw.place == "archived" && task.last_failed_at > 0;
    retried + u32::from(failed_for_good || raw.place == "completed")
}

fn span(what: &str, seconds: i64) -> std::result::Result<Option<Delay>, String> {
    match seconds {
        0 => Ok(None),
        seconds if seconds > 0 => Ok(Some(Delay::seconds(seconds))),
        _ => Err(format!("its {what} is negative")),
    }
}

fn second(at: i64) -> Timestamp {
    Timestamp::saturating_from_millis(at.saturating_mul(1_000))
}

/// The task's headers, and what has no field here: handlers find it where they find the rest.
fn headers(raw: &Raw, task: &TaskMessage) -> BTreeMap<String, String> {
    let mut headers = task.headers.clone();
    let mut add = |name: &str, value: String| {
        headers.entry(format!("asynq-{name}")).or_insert(value);
    };
    add("type", task.r#type.clone());
    add("queue", task.queue.clone());
    add("id", task.id.clone());
    if task.deadline != 0 {
        add("deadline", task.deadline.to_string());
    }
    if !task.group_key.is_empty() {
        add("group", task.group_key.clone());
    }
    if task.completed_at != 0 {
        add("completed-at", task.completed_at.to_string());
    }
    if raw.place == "archived" {
        add("archived-at", raw.score.clone());
    }
    headers
}
