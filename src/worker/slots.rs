//! How many jobs a worker may run at once, and which queue comes first.

use crate::model::QueueName;
use rand::Rng;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

/// Up to so many queues are all asked for each job that ends; of more, asking all would cost more than the jobs.
const FEW: usize = 64;
/// Of more, so many are asked besides those of the jobs that end, in turn.
const OTHERS: usize = 32;

/// In which order a worker asks its queues. It tells where there is not room for all of them: without
/// [`concurrency`](super::WorkerBuilder::concurrency) a job of one queue never takes the place of another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueueOrder {
    /// At random by weight, so that a busy queue slows the others but never stops them.
    #[default]
    Weighted,
    /// As they were named: a later queue only gets what earlier ones leave. With several shards that holds in each.
    Strict,
}

/// One queue a worker serves.
pub(super) struct QueueSlots {
    pub(super) name: QueueName,
    pub(super) limit: u32,
    pub(super) weight: u32,
    busy: AtomicU32,
}

impl QueueSlots {
    pub(super) const fn new(name: QueueName, limit: u32, weight: u32) -> Self {
        Self { name, limit, weight, busy: AtomicU32::new(0) }
    }
}

/// The slots of one worker.
pub(super) enum Slots {
    /// Named queues, each with a limit of its own, and `most` in all.
    Named { queues: Vec<QueueSlots>, order: QueueOrder, most: u32 },
    /// Every queue of the directory under one limit.
    All {
        limit: u32,
        busy: AtomicU32,
        names: RwLock<Vec<QueueName>>,
        /// From which of them on others are asked for the next jobs that end.
        next: AtomicUsize,
    },
}

impl Slots {
    pub(super) fn all(limit: u32) -> Self {
        let (busy, names, next) = (AtomicU32::new(0), RwLock::default(), AtomicUsize::new(0));
        Self::All { limit, busy, names, next }
    }

    /// Free slots over all queues.
    pub(super) fn free(&self) -> u32 {
        match self {
            Self::Named { queues, most, .. } => {
                let busy = queues.iter().map(|queue| queue.busy.load(Ordering::Relaxed)).sum();
                queues.iter().map(free_of).fold(0, u32::saturating_add).min(most.saturating_sub(busy))
            }
            Self::All { limit, busy, .. } => limit.saturating_sub(busy.load(Ordering::Relaxed)),
        }
    }

    /// Slots in all.
    pub(super) fn limit(&self) -> u32 {
        match self {
            Self::Named { queues, most, .. } => limit_of(queues).min(*most),
            Self::All { limit, .. } => *limit,
        }
    }

    /// The queues served.
    pub(super) fn names(&self) -> Vec<QueueName> {
        match self {
            Self::Named { queues, .. } => queues.iter().map(|queue| queue.name.clone()).collect(),
            Self::All { names, .. } => names.read().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    /// Learns which queues there are; without effect on named ones.
    pub(super) fn learn(&self, found: Vec<QueueName>) {
        if let Self::All { names, .. } = self {
            *names.write().unwrap_or_else(PoisonError::into_inner) = found;
        }
    }

    /// Whether the queues have to be learnt.
    pub(super) const fn learns(&self) -> bool {
        matches!(self, Self::All { .. })
    }

    /// What to ask for, in order: each queue with its free slots.
    pub(super) fn wanted(&self) -> Vec<(QueueName, u32)> {
        match self {
            Self::Named { queues, order, .. } => {
                let free = self.free();
                let is_open = |queue: &&QueueSlots| free > 0 && free_of(queue) > 0;
                let mut open: Vec<&QueueSlots> = queues.iter().filter(is_open).collect();
                if *order == QueueOrder::Weighted {
                    shuffle(&mut open, |queue| queue.weight);
                }
                open.into_iter().map(|queue| (queue.name.clone(), free_of(queue).min(free))).collect()
            }
            Self::All { .. } => {
                let free = self.free();
                let mut names = self.names();
                shuffle(&mut names, |_| 1);
                names.into_iter().filter(|_| free > 0).map(|name| (name, free)).collect()
            }
        }
    }

    /// What to ask for, in order, in place of jobs of these queues that end now: each queue with the slots that they
    /// leave to it. Where queues share their slots, what is left goes to whichever is first, and is asked for when it is
    /// free: nothing here. Of many queues only some are asked: see [`leaves_out`](Self::leaves_out).
    pub(super) fn wanted_for<'a>(
        &self,
        ending: impl Iterator<Item = &'a QueueName>,
    ) -> Vec<(QueueName, u32)> {
        match self {
            Self::Named { queues, most, .. } if limit_of(queues) > *most => Vec::new(),
            Self::Named { queues, order, .. } => {
                let mut left = vec![0; queues.len()];
                for queue in ending {
                    if let Some(place) = queues.iter().position(|served| served.name == *queue) {
                        left[place] += 1;
                    }
                }
                let mut open: Vec<_> = queues.iter().zip(left).filter(|(_, left)| *left > 0).collect();
                if *order == QueueOrder::Weighted {
                    shuffle(&mut open, |(queue, _)| queue.weight);
                }
                open.into_iter().map(|(queue, left)| (queue.name.clone(), left)).collect()
            }
            Self::All { next, .. } => {
                let ending: Vec<&QueueName> = ending.collect();
                let left = u32::try_from(ending.len()).unwrap_or(u32::MAX);
                let mut names = self.names();
                if names.len() > FEW {
                    let own: BTreeSet<&QueueName> = ending.into_iter().collect();
                    let from = next.fetch_add(OTHERS, Ordering::Relaxed) % names.len();
                    names.rotate_left(from);
                    let mut others = 0;
                    names.retain(|name| {
                        let is_own = own.contains(name);
                        others += usize::from(!is_own);
                        is_own || others <= OTHERS
                    });
                }
                shuffle(&mut names, |_| 1);
                names.into_iter().map(|name| (name, left)).collect()
            }
        }
    }

    /// Whether some queues are not among those that were asked: they may have jobs of which nobody is told.
    pub(super) fn leaves_out(&self, wanted: &[(QueueName, u32)]) -> bool {
        match self {
            Self::Named { .. } => false,
            Self::All { names, .. } => {
                wanted.len() < names.read().unwrap_or_else(PoisonError::into_inner).len()
            }
        }
    }

    /// Takes a slot for a claimed job.
    pub(super) fn take(&self, queue: &QueueName) {
        if let Some(busy) = self.busy_of(queue) {
            busy.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether there is no slot left for a queue.
    pub(super) fn is_full(&self, queue: &QueueName) -> bool {
        match self {
            Self::Named { queues, .. } => {
                self.free() == 0 || queues.iter().any(|served| served.name == *queue && free_of(served) == 0)
            }
            Self::All { .. } => self.free() == 0,
        }
    }

    /// Gives the slot of an ended job back.
    pub(super) fn give_back(&self, queue: &QueueName) {
        if let Some(busy) = self.busy_of(queue) {
            busy.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn busy_of(&self, name: &QueueName) -> Option<&AtomicU32> {
        match self {
            Self::Named { queues, .. } => {
                queues.iter().find(|queue| queue.name == *name).map(|queue| &queue.busy)
            }
            Self::All { busy, .. } => Some(busy),
        }
    }
}

fn limit_of(queues: &[QueueSlots]) -> u32 {
    queues.iter().map(|queue| queue.limit).fold(0, u32::saturating_add)
}

fn free_of(queue: &QueueSlots) -> u32 {
    queue.limit.saturating_sub(queue.busy.load(Ordering::Relaxed))
}

/// A random order in which heavier items tend to come earlier (Efraimidis and Spirakis, 2006).
fn shuffle<T>(items: &mut [T], weight: impl Fn(&T) -> u32) {
    let mut random = rand::rng();
    items.sort_by_cached_key(|item| {
        let draw: f64 = random.random_range(f64::MIN_POSITIVE..1.0);
        let key = draw.powf(1.0 / f64::from(weight(item).max(1)));
        std::cmp::Reverse(OrderedBits(key.to_bits()))
    });
}

/// Bits of a non-negative float, which sort as the float does.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OrderedBits(u64);

#[cfg(test)]
mod tests {
    use super::*;

    fn named(order: QueueOrder) -> Slots {
        let queue = |name: &str, limit, weight| QueueSlots::new(QueueName::new(name).unwrap(), limit, weight);
        Slots::Named { queues: vec![queue("a", 2, 1), queue("b", 1, 9)], order, most: u32::MAX }
    }

    #[test]
    fn a_full_queue_is_not_asked() {
        let slots = named(QueueOrder::Strict);
        let b = QueueName::new("b").unwrap();
        slots.take(&b);
        assert_eq!(slots.wanted(), [(QueueName::new("a").unwrap(), 2)]);
        assert!(slots.is_full(&b) && !slots.is_full(&QueueName::new("a").unwrap()));
        slots.give_back(&b);
        assert!(!slots.is_full(&b));
        assert_eq!(slots.free(), 3);

        let all = Slots::all(1);
        assert!(!all.is_full(&b));
        all.take(&b);
        assert!(all.is_full(&b), "one limit for every queue");
    }

    #[test]
    fn a_job_that_ends_leaves_its_slot_to_its_own_queue() {
        let slots = named(QueueOrder::Strict);
        let (a, b) = (QueueName::new("a").unwrap(), QueueName::new("b").unwrap());
        assert_eq!(slots.wanted_for([&b, &a, &b].into_iter()), [(a.clone(), 1), (b.clone(), 2)]);
        assert_eq!(slots.wanted_for([&b].into_iter()), [(b.clone(), 1)]);
        let all = Slots::all(9);
        all.learn(vec![a.clone()]);
        assert_eq!(all.wanted_for([&b, &b].into_iter()), [(a, 2)]);
    }

    #[test]
    fn of_many_queues_a_job_that_ends_asks_its_own_and_some_others_in_turn() {
        let names = |count: usize| -> Vec<QueueName> {
            (0..count).map(|n| QueueName::new(format!("q{n}")).unwrap()).collect()
        };
        let all = Slots::all(9);
        all.learn(names(FEW));
        let own = QueueName::new("q7").unwrap();
        let wanted = all.wanted_for([&own].into_iter());
        assert!(wanted.len() == FEW && !all.leaves_out(&wanted));

        all.learn(names(200));
        let mut asked = BTreeSet::new();
        for _ in 0..7 {
            let wanted = all.wanted_for([&own, &own].into_iter());
            assert!(wanted.len() == OTHERS + 1 && all.leaves_out(&wanted), "{wanted:?}");
            assert!(wanted.contains(&(own.clone(), 2)));
            asked.extend(wanted.into_iter().map(|(name, _)| name));
        }
        assert_eq!(asked.len(), 200, "seven times 32 are all of them");
        assert!(!all.leaves_out(&all.wanted()), "a claim asks all");
    }

    #[test]
    fn queues_that_share_their_slots_are_asked_in_order_for_what_is_free_in_all() {
        let Slots::Named { queues, order, .. } = named(QueueOrder::Strict) else { panic!("they are named") };
        let slots = Slots::Named { queues, order, most: 2 };
        let (a, b) = (QueueName::new("a").unwrap(), QueueName::new("b").unwrap());
        assert_eq!((slots.limit(), slots.wanted()), (2, vec![(a.clone(), 2), (b.clone(), 1)]));
        slots.take(&b);
        assert_eq!((slots.free(), slots.wanted()), (1, vec![(a.clone(), 1)]));
        slots.take(&a);
        assert_eq!((slots.free(), slots.wanted(), slots.is_full(&a)), (0, vec![], true));
        assert_eq!(slots.wanted_for([&b].into_iter()), [], "its slot may be the first queue's");
    }

    #[test]
    fn heavier_queues_come_first_more_often() {
        let slots = named(QueueOrder::Weighted);
        let first_b = (0..1_000).filter(|_| slots.wanted()[0].0.as_str() == "b").count();
        assert!((800..=980).contains(&first_b), "b came first {first_b} times of 1,000, 900 expected");
    }
}
