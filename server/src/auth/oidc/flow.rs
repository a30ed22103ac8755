//! One sign-in under way: what the browser keeps until it comes back from the provider.
//!
//! It is kept in a cookie of its own, so that any server can finish what another began, and several tabs of one browser are
//! not in each other's way. A program that could read or set it is
//! that browser: there is nothing in it against its own person.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use rand::Rng as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// How long a person may take at the provider, in seconds.
pub(in crate::auth) const LASTS_SECONDS: u64 = 600;
/// Longest address to go on to that is kept, in bytes: a cookie has 4 KiB.
const NEXT_BYTES_MAX: usize = 1_000;
/// Sign-ins of one browser under way at once: a few tabs. Browsers and servers put up with some 8 KiB of cookies.
pub(in crate::auth) const AT_ONCE_MAX: usize = 5;
/// Characters of the state in the name of its cookie: enough that no two are the same.
const MARK_BYTES: usize = 12;

/// One sign-in under way.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::auth) struct Flow {
    /// Comes back with the browser: this sign-in, and no other.
    pub(in crate::auth) state: String,
    /// Comes back in what the provider signs.
    pub(in crate::auth) nonce: String,
    /// What only we know who asked for the code.
    pub(in crate::auth) verifier: String,
    /// Where to go on to.
    pub(in crate::auth) next: String,
    /// Whether it is to prove again who somebody is.
    pub(in crate::auth) prove: bool,
    /// What the session is called that the browser has now, and that ends with the beginning of the next; empty for
    /// none. On its way back the browser does not show it.
    pub(in crate::auth) before: String,
    /// When it began, in seconds.
    pub(in crate::auth) at: i64,
}

/// What tells the cookie of a state from others; `None` for what is no state of ours.
pub(in crate::auth) fn mark(state: &str) -> Option<&str> {
    let is_ours = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    state.get(..MARK_BYTES).filter(|mark| mark.bytes().all(is_ours))
}

impl Flow {
    pub(in crate::auth) fn begin(next: &str, prove: bool, before: String) -> Self {
        let next = if next.len() > NEXT_BYTES_MAX { "/" } else { next };
        Self {
            state: random(),
            nonce: random(),
            verifier: random(),
            next: next.to_owned(),
            prove,
            before,
            at: Timestamp::now().as_second(),
        }
    }

    /// As a cookie holds it.
    pub(in crate::auth) fn to_text(&self) -> String {
        // Texts and a number: they can always be written.
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    /// What a cookie holds; `None` for anything else, and after its time.
    pub(in crate::auth) fn read(text: &str) -> Option<Self> {
        let flow: Self = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let age = Timestamp::now().as_second().checked_sub(flow.at)?;
        let lasts = i64::try_from(LASTS_SECONDS).unwrap_or(i64::MAX);
        (0..lasts).contains(&age).then_some(flow)
    }

    /// Whether that is the state of this sign-in. Hashes are compared, which tell nothing by how long it takes.
    pub(in crate::auth) fn is_of(&self, state: &str) -> bool {
        !state.is_empty() && Sha256::digest(state) == Sha256::digest(&self.state)
    }

    /// What the provider is told of the verifier: RFC 7636 section 4.2.
    pub(in crate::auth) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(&self.verifier))
    }
}

/// 256 random bits in 43 characters, as RFC 7636 recommends.
fn random() -> String {
    URL_SAFE_NO_PAD.encode(rand::rng().random::<[u8; 32]>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_is_itself_for_ten_minutes() {
        let mut flow = Flow::begin("/jobs/delay", false, String::new());
        let read = Flow::read(&flow.to_text()).unwrap();
        assert_eq!((read.state.as_str(), read.next.as_str()), (flow.state.as_str(), "/jobs/delay"));
        assert!(read.is_of(&flow.state) && !read.is_of("") && !read.is_of(&flow.nonce));
        for wrong in ["", "e30", "====", &flow.to_text()[1..]] {
            assert!(Flow::read(wrong).is_none(), "{wrong}");
        }
        flow.at -= 590;
        assert!(Flow::read(&flow.to_text()).is_some());
        flow.at -= 20;
        assert!(Flow::read(&flow.to_text()).is_none(), "ten minutes are over");
        flow.at += 10_000;
        assert!(Flow::read(&flow.to_text()).is_none(), "it has not begun");
        assert_eq!(Flow::begin(&format!("/{}", "a".repeat(1_000)), false, String::new()).next, "/");
    }

    #[test]
    fn the_challenge_is_that_of_rfc_7636() {
        let mut flow = Flow::begin("/", false, String::new());
        flow.verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned();
        assert_eq!(flow.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
