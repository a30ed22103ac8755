//! Failures that are the same but for their details.

use super::job::JobRow;
use super::name::{JobId, Kind, QueueName};
use super::time::Timestamp;
use serde::{Deserialize, Serialize};

/// What stands in place of a detail.
const MASK: char = '#';
/// Hexadecimal runs as long as this are ids, not words.
const HEX_MIN: usize = 8;
/// Hours that a group counts one by one.
pub const FAILURE_HOURS: usize = 24;

/// What an error calls itself, and the rest: what stands before its first `: `, where that is one short word. `None` for
/// one that calls itself nothing: several words are a sentence with a colon in it.
#[must_use]
pub fn class_of(error: &str) -> Option<(&str, &str)> {
    /// Names of errors are shorter, in characters.
    const CLASS_CHARS_MAX: usize = 40;
    let (class, rest) = error.split_once(": ")?;
    let is_word = !class.is_empty() && !class.contains(char::is_whitespace);
    let is_name = is_word && class.chars().count() <= CLASS_CHARS_MAX && !rest.trim().is_empty();
    is_name.then_some((class, rest))
}

/// An error with its details masked: numbers, long hexadecimal runs and what stands in quotes become `#`.
///
/// Two errors with one mask are taken to be the same failure.
#[must_use]
pub fn masked(error: &str) -> String {
    let mut mask = String::with_capacity(error.len());
    let mut rest = error;
    while let Some(first) = rest.chars().next() {
        let quoted = matches!(first, '"' | '\'' | '`').then(|| quoted(rest, first)).flatten();
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_alphanumeric()).len();
        let taken = if let Some(bytes) = quoted {
            mask.push(first);
            mask.push(MASK);
            mask.push(first);
            bytes
        } else if word > 0 {
            push_word(&mut mask, &rest[..word]);
            word
        } else {
            mask.push(first);
            first.len_utf8()
        };
        rest = &rest[taken..];
    }
    // An id in parts, `0198c0de-7e57-…`, is one detail.
    while mask.contains("#-#") {
        mask = mask.replace("#-#", "#");
    }
    mask
}

/// The bytes up to and with the closing quote. An apostrophe inside a word, `can't`, closes nothing.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let end = text[1..].find(quote)? + 1;
    let closes = text[end + 1..].chars().next().is_none_or(|next| !next.is_alphanumeric());
    (end > 1 && closes).then_some(end + 1)
}

/// A word as it is, or its mask.
fn push_word(mask: &mut String, word: &str) {
    let is_hex = word.len() >= HEX_MIN && word.bytes().all(|b| b.is_ascii_hexdigit());
    let digits = |c: char| c.is_ascii_digit();
    if is_hex && word.contains(digits) {
        mask.push(MASK);
        return;
    }
    let mut in_number = false;
    for c in word.chars() {
        if !digits(c) {
            mask.push(c);
        } else if !in_number {
            mask.push(MASK);
        }
        in_number = digits(c);
    }
    // Parts of an id, `7e57`, are a detail; `http2` and `s3` are not worth the difference.
    let hexish = word.len() >= 4 && word.contains(digits) && word.bytes().all(|b| b.is_ascii_hexdigit());
    if hexish {
        let start = mask.len()
            - mask
                .chars()
                .rev()
                .take_while(|&c| c.is_alphanumeric() || c == MASK)
                .map(char::len_utf8)
                .sum::<usize>();
        mask.truncate(start);
        mask.push(MASK);
    }
}

/// The longest part of a mask that stands in every error of its group as it is; empty when all of it is details.
#[must_use]
pub fn literal(mask: &str) -> &str {
    mask.split(MASK)
        .map(|part| part.trim_matches(['"', '\'', '`']))
        .max_by_key(|part| part.len())
        .unwrap_or_default()
}

/// Jobs that died of one failure by a certain time: those that somebody has read of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiedOf {
    /// The [mask](masked) of their error lines.
    pub mask: String,
    /// What died behind it is left out.
    #[serde(rename = "until_ms")]
    pub until: Timestamp,
}

impl DiedOf {
    /// Whether that dead job is one of them.
    #[must_use]
    pub fn holds(&self, row: &JobRow) -> bool {
        row.ended.unwrap_or(row.due) <= self.until && masked(&row.error_line) == self.mask
    }
}

/// A failure that nobody is to be told of for a while: its deaths raise neither attention nor alerts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Mute {
    /// The [mask](masked) of its error lines.
    pub mask: String,
    /// Where; `None` is in every queue.
    #[serde(default)]
    pub queue: Option<QueueName>,
    /// From then on it is told again.
    pub until: Timestamp,
    /// Who muted it.
    pub by: String,
}

impl Mute {
    /// Whether jobs of that queue that died of that are muted then.
    #[must_use]
    pub fn holds(&self, mask: &str, queue: &QueueName, now: Timestamp) -> bool {
        self.mask == mask && self.is_about(queue, now)
    }

    /// Whether it says anything about that queue then.
    #[must_use]
    pub fn is_about(&self, queue: &QueueName, now: Timestamp) -> bool {
        now < self.until && self.queue.as_ref().is_none_or(|only| only == queue)
    }
}

/// Dead jobs with one and the same failure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FailureGroup {
    /// The first 200 characters of the error as one line, with its details masked.
    pub mask: String,
    /// How many jobs.
    pub count: u64,
    /// When the first of them died.
    pub first: Timestamp,
    /// When the latest of them died.
    pub last: Timestamp,
    /// Their kinds, the most frequent first; eight at most.
    pub kinds: Vec<(Kind, u64)>,
    /// How many of them are of other kinds.
    #[serde(default)]
    pub of_other_kinds: u64,
    /// Their queues, the most frequent first; eight at most.
    pub queues: Vec<(QueueName, u64)>,
    /// How many of them are in other queues.
    #[serde(default)]
    pub in_other_queues: u64,
    /// How many died in each of the last 24 hours, the oldest first.
    pub hours: Vec<u32>,
    /// The latest of them.
    pub example: JobId,
    /// Its error line as it is.
    pub example_error: String,
    /// Who muted all of it until when; `None` where it is told.
    #[serde(default)]
    pub muted: Option<Mute>,
}

impl FailureGroup {
    /// Begins a group with its latest job.
    #[must_use]
    pub fn new(mask: String, at: Timestamp, example: JobId, example_error: String) -> Self {
        Self {
            mask,
            count: 0,
            first: at,
            last: at,
            kinds: Vec::new(),
            of_other_kinds: 0,
            queues: Vec::new(),
            in_other_queues: 0,
            hours: vec![0; FAILURE_HOURS],
            example,
            example_error,
            muted: None,
        }
    }
}

/// The jobs whose latest error is that of one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Alike {
    /// That error with its details masked.
    pub mask: String,
    /// How many others died of it.
    pub others: u64,
    /// How many others failed with it and are to be tried again.
    #[serde(default)]
    pub retrying: u64,
    /// Whether there may be more than were looked at.
    pub more: bool,
}

impl Alike {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(mask: String, others: u64, more: bool) -> Self {
        Self { mask, others, retrying: 0, more }
    }
}

/// The failures of dead jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failures {
    /// The groups, the most frequent first; 200 at most.
    pub groups: Vec<FailureGroup>,
    /// How many rarer groups there are beside these.
    #[serde(default)]
    pub rarer: u64,
    /// How many dead jobs were looked at: the latest ones.
    pub scanned: u64,
    /// How many there are.
    pub total: u64,
    /// When this was read, by Redis's clock.
    pub read_at: Timestamp,
}

impl Failures {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(groups: Vec<FailureGroup>, scanned: u64, total: u64, read_at: Timestamp) -> Self {
        Self { groups, rarer: 0, scanned, total, read_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_from_what_it_calls_itself() {
        for (error, told) in [
            ("TimeoutError: no answer within 30 s", Some(("TimeoutError", "no answer within 30 s"))),
            ("the receiver answered 503: try: later", None),
            ("no colon at all", None),
            ("12:30 is over", None),
            (": nothing in front", None),
            ("nothing behind: ", None),
            ("a_word_that_goes_on_for_more_than_a_name_would: and more", None),
        ] {
            assert_eq!(class_of(error), told, "{error}");
        }
    }

    #[test]
    fn errors_that_differ_in_details_have_one_mask() {
        for (error, mask) in [
            ("timeout after 300 ms", "timeout after # ms"),
            ("no user \"ann\" in table 'people'", "no user \"#\" in table '#'"),
            ("job 0198c0de-7e57-7000-8000-000000000001 gone", "job # gone"),
            ("HTTP 503 from http://10.0.0.7:8080/send", "HTTP # from http://#.#.#.#:#/send"),
            ("can't connect, it isn't there", "can't connect, it isn't there"),
            ("sha deadbeefcafe0123 differs", "sha # differs"),
            ("facade added", "facade added"),
            ("\"\" is empty", "\"\" is empty"),
            ("任务 42 失败", "任务 # 失败"),
            ("", ""),
        ] {
            assert_eq!(masked(error), mask, "{error}");
        }
    }

    #[test]
    fn a_mask_is_its_own_mask() {
        for error in ["a 1 b", "x '1' y", "id 0198c0de-7e57-7000-8000-000000000001", "'", "\"a"] {
            let mask = masked(error);
            assert_eq!(masked(&mask), mask, "{error}");
        }
    }

    #[test]
    fn the_longest_literal_of_a_mask_stands_in_each_of_its_errors() {
        assert_eq!(literal("timeout after # ms"), "timeout after ");
        assert_eq!(literal("no user \"#\" in table '#'"), " in table ");
        assert_eq!(literal("#"), "");
    }
}
