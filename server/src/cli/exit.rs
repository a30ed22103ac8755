//! How a verb ends when it does not end well, and the number a shell sees.

use super::output::of_others;
use reprieve::Error;
use serde_json::{Map, Value};
use std::fmt;
use uuid::Uuid;

/// Why a verb did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something does not work: Redis is away or full, a file cannot be read. Trying again may help.
    Failed(String),
    /// The words on the command line, or what they name, cannot be used.
    Usage(String),
    /// Nothing was changed, because of how things stand: too late, the job moved on, another one has the key.
    Refused(String),
    /// There is no such thing, or not any more.
    NotFound(String),
    /// A change was sent to Redis and its answer did not come: it may have been made.
    Unknown(String),
    /// Something did not work after a part was done: why, and for programs how much was done.
    Part {
        /// Why, with how much was done.
        why: String,
        /// How much, by name.
        done: Map<String, Value>,
        /// Whether nothing is known of what came next.
        is_unknown: bool,
    },
}

impl Failure {
    /// What the shell sees.
    pub(crate) const fn exit(&self) -> u8 {
        match self {
            Self::Failed(_) | Self::Part { is_unknown: false, .. } => 1,
            Self::Usage(_) => 2,
            Self::Refused(_) => 3,
            Self::NotFound(_) => 4,
            Self::Unknown(_) | Self::Part { is_unknown: true, .. } => 5,
        }
    }

    const fn code(&self) -> &'static str {
        match self {
            Self::Failed(_) | Self::Part { is_unknown: false, .. } => "failed",
            Self::Usage(_) => "usage",
            Self::Refused(_) => "wrong_state",
            Self::NotFound(_) => "not_found",
            Self::Unknown(_) | Self::Part { is_unknown: true, .. } => "outcome_unknown",
        }
    }

    /// Of two, the one that more needs looking at: what is not known, what failed, then usage, refusals, things that are gone.
    pub(crate) fn worse(self, other: Self) -> Self {
        let rank = |failure: &Self| if matches!(failure, Self::Unknown(_)) { 0 } else { failure.exit() };
        if rank(&other) < rank(&self) { other } else { self }
    }

    /// The same end with other words.
    pub(crate) fn because(self, why: String) -> Self {
        match self {
            Self::Failed(_) => Self::Failed(why),
            Self::Usage(_) => Self::Usage(why),
            Self::Refused(_) => Self::Refused(why),
            Self::NotFound(_) => Self::NotFound(why),
            Self::Unknown(_) => Self::Unknown(why),
            Self::Part { done, is_unknown, .. } => Self::Part { why, done, is_unknown },
        }
    }

    /// The line for standard error.
    pub(crate) fn line(&self, as_json: bool) -> String {
        if as_json {
            let mut line = match self {
                Self::Part { done, .. } => done.clone(),
                _ => Map::new(),
            };
            line.insert("code".to_owned(), self.code().into());
            line.insert("detail".to_owned(), self.to_string().into());
            return Value::Object(line).to_string();
        }
        format!("reprieve: {}", of_others(&self.to_string()))
    }
}

/// The name of an act that nobody gave one, so that it can be asked again what became of it.
pub(crate) fn fresh_operation() -> String {
    Uuid::now_v7().to_string()
}

/// How an act ends that went wrong; where its outcome is not known, with the words to ask again.
pub(crate) fn under(operation: &str, error: Error) -> Failure {
    let is_unknown = matches!(error, Error::OutcomeUnknown { .. });
    let failure = Failure::from(error);
    if is_unknown {
        let why = run_again(&failure.to_string(), operation);
        return failure.because(why);
    }
    failure
}

/// How an act is asked for again of which nobody knows what became of it.
pub(crate) fn run_again(why: &str, operation: &str) -> String {
    format!("{why}: run it again with --idempotency-key {operation}")
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(why)
            | Self::Usage(why)
            | Self::Refused(why)
            | Self::NotFound(why)
            | Self::Unknown(why)
            | Self::Part { why, .. } => f.write_str(why),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let why = error.to_string();
        match error {
            Error::InvalidName(_) | Error::Invalid { .. } | Error::PayloadTooLarge { .. } => Self::Usage(why),
            Error::Conflict(_) => Self::Refused(format!("{why}; nothing was changed")),
            Error::NotFound { .. } => Self::NotFound(format!("{why}: `reprieve jobs` lists them")),
            Error::NoPlan { .. } => {
                Self::NotFound(format!("{why}: `reprieve plan list SUBJECT` lists those of a subject"))
            }
            Error::NoBatch { .. } => Self::NotFound(format!("{why}: `reprieve batch list` lists them")),
            Error::NoBulkRun { .. } => {
                Self::NotFound(format!("{why}; `reprieve bulk list` lists the others"))
            }
            Error::Duplicate { .. }
            | Error::SubjectFull { .. }
            | Error::PlanRefused { .. }
            | Error::SettingChanged { .. }
            | Error::SecondPerson
            | Error::BulkRunMoved { .. } => Self::Refused(why),
            Error::OutcomeUnknown { .. } => Self::Unknown(why),
            Error::Unavailable { .. } => Self::Failed(format!("{why}; nothing was changed")),
            _ => Self::Failed(why),
        }
    }
}

impl From<anyhow::Error> for Failure {
    /// With its causes, in one line.
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(format!("{error:#}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_ends_with_the_number_that_says_what_to_do() {
        let gone = Error::NotFound { id: "a".parse().unwrap() };
        assert_eq!(Failure::from(gone).exit(), 4);
        let full = Error::PlanRefused { id: "p".parse().unwrap(), word: "plans_full", why: String::new() };
        assert_eq!(Failure::from(full).exit(), 3);
        assert_eq!(Failure::from(Error::StorageFull).exit(), 1);
        let lost = || Failure::from(Error::OutcomeUnknown { what: "no answer".to_owned(), is_once: false });
        assert_eq!(lost().exit(), 5);
        let gone = || Failure::NotFound("gone".to_owned());
        assert_eq!((lost().worse(gone()).exit(), gone().worse(lost()).exit()), (5, 5));
        assert_eq!(Failure::from(Error::PayloadTooLarge { bytes: 2, bytes_max: 1 }).exit(), 2);
        let both = Failure::NotFound(String::new()).worse(Failure::Refused(String::new()));
        assert_eq!(both.exit(), 3);
    }
}
