//! What policy and engine refuse, as what the screen says.

use crate::error::{ApiError, redis_outage};
use crate::i18n;
use reprieve_access::Denied;

impl From<Denied> for ApiError {
    fn from(refused: Denied) -> Self {
        match refused {
            Denied::SignedOut { .. } => Self::SignedOut,
            Denied::Lacks { permission, .. } => Self::Forbidden { permission, elsewhere: false },
            Denied::OtherQueue { permission, .. } => Self::Forbidden { permission, elsewhere: true },
            Denied::Hidden { missing, .. } => missing.into(),
            Denied::TooMany { most } => Self::TooMany { jobs_max: most },
            Denied::ProveFirst => Self::ProveFirst,
            Denied::TooFar { days } => Self::TooFar { days_max: days },
            Denied::TooOften { wait } => Self::TooOften { seconds: reprieve::wait_seconds(wait) },
            Denied::Engine(error) => error.into(),
        }
    }
}

/// What the engine refuses becomes what the screen says, with the matching HTTP status.
impl From<reprieve::Error> for ApiError {
    fn from(error: reprieve::Error) -> Self {
        use reprieve::Error;
        match error {
            Error::Unavailable { what } => {
                tracing::warn!("redis is unavailable: {what}");
                let (kind, since) = super::outage();
                Self::Unavailable { sentence: redis_outage(kind), since }
            }
            Error::OutcomeUnknown { what, is_once } => {
                tracing::warn!("it is not known whether a change was made: {what}");
                Self::OutcomeUnknown { is_once }
            }
            Error::StorageFull => Self::StorageFull,
            Error::TooOften { wait } => Self::TooOften { seconds: reprieve::wait_seconds(wait) },
            Error::InvalidName(wrong) => Self::Invalid { why: i18n::bad_name(&wrong) },
            Error::Conflict(standing) => Self::Conflict { standing },
            Error::Duplicate { holder } => Self::Duplicate { holder },
            Error::SubjectFull { .. } | Error::PlanRefused { word: "subject_full", .. } => Self::SubjectFull,
            Error::SettingChanged { .. } => Self::SettingChanged,
            Error::SecondPerson => Self::SecondPerson,
            Error::NotFound { .. } => Self::NotFound,
            Error::NoBulkRun { .. } => Self::NoRun,
            Error::Refused { why } => {
                Self::Unavailable { sentence: i18n::import_said(&why), since: super::outage().1 }
            }
            ref bad @ Error::Invalid { field, .. } => {
                Self::wrong(field, i18n::bad_value(bad).unwrap_or_else(|| bad.to_string()))
            }
            Error::PayloadTooLarge { bytes_max, .. } => Self::wrong("payload", i18n::too_large(bytes_max)),
            Error::BulkRunMoved { state, .. } => Self::RunMoved { state },
            other => Self::internal(&other),
        }
    }
}
