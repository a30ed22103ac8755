//! The one error of the engine, grouped by what the caller can do about it.
//!
//! Outcomes that are not failures ("too late", "exists already") are not
//! here but in [`model::outcome`](crate::model::outcome).

use crate::model::{BatchId, InvalidName, JobId, PlanId, Standing};

/// What the engine's functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something could not be done. The texts never hold payloads or credentials.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Retry: Redis does not answer, loads, is busy or takes no writes just now. Nothing is known of the outcome.
    #[error("redis is unavailable: {what}")]
    Unavailable {
        /// What Redis or the network said.
        what: String,
    },
    /// Retry later: Redis is at its memory limit. Cancels and acknowledgements still work.
    #[error("redis has reached its memory limit, nothing new can be stored")]
    StorageFull,
    /// Fix the call: a name does not fit its grammar.
    #[error(transparent)]
    InvalidName(#[from] InvalidName),
    /// Fix the call: a value is outside its limits.
    #[error("{field} {why}")]
    Invalid {
        /// Which value.
        field: &'static str,
        /// What is wrong with it, reading on from its name.
        why: String,
    },
    /// Fix the call: the payload is over the limit.
    #[error("the payload has {bytes} bytes, at most {bytes_max} are allowed")]
    PayloadTooLarge {
        /// What was given.
        bytes: usize,
        /// What is allowed.
        bytes_max: usize,
    },
    /// Look again: the job has changed since the version the caller saw.
    #[error("job {:?} is {} at version {} now", .0.id.as_str(), .0.state, .0.version)]
    Conflict(Box<Standing>),
    /// Look again: another live job holds the unique key this job would need.
    #[error("job {:?} holds the unique key", .holder.as_str())]
    Duplicate {
        /// The job that holds it.
        holder: JobId,
    },
    /// Look again: there is no such job, or not any more.
    #[error("there is no job {:?}", .id.as_str())]
    NotFound {
        /// What was asked for.
        id: JobId,
    },
    /// Look again: there is no such plan, or not any more.
    #[error("there is no plan {:?}", .id.as_str())]
    NoPlan {
        /// What was asked for.
        id: PlanId,
    },
    /// Look again: there is no such batch, or not any more.
    #[error("there is no batch {:?}", .id.as_str())]
    NoBatch {
        /// What was asked for.
        id: BatchId,
    },
    /// Give up: this Redis cannot be worked on as it is set up.
    #[error("{why}")]
    Refused {
        /// What is wrong and what to do.
        why: String,
    },
    /// Give up: Redis holds something that is not ours to read.
    #[error("unreadable data in redis: {what}")]
    Codec {
        /// What could not be read.
        what: String,
    },
}

impl Error {
    /// A stable word for the API and for logs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unavailable { .. } => "unavailable",
            Self::StorageFull => "storage_full",
            Self::InvalidName(_) => "invalid_name",
            Self::Invalid { .. } => "invalid",
            Self::PayloadTooLarge { .. } => "payload_too_large",
            Self::Conflict(_) => "conflict",
            Self::Duplicate { .. } => "duplicate",
            Self::NotFound { .. } | Self::NoPlan { .. } | Self::NoBatch { .. } => "not_found",
            Self::Refused { .. } => "refused",
            Self::Codec { .. } => "codec",
        }
    }

    /// Whether the same call may succeed a little later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::StorageFull)
    }

    pub(crate) fn codec(what: impl Into<String>) -> Self {
        Self::Codec { what: what.into() }
    }

    pub(crate) fn invalid(field: &'static str, why: impl Into<String>) -> Self {
        Self::Invalid { field, why: why.into() }
    }
}

/// A refused password at the start of a connection: the client reports it without Redis's own word for it.
pub(crate) fn is_denial(error: &redis::RedisError) -> bool {
    error.kind() == redis::ErrorKind::AuthenticationFailed
}

impl From<redis::RedisError> for Error {
    fn from(error: redis::RedisError) -> Self {
        let text = error.to_string();
        let detail = error.detail().unwrap_or_default();
        let says = |word: &str| error.code() == Some(word) || text.contains(word);
        // First, for it names the key, and a key may hold any of the other words.
        if says("DAMAGED") {
            Self::codec(text)
        } else if says("OOM") {
            Self::StorageFull
        } else if says("QUEUES_FULL") {
            Self::invalid("queue", "is new, and the namespace has its limit of 1,000 queues")
        } else if says("NOPERM") {
            // Which right is missing stands in it, and never a password.
            let why = if detail.is_empty() { &text } else { detail };
            let advice = "`reprieve acl` prints the rights that are needed";
            Self::Unavailable { what: format!("redis refused the user a right: {why}; {advice}") }
        } else if is_denial(&error) || says("NOAUTH") || says("WRONGPASS") {
            Self::Unavailable { what: "redis refused the user or password".to_owned() }
        } else if text.contains("invalid peer certificate") {
            let advice = "redis_ca_file names who else may sign";
            Self::Unavailable { what: format!("its certificate is not trusted: {text}; {advice}") }
        } else if matches!(error.kind(), redis::ErrorKind::UnexpectedReturnType | redis::ErrorKind::Parse)
            || says("WRONGTYPE")
        {
            Self::codec(text)
        } else if error.is_timeout() {
            Self::Unavailable { what: "it did not answer in time".to_owned() }
        } else if error.is_io_error() || detail.is_empty() {
            Self::Unavailable { what: text }
        } else {
            Self::Unavailable { what: format!("{}: {detail}", error.code().unwrap_or("error")) }
        }
    }
}
