//! The one error that crosses the line between server and browser.
//!
//! The log has the details; the person at the screen gets a sentence and a next step.

use leptos::prelude::{FromServerFnError, ServerFnErrorErr};
use leptos::server_fn::codec::JsonEncoding;
use reprieve::model::{JobId, Permission, Standing, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{i18n, t};

/// Why a server function did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "error", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApiError {
    /// The job moved on since the page was read. Nothing was changed.
    #[error("the job moved on")]
    Conflict {
        /// Where it stands now.
        standing: Box<Standing>,
    },
    /// Another live job holds the unique key. Nothing was changed.
    #[error("another live job holds its unique key")]
    Duplicate {
        /// That other job.
        holder: JobId,
    },
    /// Somebody has set something else since the page was read. Nothing was changed.
    #[error("the setting has changed")]
    SettingChanged,
    /// There is no such job, or no more.
    #[error("not found")]
    NotFound,
    /// There is no such bulk run, or no more.
    #[error("no such run")]
    NoRun,
    /// The address has a text that was sealed elsewhere, or with a key that is gone.
    #[error("the address has a text that cannot be opened here")]
    Lapsed,
    /// The request itself is wrong.
    #[error("{why}")]
    Invalid {
        /// What is wrong with it, in words for the person who sent it.
        why: String,
    },
    /// They chose *Other* for a reason and did not say what it is, or a reason that is too short for what they do. Nothing was
    /// changed.
    #[error("the reason is too short")]
    ReasonTooShort,
    /// Redis does not answer.
    #[error("{sentence}")]
    Unavailable {
        /// What is wrong, in one sentence.
        sentence: String,
        /// Since when; `None` if it has only just begun.
        since: Option<Timestamp>,
    },
    /// Redis is at its memory limit: nothing new can be stored, jobs can still be called off.
    #[error("redis is full")]
    StorageFull,
    /// The person may not do that.
    #[error("needs {permission}")]
    Forbidden {
        /// The right they lack.
        permission: Permission,
    },
    /// Nobody is signed in, or not any more.
    #[error("not signed in")]
    SignedOut,
    /// They have to prove again who they are before this.
    #[error("prove first who you are")]
    ProveFirst,
    /// More jobs at once than their role may act on.
    #[error("at most {jobs_max} jobs at once")]
    TooMany {
        /// How many it may.
        jobs_max: u32,
    },
    /// Further off than their role may put a job.
    #[error("at most {days_max} days later")]
    TooFar {
        /// By how many days it may.
        days_max: u32,
    },
    /// Deleting needs two people, and they are one.
    #[error("deleting needs two people")]
    SecondPerson,
    /// They did this too often of late.
    #[error("too often; wait {seconds} s")]
    TooOften {
        /// How long to wait, in seconds.
        seconds: u64,
    },
    /// The server could not be reached from the browser.
    #[error("the server does not answer")]
    Offline,
    /// Something that should not happen. The log has the rest under this id.
    #[error("internal error {request_id}")]
    Internal {
        /// What to search for in the log.
        request_id: String,
    },
}

impl ApiError {
    /// What happened, for a person.
    #[must_use]
    pub fn sentence(&self) -> String {
        i18n::error_sentence(self)
    }

    /// What they can do about it.
    #[must_use]
    pub fn next_step(&self) -> String {
        i18n::error_next_step(self)
    }

    /// Both, one after the other.
    #[must_use]
    pub fn in_full(&self) -> String {
        t!("errors-in-full", sentence = self.sentence(), next = self.next_step())
    }

    /// Its word in addresses and in the markup.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Conflict { .. } => "conflict",
            Self::Duplicate { .. } => "duplicate",
            Self::SettingChanged => "setting_changed",
            Self::NotFound => "not_found",
            Self::NoRun => "no_run",
            Self::Lapsed => "lapsed",
            Self::Invalid { .. } => "invalid",
            Self::ReasonTooShort => "reason_too_short",
            Self::Unavailable { .. } => "unavailable",
            Self::StorageFull => "storage_full",
            Self::Forbidden { .. } => "forbidden",
            Self::SignedOut => "signed_out",
            Self::ProveFirst => "prove_first",
            Self::TooMany { .. } => "too_many",
            Self::TooFar { .. } => "too_far",
            Self::SecondPerson => "second_person",
            Self::TooOften { .. } => "too_often",
            Self::Offline => "offline",
            Self::Internal { .. } => "internal",
        }
    }
}

impl FromServerFnError for ApiError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        match error {
            ServerFnErrorErr::Request(_) | ServerFnErrorErr::Response(_) => Self::Offline,
            ServerFnErrorErr::Args(why) | ServerFnErrorErr::MissingArg(why) => {
                let error = Self::Invalid { why };
                // The function was never called, so nothing else says whose mistake it was.
                #[cfg(feature = "ssr")]
                if !crate::api::answer::sent_by_plain_form() {
                    crate::api::answer::set_status(&error);
                }
                error
            }
            other => Self::internal(&other),
        }
    }

    #[cfg(feature = "hydrate")]
    fn de(answer: leptos::server_fn::Bytes) -> Self {
        use leptos::server_fn::Decodes as _;
        let error = JsonEncoding::decode(answer).unwrap_or_else(|why| Self::internal(&why));
        if error == Self::SignedOut {
            crate::session::tell_end();
        }
        error
    }
}

impl ApiError {
    /// Hides an unexpected failure behind an id that leads to it in the log.
    #[cfg(feature = "ssr")]
    pub(crate) fn internal(failure: &(dyn std::error::Error + 'static)) -> Self {
        let request_id = crate::access::request_id();
        tracing::error!(request.id = request_id, "a request failed unexpectedly: {failure}");
        Self::Internal { request_id }
    }

    /// In the browser there is no log: the failure itself is all there is to copy.
    #[cfg(not(feature = "ssr"))]
    pub(crate) fn internal(failure: &(dyn std::error::Error + 'static)) -> Self {
        Self::Internal { request_id: failure.to_string() }
    }
}

/// What the engine refuses becomes what the screen says, with the matching HTTP status.
#[cfg(feature = "ssr")]
impl From<reprieve::Error> for ApiError {
    fn from(error: reprieve::Error) -> Self {
        use reprieve::Error;
        match error {
            Error::Unavailable { what } => {
                tracing::warn!("redis is unavailable: {what}");
                let (kind, since) = crate::access::outage();
                Self::Unavailable { sentence: i18n::redis_outage(kind), since }
            }
            Error::StorageFull => Self::StorageFull,
            Error::TooOften { wait } => Self::TooOften { seconds: reprieve::wait_seconds(wait) },
            Error::InvalidName(name) => Self::Invalid { why: name.to_string() },
            Error::Conflict(standing) => Self::Conflict { standing },
            Error::Duplicate { holder } => Self::Duplicate { holder },
            Error::SettingChanged { .. } => Self::SettingChanged,
            Error::SecondPerson => Self::SecondPerson,
            Error::NotFound { .. } => Self::NotFound,
            Error::NoBulkRun { .. } => Self::NoRun,
            Error::Refused { why } => Self::Unavailable { sentence: why, since: crate::access::outage().1 },
            bad @ (Error::Invalid { .. } | Error::PayloadTooLarge { .. } | Error::BulkRunMoved { .. }) => {
                Self::Invalid { why: bad.to_string() }
            }
            other => Self::internal(&other),
        }
    }
}

/// The HTTP status that belongs to an error.
#[cfg(feature = "ssr")]
impl From<&ApiError> for http::StatusCode {
    fn from(error: &ApiError) -> Self {
        match error {
            ApiError::Conflict { .. }
            | ApiError::Duplicate { .. }
            | ApiError::SettingChanged
            | ApiError::SecondPerson => Self::CONFLICT,
            ApiError::NotFound | ApiError::NoRun => Self::NOT_FOUND,
            ApiError::Invalid { .. } | ApiError::Lapsed | ApiError::ReasonTooShort => {
                Self::UNPROCESSABLE_ENTITY
            }
            ApiError::Unavailable { .. } | ApiError::Offline => Self::SERVICE_UNAVAILABLE,
            ApiError::StorageFull => Self::INSUFFICIENT_STORAGE,
            ApiError::Forbidden { .. }
            | ApiError::ProveFirst
            | ApiError::TooMany { .. }
            | ApiError::TooFar { .. } => Self::FORBIDDEN,
            ApiError::SignedOut => Self::UNAUTHORIZED,
            ApiError::TooOften { .. } => Self::TOO_MANY_REQUESTS,
            ApiError::Internal { .. } => Self::INTERNAL_SERVER_ERROR,
        }
    }
}
