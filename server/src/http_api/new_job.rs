//! A job as a producer describes it.

use super::due::{self, span};
use crate::parse::{self, Object, Word, a_time, given, join};
use crate::problem::Mistakes;
use crate::strict;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reprieve::model::{
    ConcurrencyKey, JobId, Kind, LatePolicy, Lateness, Priority, QueueName, Subject, UniqueKey,
};
use reprieve::{Due, Error, NewJob, PAYLOAD_BYTES_MAX, Spread, UniqueMode, content_key};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use utoipa::ToSchema;

/// A job to be enqueued. Only `kind` is required.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewJob, example = json!({
    "kind": "delete_resource", "subject": "resource:4711", "delay_ms": 86_400_000, "payload": { "id": 4711 }
}))]
pub(crate) struct NewJobBody {
    /// What sort of work it is; chooses the handler or webhook. 1 to 64 bytes of `A-Z a-z 0-9 . _ -`.
    kind: Kind,
    /// Where it waits for a worker; `default` without it.
    queue: Option<QueueName>,
    /// Any JSON, stored as the very text that was sent; at most 256 KiB, 64 levels, 50,000 values, no key twice.
    #[serde(default, deserialize_with = "given")]
    payload: Option<Box<RawValue>>,
    /// Bytes instead of JSON, in base64; not together with `payload`.
    #[schema(content_encoding = "base64")]
    payload_base64: Option<String>,
    /// Your own name for it: a repeat under the same id answers `exists` and changes nothing. A new UUIDv7 without it.
    id: Option<JobId>,
    /// What it is about: any text without control characters; at most 1,000 live jobs share one. Other signs
    /// than `A-Z a-z 0-9 . _ : / @ -` are kept as `@` and two hexadecimal digits for each byte, and then so
    /// is each `@`.
    subject: Option<Subject>,
    /// Whose job it is (a tenant, say): jobs with the same key share the limit for each key of their queue.
    concurrency_key: Option<ConcurrencyKey>,
    /// When it is to run, in RFC 3339. One of `due_at`, `due_ms`, `delay_ms`; at once without any of them.
    #[serde(default, deserialize_with = "a_time")]
    #[schema(value_type = String, format = DateTime, required = false)]
    due_at: Option<String>,
    /// When it is to run, in ms since 1970.
    #[serde(default, deserialize_with = "a_time")]
    #[schema(value_type = i64, required = false)]
    due_ms: Option<i64>,
    /// How long from now, in ms, measured on Redis's clock.
    #[serde(default, deserialize_with = "a_time")]
    #[schema(value_type = i64, required = false)]
    delay_ms: Option<i64>,
    /// 0 (first) to 9 (last) among ready jobs; 5 without it.
    #[schema(value_type = Option<u8>)]
    priority: Option<i64>,
    /// How many attempts; `null` is unlimited, 25 without it.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<u32>)]
    max_attempts: Option<Option<NonZeroU32>>,
    /// How long one attempt may take, in ms; the worker's limit without it.
    timeout_ms: Option<i64>,
    /// How long it is kept once ended, in ms; the rule of its end state without it.
    retention_ms: Option<i64>,
    /// A key that at most one live job holds.
    #[schema(value_type = Option<UniqueBody>)]
    unique: Option<Object<UniqueBody>>,
    /// How late it may start; the rule of its kind without it.
    #[schema(value_type = Option<LatenessBody>)]
    lateness: Option<Object<LatenessBody>>,
    /// Runs at any time, whatever the delivery windows of its kind; `false` without it.
    any_window: Option<bool>,
    /// Due later by a part of that many ms, always the same for an id.
    spread_ms: Option<i64>,
    /// Texts by name, 8 KiB in all; `traceparent` and `tracestate` travel on as HTTP headers.
    #[serde(default, deserialize_with = "headers")]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    headers: BTreeMap<String, String>,
    /// At most 16 labels, each like a kind.
    #[schema(max_items = 16)]
    tags: Option<Vec<String>>,
    /// Overwrite a waiting job of the same id and queue; `false` without it.
    replace: Option<bool>,
}

/// A key that at most one live job holds. Keys of `throttle` are separate: a window ignores who holds the same key.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Unique)]
struct UniqueBody {
    /// The key. 1 to 128 bytes of `A-Z a-z 0-9 . _ : / @ -`.
    key: Option<UniqueKey>,
    /// `content` instead of a key: the same kind and payload are the same work.
    by: Option<Word<By>>,
    /// Who wins when a second job names it: the first while it is live (`while_live`, without it), the first for all
    /// of `ttl_ms` (`throttle`), or the last (`debounce`).
    mode: Option<Word<Mode>>,
    /// How long a `debounce` may put the job off, in ms from its first enqueueing; for ever without it.
    max_wait_ms: Option<i64>,
    /// For how long at most, in ms; it is freed earlier when the job ends, but for a `throttle`.
    ttl_ms: i64,
}

/// Of what a key is made.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum By {
    Content,
}

/// Who wins when a second job names a key.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    WhileLive,
    Throttle,
    Debounce,
}

/// How late a job may start.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Lateness)]
pub(crate) struct LatenessBody {
    /// The longest it may be late, in ms.
    most_ms: i64,
    /// What becomes of it then: `skip` (without it), `dead` or `run`.
    then: Option<Word<LatePolicy>>,
}

/// Reads one job out of a text of its own.
///
/// # Errors
/// Its mistakes, in one line.
pub(crate) fn from_text(text: &str) -> Result<NewJob, String> {
    parse::in_shell(text, |body: NewJobBody| {
        let mut mistakes = Mistakes::default();
        let job = body.checked("", &mut mistakes);
        mistakes.into_result().map(|()| job)
    })
}

impl NewJobBody {
    /// The job that it describes, not to be used if there are mistakes.
    pub(crate) fn checked(self, place: &str, mistakes: &mut Mistakes) -> NewJob {
        let payload = payload(self.payload, self.payload_base64.as_deref(), place, mistakes);
        let mut job = NewJob::new(self.kind, payload);
        job.id = self.id;
        job.queue = self.queue.unwrap_or_default();
        job.subject = self.subject;
        job.concurrency_key = self.concurrency_key;
        let due = due::of(self.due_at.as_deref(), self.due_ms, self.delay_ms, place, mistakes);
        job.due = due.unwrap_or(Due::Now);
        if let Some(priority) = self.priority {
            let within = u8::try_from(priority).ok().and_then(Priority::new);
            job.priority = within.unwrap_or_else(|| {
                let why = "`priority` is a whole number from 0 (first) to 9 (last)";
                mistakes.body(join(place, "priority"), "invalid", why);
                Priority::default()
            });
        }
        if let Some(attempts) = self.max_attempts {
            job.max_attempts = attempts.map(NonZeroU32::get);
        }
        job.timeout = span(self.timeout_ms, place, "timeout_ms", mistakes);
        job.retention = span(self.retention_ms, place, "retention_ms", mistakes);
        if let Some(Object(unique)) = self.unique {
            unique.put_into(&mut job, &join(place, "unique"), mistakes);
        }
        let lateness = join(place, "lateness");
        job.lateness = self.lateness.and_then(|Object(body)| body.checked(&lateness, mistakes));
        job.any_window = self.any_window.unwrap_or_default();
        job.spread = span(self.spread_ms, place, "spread_ms", mistakes).map(Spread::ById);
        job.headers = self.headers;
        job.tags = self.tags.unwrap_or_default();
        job.replace = self.replace.unwrap_or_default();
        if let Err(Error::Invalid { field, why }) = job.check() {
            mistakes.body(join(place, field), "invalid", format!("`{field}` {why}"));
        }
        job
    }
}

impl UniqueBody {
    fn put_into(self, job: &mut NewJob, place: &str, mistakes: &mut Mistakes) {
        let ttl = span(Some(self.ttl_ms), place, "ttl_ms", mistakes);
        let max_wait = span(self.max_wait_ms, place, "max_wait_ms", mistakes);
        let key = match (self.key, self.by) {
            (None, Some(Word(By::Content))) => Some(content_key(&job.kind, &job.payload)),
            (Some(_), Some(_)) => {
                mistakes.body(
                    join(place, "by"),
                    "invalid",
                    "`by` takes the place of `key`: give one of them",
                );
                None
            }
            (None, None) => {
                mistakes.body(join(place, "key"), "required", "`unique` needs `key`, or `by`");
                None
            }
            (key, None) => key,
        };
        let mode = self.mode.unwrap_or_default().0;
        if max_wait.is_some() && mode != Mode::Debounce {
            mistakes.body(join(place, "max_wait_ms"), "invalid", "`max_wait_ms` is for the mode debounce");
        }
        job.unique = key.zip(ttl);
        if job.unique.is_some() {
            job.unique_mode = match mode {
                Mode::WhileLive => UniqueMode::WhileLive,
                Mode::Throttle => UniqueMode::Throttle,
                Mode::Debounce => UniqueMode::Debounce { max_wait },
            };
        }
    }
}

impl LatenessBody {
    /// How late a job, or jobs of a kind, may start, and what becomes of them then.
    pub(crate) fn checked(self, place: &str, mistakes: &mut Mistakes) -> Option<Lateness> {
        let most = span(Some(self.most_ms), place, "most_ms", mistakes)?;
        Some(Lateness { most, policy: self.then.unwrap_or_default().0 })
    }
}

/// The payload as the bytes that are stored: JSON exactly as it was sent, `null` if nothing was.
pub(crate) fn payload(
    json: Option<Box<RawValue>>,
    base64: Option<&str>,
    place: &str,
    mistakes: &mut Mistakes,
) -> Vec<u8> {
    let field = if base64.is_some() { "payload_base64" } else { "payload" };
    let mut refuse = |code, why: String| {
        mistakes.body(join(place, field), code, why);
        Vec::new()
    };
    let bytes = match (json, base64) {
        (Some(_), Some(_)) => {
            return refuse("several_payloads", "give `payload` or `payload_base64`, not both".to_owned());
        }
        (None, Some(text)) => match STANDARD.decode(text) {
            Ok(bytes) => bytes,
            Err(why) => return refuse("invalid_base64", format!("not base64: {why}")),
        },
        (Some(json), None) => match strict::check(json.get()) {
            Ok(()) => Box::<str>::from(json).into_boxed_bytes().into_vec(),
            Err(why) => return refuse("invalid_payload", format!("the payload {why}")),
        },
        (None, None) => b"null".to_vec(),
    };
    if bytes.len() > PAYLOAD_BYTES_MAX {
        let why = format!("the payload has {} bytes, at most {PAYLOAD_BYTES_MAX} are allowed", bytes.len());
        refuse("payload_too_large", why);
    }
    bytes
}

/// Texts by name, none of them twice; none for null.
fn headers<'de, D: Deserializer<'de>>(reader: D) -> Result<BTreeMap<String, String>, D::Error> {
    let text = Box::<RawValue>::deserialize(reader)?;
    let read = strict::check(text.get()).and_then(|()| {
        let read = serde_json::from_str::<Option<_>>(text.get());
        read.map_err(|_| "is an object whose values are texts".to_owned())
    });
    read.map(Option::unwrap_or_default).map_err(|why| parse::refused("type", format_args!("`headers` {why}")))
}
