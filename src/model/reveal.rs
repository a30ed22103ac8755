//! Hidden parts of payloads: how they are marked, how one is named, and what a look at it answers.

use super::name::JobId;
use super::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What stands for the hidden part.
pub const DOTS: &str = "••••";
/// What tells people that it is not the value itself.
pub const SAYS: &str = "(hidden)";

/// Whether a text of a payload that is shown is the mark of something hidden.
#[must_use]
pub fn is_hidden(text: &str) -> bool {
    text.starts_with(DOTS) && text.ends_with(SAYS)
}

/// Whether a payload that is shown may have such a mark in it: it is not the payload itself then.
#[must_use]
pub fn holds_hidden(payload: &str) -> bool {
    payload.contains(DOTS) && payload.contains(SAYS)
}

/// Where a part of a payload is: a JSON pointer (RFC 6901) such as `/customer/phone`, empty for all of it.
///
/// Not the paths that rules have: a name may hold a dot.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PartPath(Vec<String>);

impl PartPath {
    /// Bytes of it: the names in a payload are short, and each look stands in the audit with it.
    pub const BYTES_MAX: usize = 512;
    /// Names of it: as deep as payloads are.
    pub const DEPTH_MAX: usize = 64;

    /// The names on the way, the outermost first; an item of a list is named by its number, from 0.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// The same one name further down.
    #[must_use]
    pub fn below(&self, name: &str) -> Self {
        let mut names = self.0.clone();
        names.push(name.to_owned());
        Self(names)
    }

    /// So many names of it, from the outermost on.
    #[must_use]
    pub fn above(&self, names: usize) -> Self {
        Self(self.0.iter().take(names).cloned().collect())
    }
}

impl fmt::Display for PartPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|name| write!(f, "/{}", name.replace('~', "~0").replace('/', "~1")))
    }
}

/// The text is no JSON pointer that a payload could have. Safe to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the part is a JSON pointer of at most {} bytes, such as /customer/phone or /items/0/card; an empty one is the whole payload",
    PartPath::BYTES_MAX
)]
pub struct InvalidPart;

impl FromStr for PartPath {
    type Err = InvalidPart;

    fn from_str(text: &str) -> Result<Self, InvalidPart> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let rest = text.strip_prefix('/').ok_or(InvalidPart)?;
        let names: Vec<String> = rest.split('/').map(unescaped).collect::<Option<_>>().ok_or(InvalidPart)?;
        let fits = text.len() <= Self::BYTES_MAX && names.len() <= Self::DEPTH_MAX;
        if fits { Ok(Self(names)) } else { Err(InvalidPart) }
    }
}

as_text!(PartPath);

/// A name without its escapes; `None` where `~` escapes nothing.
fn unescaped(name: &str) -> Option<String> {
    let mut pieces = name.split('~');
    let mut text = pieces.next()?.to_owned();
    for piece in pieces {
        let (sign, rest) = match piece.as_bytes().first()? {
            b'0' => ('~', &piece[1..]),
            b'1' => ('/', &piece[1..]),
            _ => return None,
        };
        text.push(sign);
        text.push_str(rest);
    }
    Some(text)
}

/// Answer to a look at one hidden part of a payload. [`Part`](Self::Part) alone stands in the audit.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Revealed {
    /// What is hidden there.
    Part {
        /// The job.
        id: JobId,
        /// Which part of its payload.
        part: PartPath,
        /// JSON; of a payload that is none, its bytes. What a rule hides in it by itself stays hidden.
        #[serde(with = "super::job::payload_bytes")]
        value: Vec<u8>,
        /// When it was shown, by Redis's clock.
        at: Timestamp,
    },
    /// It is shown as it is to a reader who may see payloads.
    NotHidden,
    /// It is hidden with all that is around it: that is the part to look at.
    Within {
        /// The hidden part that it belongs to.
        part: PartPath,
    },
    /// The payload has no such part.
    NoSuchPart,
}

impl Revealed {
    /// The word for it in the API and on screen.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Part { .. } => "part",
            Self::NotHidden => "not_hidden",
            Self::Within { .. } => "within",
            Self::NoSuchPart => "no_such_part",
        }
    }
}

/// Without the value: it goes to the caller, and into no log.
impl fmt::Debug for Revealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Revealed({})", self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_reads_back_from_its_text() {
        for (text, names) in [
            ("", &[] as &[&str]),
            ("/customer/phone", &["customer", "phone"]),
            ("/items/0/card", &["items", "0", "card"]),
            ("/a.b/c~1d/e~0f/~01", &["a.b", "c/d", "e~f", "~1"]),
            ("/", &[""]),
        ] {
            let part: PartPath = text.parse().unwrap();
            assert_eq!(part.names(), names, "{text}");
            assert_eq!(part.to_string(), text);
        }
        let long = "/a".repeat(PartPath::DEPTH_MAX + 1);
        for wrong in ["customer.phone", "a", "/~", "/~2", "/a~", &long, &format!("/{}", "x".repeat(512))] {
            assert_eq!(wrong.parse::<PartPath>(), Err(InvalidPart), "{wrong}");
        }
    }

    #[test]
    fn a_part_is_found_from_the_one_around_it() {
        let part = PartPath::default().below("a/b").below("0");
        assert_eq!(part.to_string(), "/a~1b/0");
        assert_eq!(part.above(1).to_string(), "/a~1b");
    }

    #[test]
    fn what_is_printed_for_programmers_holds_no_value() {
        let (id, value) = ("a".parse().unwrap(), b"\"secret\"".to_vec());
        let revealed = Revealed::Part { id, part: PartPath::default(), value, at: Timestamp::EPOCH };
        assert!(!format!("{revealed:?}").contains("secret"));
    }
}
