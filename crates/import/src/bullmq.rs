//! BullMQ 5 and 6: per queue lists and sorted sets of ids, and a hash per job with JSON data and options.
//!
//! Not imported: active jobs, completed jobs, and what only BullMQ can continue: jobs of a flow, and jobs that a schedule made.

use super::check;
use super::door::{Answer, Format, Pause, shown};
use super::score::ScoreUnit;
use super::script;
use super::source::BullmqSource;
use super::translate::{self, Raw};
use super::unit::{Call, Place, Unit, unless_failed};
use crate::ImportFormat;
use reprieve::internals::{Adoptee, Foreign, Past, in_one_line, invalid};
use reprieve::model::{Delay, JobState, Priority, Timestamp};
use reprieve::{Due, Error, NewJob, Result};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A score of `delayed` is ms × 4096 and a counter.
const SCORES_A_MS: f64 = 4096.0;
/// Where its priorities begin here: what has none comes first there, and has the usual one here.
const PRIORITY_FROM: u64 = 5;
/// Longest options kept as a header, in bytes: all headers of a job have 8 KiB.
const OPTIONS_BYTES_MAX: usize = 4 * 1_024;
/// Characters of what a parser says.
const WHY_CHARS_MAX: usize = 200;

/// What is read of a job's options. Others stay in the journal and in a header.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    /// Attempts in all; 0 is one.
    attempts: Option<u64>,
    /// `true`, a count, or `{ age: seconds, count }`.
    remove_on_complete: Value,
    /// The schedule it was made by, before there were schedulers.
    repeat: Value,
}

#[derive(Debug, Clone)]
pub(super) struct Bullmq(pub(super) BullmqSource);

/// What the keys of a queue begin with, `<prefix>:<queue>`, by the hash in which it says what it is; `None` for any other key.
pub(super) fn base_of(meta: &str) -> Option<&str> {
    meta.strip_suffix(":meta").filter(|base| base.contains(':'))
}

/// How a queue is named: with its prefix, where that is not the usual one. No queue has a colon in its name.
pub(super) fn place_of(base: &str) -> &str {
    base.strip_prefix("bull:").filter(|queue| !queue.contains(':')).unwrap_or(base)
}

/// The keys of a queue: of its jobs that wait, those with a due time first; and of what it says of itself.
pub(super) fn keys_of(base: &str) -> ([String; 4], String) {
    let key = |name| format!("{base}:{name}");
    (["delayed", "wait", "paused", "prioritized"].map(key), key("meta"))
}

/// Whether a set of a queue holds the ids of jobs that wait; they are counted with it.
pub(super) fn is_waiting(set: &str) -> bool {
    matches!(set, "delayed" | "prioritized")
}

/// When the job of that score in `delayed` is due: from that millisecond on BullMQ starts it.
pub(super) fn due(score: &str) -> std::result::Result<Timestamp, String> {
    let value: f64 = score.parse().map_err(|_| "its score is no number".to_owned())?;
    translate::due(&(value / SCORES_A_MS).floor().to_string(), ScoreUnit::Ms)
}

/// The lowest score in `delayed` of a job that is due after that.
pub(super) fn score_after(now: Timestamp) -> i64 {
    now.as_millis().saturating_add(1).saturating_mul(4_096)
}

impl Bullmq {
    fn call(act: &str, unit: &Unit) -> Call {
        let keys = vec![unit.journal.clone(), unit.base.clone()];
        Call { arguments: vec![act.to_owned()], ..Call::new(&script::BULLMQ, keys) }
    }

    /// Whether the queue is paused, and who opened it last. A key of another type says neither.
    async fn meta(&self, source: &Foreign, unit: &Unit) -> Result<[Option<String>; 2]> {
        let mut read = redis::cmd("HMGET");
        read.arg(format!("{}meta", unit.base)).arg("paused").arg("version");
        match source.query(&read).await {
            Err(Error::Codec { .. }) => Ok([None, None]),
            answer => answer,
        }
    }
}

impl Format for Bullmq {
    fn format(&self) -> ImportFormat {
        ImportFormat::Bullmq
    }

    fn shown(&self) -> String {
        shown("bullmq", &self.0.queues)
    }

    fn check(&self) -> Result<()> {
        let BullmqSource { queues, prefix, subject, .. } = &self.0;
        check::filled("prefix", prefix)?;
        // BullMQ has no list of its queues.
        if queues.is_empty() || queues.iter().any(String::is_empty) {
            return Err(invalid("queues", "name at least one queue, and none is empty"));
        }
        if let Some(queue) = queues.iter().find(|queue| queue.contains(':')) {
            let why = format!(
                "{queue} has a colon: what is before it is a prefix, and all queues of an importer have one"
            );
            return Err(invalid("queues", why));
        }
        check::count(queues)?;
        check::pointer("subject", subject.as_ref())
    }

    fn units<'a>(&'a self, _source: &'a Foreign) -> Answer<'a, Vec<String>> {
        Box::pin(async { Ok(self.0.queues.clone()) })
    }

    fn lists<'a>(&'a self, source: &'a Foreign, unit: &'a Unit) -> Answer<'a, bool> {
        Box::pin(async move {
            let mut exists = redis::cmd("EXISTS");
            exists.arg(format!("{}meta", unit.base));
            source.query(&exists).await
        })
    }

    fn base(&self, label: &str) -> String {
        format!("{}:{label}:", self.0.prefix)
    }

    fn due(&self, raw: &Raw) -> Option<Timestamp> {
        due(&raw.score).ok()
    }

    /// In the order in which BullMQ would start them.
    fn places(&self, unit: &Unit) -> Vec<Place> {
        let place = |name, shape, stays| unit.place(name, shape, stays, name == "delayed");
        vec![
            place("wait", "list", ""),
            place("paused", "list", ""),
            place("prioritized", "zset", ""),
            place("delayed", "zset", ""),
            place("failed", "zset", unless_failed(self.0.failed)),
            place("active", "list", "its workers have them"),
            place("waiting-children", "zset", "they wait for other jobs of their flow; BullMQ starts them"),
            place("completed", "zset", "they have ended"),
            place("repeat", "zset", "they are schedules; make cron jobs of them, and remove them there"),
        ]
    }

    fn look(&self, unit: &Unit, place: &Place) -> Call {
        let mut call = Self::call("look", unit);
        call.arguments.extend([place.name.to_owned(), place.shape.to_owned()]);
        call
    }

    fn park(&self, unit: &Unit) -> Call {
        Self::call("park", unit)
    }

    fn restore(&self, unit: &Unit) -> Call {
        Self::call("restore", unit)
    }

    /// The hash of a job.
    fn key_of_its_own(&self, unit: &Unit, raw: &Raw) -> Option<Vec<u8>> {
        Some([unit.base.as_bytes(), &raw.name].concat())
    }

    fn translate(&self, unit: &Unit, raw: &Raw) -> std::result::Result<Adoptee, String> {
        let name = raw.text("name").ok_or("its hash is gone, or is none of a job")?;
        let options = options(raw)?;
        check(raw, &options)?;
        let made = raw.number("atm").or_else(|| raw.number("attemptsMade")).unwrap_or(0);
        let made = u32::try_from(made).map_err(|_| "its number of attempts made is no count")?;

        let names = self.0.names();
        let payload = raw.fields.get("data").cloned().unwrap_or_default();
        let mut job = NewJob::new(names.kind(&name)?, payload);
        job.queue = names.queue(&unit.label)?;
        job.subject = translate::subject(&job.payload, self.0.subject.as_ref())?;
        job.due = match raw.place.as_str() {
            "delayed" => Due::At(due(&raw.score)?),
            "failed" => Due::At(translate::due(&raw.score, ScoreUnit::Ms)?),
            _ => Due::Now,
        };
        job.priority = priority(raw.number("priority").unwrap_or(0));
        let most = options.attempts.unwrap_or(0);
        let most = u32::try_from(most).map_err(|_| "its number of attempts is no count")?;
        // What it has used up is used up, but taking it over is no reason to give up on it.
        let least = if raw.place == "failed" { made } else { made.saturating_add(1) };
        job.max_attempts = Some(most.max(least).max(1));
        let age = options.remove_on_complete.get("age").and_then(Value::as_i64);
        job.retention = age.filter(|&seconds| seconds > 0).map(Delay::seconds);
        job.unique = raw.lock_ms.and_then(|ms| {
            let key = raw.fields.get("deid")?;
            Some((translate::unique_key(key)?, Delay::millis(ms)))
        });
        job.headers = headers(unit, raw, name);
        Ok(Adoptee {
            id: translate::counted_id(&unit.label, &unit.base, &raw.name),
            job,
            past: past(raw, made),
        })
    }

    /// Its name and queue, unless the settings say what these become.
    fn names_of(&self, unit: &Unit, raw: &Raw) -> [Option<String>; 2] {
        self.0.names().unset(raw.text("name"), Some(unit.label.clone()))
    }

    fn notes<'a>(
        &'a self,
        source: &'a Foreign,
        unit: &'a Unit,
        notes: &'a mut Vec<String>,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let queue = &unit.label;
            let [paused, version] = self.meta(source, unit).await?;
            if let Some(version) = version {
                notes.push(format!("queue {queue} was last opened by {version}"));
            }
            if paused.is_some() {
                notes.push(format!("queue {queue} is paused; so will ours be"));
            }
            Ok(())
        })
    }

    /// A paused queue stays paused, or its jobs would run at once.
    fn pause<'a>(&'a self, source: &'a Foreign, unit: &'a Unit) -> Answer<'a, Option<Pause>> {
        Box::pin(async move {
            let [since, _] = self.meta(source, unit).await?;
            let (system, why) = ("BullMQ", "paused in BullMQ".to_owned());
            Ok(Some(Pause { since, queue: self.0.names().queue(&unit.label), system, why }))
        })
    }
}

fn options(raw: &Raw) -> std::result::Result<Options, String> {
    let Some(written) = raw.fields.get("opts") else { return Ok(Options::default()) };
    // The parser quotes what it met, which may be all of it.
    serde_json::from_slice(written).map_err(|error| {
        let why = in_one_line(&error.to_string(), WHY_CHARS_MAX);
        format!("its options are no JSON of BullMQ's: {why}")
    })
}

/// What a job was called there, and its options: handlers find what has no field here.
fn headers(unit: &Unit, raw: &Raw, name: String) -> BTreeMap<String, String> {
    let mut headers = BTreeMap::from([
        ("bullmq-name".to_owned(), name),
        ("bullmq-queue".to_owned(), unit.label.clone()),
        ("bullmq-id".to_owned(), String::from_utf8_lossy(&raw.name).into_owned()),
    ]);
    if let Some(options) = raw.text("opts").filter(|options| options.len() <= OPTIONS_BYTES_MAX) {
        headers.insert("bullmq-opts".to_owned(), options);
    }
    headers
}

fn past(raw: &Raw, made: u32) -> Past {
    let has_failed = raw.place == "failed";
    let last_error = raw.text("failedReason").unwrap_or_default();
    let failed = instant(raw, if has_failed { "finishedOn" } else { "processedOn" });
    Past {
        state: match raw.place.as_str() {
            "delayed" if made > 0 => Some(JobState::Retrying),
            "failed" => Some(JobState::Dead),
            _ => None,
        },
        attempt: made,
        failed: failed.filter(|_| !last_error.is_empty() && made > 0),
        last_error: translate::error(&last_error),
        created: instant(raw, "timestamp"),
        ..Past::default()
    }
}

/// What only BullMQ can go on with stays there.
fn check(raw: &Raw, options: &Options) -> std::result::Result<(), String> {
    let has = |field: &str| raw.fields.get(field).is_some_and(|value| !value.is_empty());
    if has("parentKey") {
        return Err("it is part of a flow: its parent waits for it".to_owned());
    }
    if has("children") {
        return Err("it is part of a flow: what its children returned is kept beside it".to_owned());
    }
    if has("rjk") || options.repeat.is_object() || raw.name.starts_with(b"repeat:") {
        return Err("it was made by a schedule, which goes on when it runs there".to_owned());
    }
    Ok(())
}

/// 1 comes first there, after what has none; from 4 on all are one here.
fn priority(theirs: u64) -> Priority {
    let ours = PRIORITY_FROM.saturating_add(theirs).min(Priority::LAST.as_u8().into());
    u8::try_from(ours).ok().and_then(Priority::new).unwrap_or(Priority::LAST)
}

fn instant(raw: &Raw, field: &str) -> Option<Timestamp> {
    raw.number(field).and_then(|ms| i64::try_from(ms).ok()).map(Timestamp::saturating_from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(place: &str, score: &str, fields: &[(&str, &str)]) -> std::result::Result<Adoptee, String> {
        read_as("7", place, score, fields)
    }

    fn read_as(
        name: &str,
        place: &str,
        score: &str,
        fields: &[(&str, &str)],
    ) -> std::result::Result<Adoptee, String> {
        let door = Bullmq(BullmqSource::new(vec!["mail".to_owned()]));
        let unit = Unit { label: "mail".to_owned(), base: "bull:mail:".to_owned(), journal: String::new() };
        let own = [("name", "note"), ("data", "{}"), ("opts", "{}")];
        let fields: BTreeMap<String, Vec<u8>> = own
            .iter()
            .chain(fields)
            .map(|(field, value)| ((*field).to_owned(), value.as_bytes().to_vec()))
            .collect();
        let raw = Raw {
            place: place.to_owned(),
            name: name.as_bytes().to_vec(),
            score: score.to_owned(),
            fields,
            ..Raw::default()
        };
        door.translate(&unit, &raw)
    }

    #[test]
    fn a_due_time_is_exact_whatever_the_counter_says_and_however_far_ahead_it_is() {
        let ms = |score: &str| due(score).map(Timestamp::as_millis);
        let (now, far) = (1_795_875_862_324_i64, 253_402_300_799_000_i64);
        for at in [now, now + 1, 2_199_023_255_552, far] {
            assert_eq!(ms(&(at * 4_096).to_string()), Ok(at));
        }
        assert_eq!(ms(&(now * 4_096 + 4_095).to_string()), Ok(now));
        assert_eq!(ms("9.939336652075008e+15"), Ok(2_426_595_862_323));
        assert_eq!(ms("-5"), Ok(0));
        assert!(ms("inf").is_err() && ms("nan").is_err() && ms("x").is_err());
    }

    #[test]
    fn attempts_that_were_made_count_and_one_is_left_to_what_waits() {
        let most = |place: &str, attempts: &str, made: &str| {
            let options = format!(r#"{{"attempts":{attempts}}}"#);
            read(place, "1", &[("opts", &options), ("atm", made)]).map(|read| read.job.max_attempts.unwrap())
        };
        assert_eq!((most("wait", "0", "0"), most("wait", "5", "2")), (Ok(1), Ok(5)));
        assert_eq!((most("wait", "3", "3"), most("failed", "3", "3")), (Ok(4), Ok(3)));
        assert_eq!(most("failed", "0", "0"), Ok(1));
        assert_eq!(most("wait", "null", "0"), Ok(1));
        assert_eq!(
            most("wait", "1", "5000000000"),
            Err("its number of attempts made is no count".to_owned())
        );
        assert!(most("wait", "-1", "0").unwrap_err().starts_with("its options are no JSON of BullMQ's"));
        let older = read("wait", "", &[("attemptsMade", "2")]).unwrap();
        assert_eq!((older.past.attempt, older.past.state), (2, None));
    }

    #[test]
    fn priorities_keep_their_order_as_far_as_there_are_so_many() {
        let ours = |theirs: &str| read("wait", "", &[("priority", theirs)]).unwrap().job.priority.as_u8();
        assert_eq!(["0", "1", "2", "3", "4", "5", "2097152"].map(ours), [5, 6, 7, 8, 9, 9, 9]);
    }

    #[test]
    fn an_id_that_bullmq_counted_has_its_queue_before_it_and_others_stay() {
        let id = |name: &str| read_as(name, "wait", "", &[]).unwrap().id.to_string();
        assert_eq!(["7", "order-7", "a b"].map(id), ["mail:7", "order-7", "a@20b"]);
    }

    #[test]
    fn long_options_are_left_out_of_the_headers() {
        let headers = |options: &str| read("wait", "", &[("opts", options)]).unwrap().job.headers;
        assert_eq!(headers(r#"{"attempts":1}"#)["bullmq-opts"], r#"{"attempts":1}"#);
        let long = format!(r#"{{"tm":"{}"}}"#, "x".repeat(OPTIONS_BYTES_MAX));
        assert!(!headers(&long).contains_key("bullmq-opts"));
    }

    proptest! {
        #[test]
        fn any_options_are_a_job_or_a_reason(options in "\\PC{0,200}", score in any::<f64>()) {
            if let Err(why) = read("delayed", &score.to_string(), &[("opts", &options)]) {
                prop_assert!(!why.is_empty());
            }
        }
    }
}
