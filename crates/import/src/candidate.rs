//! What a system says that it has.

use crate::ImportFormat;
use reprieve::{Error, Result};

/// A source that a system says it has.
pub(super) struct Candidate {
    pub(super) format: ImportFormat,
    /// Its key or queue; empty for all of the system.
    pub(super) place: String,
    /// The keys of what waits there, each with its shape.
    pub(super) keys: Vec<(String, &'static str)>,
}

/// A key may have become something else between two calls.
pub(super) fn wrong_type_is<T>(otherwise: T, answer: Result<T>) -> Result<T> {
    match answer {
        Err(Error::Codec { .. }) => Ok(otherwise),
        answer => answer,
    }
}
