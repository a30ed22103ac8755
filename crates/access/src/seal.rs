//! Texts that only servers of one namespace can read again, for addresses.
//!
//! The key lies in Redis, beside the payloads that such texts are about: every server of the namespace reads it there,
//! and a reader of it there reads the payloads as well. The same text is sealed the same way each time, so that an
//! address stays what it is; docs/reference/filters.md tells it to people.

use reprieve::internals::{secret, shards, unreadable};
use reprieve::model::filter::{FILTER_BYTES_MAX, SEAL_MARK, seals, unsealed};
use reprieve::model::{Filter, first_bytes};
use reprieve::{Engine, Error, Result};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use std::fmt;

/// Where the key lies in `meta`, in hexadecimal digits.
const FIELD: &str = "address_key";
/// Bytes of the key that seals, and of the one that chooses nonces.
const KEY_BYTES: usize = 32;
/// Longest line that is sealed as a whole, bytes. A filter has fewer: what is cut off does not read either.
const LINE_BYTES_MAX: usize = 2 * FILTER_BYTES_MAX;

/// Seals and opens texts of one namespace. Not shown by `{:?}`.
#[derive(Clone)]
pub struct Seals {
    key: LessSafeKey,
    nonces: hmac::Key,
    namespace: String,
}

impl fmt::Debug for Seals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seals(…)")
    }
}

/// A text that was not sealed here: in another namespace, with a key that is gone, or by nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this was sealed elsewhere, or with a key that is gone")]
pub struct NotOurs;

impl Seals {
    /// With the key of the namespace, which is made when it is first asked for.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::StorageFull`] where there is no key yet; [`Error::Codec`] for one that does not read.
    pub async fn read(engine: &Engine) -> Result<Self> {
        let store = shards(engine).first();
        let kept = match store.meta(FIELD).await? {
            Some(kept) => kept,
            None => store.settle(FIELD, &secret::random::<{ 2 * KEY_BYTES }>()?).await?,
        };
        let bytes = secret::unhex(&kept).filter(|bytes| bytes.len() == 2 * KEY_BYTES);
        Self::with(&bytes.ok_or_else(damaged)?, engine.namespace().as_str())
    }

    fn with(bytes: &[u8], namespace: &str) -> Result<Self> {
        let (sealing, choosing) = bytes.split_at(KEY_BYTES);
        let key = UnboundKey::new(&CHACHA20_POLY1305, sealing).map_err(|_| damaged())?;
        Ok(Self {
            key: LessSafeKey::new(key),
            nonces: hmac::Key::new(hmac::HMAC_SHA256, choosing),
            namespace: namespace.to_owned(),
        })
    }

    /// The line of a filter as it may stand in an address: what payloads are searched for is sealed. A line that does
    /// not read is sealed as a whole.
    ///
    /// # Errors
    /// [`NotOurs`] for a line with texts that were sealed elsewhere.
    pub fn seal_line(&self, line: &str) -> std::result::Result<String, NotOurs> {
        let line = self.open_line(line)?;
        Ok(match line.parse::<Filter>() {
            Ok(filter) if !filter.is_open() => line,
            Ok(filter) => self.seal_filter(&filter).to_string(),
            Err(_) => self.seal(first_bytes(&line, LINE_BYTES_MAX)),
        })
    }

    /// The same of one that reads.
    #[must_use]
    pub fn seal_filter(&self, filter: &Filter) -> Filter {
        filter.sealed(|text| self.seal(text))
    }

    /// The line as it was written.
    ///
    /// # Errors
    /// [`NotOurs`].
    pub fn open_line(&self, line: &str) -> std::result::Result<String, NotOurs> {
        let mut ours = Ok(());
        let open = unsealed(line, |seal| {
            self.open(seal).unwrap_or_else(|wrong| {
                ours = Err(wrong);
                String::new()
            })
        });
        ours.map(|()| open)
    }

    /// Each sealed text of a line with what it says; `None` for one that is not ours.
    #[must_use]
    pub fn opened(&self, line: &str) -> Vec<(String, Option<String>)> {
        let each = seals(line).into_iter().map(|place| &line[place]);
        each.map(|seal| (seal.to_owned(), self.open(seal).ok())).collect()
    }

    fn seal(&self, text: &str) -> String {
        // Chosen by the text: no nonce is used for two texts, and each text has one.
        let mut chosen = hmac::Context::with_key(&self.nonces);
        chosen.update(self.namespace.as_bytes());
        chosen.update(&[0]);
        chosen.update(text.as_bytes());
        let mut nonce = [0; NONCE_LEN];
        nonce.copy_from_slice(&chosen.sign().as_ref()[..NONCE_LEN]);
        let mut sealed = text.as_bytes().to_vec();
        let done = self.key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(&self.namespace),
            &mut sealed,
        );
        // It fails for texts of many gigabytes alone.
        if done.is_err() {
            sealed.clear();
        }
        format!("{SEAL_MARK}{}{}", secret::hex(&nonce), secret::hex(&sealed))
    }

    fn open(&self, seal: &str) -> std::result::Result<String, NotOurs> {
        let mut bytes = seal.strip_prefix(SEAL_MARK).and_then(secret::unhex).ok_or(NotOurs)?;
        let (nonce, sealed) = bytes.split_at_mut_checked(NONCE_LEN).ok_or(NotOurs)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| NotOurs)?;
        let text = self.key.open_in_place(nonce, Aad::from(&self.namespace), sealed).map_err(|_| NotOurs)?;
        String::from_utf8(text.to_vec()).map_err(|_| NotOurs)
    }
}

fn damaged() -> Error {
    unreadable(format!("the field {FIELD} of meta is no key"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::filter::{SEALED_BYTES_MAX, is_open};

    fn of(namespace: &str, first: u8) -> Seals {
        let mut bytes = [7; 2 * KEY_BYTES];
        bytes[0] = first;
        Seals::with(&bytes, namespace).unwrap()
    }

    #[test]
    fn a_line_is_sealed_and_opens_again_whatever_it_says() {
        let seals = of("main", 1);
        for line in ["kind:a payload.phone:13800000000", "-payload.a:>10 \"gave up\"", "kind:", "任 \"open"]
        {
            let sealed = seals.seal_line(line).unwrap();
            assert!(!is_open(&sealed), "{sealed}");
            for secret in ["13800000000", ">10", "gave", "任", "open"] {
                assert!(!sealed.contains(secret), "{sealed}");
            }
            assert_eq!(seals.open_line(&sealed).unwrap(), line);
            assert_eq!(seals.seal_line(&sealed).unwrap(), sealed, "once");
            assert_eq!(seals.seal_line(line).unwrap(), sealed, "the same each time");
        }
    }

    #[test]
    fn a_line_without_a_secret_stays_as_it_was_written() {
        let line = " kind:a  due:<24h payload.a:* ";
        assert_eq!(of("main", 1).seal_line(line).unwrap(), line);
    }

    #[test]
    fn what_was_sealed_elsewhere_or_touched_does_not_open() {
        let seals = of("main", 1);
        let sealed = seals.seal_line("payload.a:13800000000").unwrap();
        for other in [of("other", 1), of("main", 2)] {
            assert_eq!(other.open_line(&sealed), Err(NotOurs));
            assert_eq!(other.opened(&sealed)[0].1, None);
        }
        let digit = if sealed.ends_with('0') { "1" } else { "0" };
        let touched = format!("{}{digit}", &sealed[..sealed.len() - 1]);
        assert_eq!(seals.open_line(&touched), Err(NotOurs));
        assert_eq!(seals.seal_line(&touched), Err(NotOurs), "it is not sealed a second time");
    }

    #[test]
    fn a_line_that_is_too_long_for_a_filter_is_cut_and_still_does_not_read() {
        let seals = of("main", 1);
        let sealed = seals.seal_line(&"任 ".repeat(5_000)).unwrap();
        assert!(sealed.len() < SEALED_BYTES_MAX, "{}", sealed.len());
        assert!(seals.open_line(&sealed).unwrap().parse::<Filter>().is_err());
    }

    #[test]
    fn the_longest_filter_still_reads_once_it_is_sealed() {
        let line = (0..20).map(|n| format!("payload.order.items.{n}:{}", "x".repeat(3))).collect::<Vec<_>>();
        let sealed = of("main", 1).seal_line(&line.join(" ")).unwrap();
        assert!(sealed.parse::<Filter>().is_ok(), "{}", sealed.len());
    }
}
