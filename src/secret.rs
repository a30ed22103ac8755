//! Random secrets that are shown once, and the hashes that are kept of them.
//!
//! The hash is a fast one: against that many random bits a slow one would protect nothing more.

use crate::error::{Error, Result};
use rand::TryRngCore as _;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// So many random bytes in hexadecimal digits.
///
/// # Errors
/// [`Error::Refused`] on a system without random numbers.
pub fn random<const BYTES: usize>() -> Result<String> {
    Ok(hex(&bytes::<BYTES>()?))
}

/// So many random bytes.
///
/// # Errors
/// [`Error::Refused`] on a system without random numbers.
pub fn bytes<const BYTES: usize>() -> Result<[u8; BYTES]> {
    let mut secret = [0; BYTES];
    rand::rngs::OsRng
        .try_fill_bytes(&mut secret)
        .map_err(|why| Error::Refused { why: format!("the system has no random numbers: {why}") })?;
    Ok(secret)
}

/// The SHA-256 of a text in hexadecimal digits.
pub fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes behind hexadecimal digits; `None` for what is none.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(pair.first()?)? << 4 | digit(pair.get(1)?)?)).collect()
}
