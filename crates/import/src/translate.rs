//! What all foreign formats need on their way: due times out of scores, and
//! names that fit our grammar, always the same ones.

use super::score::ScoreUnit;
use reprieve::internals::{Tree, in_one_line, read_last};
use reprieve::model::name::{ID_BYTES_MAX, escaped};
use reprieve::model::{JobId, Kind, QueueName, Subject, Timestamp, UniqueKey, first_bytes};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Where ids come from that are made of something else; any fixed value does.
const ID_SPACE: Uuid = Uuid::from_u128(0x4f1d_6f6b_8f5c_4a53_9a51_72ce_2f0e_6b1d);

/// Longest error text kept, in bytes, as for our own failures.
const ERROR_BYTES_MAX: usize = 8 * 1_024;

/// Longest text kept as a header, in bytes.
const HEADER_BYTES_MAX: usize = 4 * 1_024;
/// Characters of what a parser says.
const WHY_CHARS_MAX: usize = 200;

/// An item of a source as it lies there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Raw {
    /// Where it is, in the source's words.
    pub(super) place: String,
    /// Its member or id.
    pub(super) name: Vec<u8>,
    /// Its score as text; empty in a list.
    pub(super) score: String,
    /// What is kept about it elsewhere; `None` when nothing is.
    pub(super) body: Option<Vec<u8>>,
    /// Further fields.
    pub(super) fields: BTreeMap<String, Vec<u8>>,
    /// How long a lock it holds lives on, in ms.
    pub(super) lock_ms: Option<i64>,
}

impl Raw {
    /// A field as text.
    pub(super) fn text(&self, field: &str) -> Option<String> {
        self.fields.get(field).map(|value| String::from_utf8_lossy(value).into_owned())
    }

    /// A field as a count.
    pub(super) fn number(&self, field: &str) -> Option<u64> {
        self.text(field)?.parse().ok()
    }

    /// Its name for people, at most 60 characters.
    pub(super) fn shown(&self) -> String {
        let text = String::from_utf8_lossy(&self.name);
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if line.chars().count() <= 60 { line } else { line.chars().take(59).chain(['…']).collect() }
    }
}

/// The instant that a score stands for, rounded up to whole milliseconds: never early. What lies before 1970 is due
/// at once, as it is for everybody who asks for all scores up to now.
pub(super) fn due(score: &str, unit: ScoreUnit) -> Result<Timestamp, String> {
    let value: f64 = score.parse().map_err(|_| "its score is no number".to_owned())?;
    if value.is_nan() {
        return Err("its score is no number".to_owned());
    }
    if value <= 0.0 {
        return Ok(Timestamp::EPOCH);
    }
    let factor = match unit {
        ScoreUnit::S => 1e3,
        ScoreUnit::Ms => 1.0,
        ScoreUnit::Us => 1e-3,
        ScoreUnit::Auto if value < 1e11 => 1e3,
        ScoreUnit::Auto if value < 1e14 => 1.0,
        ScoreUnit::Auto if value < 1e17 => 1e-3,
        ScoreUnit::Auto => 1e-6,
    };
    let exact = value * factor;
    // A decimal fraction of a second is not exact in binary; a hundredth of a millisecond is noise, not meaning.
    let ms = if (exact - exact.round()).abs() < 0.01 { exact.round() } else { exact.ceil() };
    // Beyond 2^53 ms no instant is left anyway.
    if ms > 9e15 {
        return Err(format!("its score {score} lies beyond the year 9999"));
    }
    #[expect(clippy::cast_possible_truncation, reason = "between 0 and 9e15 and whole")]
    let ms = ms as i64;
    Timestamp::from_millis(ms).ok_or_else(|| format!("its score {score} lies beyond the year 9999"))
}

/// An id made of any bytes, the same for the same bytes of the same place.
pub(super) fn made_id(space: &str, bytes: &[u8]) -> JobId {
    let mut all = Vec::with_capacity(space.len() + 1 + bytes.len());
    all.extend_from_slice(space.as_bytes());
    all.push(0);
    all.extend_from_slice(bytes);
    match JobId::new(Uuid::new_v5(&ID_SPACE, &all).to_string()) {
        Ok(id) => id,
        Err(_) => unreachable!("a UUID is 36 bytes of hexadecimal digits and hyphens"),
    }
}

/// A foreign id as ours: itself where it fits, else [`escaped`], or one made of it when that becomes too
/// long.
pub(super) fn job_id(space: &str, name: &[u8]) -> JobId {
    fitting(name).and_then(|text| JobId::new(text).ok()).unwrap_or_else(|| made_id(space, name))
}

/// The id of a job in a queue that counts its jobs from 1, so that these have the queue's name before it. One that somebody
/// chose stays.
pub(super) fn counted_id(queue: &str, space: &str, name: &[u8]) -> JobId {
    let before = if name.iter().all(u8::is_ascii_digit) { format!("{queue}:") } else { String::new() };
    job_id(space, &[before.as_bytes(), name].concat())
}

/// A foreign lock's name as ours, in the same way.
pub(super) fn unique_key(name: &[u8]) -> Option<UniqueKey> {
    fitting(name)
        .and_then(|text| UniqueKey::new(text).ok())
        .or_else(|| UniqueKey::new(made_id("unique", name).as_str()).ok())
}

/// A name as ids are written; `None` when it is too long to be one.
fn fitting(name: &[u8]) -> Option<String> {
    (name.len() <= ID_BYTES_MAX).then(|| escaped(name))
}

/// A foreign name as one of ours: `:` and `/` become dots; if anything else does not fit, it becomes `_` and eight
/// digits that depend on the whole name follow. They do as well where what is left is no name. Queues and kinds have one
/// grammar.
fn name(foreign: &str) -> String {
    let dotted: String = foreign
        .chars()
        .map(|c| match c {
            ':' | '/' => '.',
            c if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') => c,
            _ => '\u{0}',
        })
        .collect();
    if QueueName::new(dotted.as_str()).is_ok() {
        return dotted;
    }
    let mut digits = made_id("name", foreign.as_bytes()).as_str().to_owned();
    digits.truncate(8);
    let start: String = dotted.chars().map(|c| if c == '\u{0}' { '_' } else { c }).take(40).collect();
    format!("{start}-{digits}")
}

/// The kind that a foreign type's name becomes.
pub(super) fn kind(foreign: &str) -> Result<Kind, String> {
    Kind::new(name(foreign)).map_err(|error| error.to_string())
}

/// The queue that a foreign queue's name becomes.
pub(super) fn queue(foreign: &str) -> Result<QueueName, String> {
    QueueName::new(name(foreign)).map_err(|error| error.to_string())
}

/// What a JSON pointer finds in a payload, a text or the digits of a number as they are written; `None` when
/// the payload is no JSON or has nothing there.
pub(super) fn pointed(payload: &[u8], pointer: &str) -> Option<String> {
    let json = read_last(payload)?;
    json.pointer(pointer).filter(|found| matches!(found, Tree::Text(_) | Tree::Number(_))).map(Tree::text)
}

/// The subject that a pointer finds. A job that cannot be called off by its subject would be a broken promise, so a
/// payload without one is an error.
pub(super) fn subject(payload: &[u8], pointer: Option<&String>) -> Result<Option<Subject>, String> {
    let Some(pointer) = pointer else { return Ok(None) };
    let found = pointed(payload, pointer).ok_or_else(|| format!("it has no text or number at {pointer}"))?;
    // The words are fixed, so that screens can translate them.
    Subject::new(found).map(Some).map_err(|_| {
        format!(
            "what it has at {pointer} cannot be a subject: it is empty or too long, \
             or holds control characters, `.` or `..`"
        )
    })
}

/// What a parser says of a job that is no JSON of that system's. It quotes what it met, which may be all of it.
pub(super) fn no_json(system: &str, error: &serde_json::Error) -> String {
    format!("its job is no JSON of {system}'s: {}", in_one_line(&error.to_string(), WHY_CHARS_MAX))
}

/// How many attempts a job has after which so many retries follow on the first. What it has used up is used up, but taking
/// it over is no reason to give up on it.
pub(super) fn attempts(retries: u64, made: u32, has_ended: bool) -> u32 {
    let least = if has_ended { made } else { made.saturating_add(1) };
    u32::try_from(retries.saturating_add(1)).unwrap_or(u32::MAX).max(least).max(1)
}

/// A header with a text as it was, unless it is no text or too long: all headers of a job have 8 KiB.
pub(super) fn header(name: &str, text: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(text).ok().filter(|text| text.len() <= HEADER_BYTES_MAX)?;
    Some((name.to_owned(), text.to_owned()))
}

/// At most 8 KiB of an error, whole characters.
pub(super) fn error(text: &str) -> String {
    first_bytes(text, ERROR_BYTES_MAX).to_owned()
}

/// The part of a key that decides about its slot on a cluster; `None` when no other key can be given the same one.
pub(super) fn slot_tag(key: &str) -> Option<&str> {
    if let Some((_, rest)) = key.split_once('{')
        && let Some((tag, _)) = rest.split_once('}')
        && !tag.is_empty()
    {
        return Some(tag);
    }
    (!key.contains('}')).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scores_are_read_by_their_size() {
        let ms = |score: &str| due(score, ScoreUnit::Auto).map(Timestamp::as_millis);
        assert_eq!(ms("1893456000"), Ok(1_893_456_000_000));
        assert_eq!(ms("1893456000.25"), Ok(1_893_456_000_250));
        assert_eq!(ms("1893456000.1234"), Ok(1_893_456_000_124));
        assert_eq!(ms("1893456000123"), Ok(1_893_456_000_123));
        assert_eq!(ms("1893456000123456"), Ok(1_893_456_000_124));
        assert_eq!(ms("1.893456e+18"), Ok(1_893_456_000_000));
    }

    #[test]
    fn scores_that_are_no_time_are_refused_and_those_before_1970_are_due() {
        let ms = |score: &str| due(score, ScoreUnit::S).map(Timestamp::as_millis);
        assert_eq!((ms("-5"), ms("0"), ms("-inf")), (Ok(0), Ok(0), Ok(0)));
        assert_eq!(ms("inf"), Err("its score inf lies beyond the year 9999".to_owned()));
        assert_eq!(ms("1e300"), Err("its score 1e300 lies beyond the year 9999".to_owned()));
        assert_eq!(ms("nan"), Err("its score is no number".to_owned()));
    }

    #[test]
    fn an_id_that_fits_stays_and_others_are_escaped() {
        assert_eq!(job_id("q", b"scheduled-0").as_str(), "scheduled-0");
        assert_eq!(
            job_id("q", b"id with spaces/slash:colon{brace}").as_str(),
            "id@20with@20spaces/slash:colon@7Bbrace@7D"
        );
        assert_eq!(job_id("q", b"x/../../subjects/a").as_str(), "x/@2E@2E/@2E@2E/subjects/a");
        assert_eq!(job_id("q", b"s3://x/").as_str(), "s3:@2F@2Fx@2F");
        assert_eq!(job_id("q", &[b'x'; 300]).as_str().len(), 36);
        assert_ne!(job_id("q", &[b'x'; 300]), job_id("r", &[b'x'; 300]));
    }

    #[test]
    fn names_stay_readable() {
        assert_eq!(name("email:welcome"), "email.welcome");
        assert_eq!(name("mail:out/eu"), "mail.out.eu");
        assert!(name("発送").starts_with("__-"));
        assert_ne!(name("発送"), name("配送"));
        assert_eq!(name("..."), "...");
        for dots in [".", "..", "/", "://", ":/"] {
            assert!(kind(dots).is_ok() && queue(dots).is_ok(), "{dots}");
        }
        assert_ne!(name("."), name(":"));
    }

    #[test]
    fn a_key_lends_its_slot() {
        assert_eq!(slot_tag("due"), Some("due"));
        assert_eq!(slot_tag("app:{mail}:due"), Some("mail"));
        assert_eq!(slot_tag("asynq:{we}ird}:pending"), Some("we"));
        assert_eq!(slot_tag("a}b"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_make_an_id_and_always_the_same(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let id = job_id("space", &bytes);
            prop_assert!(JobId::new(id.as_str()).is_ok());
            prop_assert_eq!(id, job_id("space", &bytes));
        }

        #[test]
        fn any_text_makes_a_name(text in "\\PC{0,80}") {
            prop_assert!(kind(&text).is_ok());
            prop_assert!(queue(&text).is_ok());
        }

        #[test]
        fn any_score_is_an_instant_or_a_reason(score in any::<f64>()) {
            match due(&score.to_string(), ScoreUnit::Auto) {
                Ok(at) => prop_assert!(at <= Timestamp::MAX),
                Err(why) => prop_assert!(!why.is_empty()),
            }
        }
    }
}
