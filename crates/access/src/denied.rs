//! Why a caller may not do something.

use reprieve::Error;
use reprieve::model::{Permission, QueueName};
use std::time::Duration;

/// Why a caller may not do something. Screens and HTTP API each have their own answer to every one.
#[derive(Debug, thiserror::Error)]
pub enum Denied {
    /// They have no session, and no other right to be here.
    #[error("nobody is signed in")]
    SignedOut {
        /// What it needs.
        permission: Permission,
    },
    /// They have no such right.
    #[error("this needs the permission {permission}")]
    Lacks {
        /// What it needs.
        permission: Permission,
        /// What it was about, for the audit; empty where that is no single thing.
        target: String,
    },
    /// They have the right, but not in that queue.
    #[error("{permission} does not reach every queue that this is about")]
    OtherQueue {
        /// What it needs.
        permission: Permission,
        /// Where; `None` for every queue.
        queue: Option<QueueName>,
    },
    /// It is in a queue that is not theirs: the answer is the same as if it were not there.
    #[error("{missing}")]
    Hidden {
        /// What it needs.
        permission: Permission,
        /// What it was about, for the audit.
        target: String,
        /// What the answer says.
        missing: Error,
    },
    /// More jobs at once than their role may have.
    #[error("at most {most} jobs at once")]
    TooMany {
        /// How many it may have.
        most: u32,
    },
    /// They have to prove first who they are.
    #[error("prove first who you are")]
    ProveFirst,
    /// Further ahead than their role may put something off.
    #[error("at most {days} days ahead")]
    TooFar {
        /// How many days ahead it may.
        days: u32,
    },
    /// They did as much of it lately as a person does.
    #[error("too often; wait {} s", reprieve::wait_seconds(*wait))]
    TooOften {
        /// How long to wait.
        wait: Duration,
    },
    /// What the engine says.
    #[error(transparent)]
    Engine(#[from] Error),
}
