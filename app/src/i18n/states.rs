//! The words for states and for the lists of jobs in them.

use reprieve::model::{JobState, Permission, StateGroup, Subject};

use crate::t;

/// What a job does and for whom, as a part of sentences about it.
pub fn about(kind: &str, subject: Option<&Subject>) -> String {
    match subject {
        Some(subject) => t!("acts-kind-for", kind = kind, subject = subject.to_string()),
        None => kind.to_owned(),
    }
}

/// The name of a list.
pub fn group(group: StateGroup) -> String {
    match group {
        StateGroup::Delay => t!("states-list-delay"),
        StateGroup::Ready => t!("states-list-ready"),
        StateGroup::Active => t!("states-list-active"),
        StateGroup::Dead => t!("states-list-dead"),
        StateGroup::Done => t!("states-list-done"),
        StateGroup::Cancelled => t!("states-list-cancelled"),
        StateGroup::Held => t!("states-list-held"),
    }
}

/// The word on the badge of a state.
pub fn state(state: JobState) -> String {
    match state {
        JobState::Delayed => t!("states-delayed"),
        JobState::Held => t!("states-held"),
        JobState::Ready => t!("states-ready"),
        JobState::Active => t!("states-active"),
        JobState::Retrying => t!("states-retrying"),
        JobState::Done => t!("states-done"),
        JobState::Dead => t!("states-dead"),
        JobState::Cancelled => t!("states-cancelled"),
    }
}

/// What a state means, in one sentence.
pub fn state_meaning(state: JobState) -> String {
    match state {
        JobState::Delayed => t!("states-meaning-delayed"),
        JobState::Held => t!("states-meaning-held"),
        JobState::Ready => t!("states-meaning-ready"),
        JobState::Active => t!("states-meaning-active"),
        JobState::Retrying => t!("states-meaning-retrying"),
        JobState::Done => t!("states-meaning-done"),
        JobState::Dead => t!("states-meaning-dead"),
        JobState::Cancelled => t!("states-meaning-cancelled"),
    }
}

/// What stands in an empty list.
pub fn empty_list(group: StateGroup) -> String {
    match group {
        StateGroup::Delay => t!("states-empty-delay"),
        StateGroup::Ready => t!("states-empty-ready"),
        StateGroup::Active => t!("states-empty-active"),
        StateGroup::Dead => t!("states-empty-dead"),
        StateGroup::Done => t!("states-empty-done"),
        StateGroup::Cancelled => t!("states-empty-cancelled"),
        StateGroup::Held => t!("states-empty-held"),
    }
}

/// Why a button is off for somebody.
pub fn needs(permission: Permission) -> String {
    t!("states-needs", permission = permission.to_string())
}

/// Why a button that is about all queues at once is off for somebody who has the right in some of them.
pub fn needs_everywhere(permission: Permission) -> String {
    t!("states-needs-everywhere", permission = permission.to_string())
}
