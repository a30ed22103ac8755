//! A clock that somebody moves, for tests and sandboxes. In production the time is Redis's.

use crate::model::{Delay, Timestamp};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that stands still until it is moved. Clones are the same clock.
#[derive(Debug, Clone)]
pub struct GivenClock(Arc<AtomicI64>);

impl GivenClock {
    /// A clock that stands at that time.
    #[must_use]
    pub fn new(time: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(time.as_millis())))
    }

    /// What it shows.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        Timestamp::saturating_from_millis(self.0.load(Ordering::SeqCst))
    }

    /// Moves it forward.
    pub fn advance(&self, by: Delay) {
        self.set(self.now() + by);
    }

    /// Moves it to that time, unless it shows a later one: a clock that went back would make Redis wait for it.
    pub fn set(&self, time: Timestamp) {
        self.0.fetch_max(time.as_millis(), Ordering::SeqCst);
    }
}
