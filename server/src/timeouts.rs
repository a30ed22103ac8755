//! How long a connection waits for its visitor.

use crate::config::ListenConfig;
use http::Extensions;
use std::time::Duration;

/// How long a connection waits for its visitor, step by step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    /// For a handshake, which takes two round trips.
    pub(crate) handshake: Duration,
    /// For headers, which a browser sends at once.
    pub(crate) headers: Duration,
    /// Between two requests.
    pub(crate) idle: Duration,
    /// For the body of a form: all of it.
    pub(crate) body: Duration,
    /// For the visitor to take anything at all of what is being sent.
    pub(crate) unread: Duration,
    /// For answers under way once the program stops.
    pub(crate) drain: Duration,
    /// For a connection of HTTP/2 in all. It may hold answers back one by one while it says that it lives; browsers
    /// open another and notice nothing.
    pub(crate) life: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(10),
            headers: Duration::from_secs(10),
            idle: ListenConfig::KEEP_ALIVE,
            body: Duration::from_secs(30),
            unread: Duration::from_secs(30),
            drain: Duration::from_secs(5),
            life: Duration::from_secs(3_600),
        }
    }
}

impl Timeouts {
    /// How long the body of this request may take.
    pub(crate) fn for_body(extensions: &Extensions) -> Duration {
        extensions.get::<Self>().copied().unwrap_or_default().body
    }
}
