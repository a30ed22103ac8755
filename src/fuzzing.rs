//! What the targets in `tools/fuzz/` look at from inside: readers of bytes that others wrote. Nothing here is for programs.

pub use crate::store::fuzzed::{Readings, read_person, read_reply};

use crate::error::Result;
use crate::inspector::filtered::Judged;
use crate::model::filter::PayloadPath;
use crate::model::{
    Attempt, BulkOutcome, Event, EventId, Filter, HistoryEntry, Job, JobId, JobRow, LogLine, Receipt, Shard,
    Timestamp,
};
use crate::new_job::NewJob;
use crate::record;
use crate::store::codec;
use crate::store::{Candidate, ClaimedJob};
use std::collections::HashMap;

/// The words of a record's first line.
pub const RECORD_WORDS: [&str; 15] = record::WORDS;

/// The fields of a job's record; `None` for a text that is none.
#[must_use]
pub fn record_fields(record: &[u8]) -> Option<HashMap<String, Vec<u8>>> {
    record::fields(record)
}

/// The job of a record's fields.
///
/// # Errors
/// [`Error::Codec`](crate::Error::Codec) names the field that does not read.
pub fn job(id: &JobId, fields: HashMap<String, Vec<u8>>) -> Result<Option<Job>> {
    codec::job(id, fields)
}

/// A claimed job.
///
/// # Errors
/// [`Error::Codec`](crate::Error::Codec) names the field that does not read.
pub fn claimed(id: &str, record: &[u8]) -> Result<ClaimedJob> {
    codec::claimed(Shard::FIRST, id, record, Timestamp::MAX)
}

/// The preview of a payload.
#[must_use]
pub fn preview(payload: &[u8]) -> String {
    codec::preview(payload)
}

/// What one line read as, of each sort of lines that stand beside a job.
#[derive(Debug)]
pub struct Lines {
    /// Of its history.
    pub history: Option<HistoryEntry>,
    /// Of its attempts.
    pub attempt: Option<Attempt>,
    /// Of its log.
    pub log: Option<LogLine>,
    /// Of the receipts of its subject.
    pub receipt: Option<Receipt>,
    /// Of a bulk run.
    pub outcome: Option<BulkOutcome>,
}

/// Reads one line in every way in which lines are read.
#[must_use]
pub fn lines(line: &[u8]) -> Lines {
    Lines {
        history: codec::history(line),
        attempt: codec::attempt(line),
        log: codec::log_line(1, line),
        receipt: codec::receipt(line),
        outcome: codec::bulk_outcome(&String::from_utf8_lossy(line)),
    }
}

/// The events of an entry of the stream.
#[must_use]
pub fn events(entry: &[(String, Vec<u8>)]) -> Vec<Event> {
    codec::events(Shard::FIRST, EventId::ZERO, entry)
}

/// Counts of a minute: what all queues sum up to, and each by itself. How many there were.
#[must_use]
pub fn counts(counts: &HashMap<String, u64>) -> (u64, u64) {
    let all = codec::minute_stats(Timestamp::EPOCH, None, counts);
    let each = codec::minute_stats_by_queue(Timestamp::EPOCH, counts);
    (all.done, each.values().fold(0, |sum, stats| sum.saturating_add(stats.done)))
}

/// Whether a job of that row and payload fits a filter, and what a column shows of it.
#[must_use]
pub fn fits(
    filter: &Filter,
    row: &JobRow,
    payload: &[u8],
    path: Option<&PayloadPath>,
) -> (Vec<bool>, String) {
    let candidate = Candidate {
        row: row.clone(),
        score: None,
        error: row.error_line.clone(),
        tags: vec!["eu".to_owned()],
        payload: payload.to_vec(),
    };
    let judged = Judged::new(&candidate);
    let each = filter.terms().iter().map(|term| {
        let term = std::slice::from_ref(term);
        judged.fits(term, row.due, "ann")
    });
    (each.collect(), path.map(|path| judged.column(path)).unwrap_or_default())
}

/// Whether a job can be enqueued.
///
/// # Errors
/// What is wrong with it.
pub fn check(job: &NewJob) -> Result<()> {
    job.check()
}

/// The address of a Redis as errors and logs show it.
#[must_use]
pub fn redacted(url: &str) -> String {
    crate::store::redact(url)
}
