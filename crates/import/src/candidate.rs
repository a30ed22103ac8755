//! What a system says that it has.

use crate::ImportFormat;
use reprieve::internals::Foreign;
use reprieve::{Error, Result};

/// A source that a system says it has.
pub(super) struct Candidate {
    pub(super) format: ImportFormat,
    /// Its key or queue; empty for all of the system.
    pub(super) place: String,
    /// The keys of what waits there, each with its shape.
    pub(super) keys: Vec<(String, &'static str)>,
}

/// The texts in a set, in order.
pub(super) async fn texts_in(there: &Foreign, set: &str) -> Result<Vec<String>> {
    // Names that are no text belong to nobody's configuration.
    let names: Vec<Vec<u8>> = there.query(redis::cmd("SMEMBERS").arg(set)).await?;
    let mut names: Vec<String> = names.into_iter().filter_map(|name| String::from_utf8(name).ok()).collect();
    names.sort();
    Ok(names)
}

/// A key may have become something else between two calls.
pub(super) fn wrong_type_is<T>(otherwise: T, answer: Result<T>) -> Result<T> {
    match answer {
        Err(Error::Codec { .. }) => Ok(otherwise),
        answer => answer,
    }
}
