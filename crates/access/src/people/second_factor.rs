//! The second factor: codes of an app by time, and codes on paper for when that is lost.

use reprieve::Result;
use reprieve::internals::{secret, unreadable};
use reprieve::model::{PersonName, Timestamp};
use subtle::ConstantTimeEq as _;
use totp_rs::{Builder, Totp};

/// Bytes of the secret, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;
/// Codes for when the second factor is lost.
const RECOVERY_CODES: usize = 10;
/// Random bytes of one: too many to guess, few enough to type.
const RECOVERY_BYTES: usize = 8;

/// What an app is told to make the codes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Enrolment {
    /// The secret, to be typed.
    pub secret: String,
    /// The same as a link that apps open.
    pub link: String,
}

/// A new secret, as it is kept.
pub(super) fn new_secret() -> Result<String> {
    secret::random::<SECRET_BYTES>()
}

/// What to tell the app about a kept secret.
pub(super) fn enrolment(kept: &str, name: &PersonName) -> Result<Enrolment> {
    let secret = totp(kept)?.secret().to_base32();
    let account = name.as_str().replace('+', "%2B");
    let link = format!("otpauth://totp/Reprieve:{account}?secret={secret}&issuer=Reprieve");
    Ok(Enrolment { secret, link })
}

/// The step of time that a code belongs to, if it is good now and of a later step than the last one used.
pub(crate) fn step_of(kept: &str, code: &str, now: Timestamp, last: &str) -> Result<Option<u64>> {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let seconds = u64::try_from(now.as_millis() / 1_000).unwrap_or(0);
    let last: Option<u64> = last.parse().ok();
    Ok(totp(kept)?.check(&code, seconds).filter(|&step| last.is_none_or(|last| step > last)))
}

/// Codes for when the second factor is lost, and what is kept of them.
pub(super) fn recovery_codes() -> Result<(Vec<String>, String)> {
    let codes: Vec<String> = (0..RECOVERY_CODES)
        .map(|_| {
            let digits = secret::random::<RECOVERY_BYTES>()?;
            Ok(digits.as_bytes().chunks(4).map(String::from_utf8_lossy).collect::<Vec<_>>().join("-"))
        })
        .collect::<Result<_>>()?;
    let kept = codes.iter().map(|code| secret::hash(code)).collect::<Vec<_>>().join(" ");
    Ok((codes, kept))
}

/// What is kept once this code was used; `None` if it is none of them.
pub(crate) fn without_recovery_code(kept: &str, code: &str) -> Option<String> {
    let hash = secret::hash(&code.trim().to_ascii_lowercase());
    let is = |other: &&str| bool::from(hash.as_bytes().ct_eq(other.as_bytes()));
    kept.split_whitespace()
        .any(|other| is(&other))
        .then(|| kept.split_whitespace().filter(|other| !is(other)).collect::<Vec<_>>().join(" "))
}

fn totp(kept: &str) -> Result<Totp> {
    let damaged = || unreadable("a second factor that does not read");
    let bytes = secret::unhex(kept).ok_or_else(damaged)?;
    Builder::new().with_secret(bytes).build().map_err(|_| damaged())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of RFC 6238, appendix B: "12345678901234567890".
    const RFC: &str = "3132333435363738393031323334353637383930";

    #[test]
    fn a_code_is_good_in_its_time_and_once() {
        let at = |seconds: i64| Timestamp::saturating_from_millis(seconds * 1_000);
        // Appendix B has eight digits; six are its last.
        assert_eq!(step_of(RFC, "287082", at(59), "").unwrap(), Some(1));
        assert_eq!(step_of(RFC, "287 082", at(89), "").unwrap(), Some(1), "a step late");
        assert_eq!(step_of(RFC, "287082", at(59), "1").unwrap(), None, "it was used");
        assert_eq!(step_of(RFC, "287082", at(130), "").unwrap(), None, "it is over");
        for bad in ["", "28708", "2870822", "abcdef", "-87082", "٢٨٧٠٨٢"] {
            assert_eq!(step_of(RFC, bad, at(59), "").unwrap(), None, "{bad}");
        }
    }

    #[test]
    fn an_app_is_told_the_secret() {
        let name = "ann+1@x.example".parse().unwrap();
        let told = enrolment(RFC, &name).unwrap();
        assert_eq!(told.secret, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert!(
            told.link.starts_with("otpauth://totp/Reprieve:ann%2B1@x.example?secret=GEZD"),
            "{}",
            told.link
        );
    }

    #[test]
    fn a_recovery_code_is_good_once() {
        let (codes, kept) = recovery_codes().unwrap();
        assert_eq!(codes.len(), RECOVERY_CODES);
        let left = without_recovery_code(&kept, &format!(" {} ", codes[3].to_uppercase())).unwrap();
        assert_eq!(left.split(' ').count(), RECOVERY_CODES - 1);
        assert_eq!(without_recovery_code(&left, &codes[3]), None);
        assert_eq!(without_recovery_code("", ""), None);
    }
}
