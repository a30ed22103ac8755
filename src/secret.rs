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
pub(crate) fn random<const BYTES: usize>() -> Result<String> {
    Ok(hex(&bytes::<BYTES>()?))
}

/// So many random bytes.
///
/// # Errors
/// [`Error::Refused`] on a system without random numbers.
pub(crate) fn bytes<const BYTES: usize>() -> Result<[u8; BYTES]> {
    let mut secret = [0; BYTES];
    rand::rngs::OsRng
        .try_fill_bytes(&mut secret)
        .map_err(|why| Error::Refused { why: format!("the system has no random numbers: {why}") })?;
    Ok(secret)
}

/// The SHA-256 of a text in hexadecimal digits.
pub(crate) fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
