//! The people who may sign in, and their sessions, as screens show them.

use super::name::QueueName;
use super::role::Role;
use super::time::Timestamp;
use serde::{Deserialize, Serialize};

pub use super::name::PersonName;

/// What is known of somebody, but for what proves who they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PersonInfo {
    /// The name they sign in with; their acts carry it.
    pub name: PersonName,
    /// What they are.
    pub role: Role,
    /// In which queues; empty for all of them.
    pub queues: Vec<QueueName>,
    /// Whether they may not sign in.
    pub disabled: bool,
    /// Whether they have chosen a password yet.
    pub has_password: bool,
    /// Whether a provider outside vouches for them: they have no password here, and their role follows its groups.
    #[serde(default)]
    pub federated: bool,
    /// Whether a second factor is asked for.
    pub has_second_factor: bool,
    /// How many codes are left for when the second factor is lost.
    pub recovery_codes: u8,
    /// The tag of the language they chose for the screens, such as `zh-CN`; empty for none.
    #[serde(default)]
    pub language: String,
    /// When they were added.
    pub created: Timestamp,
    /// Who added them.
    pub by: String,
}

impl PersonInfo {
    /// Somebody who was just added.
    #[must_use]
    pub const fn new(name: PersonName, role: Role, created: Timestamp) -> Self {
        Self {
            name,
            role,
            queues: Vec::new(),
            disabled: false,
            has_password: false,
            federated: false,
            has_second_factor: false,
            recovery_codes: 0,
            language: String::new(),
            created,
            by: String::new(),
        }
    }
}

/// One place somebody is signed in at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionInfo {
    /// What it is called, to end it. Not what opens it.
    pub id: String,
    /// Since when.
    pub created: Timestamp,
    /// When it was last used, to the minute.
    pub seen: Timestamp,
    /// From where it began; empty if that is not known.
    pub address: String,
    /// What the browser said it is.
    pub agent: String,
}
