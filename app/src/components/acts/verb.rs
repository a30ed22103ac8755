//! Which acts apply to which state, and why the others do not.

use reprieve::model::{JobState, Permission};

use crate::t;

/// What a person can do to one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Have it run at once, or once more.
    Run,
    /// Take a cancel back.
    Undo,
    /// Give it another due time.
    Reschedule,
    /// Keep it from running.
    Hold,
    /// Let it wait for its due time again.
    Unhold,
    /// Call it off; a running one is asked to stop.
    Cancel,
}

impl Verb {
    /// The right it needs.
    pub const fn permission(self) -> Permission {
        match self {
            Self::Run => Permission::RetryJobs,
            Self::Undo => Permission::ReinstateJobs,
            Self::Reschedule => Permission::RescheduleJobs,
            Self::Hold | Self::Unhold => Permission::HoldJobs,
            Self::Cancel => Permission::CancelJobs,
        }
    }

    /// What else it needs in that state: to run what still waits for its time, and to stop what runs.
    pub const fn permission_in(self, state: JobState) -> Permission {
        match (self, state) {
            (Self::Run, JobState::Delayed | JobState::Held) => Permission::RunJobs,
            (Self::Cancel, JobState::Active) => Permission::StopJobs,
            _ => self.permission(),
        }
    }

    /// The word on its button.
    pub fn word(self, state: JobState) -> String {
        match (self, state) {
            (Self::Run, JobState::Retrying | JobState::Dead) => t!("acts-retry-now"),
            (Self::Run, _) => t!("acts-run-now"),
            (Self::Undo, _) => t!("acts-undo"),
            (Self::Reschedule, _) => t!("acts-reschedule"),
            (Self::Hold, _) => t!("acts-hold"),
            (Self::Unhold, _) => t!("acts-unhold"),
            (Self::Cancel, JobState::Active) => t!("acts-ask-to-stop"),
            (Self::Cancel, _) => t!("acts-cancel"),
        }
    }

    /// The key that presses its button, as events name it. What destroys needs Shift.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Run => "r",
            Self::Undo => "u",
            Self::Reschedule => "e",
            Self::Hold | Self::Unhold => "h",
            Self::Cancel => "C",
        }
    }

    /// Why it does not apply to a job in that state; `None` where it does.
    pub fn refusal(self, state: JobState) -> Option<String> {
        use JobState::{Active, Cancelled, Dead, Delayed, Done, Held, Ready, Retrying};
        match (self, state) {
            (Self::Run, Delayed | Held | Retrying | Dead | Cancelled)
            | (Self::Undo, Cancelled)
            | (Self::Reschedule, Delayed | Held | Retrying)
            | (Self::Hold, Delayed)
            | (Self::Unhold, Held)
            | (Self::Cancel, Delayed | Held | Ready | Retrying | Active) => None,
            (Self::Undo, _) => Some(t!("acts-not-cancelled")),
            (Self::Unhold, _) => Some(t!("acts-not-held")),
            (Self::Hold, Retrying) => Some(t!("acts-hold-first-only")),
            (Self::Hold, Held) => Some(t!("acts-held-already")),
            (Self::Run, Ready) => Some(t!("acts-due-already")),
            (Self::Reschedule | Self::Hold, Ready) => Some(t!("acts-due-cancel-instead")),
            (Self::Run | Self::Reschedule | Self::Hold, Active) => Some(t!("acts-active-now")),
            (_, Done) => Some(t!("acts-done-already")),
            (Self::Reschedule | Self::Hold, Dead) => Some(t!("acts-dead-retry-instead")),
            (Self::Reschedule | Self::Hold, Cancelled) => Some(t!("acts-undo-first")),
            (Self::Cancel, Dead) => Some(t!("acts-ended-already")),
            (Self::Cancel, Cancelled) => Some(t!("acts-cancelled-already")),
        }
    }

    /// The main act for a state: what one most likely wants of such a job.
    pub const fn main(state: JobState) -> Self {
        match state {
            JobState::Cancelled => Self::Undo,
            // Somebody keeps it from running: to let it wait again is less than to run it.
            JobState::Held => Self::Unhold,
            _ => Self::Run,
        }
    }

    /// The one act of a card: the main one where it applies, else calling off; `None` where nothing is left to do.
    pub const fn on_card(state: JobState) -> Option<Self> {
        match state {
            JobState::Done => None,
            JobState::Ready | JobState::Active => Some(Self::Cancel),
            _ => Some(Self::main(state)),
        }
    }

    /// The act of the third button: a held job is run, any other one held.
    pub const fn third(state: JobState) -> Self {
        if matches!(state, JobState::Held) { Self::Run } else { Self::Hold }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_button_agrees_with_the_table_of_transitions() {
        use JobState::{Active, Cancelled, Dead, Delayed, Held, Ready, Retrying};
        let applies = |verb: Verb| -> Vec<JobState> {
            JobState::ALL.into_iter().filter(|&state| verb.refusal(state).is_none()).collect()
        };
        assert_eq!(applies(Verb::Cancel), [Delayed, Held, Ready, Active, Retrying]);
        assert_eq!(applies(Verb::Undo), [Cancelled]);
        assert_eq!(applies(Verb::Run), [Delayed, Held, Retrying, Dead, Cancelled]);
        assert_eq!(applies(Verb::Reschedule), [Delayed, Held, Retrying]);
        assert_eq!(applies(Verb::Hold), [Delayed]);
        assert_eq!(applies(Verb::Unhold), [Held]);
    }

    #[test]
    fn the_act_of_a_card_applies_to_its_job() {
        for state in JobState::ALL {
            let act = Verb::on_card(state);
            assert_eq!(act.is_none(), state == JobState::Done, "{state:?}");
            assert!(act.is_none_or(|verb| verb.refusal(state).is_none()), "{state:?}");
        }
    }
}
