//! The formats, and what a source is by its own.

use super::arq::Arq;
use super::asynq::Asynq;
use super::bee_queue::BeeQueue;
use super::bullmq::Bullmq;
use super::celery::Celery;
use super::delayq::Delayq;
use super::door::Door;
use super::rq::Rq;
use super::sidekiq::Sidekiq;
use super::source::{Layout, Source};
use super::zset::Zset;
use crate::ImportFormat;
use reprieve::Result;
use std::sync::Arc;

/// Characters of a place in the audit: names of keys are short, and somebody may ask for a thousand queues.
const PLACE_CHARS_MAX: usize = 200;

/// The one table of formats.
pub(super) fn door(layout: &Layout) -> Door {
    match layout.clone() {
        Layout::Zset(source) => Arc::new(Zset(source)),
        Layout::Delayq(source) => Arc::new(Delayq(source)),
        Layout::Asynq(source) => Arc::new(Asynq(source)),
        Layout::Bullmq(source) => Arc::new(Bullmq(source)),
        Layout::Sidekiq(source) => Arc::new(Sidekiq(source)),
        Layout::Rq(source) => Arc::new(Rq(source)),
        Layout::Arq(source) => Arc::new(Arq(source)),
        Layout::BeeQueue(source) => Arc::new(BeeQueue(source)),
        Layout::Celery(source) => Arc::new(Celery(source)),
    }
}

impl Source {
    /// What is taken from, and from which Redis where it is another one, for the audit: without a password.
    pub(super) fn shown(&self) -> String {
        let place = door(&self.layout).shown();
        let place: String = place.chars().filter(|c| !c.is_control()).take(PLACE_CHARS_MAX).collect();
        match &self.url {
            Some(url) => format!("{place} · {}", reprieve::internals::redact(url)),
            None => place,
        }
    }

    /// What the source speaks.
    #[must_use]
    pub fn format(&self) -> ImportFormat {
        door(&self.layout).format()
    }

    /// Checks what types do not carry.
    ///
    /// # Errors
    /// [`Error::Invalid`](reprieve::Error::Invalid) with the field.
    pub fn check(&self) -> Result<()> {
        door(&self.layout).check()
    }
}
