//! Payloads that only programs with a key can read: sealed where a job is enqueued, opened before its handler.
//!
//! A sealed payload is JSON, `{"sealed":{"key":"2026","text":"…"}}`: the name of the key, and in base64 a nonce of 12
//! bytes, the payload under ChaCha20-Poly1305 (RFC 8439) with the kind as associated data, and the tag. Redis, the
//! dashboard and everything between have that text and no key.

use crate::error::{Error, Result};
use crate::model::Kind;
use crate::secret;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Bytes of a key.
pub const PAYLOAD_KEY_BYTES: usize = 32;
/// How every sealed payload begins: most payloads need no more than a look at that.
const BEGINNING: &[u8] = br#"{"sealed":{"#;
/// Longest name of a key.
const NAME_CHARS_MAX: usize = 64;

/// Keys that payloads are sealed with and opened by. Cloning is cheap enough; not shown by `{:?}`.
///
/// ```
/// use reprieve::{NewJob, PayloadKeys, model::Kind};
///
/// # fn main() -> reprieve::Result<()> {
/// // 32 random bytes from wherever secrets are kept, not these.
/// let keys = PayloadKeys::new("2027", &[7; 32])?.and_former("2026", &[6; 32])?;
/// let job = NewJob::new(Kind::new("letter")?, r#"{"to":"ann"}"#).sealed(&keys)?;
/// assert!(!String::from_utf8_lossy(&job.payload).contains("ann"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PayloadKeys {
    present: String,
    keys: BTreeMap<String, LessSafeKey>,
}

/// Why a payload was not opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotOpened {
    /// Sealed with a key that is not here. Another program may have it.
    #[error("the payload is sealed with the key {key:?}, which is not here")]
    NoKey {
        /// Its name.
        key: String,
    },
    /// Changed since it was sealed, sealed for another kind, or with another key of that name.
    #[error(
        "the payload does not open with the key {key:?}: it was changed, or belongs to a job of another kind"
    )]
    Spoilt {
        /// The name of the key.
        key: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed {
    sealed: Parts,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    key: String,
    text: String,
}

impl fmt::Debug for PayloadKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PayloadKeys").field("names", &self.keys.keys()).finish_non_exhaustive()
    }
}

impl PayloadKeys {
    /// Seals with this key from now on, and opens what it sealed. The name stands beside each sealed payload.
    ///
    /// With one key seal at most 2³² payloads: nonces are random. Give a new one another name, and keep the former
    /// with [`and_former`](Self::and_former) for as long as its jobs last.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a name that is empty, longer than 64 characters or not of letters, digits, `-`, `_` and
    /// `.`, and for a key that does not have 32 bytes.
    pub fn new(name: &str, key: &[u8]) -> Result<Self> {
        Self { present: name.to_owned(), keys: BTreeMap::new() }.and_former(name, key)
    }

    /// Opens what that key sealed, too.
    ///
    /// # Errors
    /// Those of [`new`](Self::new), and [`Error::Invalid`] for a name that has a key already, the present one's too.
    pub fn and_former(mut self, name: &str, key: &[u8]) -> Result<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > NAME_CHARS_MAX || !name.chars().all(plain) {
            let rule = format!("have 1 to {NAME_CHARS_MAX} letters, digits, \"-\", \"_\" or \".\"");
            return Err(Error::invalid("name of a payload key", rule));
        }
        let Ok(key) = UnboundKey::new(&CHACHA20_POLY1305, key) else {
            return Err(Error::invalid(
                "payload key",
                format!("has {PAYLOAD_KEY_BYTES} bytes, not {}", key.len()),
            ));
        };
        if self.keys.contains_key(name) {
            return Err(Error::invalid("name of a payload key", format!("{name:?} has a key already")));
        }
        self.keys.insert(name.to_owned(), LessSafeKey::new(key));
        Ok(self)
    }

    /// The payload as it may stand in Redis. It is a third longer, and 100 bytes.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when this machine has no random numbers.
    pub fn seal(&self, kind: &Kind, payload: &[u8]) -> Result<Vec<u8>> {
        let nonce = secret::bytes::<NONCE_LEN>()?;
        let failed = || Error::codec("a payload could not be sealed");
        let key = self.keys.get(&self.present).ok_or_else(failed)?;
        let mut text = payload.to_vec();
        key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(kind.as_str().as_bytes()),
            &mut text,
        )
        .map_err(|_| failed())?;
        let text = STANDARD.encode([nonce.as_slice(), &text].concat());
        let sealed = Sealed { sealed: Parts { key: self.present.clone(), text } };
        serde_json::to_vec(&sealed).map_err(|_| failed())
    }

    /// The payload that was sealed; `None` for one that is not sealed.
    ///
    /// # Errors
    /// [`NotOpened`], with the name of its key.
    pub fn open(&self, kind: &Kind, payload: &[u8]) -> std::result::Result<Option<Vec<u8>>, NotOpened> {
        let Some(Parts { key: name, text }) = parts(payload) else { return Ok(None) };
        let Some(key) = self.keys.get(&name) else { return Err(NotOpened::NoKey { key: name }) };
        let opened = STANDARD.decode(text).ok().and_then(|bytes| {
            let (nonce, text) = bytes.split_first_chunk::<NONCE_LEN>()?;
            let mut text = text.to_vec();
            let aad = Aad::from(kind.as_str().as_bytes());
            let length = key.open_in_place(Nonce::assume_unique_for_key(*nonce), aad, &mut text).ok()?.len();
            text.truncate(length);
            Some(text)
        });
        opened.map(Some).ok_or(NotOpened::Spoilt { key: name })
    }
}

fn parts(payload: &[u8]) -> Option<Parts> {
    if !payload.starts_with(BEGINNING) {
        return None;
    }
    serde_json::from_slice::<Sealed>(payload).ok().map(|sealed| sealed.sealed)
}

/// The name of the key that a payload is sealed with; `None` when it is not sealed.
pub(crate) fn key_of(payload: &[u8]) -> Option<String> {
    parts(payload).map(|parts| parts.key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str) -> Kind {
        Kind::new(name).unwrap()
    }

    fn keys(name: &str, byte: u8) -> PayloadKeys {
        PayloadKeys::new(name, &[byte; PAYLOAD_KEY_BYTES]).unwrap()
    }

    #[test]
    fn what_was_sealed_opens_and_shows_nothing_of_itself() {
        let (keys, mail) = (keys("2026", 1), kind("mail"));
        for payload in [&b""[..], b"{\"to\":\"ann\"}", &[0, 255, 10, 13], &[b'x'; 100_000]] {
            let sealed = keys.seal(&mail, payload).unwrap();
            assert!(payload.is_empty() || !sealed.windows(payload.len()).any(|part| part == payload));
            assert!(sealed.len() <= payload.len() * 4 / 3 + 100, "{} of {}", sealed.len(), payload.len());
            assert_eq!(keys.open(&mail, &sealed).unwrap().unwrap(), payload);
            assert_ne!(keys.seal(&mail, payload).unwrap(), sealed, "the same nonce twice");
        }
    }

    #[test]
    fn a_former_key_still_opens_and_the_new_one_seals() {
        let (old, mail) = (keys("2026", 1), kind("mail"));
        let both = keys("2027", 2).and_former("2026", &[1; 32]).unwrap();
        let sealed = old.seal(&mail, b"hello").unwrap();
        assert_eq!(both.open(&mail, &sealed).unwrap().unwrap(), b"hello");
        let sealed = both.seal(&mail, b"hello").unwrap();
        assert_eq!(old.open(&mail, &sealed), Err(NotOpened::NoKey { key: "2027".to_owned() }));
    }

    #[test]
    fn what_was_changed_moved_to_another_kind_or_sealed_by_another_key_of_that_name_does_not_open() {
        let (keys_here, mail) = (keys("k", 1), kind("mail"));
        let sealed = keys_here.seal(&mail, b"hello").unwrap();
        let spoilt = Err(NotOpened::Spoilt { key: "k".to_owned() });
        assert_eq!(keys_here.open(&kind("letter"), &sealed), spoilt);
        assert_eq!(keys("k", 2).open(&mail, &sealed), spoilt);
        let parts = parts(&sealed).unwrap();
        for at in 0..parts.text.len() {
            let mut text = parts.text.clone().into_bytes();
            text[at] = if text[at] == b'A' { b'B' } else { b'A' };
            let text = String::from_utf8(text).unwrap();
            let changed =
                serde_json::to_vec(&Sealed { sealed: Parts { key: "k".to_owned(), text } }).unwrap();
            assert_eq!(keys_here.open(&mail, &changed), spoilt, "at {at}");
        }
        for text in ["", "AAAA", "?"] {
            let short = format!("{{\"sealed\":{{\"key\":\"k\",\"text\":\"{text}\"}}}}");
            assert_eq!(keys_here.open(&mail, short.as_bytes()), spoilt, "{text}");
        }
    }

    #[test]
    fn what_is_not_sealed_is_left_alone() {
        let keys = keys("k", 1);
        for payload in
            ["", "{}", "{\"sealed\":true}", "{\"sealed\":{\"key\":1}}", "{\"sealed\":{\"key\":\"k\"}}", "x"]
        {
            assert_eq!(keys.open(&kind("mail"), payload.as_bytes()), Ok(None), "{payload}");
        }
    }

    #[test]
    fn a_key_has_its_length_and_a_plain_name() {
        for (name, bytes) in [("", 32), ("a b", 32), ("é", 32), ("k", 31), ("k", 33), ("k", 0)] {
            let refused = PayloadKeys::new(name, &vec![1; bytes]);
            assert!(matches!(refused, Err(Error::Invalid { .. })), "{name} {bytes}");
        }
        assert!(PayloadKeys::new(&"k".repeat(NAME_CHARS_MAX), &[1; 32]).is_ok());
        assert!(PayloadKeys::new(&"k".repeat(NAME_CHARS_MAX + 1), &[1; 32]).is_err());
    }

    #[test]
    fn a_name_stands_for_one_key() {
        for twice in ["2027", "2026"] {
            let both = keys("2027", 2).and_former("2026", &[1; 32]).unwrap();
            let refused = both.and_former(twice, &[3; 32]);
            assert!(matches!(&refused, Err(Error::Invalid { .. })), "{twice}: {refused:?}");
        }
    }

    #[test]
    fn keys_are_not_shown() {
        assert_eq!(format!("{:?}", keys("2026", 1)), "PayloadKeys { names: [\"2026\"], .. }");
    }
}
