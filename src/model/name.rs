//! Names from outside: checked once, at the door, by their type.
//!
//! Names that stand in addresses have no part between slashes that is empty, `.` or `..`: clients and proxies
//! fold such parts, and the address would name something else.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Longest queue, kind and namespace name, in bytes.
pub const NAME_BYTES_MAX: usize = 64;
/// Longest job id, subject and unique key, in bytes.
pub const ID_BYTES_MAX: usize = 128;

/// Why a name was refused. Safe to show: it repeats at most the offending character.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidName {
    /// Nothing was given.
    #[error("{what} is empty")]
    Empty {
        /// What the name is for: `queue`, `job id` …
        what: String,
    },
    /// More bytes than a name of this sort may have.
    #[error("{what} has {bytes} bytes, at most {bytes_max} are allowed")]
    TooLong {
        /// What the name is for.
        what: String,
        /// How many bytes were given.
        bytes: usize,
        /// How many are allowed.
        bytes_max: usize,
    },
    /// A character outside the grammar.
    #[error("{what} contains {found:?}, allowed are {allowed}")]
    Character {
        /// What the name is for.
        what: String,
        /// The first character that does not fit.
        found: char,
        /// The characters that do.
        allowed: String,
    },
    /// A part between slashes, or the whole name, is empty, `.` or `..`: clients and proxies fold those in an
    /// address, which then names something else.
    #[error(
        "{what} has a part between slashes that is empty, `.` or `..`: in an address it would name something else"
    )]
    Dots {
        /// What the name is for.
        what: String,
    },
}

/// What names of one sort look like.
struct Grammar {
    /// The characters, for the error.
    allowed: &'static str,
    /// Whether it may hold a character.
    fits: fn(char) -> bool,
    /// It stands in addresses.
    addressed: bool,
}

const NAME: Grammar = Grammar { allowed: "A-Z a-z 0-9 . _ -", fits: is_name_char, addressed: true };
const ID: Grammar = Grammar { allowed: "A-Z a-z 0-9 . _ : / @ -", fits: is_id_char, addressed: true };
const KEY: Grammar = Grammar { addressed: false, ..ID };
/// Of the one spelling; other signs are escaped in it.
const SUBJECT: Grammar =
    Grammar { allowed: "all characters but control characters", fits: |c| !c.is_control(), addressed: true };
/// Addresses of mail fit; capitals do not, so that no two people differ by them alone.
const PERSON: Grammar = Grammar { allowed: "a-z 0-9 . _ @ + -", fits: is_person_char, addressed: true };

const fn is_person_char(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '@' | '+' | '-')
}

const fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

const fn is_id_char(c: char) -> bool {
    is_name_char(c) || matches!(c, ':' | '/' | '@')
}

fn check(text: &str, what: &str, bytes_max: usize, grammar: &Grammar) -> Result<(), InvalidName> {
    let what = || what.to_owned();
    if text.is_empty() {
        return Err(InvalidName::Empty { what: what() });
    }
    if text.len() > bytes_max {
        return Err(InvalidName::TooLong { what: what(), bytes: text.len(), bytes_max });
    }
    if grammar.addressed && text.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(InvalidName::Dots { what: what() });
    }
    if let Some(found) = text.chars().find(|&c| !(grammar.fits)(c)) {
        return Err(InvalidName::Character { what: what(), found, allowed: grammar.allowed.to_owned() });
    }
    Ok(())
}

/// Foreign bytes as an id can be written: itself if it is one, else with `@` and two hexadecimal digits for
/// each byte that no id has, for each `@`, for the dots of parts that are `.` or `..`, and for the slashes
/// beside empty parts.
pub fn escaped(foreign: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(foreign)
        && check(text, "", foreign.len(), &ID).is_ok()
    {
        return text.to_owned();
    }
    let mut text = String::with_capacity(foreign.len());
    let escape = |text: &mut String, byte: u8| {
        text.push('@');
        for digit in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(u32::from(digit), 16).map(|digit| digit.to_ascii_uppercase()));
        }
    };
    let mut before: Option<&[u8]> = None;
    for part in foreign.split(|byte| *byte == b'/') {
        match before {
            Some(before) if before.is_empty() || part.is_empty() => escape(&mut text, b'/'),
            Some(_) => text.push('/'),
            None => {}
        }
        for &byte in part {
            let is_plain = byte != b'@' && is_id_char(char::from(byte)) && !matches!(part, b"." | b"..");
            if is_plain { text.push(char::from(byte)) } else { escape(&mut text, byte) }
        }
        before = Some(part);
    }
    text
}

/// The one spelling of a subject: without blanks around it, [`escaped`] where it has signs that no id has or
/// empty parts. Control characters and parts that are `.` or `..` stay as they are, for the check to refuse.
fn subject_spelling(text: String) -> String {
    if check(&text, "", ID_BYTES_MAX, &ID).is_ok() {
        return text;
    }
    let trimmed = text.trim_matches(' ');
    let refused = trimmed.chars().any(char::is_control)
        || trimmed.split('/').any(|part| matches!(part, "." | ".."))
        || trimmed.len() > ID_BYTES_MAX;
    if refused { trimmed.to_owned() } else { escaped(trimmed.as_bytes()) }
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $what:literal, $bytes_max:expr, $grammar:expr) => {
        name!($(#[$doc])* $type, $what, $bytes_max, $grammar, std::convert::identity);
    };
    ($(#[$doc:meta])* $type:ident, $what:literal, $bytes_max:expr, $grammar:expr, $spelling:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $type(String);

        impl $type {
            /// Checks the grammar.
            ///
            /// # Errors
            /// [`InvalidName`] says what does not fit.
            pub fn new(text: impl Into<String>) -> Result<Self, InvalidName> {
                let text = $spelling(text.into());
                check(&text, $what, $bytes_max, &$grammar)?;
                Ok(Self(text))
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $type {
            type Error = InvalidName;
            fn try_from(text: String) -> Result<Self, InvalidName> {
                Self::new(text)
            }
        }

        impl FromStr for $type {
            type Err = InvalidName;
            fn from_str(text: &str) -> Result<Self, InvalidName> {
                Self::new(text)
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> String {
                name.0
            }
        }
    };
}

name!(
    /// Who signs in: 1–64 bytes of `[a-z0-9._@+-]`.
    PersonName, "name", NAME_BYTES_MAX, PERSON
);

name!(
    /// What an API token is called: 1–64 bytes of `[A-Za-z0-9._-]`.
    TokenName, "name", NAME_BYTES_MAX, NAME
);
name!(
    /// A worker that claims by calls of its own, such as over HTTP: 1–64 bytes of `[A-Za-z0-9._-]`.
    WorkerName, "worker", NAME_BYTES_MAX, NAME
);
name!(
    /// Identifies one job in its namespace: 1–128 bytes of `[A-Za-z0-9._:/@-]`.
    JobId, "job id", ID_BYTES_MAX, ID
);
name!(
    /// The business thing a job is about, such as `resource:4711` or `ann+test@example.com`.
    ///
    /// Any text without control characters whose canonical spelling has 1–128 bytes; no part between slashes
    /// may be `.` or `..`. The canonical spelling is what is kept, compared and shown: the text without
    /// blanks around it if all of it is `[A-Za-z0-9._:/@-]` without empty parts between slashes, else with
    /// `@XX` for each other byte, for each `@` and for the slashes beside empty parts:
    /// `ann@2Btest@40example.com`. Either spelling makes the same subject.
    Subject, "subject", ID_BYTES_MAX, SUBJECT, subject_spelling
);
name!(
    /// Jobs of a queue with one concurrency key share its limit: 1–128 bytes of `[A-Za-z0-9._:/@-]`.
    ConcurrencyKey, "concurrency_key", ID_BYTES_MAX, KEY
);
name!(
    /// At most one live job holds a unique key: 1–128 bytes of `[A-Za-z0-9._:/@-]`.
    UniqueKey, "unique key", ID_BYTES_MAX, KEY
);
name!(
    /// Identifies one plan in its namespace: 1–64 bytes of `[A-Za-z0-9._:/@-]`.
    PlanId, "plan id", NAME_BYTES_MAX, ID
);
name!(
    /// Identifies one batch of jobs in its namespace: 1–64 bytes of `[A-Za-z0-9._:/@-]`.
    BatchId, "batch id", NAME_BYTES_MAX, ID
);
name!(
    /// One step of a plan: 1–48 bytes of `[A-Za-z0-9._-]`. With the plan's id before it, it is the id of a job.
    StepName, "step", 48, NAME
);
name!(
    /// Where a job waits for a worker: 1–64 bytes of `[A-Za-z0-9._-]`.
    QueueName, "queue", NAME_BYTES_MAX, NAME
);
name!(
    /// The type of a job's work, which chooses its handler: 1–64 bytes of `[A-Za-z0-9._-]`.
    Kind, "kind", NAME_BYTES_MAX, NAME
);
name!(
    /// Identifies a cron entry: 1–64 bytes of `[A-Za-z0-9._-]`.
    CronName, "cron entry", NAME_BYTES_MAX, NAME
);
name!(
    /// Identifies a bulk run: 1–64 bytes of `[A-Za-z0-9._-]`.
    RunId, "bulk run", NAME_BYTES_MAX, NAME
);
name!(
    /// One Reprieve among several on a Redis; becomes the hash tag of its keys: 1–64 bytes of `[A-Za-z0-9._-]`.
    Namespace, "namespace", NAME_BYTES_MAX, NAME
);

name!(
    /// A way in for the jobs of a foreign queue: 1–64 bytes of `[A-Za-z0-9._-]`.
    ImportName, "import", NAME_BYTES_MAX, NAME
);

impl Subject {
    /// The text that people know it by: `ann+test@example.com` for `ann@2Btest@40example.com`.
    #[must_use]
    pub fn readable(&self) -> String {
        let mut bytes = Vec::with_capacity(self.0.len());
        let mut rest = self.0.as_bytes();
        while let Some((&first, behind)) = rest.split_first() {
            let digits = behind.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
            let escape = digits.filter(|_| first == b'@').and_then(|pair| u8::from_str_radix(pair, 16).ok());
            bytes.push(escape.unwrap_or(first));
            rest = if escape.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
        }
        // An address may hold `@` and digits by itself: then nothing was escaped.
        match String::from_utf8(bytes) {
            Ok(text) if Self::new(text.as_str()).as_ref() == Ok(self) => text,
            _ => self.0.clone(),
        }
    }
}

impl Default for QueueName {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl Default for Namespace {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_no_key_separators() {
        for bad in ["a:b", "a{b}", "a b", "a\nb", "a*", "é", "a/b"] {
            assert!(QueueName::new(bad).is_err(), "{bad:?} was let in");
        }
        assert!(QueueName::new("mail.eu-1_b").is_ok());
    }

    #[test]
    fn ids_hold_no_braces_and_no_blanks() {
        for bad in ["", "a{b", "a}b", "a b", "a\0", "a\u{7f}", "a\\b"] {
            assert!(JobId::new(bad).is_err(), "{bad:?} was let in");
        }
        assert!(Subject::new("resource:4711/eu@x.y-z_1").is_ok());
    }

    #[test]
    fn a_name_may_have_exactly_its_limit() {
        assert!(Kind::new("k".repeat(NAME_BYTES_MAX)).is_ok());
        assert_eq!(
            Kind::new("k".repeat(NAME_BYTES_MAX + 1)).map_err(|e| e.to_string()),
            Err("kind has 65 bytes, at most 64 are allowed".to_owned())
        );
        assert!(JobId::new("i".repeat(ID_BYTES_MAX)).is_ok());
        assert!(JobId::new("i".repeat(ID_BYTES_MAX + 1)).is_err());
    }

    #[test]
    fn a_name_can_stand_in_an_address() {
        for bad in
            [".", "..", "a/../b", "a/..", "./c", "x/", "/x", "a//b", "s3://x", "/", "x/../../subjects/y"]
        {
            let sentence = "has a part between slashes that is empty, `.` or `..`: \
                            in an address it would name something else";
            assert_eq!(
                JobId::new(bad).map_err(|e| e.to_string()),
                Err(format!("job id {sentence}")),
                "{bad}"
            );
            assert!(PlanId::new(bad).is_err() && BatchId::new(bad).is_err(), "{bad:?} was let in");
            assert!(bad.contains('/') || QueueName::new(bad).is_err(), "{bad:?} was let in");
            // These stand in no address.
            assert!(UniqueKey::new(bad).is_ok() && ConcurrencyKey::new(bad).is_ok(), "{bad:?} was refused");
        }
        for good in ["...", ".a", "a..", "a/...", "a/b/.c"] {
            assert!(JobId::new(good).is_ok() && Subject::new(good).is_ok(), "{good:?} was refused");
        }
    }

    #[test]
    fn a_subject_has_one_spelling() {
        for (text, kept) in [
            ("resource:4711", "resource:4711"),
            ("bob@example.com", "bob@example.com"),
            ("ann+test@example.com", "ann@2Btest@40example.com"),
            ("ann@2Btest@40example.com", "ann@2Btest@40example.com"),
            (" Ann B ", "Ann@20B"),
            ("jürgen", "j@C3@BCrgen"),
            ("https://example.com/a?b", "https:@2F@2Fexample.com/a@3Fb"),
            ("/x/", "@2Fx@2F"),
        ] {
            let subject = Subject::new(text).unwrap();
            assert_eq!(subject.as_str(), kept, "{text}");
            assert_eq!(kept.parse::<Subject>().as_ref(), Ok(&subject), "{text}");
        }
        for (text, readable) in [
            ("ann+test@example.com", "ann+test@example.com"),
            ("bob@20example.com", "bob example.com"),
            ("bob@40example.com", "bob@40example.com"),
            ("bob@example.com", "bob@example.com"),
            ("a//@", "a//@"),
        ] {
            assert_eq!(Subject::new(text).unwrap().readable(), readable);
        }
        for bad in [
            "",
            "  ",
            "a\nb",
            "a\u{7f}",
            "a\u{85}",
            "..",
            "x/../y",
            "x/ü/.",
            &"ü".repeat(22),
            &"a".repeat(129),
        ] {
            assert!(Subject::new(bad).is_err(), "{bad:?} was let in");
        }
        for (bad, why) in [
            ("ü\na", "subject contains '\\n', allowed are all characters but control characters"),
            (
                "x/ü/..",
                "subject has a part between slashes that is empty, `.` or `..`: \
                 in an address it would name something else",
            ),
        ] {
            assert_eq!(Subject::new(bad).map_err(|e| e.to_string()), Err(why.to_owned()));
        }
    }

    #[test]
    fn any_bytes_can_be_written_as_an_id() {
        for (foreign, id) in [
            (&b"a@b"[..], "a@b"),
            (b"a b@c", "a@20b@40c"),
            (b"a//b", "a@2F@2Fb"),
            (b"../x/./y", "@2E@2E/x/@2E/y"),
            (b"\xff\n", "@FF@0A"),
        ] {
            assert_eq!(escaped(foreign), id);
            assert!(JobId::new(id).is_ok(), "{id}");
        }
    }

    #[test]
    fn the_error_names_the_character() {
        let error = QueueName::new("a{b}").map_err(|e| e.to_string());
        assert_eq!(error, Err("queue contains '{', allowed are A-Z a-z 0-9 . _ -".to_owned()));
    }

    #[test]
    fn a_bad_name_cannot_arrive_by_deserialisation() {
        use serde::de::value::{Error, StrDeserializer};
        let source: StrDeserializer<'_, Error> = serde::de::IntoDeserializer::into_deserializer("a b");
        assert!(QueueName::deserialize(source).is_err());
    }
}
