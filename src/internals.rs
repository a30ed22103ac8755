//! What crates of ours use of the engine, and no program: it changes without notice.

pub use crate::acts::check_why;
pub use crate::maintenance::Told;
pub use crate::process::{host, memory_bytes, process_id};
pub use crate::redaction::Redaction;
pub use crate::settings::KnownSettings;
pub use crate::store::codec::{in_one_line, preview};
pub use crate::store::reply::Reply;
pub use crate::store::{
    Adopted, Adoptee, Arrival, CALLED_BY, ClaimedJob, FailWord, Foreign, Found, Guess, Intent, KeptAs,
    KeptPerson, Mode, Over, Past, PersonChange, PublishOutcome, PutAs, Shards, SnoozeWord, Store, Target,
    TlsFiles, WakeReader, Withdrawn, is_socket, redact,
};
pub use crate::tree::{Tree, read_last};
pub use crate::worker::HEARTBEAT;

/// Random secrets, and the hashes that are kept of them.
pub mod secret {
    pub use crate::secret::{bytes, hash, hex, random, unhex};
}

use crate::engine::Engine;
use crate::error::Error;
use crate::keys::Keys;
use crate::model::{Namespace, Shard};

/// The connections of an engine.
pub const fn shards(engine: &Engine) -> &Shards {
    engine.shards()
}

/// What is set in its namespace.
pub const fn known_settings(engine: &Engine) -> &KnownSettings {
    engine.known_settings()
}

/// What of a shard's keys is between their braces, and decides on their slot.
pub fn tag(namespace: &Namespace, shard: Shard, shards: u16) -> String {
    Keys::new(namespace, shard, shards).tag().to_owned()
}

/// [`Error::Invalid`] of that field.
pub fn invalid(field: &'static str, why: impl Into<String>) -> Error {
    Error::invalid(field, why)
}

/// [`Error::Codec`] of what was read.
pub fn unreadable(what: impl Into<String>) -> Error {
    Error::codec(what)
}
