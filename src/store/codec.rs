//! What a job looks like in Redis, and how it is read back. With `lua/core/job.lua`
//! the only place that knows field names.

use super::reply::Reply;
use crate::constants::{MAX_ATTEMPTS_DEFAULT, PREVIEW_PAYLOAD_BYTES_MAX};
use crate::error::{Error, Result};
use crate::model::{
    Attempt, AttemptResult, BulkFilter, BulkOutcome, BulkRun, BulkState, Delay, Event, EventId, Held,
    Histogram, HistoryEntry, Job, JobId, JobRow, JobState, Kind, LogLine, MinuteStats, Priority, Progress,
    Publication, QueueName, Receipt, RunId, Shard, Shift, Subject, Timestamp, Token, UniqueKey, Version,
    without_escapes,
};
use crate::record;
use crate::store::claimed::ClaimedJob;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;

/// Longest preview of a payload, in characters: one line of a list.
const PREVIEW_CHARS_MAX: usize = 160;
/// Longest first line of an error in a list, in characters.
const ERROR_LINE_CHARS_MAX: usize = 200;

/// The start of a payload that is short text; empty for long or binary ones.
pub fn preview(payload: &[u8]) -> String {
    if payload.len() > PREVIEW_PAYLOAD_BYTES_MAX {
        return String::new();
    }
    std::str::from_utf8(payload).map(|text| in_one_line(text, PREVIEW_CHARS_MAX)).unwrap_or_default()
}

/// The first characters of a text in one line, without control characters.
pub fn in_one_line(text: &str, chars_max: usize) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(chars_max).collect()
}

/// An error as people are shown its first line, but all of it: in one line, without what was meant for a terminal.
pub(crate) fn shown_error(error: &str) -> String {
    in_one_line(&without_escapes(error), usize::MAX)
}

/// The fields of a record or of a hash, read by name.
pub(crate) struct Fields<'a>(Vec<(Cow<'a, str>, Cow<'a, [u8]>)>);

impl<'a> Fields<'a> {
    pub(crate) fn new(fields: HashMap<String, Vec<u8>>) -> Self {
        Self(fields.into_iter().map(|(name, value)| (Cow::Owned(name), Cow::Owned(value))).collect())
    }

    /// Those of a record, without a copy of each.
    fn found(fields: record::Found<'a>) -> Self {
        Self(fields.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect())
    }

    fn take(&mut self, name: &str) -> Cow<'a, [u8]> {
        let place = self.0.iter().position(|(known, _)| known == name);
        place.map(|place| self.0.swap_remove(place).1).unwrap_or_default()
    }

    fn bytes(&mut self, name: &str) -> Vec<u8> {
        self.take(name).into_owned()
    }

    fn text(&mut self, name: &str) -> String {
        String::from_utf8_lossy(&self.take(name)).into_owned()
    }

    fn optional_text(&mut self, name: &str) -> Option<String> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    fn optional<T: FromStr>(&mut self, name: &str) -> Result<Option<T>> {
        let value = self.take(name);
        match String::from_utf8_lossy(&value) {
            text if text.is_empty() => Ok(None),
            text => text
                .parse()
                .map(Some)
                .map_err(|_| Error::codec(format!("field {name} of a job does not parse"))),
        }
    }

    fn parse<T: FromStr>(&mut self, name: &str) -> Result<T> {
        self.optional(name)?.ok_or_else(|| Error::codec(format!("field {name} of a job is missing")))
    }

    fn optional_time(&mut self, name: &str) -> Result<Option<Timestamp>> {
        Ok(self.optional::<i64>(name)?.map(Timestamp::saturating_from_millis))
    }

    fn time(&mut self, name: &str) -> Result<Timestamp> {
        self.optional_time(name)?.ok_or_else(|| Error::codec(format!("field {name} of a job is missing")))
    }

    fn json<T: for<'de> Deserialize<'de> + Default>(&mut self, name: &str) -> Result<T> {
        let bytes = self.take(name);
        if bytes.is_empty() {
            return Ok(T::default());
        }
        serde_json::from_slice(&bytes).map_err(|_| Error::codec(format!("field {name} of a job is not JSON")))
    }
}

/// The job of the fields of its record; `None` without any.
///
/// # Errors
/// [`Error::Codec`] names the first field that does not read.
pub(crate) fn job(id: &JobId, fields: HashMap<String, Vec<u8>>) -> Result<Option<Job>> {
    if fields.is_empty() {
        return Ok(None);
    }
    let mut fields = Fields::new(fields);
    Ok(Some(Job {
        id: id.clone(),
        queue: fields.parse("queue")?,
        kind: fields.parse("kind")?,
        subject: fields.optional("subject")?,
        state: fields.parse("state")?,
        version: Version(fields.parse("version")?),
        priority: fields.optional::<u8>("priority")?.and_then(Priority::new).unwrap_or_default(),
        attempt: fields.optional("attempt")?.unwrap_or(0),
        max_attempts: fields.optional("max_attempts")?,
        stalls: fields.optional("stalls")?.unwrap_or(0),
        unheard: fields.optional("unheard")?.unwrap_or(0),
        due: fields.time("due_ms")?,
        created: fields.time("created_ms")?,
        started: fields.optional_time("started_ms")?,
        ended: fields.optional_time("ended_ms")?,
        kept_until: fields.optional_time("kept_until_ms")?,
        lease_until: fields.optional_time("lease_until_ms")?,
        worker: fields.optional_text("worker"),
        timeout: fields.optional("timeout_ms")?.map(Delay::millis),
        retention: fields.optional("retention_ms")?.map(Delay::millis),
        unique_key: fields.optional::<UniqueKey>("unique_key")?,
        concurrency_key: fields.optional("concurrency_key")?,
        headers: fields.json::<BTreeMap<String, String>>("headers")?,
        tags: fields.json::<Vec<String>>("tags")?,
        payload: fields.bytes("payload"),
        last_error: fields.text("last_error"),
        progress: progress(&fields.bytes("progress")),
        result: fields.bytes("result"),
        log_lines: fields.optional("log_lines")?.unwrap_or(0),
        cancel_requested: fields.optional_time("cancel_ms")?,
        cancelled_from: fields.optional::<JobState>("cancelled_from")?,
        publication: publish(&fields.bytes("publication"), fields.optional("token")?),
        by: fields.text("by"),
        why: fields.text("why"),
    }))
}

/// A claimed job in its record.
///
/// # Errors
/// [`Error::Codec`] names the first field that does not read.
pub(crate) fn claimed(shard: Shard, id: &str, text: &[u8], lease_until: Timestamp) -> Result<ClaimedJob> {
    let fields = record::found(text).ok_or_else(|| Error::codec("a record of a job does not read"))?;
    let mut fields = Fields::found(fields);
    let due = fields.time("due_ms")?;
    Ok(ClaimedJob {
        id: id.parse().map_err(|_| Error::codec("the id of a job does not parse"))?,
        shard,
        token: Token(fields.parse("version")?),
        queue: fields.parse("queue")?,
        kind: fields.parse("kind")?,
        subject: fields.optional("subject")?,
        attempt: fields.parse("attempt")?,
        // As in the scripts, 0 is unlimited, and so is what is no number.
        max_attempts: match fields.optional("max_attempts") {
            Ok(None) => Some(MAX_ATTEMPTS_DEFAULT),
            Ok(Some(0)) | Err(_) => None,
            Ok(most) => most,
        },
        due,
        created: fields.optional_time("created_ms")?.unwrap_or(due),
        timeout: fields.optional("timeout_ms").ok().flatten().map(Delay::millis),
        headers: fields.json("headers").unwrap_or_default(),
        payload: fields.bytes("payload"),
        lease_until,
        was_lost: ["stalls", "unheard"].into_iter().any(|count| !fields.bytes(count).is_empty()),
    })
}

/// A row as `lua/core/row.lua` writes it; `None` when the job is gone or its hash does not read.
pub(crate) fn row(mut reply: Reply) -> Option<JobRow> {
    read_row(&mut reply).ok()
}

fn read_row(reply: &mut Reply) -> Result<JobRow> {
    let mut row = JobRow {
        id: reply.parse("job id")?,
        queue: reply.parse("queue")?,
        kind: reply.parse("kind")?,
        subject: reply.optional::<Subject>("subject")?,
        state: reply.parse("state")?,
        version: Version(reply.parse("version")?),
        attempt: reply.optional("attempt")?.unwrap_or(0),
        max_attempts: reply.optional("max_attempts")?,
        priority: reply.optional::<u8>("priority")?.and_then(Priority::new).unwrap_or_default(),
        due: reply.time("due time")?,
        created: reply.time("creation time")?,
        ready: reply.optional_time("ready since")?,
        started: reply.optional_time("start")?,
        ended: reply.optional_time("end")?,
        kept_until: reply.optional_time("kept until")?,
        lease_until: reply.optional_time("lease end")?,
        worker: reply.optional_text()?,
        error_line: reply
            .text()?
            .trim_start()
            .lines()
            .next()
            .map(|line| in_one_line(&without_escapes(line), ERROR_LINE_CHARS_MAX))
            .unwrap_or_default(),
        cancel_requested: reply.optional_time("cancel time")?,
        by: reply.text()?,
        why: reply.text()?,
        preview: preview(&reply.bytes()?),
        created_by: reply.text()?,
        percent: None,
        held: None,
        cancelled_from: None,
        held_again: false,
    };
    let progress = progress(&reply.bytes()?);
    row.percent =
        progress.filter(|progress| progress.attempt == row.attempt).map(|progress| progress.percent);
    let since = reply.optional_time("held since")?;
    let (by, why) = (reply.text()?, reply.text()?);
    row.held = since.map(|at| Held::new(at, by, why));
    row.cancelled_from = reply.optional("state it was cancelled in")?;
    row.held_again = reply.text()? == "1";
    Ok(row)
}

/// The `publication` of a record as `lua/functions/sinks/publish.lua` and `lua/functions/sinks/look.lua` write it.
#[derive(Deserialize)]
struct StoredPublication {
    sink: String,
    kind: String,
    place: String,
    #[serde(default)]
    group: String,
    entry: String,
    token: String,
    at: String,
    #[serde(default)]
    taken_by: String,
    #[serde(default)]
    taken_at: String,
}

/// Where a job was handed to; `None` when it was not under this token, or it does not read.
fn publish(text: &[u8], token: Option<u64>) -> Option<Publication> {
    let stored: StoredPublication = serde_json::from_slice(text).ok()?;
    let token = token.filter(|token| stored.token.parse() == Ok(*token))?;
    Some(Publication {
        sink: stored.sink,
        kind: stored.kind.parse().ok()?,
        place: stored.place,
        group: Some(stored.group).filter(|group| !group.is_empty()),
        entry: stored.entry,
        token: Token(token),
        at: time(&stored.at)?,
        taken_by: Some(stored.taken_by).filter(|who| !who.is_empty()),
        taken: time(&stored.taken_at),
    })
}

/// What the scripts write with `cjson`: every value a text.
#[derive(Deserialize)]
struct StoredHistory {
    at: String,
    from: String,
    to: String,
    version: String,
    due: String,
    by: String,
    why: String,
    #[serde(default)]
    edited: bool,
    #[serde(default)]
    parts: String,
}

/// A line of `history:<id>`; `None` when it does not read.
pub(crate) fn history(line: &[u8]) -> Option<HistoryEntry> {
    let line: StoredHistory = serde_json::from_str(&String::from_utf8_lossy(line)).ok()?;
    Some(HistoryEntry {
        at: time(&line.at)?,
        from: line.from.parse().ok(),
        to: line.to.parse().ok()?,
        version: Version(line.version.parse().ok()?),
        due: time(&line.due)?,
        by: line.by,
        why: line.why,
        edited: line.edited,
        parts: line.parts,
    })
}

#[derive(Deserialize)]
struct StoredAttempt {
    number: String,
    started: String,
    ended: String,
    worker: String,
    result: AttemptResult,
    error: String,
}

/// A line of `attempts:<id>`; `None` when it does not read.
pub(crate) fn attempt(line: &[u8]) -> Option<Attempt> {
    let line: StoredAttempt = serde_json::from_str(&String::from_utf8_lossy(line)).ok()?;
    Some(Attempt {
        number: line.number.parse().ok()?,
        started: time(&line.started)?,
        ended: time(&line.ended)?,
        worker: line.worker,
        result: line.result,
        error: line.error,
    })
}

#[derive(Deserialize)]
struct StoredProgress {
    percent: String,
    text: String,
    at: String,
    attempt: String,
}

/// What `lua/functions/jobs/note.lua` keeps in the field `progress`; `None` when there is nothing, or nothing that reads.
fn progress(json: &[u8]) -> Option<Progress> {
    let stored: StoredProgress = serde_json::from_str(&String::from_utf8_lossy(json)).ok()?;
    let percent = stored.percent.parse::<u8>().ok()?.min(100);
    Some(Progress {
        percent,
        text: stored.text,
        at: time(&stored.at)?,
        attempt: stored.attempt.parse().ok()?,
    })
}

#[derive(Deserialize)]
struct StoredLogLine {
    at: String,
    attempt: String,
    level: String,
    text: String,
}

/// A line of `log:<id>`; `None` when it does not read.
pub(crate) fn log_line(number: u64, line: &[u8]) -> Option<LogLine> {
    let line: StoredLogLine = serde_json::from_str(&String::from_utf8_lossy(line)).ok()?;
    let level = line.level.parse().unwrap_or_default();
    Some(LogLine { number, at: time(&line.at)?, attempt: line.attempt.parse().ok()?, level, text: line.text })
}

/// A run as `lua/core/bulk.lua` keeps it; `None` for no hash at all.
pub(crate) fn bulk_run(
    id: &RunId,
    fields: HashMap<String, Vec<u8>>,
    split: BTreeMap<String, u64>,
    pending: u64,
    undoable: u64,
) -> Result<Option<BulkRun>> {
    if fields.is_empty() {
        return Ok(None);
    }
    let words = fields.iter().filter_map(|(name, count)| {
        let word = name.strip_prefix("word:")?.to_owned();
        Some((word, std::str::from_utf8(count).ok()?.parse().ok()?))
    });
    let words = words.collect();
    let mut fields = Fields::new(fields);
    let shift = match (fields.optional_time("due_ms")?, fields.optional::<i64>("shift_ms")?) {
        (Some(due), _) => Some(Shift::To(due)),
        (None, Some(ms)) => Some(Shift::By(ms)),
        (None, None) => None,
    };
    let state: BulkState = fields.parse("state")?;
    let expires = fields
        .optional_time("expires_ms")?
        .filter(|_| matches!(state, BulkState::Frozen | BulkState::Waiting));
    let due_ms = fields.optional_time("due_min_ms")?.zip(fields.optional_time("due_max_ms")?);
    Ok(Some(BulkRun {
        id: id.clone(),
        verb: fields.parse("verb")?,
        state,
        filter: fields.json::<Option<BulkFilter>>("filter")?,
        shift,
        spread: Delay::millis(fields.optional("spread_ms")?.unwrap_or(0)),
        rate: fields.optional("rate")?,
        stops_itself: fields.text("stops") == "1",
        acts_on_changed: fields.text("if_changed") == "act",
        spares_started: fields.text("spare_started") == "1",
        only_in: fields.text("only_in").split_whitespace().filter_map(|name| name.parse().ok()).collect(),
        by: fields.text("by"),
        why: fields.text("why"),
        created: fields.time("created_ms")?,
        expires,
        asked_by: fields.text("asked_by"),
        asked: fields.optional_time("asked_ms")?,
        started_by: fields.text("started_by"),
        started: fields.optional_time("started_ms")?,
        ended: fields.optional_time("ended_ms")?,
        ended_by: fields.text("ended_by"),
        ended_why: fields.text("ended_why"),
        looked_at: fields.optional("looked_at")?.unwrap_or(0),
        cut: fields.text("cut") == "1",
        total: fields.optional("total")?.unwrap_or(0),
        // What it gave back when it was aborted is not among those to come any more.
        pending: pending.saturating_add(fields.optional("given_back")?.unwrap_or(0)),
        changed: fields.optional("changed")?.unwrap_or(0),
        skipped: fields.optional("skipped")?.unwrap_or(0),
        failed: fields.optional("failed")?.unwrap_or(0),
        words,
        split,
        subjects: fields.optional("subjects")?.unwrap_or(0),
        by_subject: BTreeMap::new(),
        due_ms,
        went_well: fields.optional("good")?.unwrap_or(0),
        failed_again: fields.optional("bad")?.unwrap_or(0),
        undoable,
        undo_of: fields.optional("undo_of")?,
        undone_by: fields.optional("undone_by")?,
    }))
}

#[derive(Deserialize)]
struct StoredReceipt {
    id: String,
    kind: Kind,
    queue: QueueName,
    state: JobState,
    at: String,
    by: String,
    why: String,
    purged: String,
}

/// A line of `receipts:<subject>`; `None` when it does not read.
pub(crate) fn receipt(line: &[u8]) -> Option<Receipt> {
    let line: StoredReceipt = serde_json::from_str(&String::from_utf8_lossy(line)).ok()?;
    let (at, purged) = (time(&line.at)?, time(&line.purged)?);
    Some(Receipt {
        id: line.id.parse().ok()?,
        kind: line.kind,
        queue: line.queue,
        state: line.state,
        at,
        by: line.by,
        why: line.why,
        purged,
    })
}

/// A line of `bulk:<run>:outcomes`; `None` when it does not read.
pub(crate) fn bulk_outcome(line: &str) -> Option<BulkOutcome> {
    let mut parts = line.split(' ');
    let (id, word) = (parts.next()?.parse().ok()?, parts.next()?.to_owned());
    let from = parts.next()?.parse().ok();
    Some(BulkOutcome { id, word, from, version: parts.next()?.parse().ok().map(Version) })
}

fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok().map(Timestamp::saturating_from_millis)
}

/// The events of an entry of the stream, as `lua/core/events.lua` writes it: what its jobs share, then a line for
/// each. What does not read is left out.
pub(crate) fn events(shard: Shard, id: EventId, entry: &[(String, Vec<u8>)]) -> Vec<Event> {
    let mut shared: HashMap<&str, String> = HashMap::new();
    let (mut found, mut part) = (Vec::new(), 0);
    for (name, value) in entry {
        let value = String::from_utf8_lossy(value);
        if name == "jobs" {
            for line in value.lines() {
                found.extend(event(shard, EventId { part, ..id }, &shared, line));
                part = part.saturating_add(1);
            }
        } else {
            shared.insert(name, value.into_owned());
        }
    }
    found
}

/// One line: job id, version, due time, subject.
fn event(shard: Shard, id: EventId, shared: &HashMap<&str, String>, line: &str) -> Option<Event> {
    let shared = |name: &str| shared.get(name).map_or("", String::as_str);
    let state = |name: &str| match shared(name) {
        "" => Some(None),
        state => state.parse::<JobState>().ok().map(Some),
    };
    let mut words = line.splitn(4, ' ');
    let mut word = || words.next().unwrap_or_default();
    Some(Event {
        id,
        shard,
        job: word().parse().ok()?,
        version: Version(word().parse().ok()?),
        due: time(word())?,
        subject: Some(word()).filter(|subject| !subject.is_empty()).and_then(|subject| subject.parse().ok()),
        queue: shared("queue").parse::<QueueName>().ok()?,
        kind: shared("kind").parse::<Kind>().ok()?,
        from: state("from")?,
        to: state("to")?,
        at: time(shared("at"))?,
        by: shared("by").to_owned(),
        why: shared("why").to_owned(),
    })
}

/// The minute of a statistics hash, of one queue or of all of them.
pub(crate) fn minute_stats(
    at: Timestamp,
    queue: Option<&QueueName>,
    counts: &HashMap<String, u64>,
) -> MinuteStats {
    let mut stats = MinuteStats::empty(at);
    for (field, &count) in counts {
        let mut parts = field.splitn(3, ':');
        let (Some("q"), Some(of), Some(what)) = (parts.next(), parts.next(), parts.next()) else { continue };
        if queue.is_none_or(|queue| queue.as_str() == of) {
            count_into(&mut stats, what, count);
        }
    }
    stats
}

/// The same for every queue that something was counted of.
pub(crate) fn minute_stats_by_queue(
    at: Timestamp,
    counts: &HashMap<String, u64>,
) -> BTreeMap<QueueName, MinuteStats> {
    let mut all = BTreeMap::new();
    for (field, &count) in counts {
        let mut parts = field.splitn(3, ':');
        let (Some("q"), Some(of), Some(what)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let Ok(queue) = QueueName::new(of) else { continue };
        count_into(all.entry(queue).or_insert_with(|| MinuteStats::empty(at)), what, count);
    }
    all
}

fn count_into(stats: &mut MinuteStats, what: &str, count: u64) {
    let histogram = |histogram: &mut Histogram, prefix: &str| {
        let bucket = what.strip_prefix(prefix).and_then(|index| index.parse::<usize>().ok());
        if let Some(slot) = bucket.and_then(|index| histogram.counts.get_mut(index)) {
            *slot = slot.saturating_add(count);
        }
    };
    // What others wrote there may be any number.
    let add = |sum: &mut u64| *sum = sum.saturating_add(count);
    match what {
        "enqueued" => add(&mut stats.enqueued),
        "started" => add(&mut stats.started),
        "done" => add(&mut stats.done),
        "failed" => add(&mut stats.failed),
        "dead" => add(&mut stats.dead),
        "cancelled" => add(&mut stats.cancelled),
        "parked" => add(&mut stats.parked),
        "expired" => add(&mut stats.expired),
        _ => {
            histogram(&mut stats.late, "late");
            histogram(&mut stats.wait, "wait");
            histogram(&mut stats.run, "run");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_one_short_line_of_text() {
        assert_eq!(preview(b"{\"id\":\n4711}"), "{\"id\": 4711}");
        assert_eq!(preview(&[0xff, 0xfe]), "");
        assert_eq!(preview(&vec![b'x'; PREVIEW_PAYLOAD_BYTES_MAX + 1]), "");
        assert_eq!(preview(&[b'x'; 500]).chars().count(), PREVIEW_CHARS_MAX);
    }

    #[test]
    fn a_hash_that_does_not_read_names_the_field() {
        let id = JobId::new("a1").unwrap();
        let broken = HashMap::from([
            ("queue".to_owned(), b"mail".to_vec()),
            ("kind".to_owned(), b"bad kind".to_vec()),
        ]);
        assert_eq!(
            job(&id, broken).map_err(|error| error.to_string()),
            Err("unreadable data in redis: field kind of a job does not parse".to_owned())
        );
        assert_eq!(job(&id, HashMap::new()), Ok(None));
    }

    #[test]
    fn statistics_of_one_queue_leave_the_others_out() {
        let counts = HashMap::from([
            ("q:mail:done".to_owned(), 2),
            ("q:sms:done".to_owned(), 5),
            ("k:notice:done".to_owned(), 7),
            ("q:mail:late3".to_owned(), 2),
            ("q:mail:late99".to_owned(), 1),
        ]);
        let mail = QueueName::new("mail").unwrap();
        let stats = minute_stats(Timestamp::EPOCH, Some(&mail), &counts);
        assert_eq!((stats.done, stats.late.counts[3], stats.late.total()), (2, 2, 2));
        assert_eq!(minute_stats(Timestamp::EPOCH, None, &counts).done, 7);
    }

    #[test]
    fn counts_that_are_damaged_end_at_the_largest_number() {
        let counts = HashMap::from([("q:mail:done".to_owned(), u64::MAX), ("q:sms:done".to_owned(), 5)]);
        assert_eq!(minute_stats(Timestamp::EPOCH, None, &counts).done, u64::MAX);
    }
}
