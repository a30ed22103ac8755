//! What happens in the shop next: a list in the order of time.

use futures_util::StreamExt as _;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::time::DelayQueue;

/// Something that is about to happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Happening {
    /// Somebody rents something.
    Rents,
    /// The resource of the story is rented, or rented again.
    StoryRents,
    /// Somebody deletes something.
    Deletes,
    /// Somebody closes an account.
    Leaves,
    /// The customer of a subject calls everything about it off, for a reason.
    CallsOff(String, &'static str),
    /// What was called off is put back, for a reason.
    PutsBack(Vec<String>, &'static str),
    /// The lawyers hold a deletion, and let it go again.
    Holds(String),
    LetsGo(String),
    /// Invoices are due.
    Invoices,
    /// A card is charged.
    Charges,
    /// A backup is due.
    BacksUp,
    /// A report is due.
    Reports,
    /// The CRM is told.
    Syncs,
}

/// Nothing is noted for later than that: a timer does not reach much further, and no demo runs as long.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// What is about to happen, soonest first.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    entries: DelayQueue<Happening>,
}

impl Agenda {
    /// Notes something for that instant.
    pub(super) fn note(&mut self, at: Instant, what: Happening) {
        self.entries.insert_at(what, at.min(Instant::now() + LONGEST));
    }

    /// Takes the next out, once its time has come. Never ends while the agenda is empty; giving up the wait loses nothing.
    pub(super) async fn next(&mut self) -> Happening {
        match self.entries.next().await {
            Some(entry) => entry.into_inner(),
            None => std::future::pending().await,
        }
    }
}
