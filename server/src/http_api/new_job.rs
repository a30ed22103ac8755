//! A job as a producer describes it.

use super::due;
use super::fields::Fields;
use crate::problem::Mistakes;
use crate::strict;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reprieve::model::{Delay, Kind, Priority, Timestamp};
use reprieve::{Due, Error, LatePolicy, Lateness, NewJob, Spread, UniqueMode, content_key};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Most bytes of a payload; the engine has the same limit.
const PAYLOAD_BYTES_MAX: usize = 256 * 1024;

/// What a job may say of itself, for the message that refuses anything else.
const KNOWN: &str = "queue, kind, payload, payload_base64, id, subject, concurrency_key, due_at, due_ms, delay_ms, priority, \
                     max_attempts, timeout_ms, retention_ms, unique, lateness, any_window, spread_ms, headers, \
                     tags, replace";

/// Reads one job out of a text of its own.
///
/// # Errors
/// Its mistakes, in one line.
pub(crate) fn from_text(text: &str) -> Result<NewJob, String> {
    serde_json::from_str::<serde::de::IgnoredAny>(text)
        .map_err(|why| format!("not JSON: {}", strict::plain(&why)))?;
    let mut mistakes = Mistakes::default();
    match read(text, "", &mut mistakes) {
        Some(job) => Ok(job),
        None => Err(mistakes.in_one_line()),
    }
}

/// Reads one job at `pointer`; `None` if it has mistakes, which are noted.
pub(crate) fn read(text: &str, pointer: &str, mistakes: &mut Mistakes) -> Option<NewJob> {
    let before = mistakes.len();
    let mut fields = Fields::of(text, pointer, mistakes)?;
    let kind = kind(&mut fields, mistakes);
    let payload = payload(&mut fields, mistakes);
    // A stand-in while the mistakes are collected; it never leaves here if there are any.
    let mut job = NewJob::new(kind.or_else(|| Kind::new("unknown").ok())?, payload);
    job.id = fields.name("id", mistakes);
    job.queue = fields.name("queue", mistakes).unwrap_or_default();
    job.subject = fields.name("subject", mistakes);
    job.concurrency_key = fields.name("concurrency_key", mistakes);
    job.due = due::read(&mut fields, mistakes).unwrap_or(Due::Now);
    if let Some(priority) =
        fields.read::<Priority>("priority", "a whole number from 0 (first) to 9 (last)", mistakes)
    {
        job.priority = priority;
    }
    max_attempts(&mut fields, &mut job, mistakes);
    job.timeout = span("timeout_ms", &mut fields, mistakes);
    job.retention = span("retention_ms", &mut fields, mistakes);
    unique(&mut fields, &mut job, mistakes);
    job.lateness = lateness(&mut fields, mistakes);
    job.any_window = fields.read::<bool>("any_window", "true or false", mistakes).unwrap_or_default();
    job.spread = span("spread_ms", &mut fields, mistakes).map(Spread::ById);
    job.headers = headers(&mut fields, mistakes);
    job.tags = fields.read::<Vec<String>>("tags", "an array of texts", mistakes).unwrap_or_default();
    job.replace = fields.read::<bool>("replace", "true or false", mistakes).unwrap_or_default();
    if let Err(Error::Invalid { field, why }) = job.check() {
        mistakes.body(fields.pointer(field), "invalid", format!("`{field}` {why}"));
    }
    fields.refuse_the_rest(KNOWN, mistakes);
    (mistakes.len() == before).then_some(job)
}

fn kind(fields: &mut Fields<'_>, mistakes: &mut Mistakes) -> Option<Kind> {
    let before = mistakes.len();
    let kind = fields.name("kind", mistakes);
    if kind.is_none() && mistakes.len() == before {
        mistakes.body(fields.pointer("kind"), "required", "a job needs a `kind`: what sort of work it is");
    }
    kind
}

/// The payload as the bytes that are stored: JSON exactly as it was sent, `null` if nothing was.
pub(crate) fn payload(fields: &mut Fields<'_>, mistakes: &mut Mistakes) -> Vec<u8> {
    let json = fields.raw("payload");
    let base64 = fields.read::<Cow<'_, str>>("payload_base64", "a text in base64", mistakes);
    let (name, bytes) = match (json, base64) {
        (Some(_), Some(_)) => {
            let why = "give `payload` or `payload_base64`, not both";
            mistakes.body(fields.pointer("payload_base64"), "several_payloads", why);
            return Vec::new();
        }
        (None, Some(text)) => match STANDARD.decode(text.as_bytes()) {
            Ok(bytes) => ("payload_base64", bytes),
            Err(why) => {
                mistakes.body(
                    fields.pointer("payload_base64"),
                    "invalid_base64",
                    format!("not base64: {why}"),
                );
                return Vec::new();
            }
        },
        (json, None) => {
            let text = json.unwrap_or("null");
            if let Err(why) = strict::check(text) {
                mistakes.body(fields.pointer("payload"), "invalid_payload", format!("the payload {why}"));
                return Vec::new();
            }
            ("payload", text.as_bytes().to_vec())
        }
    };
    if bytes.len() > PAYLOAD_BYTES_MAX {
        let why = format!("the payload has {} bytes, at most {PAYLOAD_BYTES_MAX} are allowed", bytes.len());
        mistakes.body(fields.pointer(name), "payload_too_large", why);
    }
    bytes
}

/// A number limits, null means unlimited, nothing leaves the engine's default.
fn max_attempts(fields: &mut Fields<'_>, job: &mut NewJob, mistakes: &mut Mistakes) {
    let Some(text) = fields.raw("max_attempts") else { return };
    match serde_json::from_str::<Option<u32>>(text) {
        Ok(Some(0)) | Err(_) => mistakes.body(
            fields.pointer("max_attempts"),
            "type",
            format!("`max_attempts` is a whole number from 1 to {}, or null for unlimited", u32::MAX),
        ),
        Ok(attempts) => job.max_attempts = attempts,
    }
}

fn headers(fields: &mut Fields<'_>, mistakes: &mut Mistakes) -> BTreeMap<String, String> {
    let Some(text) = fields.raw("headers").filter(|text| *text != "null") else { return BTreeMap::new() };
    let read = strict::check(text).and_then(|()| {
        serde_json::from_str(text).map_err(|_| "is an object whose values are texts".to_owned())
    });
    read.unwrap_or_else(|why| {
        mistakes.body(fields.pointer("headers"), "type", format!("`headers` {why}"));
        BTreeMap::new()
    })
}

pub(super) fn span(name: &str, fields: &mut Fields<'_>, mistakes: &mut Mistakes) -> Option<Delay> {
    let ms = fields.read::<i64>(name, "a whole number of milliseconds", mistakes)?;
    if (0..=Timestamp::MAX.as_millis()).contains(&ms) {
        return Some(Delay::millis(ms));
    }
    mistakes.body(
        fields.pointer(name),
        "invalid_time",
        format!("`{name}` is not negative and ends before the year 10000"),
    );
    None
}

/// `key`, or `by` content; `mode` says who wins when a second job names it.
fn unique(fields: &mut Fields<'_>, job: &mut NewJob, mistakes: &mut Mistakes) {
    let pointer = fields.pointer("unique");
    let Some(text) = fields.raw("unique").filter(|text| *text != "null") else { return };
    let Some(mut inner) = Fields::of(text, &pointer, mistakes) else { return };
    let before = mistakes.len();
    let key = inner.name("key", mistakes);
    let by = inner.read::<Cow<'_, str>>("by", "the word content", mistakes);
    let ttl = span("ttl_ms", &mut inner, mistakes);
    let mode = inner.read::<Cow<'_, str>>("mode", "a text", mistakes).unwrap_or(Cow::Borrowed("while_live"));
    let max_wait = span("max_wait_ms", &mut inner, mistakes);
    let key = match by.as_deref() {
        Some("content") if key.is_none() => Some(content_key(&job.kind, &job.payload)),
        Some(_) => {
            let why = "`by` is content, and takes the place of `key`";
            mistakes.body(inner.pointer("by"), "unknown_word", why);
            None
        }
        None => key,
    };
    job.unique_mode = match &*mode {
        "while_live" => UniqueMode::WhileLive,
        "throttle" => UniqueMode::Throttle,
        "debounce" => UniqueMode::Debounce { max_wait },
        _ => {
            let why = "`mode` is one of while_live, throttle, debounce";
            mistakes.body(inner.pointer("mode"), "unknown_word", why);
            UniqueMode::WhileLive
        }
    };
    if max_wait.is_some() && mode != "debounce" {
        let why = "`max_wait_ms` is for the mode debounce";
        mistakes.body(inner.pointer("max_wait_ms"), "invalid", why);
    }
    if mistakes.len() == before && (key.is_none() || ttl.is_none()) {
        mistakes.body(pointer, "required", "`unique` needs both `key`, or `by`, and `ttl_ms`");
    }
    inner.refuse_the_rest("key, by, ttl_ms, mode, max_wait_ms", mistakes);
    job.unique = key.zip(ttl);
    if job.unique.is_none() {
        job.unique_mode = UniqueMode::WhileLive;
    }
}

/// How late a job, or jobs of a kind, may start, and what becomes of them then.
pub(super) fn lateness(fields: &mut Fields<'_>, mistakes: &mut Mistakes) -> Option<Lateness> {
    let pointer = fields.pointer("lateness");
    let text = fields.raw("lateness").filter(|text| *text != "null")?;
    let mut inner = Fields::of(text, &pointer, mistakes)?;
    let before = mistakes.len();
    let most = span("most_ms", &mut inner, mistakes);
    let word = inner.read::<Cow<'_, str>>("then", "a text", mistakes).unwrap_or(Cow::Borrowed("skip"));
    let policy = word.parse::<LatePolicy>().map_err(|words| {
        mistakes.body(inner.pointer("then"), "unknown_word", format!("`then` is {words}"));
    });
    if mistakes.len() == before && most.is_none() {
        mistakes.body(inner.pointer("most_ms"), "required", "`lateness` needs `most_ms`");
    }
    inner.refuse_the_rest("most_ms, then", mistakes);
    Some(Lateness { most: most?, policy: policy.ok()? })
}
