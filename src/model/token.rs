//! What is known of an API token. The token itself is shown once and kept nowhere.

use super::name::QueueName;
pub use super::name::TokenName;
use super::permission::Permission;
use super::role::Role;
use super::time::{Delay, Timestamp};
use serde::{Deserialize, Serialize};

/// What a token may do, to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewToken {
    /// What it is called, in lists, histories and the audit.
    pub name: TokenName,
    /// What it may do.
    pub permissions: Vec<Permission>,
    /// In which queues; empty for all of them.
    pub queues: Vec<QueueName>,
    /// How long it is good for; `None` for ever.
    pub good_for: Option<Delay>,
}

impl NewToken {
    /// A token for all queues and for ever.
    #[must_use]
    pub fn new(name: TokenName, permissions: impl Into<Vec<Permission>>) -> Self {
        Self { name, permissions: permissions.into(), queues: Vec::new(), good_for: None }
    }

    /// Only for these queues.
    #[must_use]
    pub fn queues(mut self, queues: impl Into<Vec<QueueName>>) -> Self {
        self.queues = queues.into();
        self
    }

    /// Only that long.
    #[must_use]
    pub const fn good_for(mut self, span: Option<Delay>) -> Self {
        self.good_for = span;
        self
    }
}

/// What is known of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenInfo {
    /// Its name.
    pub name: TokenName,
    /// What it may do.
    pub permissions: Vec<Permission>,
    /// In which queues; empty for all of them.
    pub queues: Vec<QueueName>,
    /// When it was made.
    pub created: Timestamp,
    /// Until when it is good; `None` for ever.
    pub expires: Option<Timestamp>,
    /// When it was last used, to the minute; `None` if never.
    pub used: Option<Timestamp>,
    /// Who made it.
    pub by: String,
}

impl TokenInfo {
    /// For the engine, which reads the rest from Redis.
    #[must_use]
    pub const fn new(name: TokenName, created: Timestamp) -> Self {
        Self {
            name,
            permissions: Vec::new(),
            queues: Vec::new(),
            created,
            expires: None,
            used: None,
            by: String::new(),
        }
    }

    /// Whether it may do no more than somebody who is that, in those queues; none are all.
    #[must_use]
    pub fn is_within(&self, role: Role, queues: &[QueueName]) -> bool {
        let is_bound = |queue| queues.contains(queue);
        let in_queues = queues.is_empty() || (!self.queues.is_empty() && self.queues.iter().all(is_bound));
        in_queues && self.permissions.iter().all(|&permission| role.may(permission))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_held_against_what_somebody_is_and_where() {
        let (mail, sms): (QueueName, QueueName) = ("mail".parse().unwrap(), "sms".parse().unwrap());
        let mut token = TokenInfo::new("ci".parse().unwrap(), Timestamp::EPOCH);
        token.permissions = vec![Permission::View, Permission::PauseQueues];
        assert!(token.is_within(Role::Operator, &[]));
        assert!(!token.is_within(Role::Support, &[]));
        assert!(!token.is_within(Role::Operator, std::slice::from_ref(&mail)), "it is for all of them");
        token.queues = vec![mail.clone()];
        assert!(token.is_within(Role::Operator, &[sms.clone(), mail]));
        assert!(!token.is_within(Role::Operator, &[sms]));
    }
}
