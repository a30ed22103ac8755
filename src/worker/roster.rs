//! What this process has said of workers that claim by calls of their own, and what they were told.

use super::HEARTBEAT;
use crate::model::{QueueName, WorkerOrder};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Claimants remembered: their names are the callers' own, so nothing else bounds them. Of one that is not remembered
/// each claim is announced.
const REMEMBERED_MAX: usize = 1_000;

/// The claimants of an engine. Cloning shares it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roster {
    known: Arc<Mutex<HashMap<String, Known>>>,
}

/// One of them.
#[derive(Debug, Default)]
struct Known {
    /// When it was last announced for each queue.
    announced: HashMap<QueueName, Instant>,
    /// What it was told then.
    order: WorkerOrder,
}

impl Known {
    fn is_fresh(&self, queue: &QueueName) -> bool {
        self.announced.get(queue).is_some_and(|at| at.elapsed() < HEARTBEAT)
    }
}

impl Roster {
    /// Whether a claim from these queues is to be announced: as often as other workers heartbeat, and for a new queue at
    /// once.
    pub(super) fn is_due(&self, name: &str, queues: &[QueueName]) -> bool {
        let all = self.lock();
        all.get(name).is_none_or(|known| !queues.iter().all(|queue| known.is_fresh(queue)))
    }

    /// It was announced for these queues, and told that; `None` when nobody answered, which leaves the order as it was.
    pub(super) fn note(&self, name: &str, queues: &[QueueName], told: Option<WorkerOrder>) {
        let mut all = self.lock();
        if all.len() >= REMEMBERED_MAX && !all.contains_key(name) {
            all.retain(|_, known| known.announced.values().any(|at| at.elapsed() < HEARTBEAT));
            if all.len() >= REMEMBERED_MAX {
                return;
            }
        }
        let known = all.entry(name.to_owned()).or_default();
        known.announced.retain(|_, at| at.elapsed() < HEARTBEAT);
        known.announced.extend(queues.iter().map(|queue| (queue.clone(), Instant::now())));
        known.order = told.unwrap_or(known.order);
    }

    /// What it was last told.
    pub(super) fn order(&self, name: &str) -> WorkerOrder {
        self.lock().get(name).map(|known| known.order).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claimant_is_announced_once_a_heartbeat_and_at_once_for_another_queue() {
        let roster = Roster::default();
        let [mail, sms] = ["mail", "sms"].map(|name| [QueueName::new(name).unwrap()]);
        assert!(roster.is_due("w", &mail));
        roster.note("w", &mail, Some(WorkerOrder::Quiet));
        assert!(!roster.is_due("w", &mail));
        assert!(roster.is_due("w", &sms));
        roster.note("w", &sms, None);
        assert!(!roster.is_due("w", &mail) && !roster.is_due("w", &sms));
        assert_eq!((roster.order("w"), roster.order("v")), (WorkerOrder::Quiet, WorkerOrder::Resume));
    }

    #[test]
    fn no_more_claimants_are_remembered_than_there_is_room_for() {
        let roster = Roster::default();
        for n in 0..=REMEMBERED_MAX {
            roster.note(&n.to_string(), &[QueueName::default()], None);
        }
        assert_eq!(roster.lock().len(), REMEMBERED_MAX);
        assert!(roster.is_due(&REMEMBERED_MAX.to_string(), &[QueueName::default()]));
    }
}
