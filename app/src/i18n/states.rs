//! The words for states and for the lists of jobs in them.

use reprieve::model::{JobState, Permission, StateGroup, Subject};

use super::words::word;
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
    word("states-list", group.as_str())
}

/// The word on the badge of a state.
pub fn state(state: JobState) -> String {
    word("states", state.as_str())
}

/// What stands in an empty list.
pub fn empty_list(group: StateGroup) -> String {
    word("states-empty", group.as_str())
}

/// Why a button is off for somebody.
pub fn needs(permission: Permission) -> String {
    t!("states-needs", permission = permission.to_string())
}

/// Why a button that is about all queues at once is off for somebody who has the right in some of them.
pub fn needs_everywhere(permission: Permission) -> String {
    t!("states-needs-everywhere", permission = permission.to_string())
}
