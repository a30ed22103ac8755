//! Cron entries as Redis holds them: the fields of `lua/core/cron.lua`.

use crate::error::{Error, Result};
use crate::model::{CronEntry, CronFire, CronOutcome, CronPause, CronSource, CronState, JobId, Timestamp};
use serde::Deserialize;
use std::collections::HashMap;
use std::str::FromStr;

/// An entry as its definition and, apart from it, its payload: bytes need no JSON.
///
/// # Errors
/// [`Error::Invalid`] when it cannot be written as JSON.
pub(crate) fn write(entry: &CronEntry) -> Result<(String, &[u8])> {
    let bare = CronEntry { payload: Vec::new(), ..entry.clone() };
    let definition = serde_json::to_string(&bare)
        .map_err(|error| Error::invalid("cron entry", format!("cannot be written as JSON: {error}")))?;
    Ok((definition, &entry.payload))
}

/// The entry of a definition and a payload.
///
/// # Errors
/// [`Error::Codec`] for what is no definition.
pub(crate) fn read(definition: &[u8], payload: Vec<u8>) -> Result<CronEntry> {
    let entry: CronEntry = serde_json::from_slice(definition)
        .map_err(|error| Error::codec(format!("the definition of a cron entry does not parse: {error}")))?;
    Ok(CronEntry { payload, ..entry })
}

/// An entry and where it stands. `place` is its score in the directory.
///
/// # Errors
/// [`Error::Codec`] with the field that does not read.
pub(crate) fn state(place: f64, mut fields: HashMap<String, Vec<u8>>) -> Result<CronState> {
    let payload = fields.remove("payload").unwrap_or_default();
    let entry = read(&fields.remove("definition").unwrap_or_default(), payload)?;
    let changed = time(&fields, "changed_ms")?.unwrap_or(Timestamp::EPOCH);
    let version = number(&fields, "version")?.ok_or_else(|| Error::codec("a cron entry has no version"))?;
    let mut state = CronState::new(entry, version, changed);
    state.next = next(place);
    state.last = time(&fields, "last_ms")?;
    state.last_job = JobId::new(text(&fields, "last_job")).ok();
    state.by = text(&fields, "by");
    state.why = text(&fields, "why");
    state.declared = time(&fields, "declared_ms")?;
    if state.declared.is_some() {
        state.source = CronSource::Declared;
    }
    state.paused = time(&fields, "paused_ms")?.map(|at| CronPause {
        at,
        by: text(&fields, "paused_by"),
        why: text(&fields, "paused_why"),
    });
    Ok(state)
}

/// The next tick of an entry with that score in the directory; `None` without one.
pub(crate) fn next(place: f64) -> Option<Timestamp> {
    #[expect(clippy::cast_possible_truncation, reason = "a score of ours is whole and below 2^53")]
    let next = place.is_finite().then_some(place as i64);
    next.map(Timestamp::saturating_from_millis)
}

fn text(fields: &HashMap<String, Vec<u8>>, name: &str) -> String {
    fields.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
}

fn number<T: FromStr>(fields: &HashMap<String, Vec<u8>>, name: &str) -> Result<Option<T>> {
    let text = text(fields, name);
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| Error::codec(format!("field {name} of a cron entry does not parse")))
}

fn time(fields: &HashMap<String, Vec<u8>>, name: &str) -> Result<Option<Timestamp>> {
    Ok(number::<i64>(fields, name)?.map(Timestamp::saturating_from_millis))
}

/// A line as `cron.line` in `lua/core/cron.lua` writes it.
#[derive(Deserialize)]
struct Line {
    tick: i64,
    at: i64,
    outcome: CronOutcome,
    job: Option<String>,
    by: Option<String>,
}

/// A line of an entry's history; `None` for one that does not read.
pub(crate) fn fire(line: &[u8]) -> Option<CronFire> {
    let line: Line = serde_json::from_slice(line).ok()?;
    Some(CronFire {
        tick: Timestamp::from_millis(line.tick)?,
        at: Timestamp::from_millis(line.at)?,
        outcome: line.outcome,
        job: line.job.and_then(|id| JobId::new(id).ok()),
        state: None,
        by: line.by.unwrap_or_default(),
    })
}
