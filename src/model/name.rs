//! Names from outside: checked once, at the door, by their type. None is `.` or `..`, which no address can name.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Longest queue, kind and namespace name, in bytes.
pub const NAME_BYTES_MAX: usize = 64;
/// Longest job id, subject and unique key, in bytes.
pub const ID_BYTES_MAX: usize = 128;

/// Why a name was refused. Safe to show: it repeats at most the offending character.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum InvalidName {
    /// Nothing was given.
    Empty {
        /// What the name is for: `queue`, `job id` …
        what: String,
    },
    /// More bytes than a name of this sort may have.
    TooLong {
        /// What the name is for.
        what: String,
        /// How many bytes were given.
        bytes: usize,
        /// How many are allowed.
        bytes_max: usize,
    },
    /// A character outside the grammar.
    Character {
        /// What the name is for.
        what: String,
        /// The first character that does not fit.
        found: char,
        /// The characters that do.
        allowed: String,
    },
    /// `.` or `..`: no address can name it, for whoever follows one takes them for the way up.
    Dots {
        /// What the name is for.
        what: String,
    },
}

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty { what } => write!(f, "{what} is empty"),
            Self::TooLong { what, bytes, bytes_max } => {
                write!(f, "{what} has {bytes} bytes, at most {bytes_max} are allowed")
            }
            Self::Character { what, found, allowed } => {
                write!(f, "{what} contains {found:?}, allowed are {allowed}")
            }
            Self::Dots { what } => write!(f, "{what} cannot be `.` or `..`, which no address can name"),
        }
    }
}

impl std::error::Error for InvalidName {}

const NAME_ALLOWED: &str = "A-Z a-z 0-9 . _ -";
const ID_ALLOWED: &str = "A-Z a-z 0-9 . _ : / @ -";

const PERSON_ALLOWED: &str = "a-z 0-9 . _ @ + -";

/// Addresses of mail fit; capitals do not, so that no two people differ by them alone.
const fn is_person_char(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '@' | '+' | '-')
}

const fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

const fn is_id_char(c: char) -> bool {
    is_name_char(c) || matches!(c, ':' | '/' | '@')
}

fn check(
    text: &str,
    what: &str,
    bytes_max: usize,
    allowed: &str,
    fits: fn(char) -> bool,
) -> Result<(), InvalidName> {
    if text.is_empty() {
        return Err(InvalidName::Empty { what: what.to_owned() });
    }
    if text.len() > bytes_max {
        return Err(InvalidName::TooLong { what: what.to_owned(), bytes: text.len(), bytes_max });
    }
    if matches!(text, "." | "..") {
        return Err(InvalidName::Dots { what: what.to_owned() });
    }
    match text.chars().find(|&c| !fits(c)) {
        Some(found) => {
            Err(InvalidName::Character { what: what.to_owned(), found, allowed: allowed.to_owned() })
        }
        None => Ok(()),
    }
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $what:literal, $bytes_max:expr, $allowed:expr, $fits:expr) => {
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
                let text = text.into();
                check(&text, $what, $bytes_max, $allowed, $fits)?;
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
    PersonName, "name", NAME_BYTES_MAX, PERSON_ALLOWED, is_person_char
);

name!(
    /// What an API token is called: 1–64 bytes of `[A-Za-z0-9._-]`.
    TokenName, "name", NAME_BYTES_MAX, NAME_ALLOWED, is_name_char
);
name!(
    /// A worker that claims by calls of its own, such as over HTTP: 1–64 bytes of `[A-Za-z0-9._-]`.
    WorkerName, "worker", NAME_BYTES_MAX, NAME_ALLOWED, is_name_char
);
name!(
    /// Identifies one job in its namespace: 1–128 bytes of `[A-Za-z0-9._:/@-]`.
    JobId, "job id", ID_BYTES_MAX, ID_ALLOWED, is_id_char
);
name!(
    /// The business thing a job is about, such as `resource:4711`: 1–128 bytes of `[A-Za-z0-9._:/@-]`.
    Subject, "subject", ID_BYTES_MAX, ID_ALLOWED, is_id_char
);
name!(
    /// Jobs of a queue in one lane share its limit: 1–128 bytes of `[A-Za-z0-9._:/@-]`.
    Lane, "lane", ID_BYTES_MAX, ID_ALLOWED, is_id_char
);
name!(
    /// At most one live job holds a unique key: 1–128 bytes of `[A-Za-z0-9._:/@-]`.
    UniqueKey, "unique key", ID_BYTES_MAX, ID_ALLOWED, is_id_char
);
name!(
    /// Identifies one plan in its namespace: 1–64 bytes of `[A-Za-z0-9._:/@-]`.
    PlanId, "plan id", NAME_BYTES_MAX, ID_ALLOWED, is_id_char
);
name!(
    /// Identifies one batch of jobs in its namespace: 1–64 bytes of `[A-Za-z0-9._:/@-]`.
    BatchId, "batch id", NAME_BYTES_MAX, ID_ALLOWED, is_id_char
);
name!(
    /// One step of a plan: 1–48 bytes of `[A-Za-z0-9._-]`. With the plan's id before it, it is the id of a job.
    StepName, "step", 48, NAME_ALLOWED, is_name_char
);
name!(
    /// Where a job waits for a worker: 1–64 bytes of `[A-Za-z0-9._-]`.
    QueueName, "queue", NAME_BYTES_MAX, NAME_ALLOWED, is_name_char
);
name!(
    /// The type of a job's work, which chooses its handler: 1–64 bytes of `[A-Za-z0-9._-]`.
    Kind, "kind", NAME_BYTES_MAX, NAME_ALLOWED, is_name_char
);
name!(
    /// Identifies a cron entry: 1–64 bytes of `[A-Za-z0-9._-]`.
    CronName, "cron entry", NAME_BYTES_MAX, NAME_ALLOWED, is_name_char
);
name!(
    /// Identifies a bulk run: 1–64 bytes of `[A-Za-z0-9._-]`.
    RunId, "bulk run", NAME_BYTES_MAX, NAME_ALLOWED, is_name_char
);
name!(
    /// One Reprieve among several on a Redis; becomes the hash tag of its keys: 1–64 bytes of `[A-Za-z0-9._-]`.
    Namespace, "namespace", NAME_BYTES_MAX, NAME_ALLOWED, is_name_char
);

name!(
    /// A way in for the jobs of a foreign queue: 1–64 bytes of `[A-Za-z0-9._-]`.
    InletName, "inlet", NAME_BYTES_MAX, NAME_ALLOWED, is_name_char
);

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
        for bad in [".", ".."] {
            assert_eq!(
                JobId::new(bad).map_err(|e| e.to_string()),
                Err("job id cannot be `.` or `..`, which no address can name".to_owned())
            );
            assert!(QueueName::new(bad).is_err(), "{bad:?} was let in");
        }
        for good in ["...", ".a", "a..", "a/.."] {
            assert!(JobId::new(good).is_ok(), "{good:?} was refused");
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
