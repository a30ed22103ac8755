//! The one error of the engine, grouped by what the caller can do about it.
//!
//! Outcomes that are not failures ("too late", "exists already") are not
//! here but in [`model::outcome`](crate::model::outcome).

use crate::model::{BatchId, BulkState, InvalidName, JobId, PlanId, RunId, Standing};
use crate::refusal::{self, LOGIN_REFUSED, LOGIN_WANTED, NAMED, TLS_FAILS, tls_refusal};
use std::time::Duration;

/// How it begins when Redis refused the user a right.
const RIGHT_REFUSED: &str = "redis refused the user a right: ";

/// What to do then.
const RIGHT_ADVICE: &str = "`reprieve acl` prints the rights that are needed";

/// Most bytes of what Redis said in an error: it may hold whole jobs, and goes into logs and onto screens.
const SAID_BYTES_MAX: usize = 600;

/// What the engine's functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something could not be done. The texts never hold payloads or credentials.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Retry: Redis cannot be reached, does not answer a question, loads, is busy or takes no writes just now. Redis did not
    /// carry the call out; of what takes several calls, earlier ones may have been.
    #[error("redis is unavailable: {what}")]
    Unavailable {
        /// What Redis or the network said.
        what: String,
    },
    /// Ask again: a change was sent to Redis and its answer did not come, so it may have been made. Repeat the call under the
    /// same job id or operation id: then it is made once, and the answer says what became of it.
    #[error("it is not known whether this was done: {what}; repeat it under the same id to find out")]
    OutcomeUnknown {
        /// How the answer was lost.
        what: String,
        /// Whether it was asked for under an operation id: the same call under it gets the first answer.
        is_once: bool,
    },
    /// Retry later: Redis is at its memory limit. Cancels and acknowledgements still work.
    #[error("redis has reached its memory limit, nothing new can be stored")]
    StorageFull,
    /// Retry later: somebody did this as often as they may.
    #[error("this was done too often of late; wait {} s", wait_seconds(*.wait))]
    TooOften {
        /// How long until they may again.
        wait: Duration,
    },
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
    /// Look again: the subject has its limit of 1,000 live jobs, and the job would be one more.
    #[error("the subject of job {:?} has its limit of 1,000 live jobs", .id.as_str())]
    SubjectFull {
        /// The job that stays as it is.
        id: JobId,
    },
    /// Look again: the setting has changed since the caller read it.
    #[error("{name} was set to something else meanwhile")]
    SettingChanged {
        /// Which setting.
        name: &'static str,
    },
    /// Ask somebody: deleting needs two people who signed in, and here is one, or a program. Nothing was changed.
    #[error(
        "deleting needs two people here: somebody who signed in starts a bulk run that deletes, and somebody else starts it once more"
    )]
    SecondPerson,
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
    /// Look again: a plan was not made or not put back because of what else there is. Nothing was changed.
    #[error("plan {:?} {why}", .id.as_str())]
    PlanRefused {
        /// Which one.
        id: PlanId,
        /// `subject_full` or `plans_full`: its subject has no room for its jobs, or for one plan more; `taken`: another
        /// job has an id that a step would need.
        word: &'static str,
        /// The same in words.
        why: String,
    },
    /// Look again: there is no such batch, or not any more.
    #[error("there is no batch {:?}", .id.as_str())]
    NoBatch {
        /// What was asked for.
        id: BatchId,
    },
    /// Look again: there is no such bulk run, or not any more.
    #[error(
        "there is no bulk run {:?}, or not any more: one that nobody starts is forgotten after ten minutes",
        .id.as_str()
    )]
    NoBulkRun {
        /// What was asked for.
        id: RunId,
    },
    /// Look again: the bulk run is not where this could be done with it; nothing was changed.
    #[error("bulk run {id} {why}")]
    BulkRunMoved {
        /// Which one.
        id: RunId,
        /// How it stands.
        state: BulkState,
        /// The same in words, with what could not be done.
        why: String,
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
            Self::OutcomeUnknown { .. } => "outcome_unknown",
            Self::StorageFull => "storage_full",
            Self::TooOften { .. } => "rate_limited",
            Self::InvalidName(_) => "invalid_name",
            Self::Invalid { .. } => "invalid",
            Self::PayloadTooLarge { .. } => "payload_too_large",
            Self::Conflict(_) => "conflict",
            Self::Duplicate { .. } => "duplicate",
            Self::SubjectFull { .. } => "subject_full",
            Self::PlanRefused { word, .. } => word,
            Self::SettingChanged { .. } => "setting_changed",
            Self::SecondPerson => "approval_required",
            Self::BulkRunMoved { .. } => "bulk_conflict",
            Self::NotFound { .. } | Self::NoPlan { .. } | Self::NoBatch { .. } | Self::NoBulkRun { .. } => {
                "not_found"
            }
            Self::Refused { .. } => "redis_refused",
            Self::Codec { .. } => "corrupt_data",
        }
    }

    /// Whether the same call may succeed a little later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::OutcomeUnknown { .. } | Self::StorageFull)
    }

    /// Whether nothing is known of what became of the call: it may have been carried out.
    #[must_use]
    pub const fn is_doubtful(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::OutcomeUnknown { .. } | Self::Codec { .. })
    }

    /// Whether a server refuses the user, the password, or a right: waiting does not help against these. The text says which,
    /// and what to do.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.lacks_a_right()
            || matches!(self, Self::Unavailable { what } if what.contains(LOGIN_REFUSED) || what.contains(LOGIN_WANTED))
    }

    /// Whether a server and this side do not come to terms over TLS. The text says why, and what to do.
    #[must_use]
    pub fn is_tls_refusal(&self) -> bool {
        matches!(self, Self::Unavailable { what } if what.starts_with(TLS_FAILS))
    }

    /// Whether Redis did answer, and would not let the user we are do this.
    pub(crate) fn lacks_a_right(&self) -> bool {
        matches!(self, Self::Unavailable { what } | Self::OutcomeUnknown { what, .. } if what.starts_with(RIGHT_REFUSED))
    }

    /// Whether it may be told later what became of the call. A right that is missing does not come by waiting.
    pub(crate) fn may_be_told_later(&self) -> bool {
        matches!(self, Self::OutcomeUnknown { .. }) && !self.lacks_a_right()
    }

    /// The same error of a change whose answer was lost on the way.
    pub(crate) fn of_lost_answer(self) -> Self {
        match self {
            Self::Unavailable { what } => Self::OutcomeUnknown { what, is_once: false },
            other => other,
        }
    }

    /// The same error of a call before the change that somebody asked for: that was not sent.
    pub(crate) fn of_nothing_sent(self) -> Self {
        match self {
            Self::OutcomeUnknown { what, .. } => Self::Unavailable { what },
            other => other,
        }
    }

    /// Of rights that are missing, as `ACL SETUSER` takes them.
    pub(crate) fn lacking(rights: &[String]) -> Self {
        Self::unavailable(format!("{RIGHT_REFUSED}it has no {}; {RIGHT_ADVICE}", rights.join(" ")))
    }

    pub(crate) fn codec(what: impl Into<String>) -> Self {
        Self::Codec { what: in_one_line(what.into()) }
    }

    fn unavailable(what: impl Into<String>) -> Self {
        Self::Unavailable { what: in_one_line(what.into()) }
    }

    pub(crate) fn invalid(field: &'static str, why: impl Into<String>) -> Self {
        Self::Invalid { field, why: in_one_line(why.into()) }
    }
}

/// Whole seconds after which a wait is over for certain, as `Retry-After` says it.
#[must_use]
pub const fn wait_seconds(wait: Duration) -> u64 {
    wait.as_secs().saturating_add(1)
}

/// The beginning of what Redis said, in one line.
fn in_one_line(said: String) -> String {
    if said.len() <= SAID_BYTES_MAX && !said.contains(char::is_control) {
        return said;
    }
    let mut line = String::new();
    for sign in said.chars().map(|sign| if sign.is_control() { ' ' } else { sign }) {
        if line.len() + sign.len_utf8() > SAID_BYTES_MAX {
            line.push('…');
            break;
        }
        line.push(sign);
    }
    line
}

/// How Redis says within a function that a user lacks a right, since 7.2 and before. Outside it has a code for that.
const RIGHT_WORDS: [&str; 3] = [
    "ACL failure in script",
    "The user executing the script can't run this command",
    "The user executing the script can't access at least one of the keys",
];

/// Whether Redis refused the user a right, also one that a function needs.
pub(crate) fn is_right_refused(error: &redis::RedisError) -> bool {
    let text = error.to_string();
    // That one names a key, which may hold any of the words.
    !text.contains("DAMAGED")
        && (error.code() == Some("NOPERM")
            || text.contains("NOPERM")
            || RIGHT_WORDS.into_iter().any(|words| text.contains(words)))
}

/// Whether the server has no such command: it is renamed or disabled, or this is no Redis from 7.0 on.
pub(crate) fn is_unknown_command(error: &redis::RedisError) -> bool {
    unknown_command(error).is_some()
}

/// The command that the server does not have.
fn unknown_command(error: &redis::RedisError) -> Option<&str> {
    let detail = error.detail()?;
    if detail.starts_with("Unknown Redis command called from script") {
        return Some("that a function calls");
    }
    // What follows the name may be a payload.
    let (_, from) = detail.strip_prefix("unknown command ").map(|from| from.split_at(1))?;
    from.split(['\'', '`']).next().filter(|name| name.len() <= 40)
}

/// Whether a call went out of which nobody knows how far it came: its answer did not come back, or a function ended in the
/// middle, and Redis takes nothing back. What failed before, such as a connection that was refused, is not among them.
pub(crate) fn is_lost_answer(error: &redis::RedisError) -> bool {
    error.is_timeout()
        || ended_in_the_middle(error)
        || (error.is_connection_dropped() && !error.is_connection_refusal())
        || (error.kind() == redis::ErrorKind::Parse && error.to_string().contains(TORN))
}

/// Whether a function ended by an error that is none of ours: Redis names the line then.
fn ended_in_the_middle(error: &redis::RedisError) -> bool {
    error.detail().is_some_and(|detail| detail.contains(" script: ") && detail.contains(", on @"))
}

/// How the client's parser speaks of an answer of which only the beginning arrived.
const TORN: &str = "Unexpected end of input";

impl From<redis::RedisError> for Error {
    fn from(error: redis::RedisError) -> Self {
        let text = error.to_string();
        let detail = error.detail().unwrap_or_default();
        let says = |word: &str| error.code() == Some(word) || text.contains(word);
        // First, for it names the key, and a key may hold any of the other words.
        if text.starts_with(NAMED) {
            Self::unavailable(detail)
        } else if says("DAMAGED") {
            Self::codec(text)
        } else if error.kind() == redis::ErrorKind::Parse && text.contains(TORN) {
            Self::unavailable("the connection ended in the middle of an answer")
        } else if says("OOM") {
            Self::StorageFull
        } else if says("QUEUES_FULL") {
            Self::invalid("queue", "is new, and the namespace has its limit of 1,000 queues")
        } else if is_right_refused(&error) {
            // Which right is missing stands in it, and never a password.
            let why = if detail.is_empty() { &text } else { detail };
            Self::unavailable(format!("{RIGHT_REFUSED}{why}; {RIGHT_ADVICE}"))
        } else if let Some(command) = unknown_command(&error) {
            let why = format!(
                "this server has no command {command}: it is renamed or disabled there, or the server is no Redis from 7.0 \
                 on; give the address of one that has it"
            );
            Self::Refused { why }
        } else if refusal::wants_login(&error) {
            Self::unavailable(format!(
                "redis {LOGIN_WANTED}; put them into its address, as in redis://user:password@host"
            ))
        } else if refusal::is_denial(&error) {
            Self::unavailable(format!("redis {LOGIN_REFUSED}; look at those in its address"))
        } else if let Some(why) = tls_refusal(&text, "redis_ca_file") {
            Self::unavailable(format!("{TLS_FAILS}it fails: {why}"))
        } else if matches!(error.kind(), redis::ErrorKind::UnexpectedReturnType | redis::ErrorKind::Parse)
            || says("WRONGTYPE")
        {
            Self::codec(text)
        } else if error.is_timeout() {
            Self::unavailable("it did not answer in time")
        } else if error.is_io_error() || detail.is_empty() {
            Self::unavailable(text)
        } else {
            Self::unavailable(format!("{}: {detail}", error.code().unwrap_or("error")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(detail: &str) -> redis::RedisError {
        redis::make_extension_error("ERR".to_owned(), Some(detail.to_owned()))
    }

    #[test]
    fn a_right_that_a_function_lacks_is_told_as_one() {
        for detail in [
            "The user executing the script can't run this command or subcommand script: reprieve_x, on @user_function:9.",
            "The user executing the script can't access at least one of the keys mentioned in the command arguments",
            "ACL failure in script: User ann has no permissions to run the 'xadd' command script: x",
        ] {
            let error = Error::from(said(detail));
            assert!(error.is_denied() && error.to_string().contains("`reprieve acl`"), "{error}");
        }
        let damaged = Error::from(said("DAMAGED queue NOPERM holds a string"));
        assert!(matches!(damaged, Error::Codec { .. }), "{damaged}");
    }

    #[test]
    fn a_command_that_a_server_does_not_have_is_no_outage_and_names_no_argument() {
        for detail in [
            "unknown command 'FUNCTION', with args beginning with: 'LOAD' 'secret' ",
            "unknown command `FUNCTION`, with args beginning with: `LOAD`, `secret`, ",
        ] {
            let error = Error::from(said(detail));
            assert!(matches!(error, Error::Refused { .. }) && !error.is_transient(), "{error:?}");
            let told = error.to_string();
            assert!(told.contains("no command FUNCTION:") && !told.contains("secret"), "{told}");
        }
    }

    #[test]
    fn what_redis_says_is_told_in_one_short_line() {
        let said = format!("a word\nof {}", "é".repeat(SAID_BYTES_MAX));
        let errors = [
            Error::codec(said.clone()),
            Error::invalid("id", said.clone()),
            Error::from(redis::make_extension_error("ERR".to_owned(), Some(said))),
        ];
        for error in errors {
            let told = error.to_string();
            assert!(told.len() < SAID_BYTES_MAX + 60 && told.ends_with('…'), "{told}");
            assert!(told.contains("a word of é"), "{told}");
        }
        assert_eq!(Error::codec("short").to_string(), "unreadable data in redis: short");
    }
}
