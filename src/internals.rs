//! What crates of ours use of the engine, and no program: it changes without notice.

pub use crate::acts::check_why;
pub use crate::foreign::asynq_message::TaskMessage;
pub use crate::redaction::Redaction;
pub use crate::settings::KnownSettings;
pub use crate::store::codec::{in_one_line, preview};
pub use crate::store::reply::Reply;
pub use crate::store::{
    Adopted, Adoptee, Arrival, CALLED_BY, Foreign, Guess, Intent, KeptAs, KeptPerson, Mode, Past,
    PersonChange, PutAs, Shards, Store, TlsFiles, Withdrawn, is_socket, redact,
};
pub use crate::tree::{Tree, read_last};

/// Random secrets, and the hashes that are kept of them.
pub mod secret {
    pub use crate::secret::{bytes, hash, hex, random, unhex};
}

use crate::error::Error;
use crate::model::Namespace;

/// What an engine is made of.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Its connections.
    pub shards: Shards,
    /// What is set in its namespace.
    pub settings: KnownSettings,
    /// That namespace.
    pub namespace: Namespace,
}

/// [`Error::Invalid`] of that field.
pub fn invalid(field: &'static str, why: impl Into<String>) -> Error {
    Error::invalid(field, why)
}

/// [`Error::Codec`] of what was read.
pub fn unreadable(what: impl Into<String>) -> Error {
    Error::codec(what)
}
