//! Cron entries that the configuration declares.

use super::document::Section;
use super::span::read_settable_span;
use crate::strict;
use reprieve::CronSchedule;
use reprieve::model::{CronEntry, Missed, Overlap, Priority};
use serde::de::IgnoredAny;

/// Reads every `[[cron]]`.
pub(super) fn read(root: &Section<'_>) -> Vec<CronEntry> {
    root.tables_by_name("cron", from_section, |entry| entry.name.as_str())
}

/// Reads one `[[cron]]`.
fn from_section(section: &Section<'_>) -> Option<CronEntry> {
    let name = section.read_required("name", |text| text.parse());
    let schedule = section.required("schedule");
    let kind = section.read_required("kind", |text| text.parse());
    let zone = section.text("zone");
    let zone_name = zone.as_ref().map_or("UTC", |zone| zone.value.as_str()).to_owned();
    // A zone that cannot be read is told at its own line, a schedule at its own.
    let read = section.notes.read(zone.as_ref(), |zone| CronSchedule::parse("@daily", zone).map(drop));
    let known = zone.is_none() || read.is_some();
    let read_in = if known { zone_name.as_str() } else { "UTC" };
    let checked = section.notes.read(schedule.as_ref(), |text| CronSchedule::parse(text, read_in).map(drop));
    let overlap = section.read("overlap", |text| match text {
        "allow" => Ok(Overlap::Allow),
        "skip" => Ok(Overlap::Skip),
        _ => Err("overlap is \"allow\" or \"skip\""),
    });
    let missed = section.read("missed", |text| match text {
        "skip" => Ok(Missed::Skip),
        "once" => Ok(Missed::Once),
        "all" => Ok(Missed::All),
        _ => Err("missed is \"skip\", \"once\" or \"all\""),
    });
    let queue = section.read("queue", |text| text.parse());
    let subject = section.read("subject", |text| text.parse());
    let payload = section.read("payload", |text| {
        serde_json::from_str::<IgnoredAny>(text).map_err(|why| format!("payload is not JSON: {why}"))?;
        strict::check(text).map(|()| text.to_owned()).map_err(|why| format!("the payload {why}"))
    });
    let priority = section.number_in("priority", Priority::FIRST.as_u8()..=Priority::LAST.as_u8());
    let max_attempts = section.number_in("max_attempts", 1..=u32::MAX);
    let timeout = section.read("timeout", read_settable_span);
    let retention = section.read("retention", read_settable_span);
    let tags = section.texts("tags");

    checked.filter(|()| known)?;
    let mut entry = CronEntry::new(name?, schedule?.value, kind?);
    entry.zone = zone_name;
    entry.overlap = overlap.unwrap_or_default();
    entry.missed = missed.unwrap_or_default();
    entry.queue = queue.unwrap_or_default();
    entry.subject = subject;
    // As over HTTP and from a shell: no bytes at all would be no JSON, and no handler that reads JSON could begin.
    entry.payload = payload.unwrap_or_else(|| "null".to_owned()).into_bytes();
    entry.priority = priority.and_then(Priority::new).unwrap_or_default();
    entry.max_attempts = max_attempts.or(entry.max_attempts);
    entry.timeout = timeout;
    entry.retention = retention;
    entry.tags = tags.into_iter().map(|tag| tag.value).collect();
    if let Err(why) = CronSchedule::of(&entry) {
        section.note(format!("this cron entry cannot be declared: {why}"));
    }
    Some(entry)
}
