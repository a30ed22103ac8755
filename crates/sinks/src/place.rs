//! Names of keys that are not ours.

use reprieve::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// Longest name of a foreign key, bytes: longer ones are a mistake.
const BYTES_MAX: usize = 256;
/// What our own keys begin with: no sink may write there.
const OURS: &str = "reprieve:";
/// Stands for the hash tag of the namespace, braces included, which a Cluster needs.
const TAG: &str = "{}";

/// The key of a stream or list outside. `{}` in it stands for the hash tag of the namespace: on a Redis Cluster a
/// place must lie where the jobs do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceName(String);

impl PlaceName {
    /// Checks the name: not empty, at most 256 bytes, no control characters, none of our own keys.
    ///
    /// # Errors
    /// [`Error::Invalid`] says what does not fit.
    pub fn new(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        let invalid = |why: String| Err(reprieve::internals::invalid("key", why));
        if text.trim().is_empty() {
            return invalid("is empty".to_owned());
        }
        if text.len() > BYTES_MAX {
            return invalid(format!("has {} bytes, at most {BYTES_MAX} are allowed", text.len()));
        }
        if text.chars().any(char::is_control) {
            return invalid("holds a control character".to_owned());
        }
        if text.starts_with(OURS) {
            return invalid(format!("begins with {OURS:?}, as Reprieve's own keys do"));
        }
        Ok(Self(text))
    }

    /// As written in the configuration.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is another key in another shard.
    pub(super) fn has_tag(&self) -> bool {
        self.0.contains(TAG)
    }

    /// The key in a namespace with this hash tag, which comes without its braces.
    pub(super) fn key(&self, tag: &str) -> String {
        self.0.replace(TAG, &format!("{{{tag}}}"))
    }
}

impl fmt::Display for PlaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for PlaceName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_any_key_that_is_not_ours() {
        assert_eq!(PlaceName::new("orders:{}").unwrap().key("shop"), "orders:{shop}");
        assert_eq!(PlaceName::new("a key with blanks").unwrap().key("x"), "a key with blanks");
        for wrong in ["", " ", "a\nb", "reprieve:{default}:events", &"x".repeat(257)] {
            assert!(PlaceName::new(wrong).is_err(), "{wrong:?}");
        }
    }
}
