//! The one error that crosses the line between server and browser.
//!
//! The log has the details; the person at the screen gets a sentence and a next step.

mod sentences;

use leptos::prelude::{FromServerFnError, ServerFnErrorErr, use_context};
use leptos::server_fn::codec::JsonEncoding;
use leptos_axum::ResponseOptions;
use reprieve::model::{BulkState, JobId, Permission, Standing, Timestamp};
use serde::{Deserialize, Serialize};

use crate::request::{request_id, sent_by_plain_form};
use crate::t;

pub(crate) use self::sentences::{moved_on_uncancelled, redis_outage, refused_at_desk};

/// Why a server function did not do what it was asked.
///
/// In JSON an object with the name of the failure as `error`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "error", rename_all = "snake_case")]
pub enum ApiError {
    /// The job moved on since the page was read. Nothing was changed.
    #[error("the job moved on")]
    Conflict {
        /// Where it stands now.
        standing: Box<Standing>,
    },
    /// The subject has its limit of live jobs, and the job would be one more. Nothing was changed.
    #[error("the subject has its limit of live jobs")]
    SubjectFull,
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
    /// The bulk run is not where that could be done with it. Nothing was changed.
    #[error("the run is {state}")]
    #[serde(rename = "bulk_conflict")]
    RunMoved {
        /// How it stands now.
        state: BulkState,
    },
    /// The address has a text that was sealed elsewhere, or with a key that is gone.
    #[error("the address has a text that cannot be opened here")]
    Lapsed,
    /// The request itself is wrong.
    #[error("{why}")]
    Invalid {
        /// What is wrong with it, in words for the person who sent it.
        why: String,
    },
    /// One field of the form is wrong.
    #[error("{why}")]
    WrongField {
        /// Its name in the form.
        field: String,
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
    /// Another Redis, from which jobs are to be taken over, does not answer or takes nothing. Reprieve's own is well.
    #[error("{why}")]
    OtherRedis {
        /// What is wrong there, in one sentence.
        why: String,
    },
    /// Redis is at its memory limit: nothing new can be stored, jobs can still be called off.
    #[error("redis is full")]
    StorageFull,
    /// The person may not do that.
    #[error("needs {permission}")]
    Forbidden {
        /// The right they lack.
        permission: Permission,
        /// Whether it is theirs in other queues than those that were meant.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        elsewhere: bool,
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
    #[serde(rename = "approval_required")]
    SecondPerson,
    /// They did this too often of late.
    #[error("too often; wait {seconds} s")]
    #[serde(rename = "rate_limited")]
    TooOften {
        /// How long to wait, in seconds.
        seconds: u64,
    },
    /// The server could not be reached from the browser.
    #[error("the server does not answer")]
    Offline,
    /// The answer took too long and was given up. What was asked for may have been done.
    #[error("it took too long")]
    TooSlow,
    /// The server asked Redis for a change and got no answer, however often it asked again: it may have been made.
    #[error("it is not known whether this was done")]
    OutcomeUnknown {
        /// Whether the same form gets the first answer, however often it is sent.
        is_once: bool,
    },
    /// The form holds more than a page can send. Nothing was changed.
    #[error("more than a page can send")]
    TooLarge,
    /// The page asks for what this server does not have: it is of another version.
    #[error("the page is of another version")]
    Outdated,
    /// Something that should not happen. The log has the rest under this id.
    #[error("internal error {request_id}")]
    Internal {
        /// What to search for in the log.
        request_id: String,
    },
}

impl ApiError {
    /// Whether what failed in this way is to be asked for again by itself, with nothing changed: it may pass, and nobody has to
    /// sign in first, upon which all is read again, or has asked too often by now.
    pub const fn is_to_be_asked_again(&self) -> bool {
        matches!(
            self,
            Self::Unavailable { .. }
                | Self::OtherRedis { .. }
                | Self::StorageFull
                | Self::Offline
                | Self::TooSlow
                | Self::OutcomeUnknown { .. }
                | Self::Internal { .. }
        )
    }

    /// What happened, for a person.
    pub fn sentence(&self) -> String {
        sentences::sentence(self)
    }

    /// What they can do about it.
    pub fn next_step(&self) -> String {
        sentences::next_step(self)
    }

    /// Both, one after the other.
    pub fn in_full(&self) -> String {
        t!("errors-in-full", sentence = self.sentence(), next = self.next_step())
    }

    /// Its word in addresses and in the markup.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Conflict { .. } => "conflict",
            Self::Duplicate { .. } => "duplicate",
            Self::SubjectFull => "subject_full",
            Self::SettingChanged => "setting_changed",
            Self::NotFound => "not_found",
            Self::NoRun => "no_run",
            Self::RunMoved { .. } => "bulk_conflict",
            Self::Lapsed => "lapsed",
            Self::Invalid { .. } => "invalid",
            Self::WrongField { .. } => "wrong_field",
            Self::ReasonTooShort => "reason_too_short",
            Self::Unavailable { .. } => "unavailable",
            Self::OtherRedis { .. } => "other_redis",
            Self::StorageFull => "storage_full",
            Self::Forbidden { .. } => "forbidden",
            Self::SignedOut => "signed_out",
            Self::ProveFirst => "prove_first",
            Self::TooMany { .. } => "too_many",
            Self::TooFar { .. } => "too_far",
            Self::SecondPerson => "approval_required",
            Self::TooOften { .. } => "rate_limited",
            Self::Offline => "offline",
            Self::TooSlow => "too_slow",
            Self::OutcomeUnknown { .. } => "outcome_unknown",
            Self::TooLarge => "too_large",
            Self::Outdated => "outdated",
            Self::Internal { .. } => "internal",
        }
    }
}

impl ApiError {
    /// A field of a form that is wrong, and why.
    pub fn wrong(field: &str, why: impl Into<String>) -> Self {
        Self::WrongField { field: field.to_owned(), why: why.into() }
    }

    /// The name of the field that is at fault, if one is.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::WrongField { field, .. } => Some(field),
            Self::ReasonTooShort => Some("note"),
            Self::TooFar { .. } => Some("due"),
            _ => None,
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
                if !sent_by_plain_form() {
                    error.set_status();
                }
                error
            }
            other => Self::internal(&other),
        }
    }
}

impl ApiError {
    /// Gives the answer to this request its HTTP status.
    pub(crate) fn set_status(&self) {
        if let Some(response) = use_context::<ResponseOptions>() {
            response.set_status(http::StatusCode::from(self));
        }
    }

    /// Hides an unexpected failure behind an id that leads to it in the log.
    pub(crate) fn internal(failure: &(dyn std::error::Error + 'static)) -> Self {
        let request_id = request_id();
        tracing::error!(request.id = request_id, "a request failed unexpectedly: {failure}");
        Self::Internal { request_id }
    }
}

/// The HTTP status that belongs to an error.
impl From<&ApiError> for http::StatusCode {
    fn from(error: &ApiError) -> Self {
        match error {
            ApiError::Conflict { .. }
            | ApiError::Duplicate { .. }
            | ApiError::SubjectFull
            | ApiError::SettingChanged
            | ApiError::RunMoved { .. }
            | ApiError::SecondPerson => Self::CONFLICT,
            ApiError::NotFound | ApiError::NoRun | ApiError::Outdated => Self::NOT_FOUND,
            ApiError::Invalid { .. }
            | ApiError::WrongField { .. }
            | ApiError::Lapsed
            | ApiError::ReasonTooShort => Self::UNPROCESSABLE_ENTITY,
            ApiError::Unavailable { .. }
            | ApiError::Offline
            | ApiError::TooSlow
            | ApiError::OutcomeUnknown { .. } => Self::SERVICE_UNAVAILABLE,
            ApiError::TooLarge => Self::PAYLOAD_TOO_LARGE,
            ApiError::OtherRedis { .. } => Self::BAD_GATEWAY,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use reprieve::model::{JobState, Version};

    use super::*;
    use crate::i18n;

    fn one_of_each() -> Vec<ApiError> {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let id = JobId::new("a").unwrap();
        let mut error = serde_json::json!({
            "standing": Standing::new(id, JobState::Ready, Version(3), at(1), at(2)), "holder": "a", "state": "done",
            "why": "no number", "field": "due", "sentence": "gone", "since": 4, "permission": Permission::View,
            "jobs_max": 5, "days_max": 6, "seconds": 7, "is_once": true, "request_id": "r",
        });
        let of = |tag: String| {
            error[sentences::TAG] = tag.into();
            serde_json::from_value(error.clone()).unwrap()
        };
        i18n::tags::<ApiError>(sentences::TAG).into_iter().map(of).collect()
    }

    #[test]
    fn every_failure_has_its_word_a_sentence_and_a_next_step() {
        assert!(one_of_each().len() > 20);
        for error in one_of_each() {
            assert_eq!(serde_json::to_value(&error).unwrap()[sentences::TAG], error.code());
            let (sentence, next) = (error.sentence(), error.next_step());
            assert!(!sentence.is_empty() && !next.is_empty(), "{error:?}");
            // Where a sentence is given nothing for a place, the place stays.
            assert!(!error.in_full().contains('{'), "{}", error.in_full());
        }
    }

    #[test]
    fn the_sender_of_a_plain_form_is_told_of_every_failure_that_a_server_has() {
        // No function fails so: browsers and layers do.
        let others = [ApiError::Offline, ApiError::TooSlow, ApiError::Outdated, ApiError::TooLarge];
        for error in one_of_each().iter().filter(|error| !others.contains(error)) {
            let word = format!("error.{}", error.code());
            assert!(i18n::said(&word).is_some(), "nothing is said of {word}");
        }
    }

    #[test]
    fn a_person_who_comes_too_late_to_a_bulk_run_is_told_how_it_stands_in_their_language() {
        use leptos::prelude::provide_context;
        for (language, none) in [(i18n::Language::English, "errors-"), (i18n::Language::Chinese, "is ")] {
            let owner = leptos::prelude::Owner::new();
            owner.set();
            provide_context(language);
            let said = BulkState::ALL.map(|state| ApiError::RunMoved { state }.in_full());
            assert!(said.iter().all(|said| !said.contains(none)), "{said:?}");
            assert_eq!(said.iter().collect::<BTreeSet<_>>().len(), 5, "{said:?}");
        }
    }

    #[test]
    fn a_bulk_run_that_moved_on_is_a_conflict_and_no_mistake_of_the_request() {
        let moved = ApiError::RunMoved { state: BulkState::Done };
        assert_eq!(http::StatusCode::from(&moved), http::StatusCode::CONFLICT);
    }

    #[test]
    fn what_a_layer_refuses_is_told_with_what_can_be_done() {
        assert!(ApiError::TooSlow.in_full().contains("look first whether it was made"));
        assert!(ApiError::Outdated.in_full().contains("Load the page again"));
    }
}
