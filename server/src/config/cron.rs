//! Cron entries that the configuration declares.

use super::document::Section;
use super::mistake::Mistakes;
use super::span::read_settable_span;
use crate::strict;
use reprieve::CronSchedule;
use reprieve::model::{CronEntry, Missed, Overlap, Priority};
use serde::de::IgnoredAny;
use std::fmt::Display;
use std::str::FromStr;

/// What one `[[cron]]` may say.
const KEYS: [&str; 14] = [
    "name",
    "schedule",
    "zone",
    "overlap",
    "missed",
    "kind",
    "queue",
    "subject",
    "payload",
    "priority",
    "max_attempts",
    "timeout",
    "retention",
    "tags",
];

/// Reads every `[[cron]]`.
pub(crate) fn read(root: &Section<'_>, mistakes: &mut Mistakes) -> Vec<CronEntry> {
    let mut entries: Vec<CronEntry> = Vec::new();
    for section in root.sections("cron", mistakes) {
        let Some(entry) = from_section(&section, mistakes) else { continue };
        if entries.iter().any(|other| other.name == entry.name) {
            mistakes.note(&section.origin(), format!("there are two cron entries named {}", entry.name));
        }
        entries.push(entry);
    }
    entries
}

/// Reads one `[[cron]]`.
fn from_section(section: &Section<'_>, mistakes: &mut Mistakes) -> Option<CronEntry> {
    section.refuse_unknown(&KEYS, mistakes);
    let name = section.required("name", "cron entry", mistakes);
    let schedule = section.required("schedule", "cron entry", mistakes);
    let kind = section.required("kind", "cron entry", mistakes);
    let zone = section.text("zone", mistakes);
    let zone_name = zone.as_ref().map_or("UTC", |zone| zone.value.as_str()).to_owned();
    // A zone that cannot be read is told at its own line, a schedule at its own.
    let read = mistakes.read(zone.as_ref(), |zone| CronSchedule::parse("@daily", zone).map(drop));
    let known = zone.is_none() || read.is_some();
    let read_in = if known { zone_name.as_str() } else { "UTC" };
    let checked = mistakes.read(schedule.as_ref(), |text| CronSchedule::parse(text, read_in).map(drop));
    let name = mistakes.read(name.as_ref(), |text| text.parse());
    let kind = mistakes.read(kind.as_ref(), |text| text.parse());

    let overlap = section.text("overlap", mistakes);
    let overlap = mistakes.read(overlap.as_ref(), |text| match text {
        "allow" => Ok(Overlap::Allow),
        "skip" => Ok(Overlap::Skip),
        _ => Err("overlap is \"allow\" or \"skip\""),
    });
    let missed = section.text("missed", mistakes);
    let missed = mistakes.read(missed.as_ref(), |text| match text {
        "skip" => Ok(Missed::Skip),
        "once" => Ok(Missed::Once),
        "all" => Ok(Missed::All),
        _ => Err("missed is \"skip\", \"once\" or \"all\""),
    });
    let queue = parsed(section, "queue", mistakes);
    let subject = parsed(section, "subject", mistakes);
    let payload = section.text("payload", mistakes);
    let payload = mistakes.read(payload.as_ref(), |text| {
        serde_json::from_str::<IgnoredAny>(text).map_err(|why| format!("payload is not JSON: {why}"))?;
        strict::check(text).map(|()| text.to_owned()).map_err(|why| format!("the payload {why}"))
    });
    let priority = section.number("priority", mistakes);
    let priority = priority.and_then(|given| {
        let priority = u8::try_from(given.value).ok().and_then(Priority::new);
        if priority.is_none() {
            mistakes.note(&given.origin, "priority is between 0 (first) and 9");
        }
        priority
    });
    let max_attempts = section.number("max_attempts", mistakes);
    let max_attempts = max_attempts.and_then(|given| {
        let attempts = u32::try_from(given.value).ok().filter(|&attempts| attempts > 0);
        if attempts.is_none() {
            mistakes.note(&given.origin, format!("max_attempts is between 1 and {}", u32::MAX));
        }
        attempts
    });
    let timeout = section.text("timeout", mistakes);
    let timeout = mistakes.read(timeout.as_ref(), read_settable_span);
    let retention = section.text("retention", mistakes);
    let retention = mistakes.read(retention.as_ref(), read_settable_span);
    let tags = section.texts("tags", mistakes);

    checked.filter(|()| known)?;
    let mut entry = CronEntry::new(name?, schedule?.value, kind?);
    entry.zone = zone_name;
    entry.overlap = overlap.unwrap_or_default();
    entry.missed = missed.unwrap_or_default();
    entry.queue = queue.unwrap_or_default();
    entry.subject = subject;
    // As over HTTP and from a shell: no bytes at all would be no JSON, and no handler that reads JSON could begin.
    entry.payload = payload.unwrap_or_else(|| "null".to_owned()).into_bytes();
    entry.priority = priority.unwrap_or_default();
    entry.max_attempts = max_attempts.or(entry.max_attempts);
    entry.timeout = timeout;
    entry.retention = retention;
    entry.tags = tags.into_iter().map(|tag| tag.value).collect();
    if let Err(why) = CronSchedule::of(&entry) {
        mistakes.note(&section.origin(), format!("this cron entry cannot be declared: {why}"));
    }
    Some(entry)
}

fn parsed<T: FromStr<Err: Display>>(section: &Section<'_>, key: &str, mistakes: &mut Mistakes) -> Option<T> {
    let given = section.text(key, mistakes);
    mistakes.read(given.as_ref(), |text| text.parse())
}
