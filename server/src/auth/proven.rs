//! What a proxy or a provider says of somebody.

use crate::config::GroupConfig;
use reprieve::model::{PersonName, Timestamp};

/// Whom somebody else has proved.
#[derive(Debug)]
pub(super) struct Proven {
    /// Who vouches, and what they call them.
    pub(super) subject: String,
    /// Their name here, or why they have none that does.
    pub(super) name: Result<PersonName, String>,
    /// The first group of the configuration that they are in, or why there is none.
    pub(super) group: Result<GroupConfig, NoGroup>,
    /// When they showed who they are, if that is known.
    pub(super) proved: Option<Timestamp>,
}

/// Why somebody is in no group, in words for an admin.
#[derive(Debug)]
pub(super) enum NoGroup {
    /// The provider says which groups they are in, and none may come in.
    InNone(String),
    /// Nothing is said of groups, which takes nothing from anybody.
    NotSaid(String),
}
