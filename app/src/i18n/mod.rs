//! The words of the screens: `t!("key", name = value)` says a sentence in the language of the page.
//!
//! One folder per language (`app/locales`), one Fluent file per area; a sentence is always written whole, never
//! glued from pieces.

mod language;
mod pseudo;
mod words;

pub use fluent_bundle::FluentArgs;
pub use language::Language;
pub use words::say;

use reprieve::model::{
    Cancelled, HeldBack, JobState, Permission, QueueName, Reinstated, Released, Rescheduled, RetriedNow,
    Standing, StateGroup, SubjectCancelled, SubjectJob,
};

use crate::error::ApiError;
use crate::format;

/// The sentence for an outage of Redis.
pub const REDIS_UNREACHABLE: &str = "Redis is unreachable.";

/// The reasons a person can choose from when they change a job.
pub const REASONS: [&str; 6] = [
    "Customer asked",
    "Renewed or paid",
    "Wrong customer or resource",
    "Legal hold",
    "Duplicate",
    "Incident",
];

/// The name of a list.
#[must_use]
pub const fn group(group: StateGroup) -> &'static str {
    match group {
        StateGroup::Delay => "Delay",
        StateGroup::Ready => "Ready",
        StateGroup::Active => "Active",
        StateGroup::Dead => "Dead",
        StateGroup::Done => "Done",
        StateGroup::Cancelled => "Cancelled",
        StateGroup::Held => "Held",
    }
}

/// The word on the badge of a state.
#[must_use]
pub const fn state(state: JobState) -> &'static str {
    match state {
        JobState::Delayed => "Delayed",
        JobState::Held => "Held",
        JobState::Ready => "Ready",
        JobState::Active => "Active",
        JobState::Retrying => "Retrying",
        JobState::Done => "Done",
        JobState::Dead => "Dead",
        JobState::Cancelled => "Cancelled",
    }
}

/// What a state means, in one sentence.
#[must_use]
pub const fn state_meaning(state: JobState) -> &'static str {
    match state {
        JobState::Delayed => "Waiting for its time; it will not start before it is due.",
        JobState::Held => "Keeps its due time, but will not run until released.",
        JobState::Ready => "Due; waiting for a free worker.",
        JobState::Active => "A worker has it now.",
        JobState::Retrying => "Failed; waiting for its next attempt.",
        JobState::Done => "Finished; kept for a while.",
        JobState::Dead => "All attempts used, or failed for good; will not run again by itself.",
        JobState::Cancelled => "Called off; can be put back.",
    }
}

/// What stands in an empty list.
#[must_use]
pub const fn empty_list(group: StateGroup) -> &'static str {
    match group {
        StateGroup::Delay => "No job is waiting for its time.",
        StateGroup::Ready => "No job is waiting for a worker.",
        StateGroup::Active => "No job is running right now.",
        StateGroup::Dead => "No dead jobs. Good.",
        StateGroup::Done => "No finished job is kept here.",
        StateGroup::Cancelled => "No job has been called off.",
        StateGroup::Held => "No job is on hold.",
    }
}

/// Why a button is off for somebody.
#[must_use]
pub fn needs(permission: Permission) -> String {
    format!("Needs {permission}; ask an administrator")
}

/// How a sentence is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// It was done.
    Good,
    /// Worth knowing; nothing is wrong.
    Plain,
    /// It was not done, or not entirely.
    Bad,
}

impl Tone {
    /// Its word in the markup.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Plain => "plain",
            Self::Bad => "bad",
        }
    }
}

/// What an act achieved, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// How to take it.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
}

impl Said {
    /// It was done.
    #[must_use]
    pub fn good(text: impl Into<String>) -> Self {
        Self { tone: Tone::Good, text: text.into() }
    }

    /// Worth knowing.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self { tone: Tone::Plain, text: text.into() }
    }

    /// It was not done.
    #[must_use]
    pub fn bad(text: impl Into<String>) -> Self {
        Self { tone: Tone::Bad, text: text.into() }
    }
}

/// Outcomes that can be told: on the spot from the answer, after a plain form from the word in the address.
pub trait Tell {
    /// `<verb>.<word>`: what the address carries after a plain form was sent.
    fn code(&self) -> String;

    /// The whole sentence. Without further detail than the code itself has.
    fn said(&self) -> Said {
        said(&self.code()).unwrap_or_else(|| Said::plain(self.code()))
    }
}

macro_rules! tell {
    ($($type:ident = $verb:literal),+ $(,)?) => {
        $(impl Tell for $type {
            fn code(&self) -> String {
                format!(concat!($verb, ".{}"), self.word())
            }
        })+
    };
}

tell!(
    Cancelled = "cancel",
    Reinstated = "reinstate",
    RetriedNow = "retry_now",
    Rescheduled = "reschedule",
    HeldBack = "hold",
    Released = "unhold",
);

impl Tell for SubjectCancelled {
    fn code(&self) -> String {
        match self {
            Self::TooMany { .. } => "cancel_subject.too_many",
            _ => "cancel_subject.cancelled",
        }
        .to_owned()
    }

    fn said(&self) -> Said {
        match self {
            Self::Cancelled { jobs } => subject_cancelled(jobs),
            _ => said(&self.code()).unwrap_or_else(|| Said::plain(self.code())),
        }
    }
}

/// How many jobs of a subject were called off, and what became of the others.
fn subject_cancelled(jobs: &[SubjectJob]) -> Said {
    let asked = jobs.iter().filter(|job| matches!(job.cancelled, Cancelled::Requested(_))).count();
    let off = jobs.iter().filter(|job| matches!(job.cancelled, Cancelled::Now(_))).count();
    match (off, asked) {
        (0, 0) => Said::plain("No job of this subject was still to come."),
        (off, 0) => Said::good(format!("Cancelled {off} of {} jobs of this subject.", jobs.len())),
        (off, asked) => Said::plain(format!(
            "Cancelled {off} of {} jobs of this subject; {asked} had started and will be asked to stop.",
            jobs.len()
        )),
    }
}

/// The sentence for an outcome word in an address; `None` for words nobody wrote.
///
/// Only known words are turned into sentences, so that an address cannot put text on the page.
#[must_use]
pub fn said(code: &str) -> Option<Said> {
    Some(match code {
        "cancel.cancelled" => Said::good("Cancelled. No worker will start this job."),
        "cancel.requested" => {
            Said::plain("It was already running: its worker is asked to stop. What it has done stays done.")
        }
        "cancel.final" => Said::plain("It had already ended, so there was nothing to cancel."),
        "cancel_subject.cancelled" => Said::good("Called off: no job of this subject will be started."),
        "cancel_subject.too_many" => {
            Said::bad("Too many jobs at once for one step. Nothing was changed; cancel them from the list.")
        }
        "reinstate.delayed" => Said::good("Put back, due at its original time."),
        "reinstate.overdue" => {
            Said::bad("Its due time has passed. Run it now, or reschedule it; nothing was changed.")
        }
        "reinstate.refused" => Said::bad("It is not cancelled, so there is nothing to put back."),
        "retry_now.ready" => Said::good("Ready: the next free worker takes it."),
        "retry_now.refused" => Said::bad("It is already on its way or done, so nothing was changed."),
        "reschedule.delayed" | "reschedule.held" | "reschedule.retrying" => Said::good("Rescheduled."),
        "reschedule.refused" => Said::bad("It does not wait any more, so it was not rescheduled."),
        "hold.held" => Said::good("On hold. It keeps its due time and will not run until released."),
        "hold.refused" => Said::bad("It is not delayed, so it was not put on hold."),
        "unhold.delayed" => Said::good("Released. It will run at its due time."),
        "unhold.refused" => Said::bad("It is not on hold, so there was nothing to release."),
        "pause.changed" => Said::good("Paused. No job of this queue starts until it is resumed."),
        "pause.same" => Said::plain("The queue was already paused."),
        "resume.changed" => Said::good("Resumed. Jobs of this queue start again."),
        "resume.same" => Said::plain("The queue was not paused."),
        "error.conflict" => {
            Said::bad("The job moved on while you looked, so nothing was changed. This is how it stands now.")
        }
        "error.duplicate" => Said::bad("Another live job holds its unique key, so nothing was changed."),
        "error.not_found" => Said::bad("There is no such job any more."),
        "error.invalid" => Said::bad("That could not be understood, so nothing was changed."),
        "error.unavailable" => {
            Said::bad("Redis is unreachable, so nothing was changed. Try again in a moment.")
        }
        "error.storage_full" => {
            Said::bad("Redis is full, so nothing was changed. Calling jobs off still works.")
        }
        "error.forbidden" => Said::bad("You may not do that; ask an administrator."),
        "error.internal" => Said::bad("Something went wrong on the server. The log has the details."),
        _ => return None,
    })
}

/// A queue was paused.
#[must_use]
pub fn queue_paused(queue: &QueueName) -> Said {
    Said::good(format!("Paused {queue}. No job of it starts until it is resumed."))
}

/// A queue was resumed.
#[must_use]
pub fn queue_resumed(queue: &QueueName) -> Said {
    Said::good(format!("Resumed {queue}. Its jobs start again."))
}

/// Where a job stands, for the sentence after a conflict.
#[must_use]
pub fn moved_on(standing: &Standing) -> String {
    moved_on_so(standing, "nothing was changed")
}

/// The same, naming what was not done: `it was not cancelled`.
#[must_use]
pub fn moved_on_so(standing: &Standing, so: &str) -> String {
    let since = |at| format::span(standing.at.millis_since(at));
    match (standing.state, standing.started, standing.ended, standing.worker.as_deref()) {
        (JobState::Active, Some(started), _, Some(worker)) => {
            format!("This job started {} ago on {worker}, so {so}.", since(started))
        }
        (JobState::Active, ..) => format!("This job is running by now, so {so}."),
        (JobState::Done, _, Some(ended), _) => format!("This job was done {} ago, so {so}.", since(ended)),
        (JobState::Dead, _, Some(ended), _) => format!("This job died {} ago, so {so}.", since(ended)),
        (JobState::Cancelled, _, Some(ended), _) => {
            format!("Somebody cancelled this job {} ago, so {so}.", since(ended))
        }
        (now, ..) => format!("This job is {now} by now (version {}), so {so}.", standing.version),
    }
}

/// What happened, for a person.
#[must_use]
pub fn error_sentence(error: &ApiError) -> String {
    match error {
        ApiError::Conflict { standing } => moved_on(standing),
        ApiError::Duplicate { holder } => format!("Another live job, {holder}, holds its unique key."),
        ApiError::NotFound => "There is no such job, or no more.".to_owned(),
        ApiError::Invalid { why } => format!("That could not be done: {why}."),
        ApiError::Unavailable { sentence, .. } => sentence.clone(),
        ApiError::StorageFull => "Redis is full: nothing new can be stored.".to_owned(),
        ApiError::Forbidden { permission } => format!("You lack the permission {permission}."),
        ApiError::Offline => "The server does not answer.".to_owned(),
        ApiError::Internal { request_id } => format!("Something went wrong on the server ({request_id})."),
    }
}

/// What a person can do about it.
#[must_use]
pub fn error_next_step(error: &ApiError) -> String {
    match error {
        ApiError::Conflict { .. } => "Look at the job as it is now, then decide again.",
        ApiError::Duplicate { .. } => "Look at that job first: both at once are not wanted.",
        ApiError::NotFound => "It may have been removed after its retention. Check the id.",
        ApiError::Invalid { .. } => "Correct it and try again.",
        ApiError::Unavailable { .. } => {
            "Nothing is lost; due jobs will run late. Check that Redis runs; this page keeps trying."
        }
        ApiError::StorageFull => "Jobs can still be finished and called off. Give Redis more memory.",
        ApiError::Forbidden { .. } => "Ask an administrator.",
        ApiError::Offline => "Check that the server runs and try again. Jobs go on without this page.",
        ApiError::Internal { .. } => "Try again. If it stays, look for that id in the server's log.",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::{JobId, Timestamp, Version};

    #[test]
    fn every_outcome_of_a_verb_has_a_sentence() {
        let now = Timestamp::EPOCH;
        let standing = || Standing::new(JobId::new("a").unwrap(), JobState::Delayed, Version(1), now, now);
        for word in ["cancelled", "requested", "final"] {
            let code = Cancelled::from_word(word, standing()).unwrap().code();
            assert!(said(&code).is_some(), "{code}");
        }
        for word in ["delayed", "overdue", "refused"] {
            let code = Reinstated::from_word(word, standing()).unwrap().code();
            assert!(said(&code).is_some(), "{code}");
        }
        for word in ["delayed", "held", "retrying", "refused"] {
            let code = Rescheduled::from_word(word, standing()).unwrap().code();
            assert!(said(&code).is_some(), "{code}");
        }
    }

    #[test]
    fn an_address_cannot_put_its_own_text_on_the_page() {
        assert_eq!(said("You have won <b>a prize</b>"), None);
    }
}
