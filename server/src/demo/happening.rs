//! What happens in the shop next: a list in the order of time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use tokio::time::Instant;

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

/// What is about to happen, soonest first.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    entries: BinaryHeap<Entry>,
}

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    at: Instant,
    what: Happening,
}

impl Ord for Entry {
    /// The soonest is the greatest, for the heap.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at.cmp(&self.at)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Agenda {
    /// Notes something for that instant.
    pub(super) fn note(&mut self, at: Instant, what: Happening) {
        self.entries.push(Entry { at, what });
    }

    /// Takes the next out, once its time has come. Never ends while the agenda is empty.
    pub(super) async fn next(&mut self) -> Happening {
        match self.entries.peek() {
            Some(entry) => tokio::time::sleep_until(entry.at).await,
            None => std::future::pending().await,
        }
        // Popped only after the wait, so that giving up the wait loses nothing.
        match self.entries.pop() {
            Some(entry) => entry.what,
            None => std::future::pending().await,
        }
    }
}
