//! Which shards may have something to claim, and whose turn it is.

use crate::model::Shard;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A mark for each shard: set by a wake token, by the regular look, and as long as claims come back with jobs.
pub(super) struct Awake {
    marks: Vec<AtomicBool>,
    turn: AtomicUsize,
    /// When somebody marks a shard anew because the rate of a queue allows its next job then; one time for each shard.
    /// Every look tells of such a time, and were each kept, there would be ever more looks.
    looks: Mutex<Vec<Option<Instant>>>,
}

impl Awake {
    /// Every shard is worth a first look.
    pub(super) fn new(shards: u16) -> Self {
        Self {
            marks: (0..shards).map(|_| AtomicBool::new(true)).collect(),
            turn: AtomicUsize::new(0),
            looks: Mutex::new(vec![None; usize::from(shards)]),
        }
    }

    /// Notes that a shard is to be marked at that time. `false` when that happens then or earlier anyway; else the caller
    /// has to [`look`](Self::look) then.
    pub(super) fn plan(&self, shard: Shard, at: Instant) -> bool {
        let mut looks = self.looks();
        let Some(planned) = looks.get_mut(shard.index()) else { return false };
        if planned.is_some_and(|earlier| earlier <= at) {
            return false;
        }
        *planned = Some(at);
        true
    }

    /// Marks a shard as planned for that time. `false` when an earlier time has been planned since, which stood for this one
    /// as well.
    pub(super) fn look(&self, shard: Shard, at: Instant) -> bool {
        let mut looks = self.looks();
        let Some(planned) = looks.get_mut(shard.index()).filter(|planned| **planned == Some(at)) else {
            return false;
        };
        *planned = None;
        drop(looks);
        self.mark(shard);
        true
    }

    fn looks(&self) -> MutexGuard<'_, Vec<Option<Instant>>> {
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn mark(&self, shard: Shard) {
        if let Some(mark) = self.marks.get(shard.index()) {
            mark.store(true, Ordering::Release);
        }
    }

    pub(super) fn mark_all(&self) {
        for mark in &self.marks {
            mark.store(true, Ordering::Release);
        }
    }

    /// Whether that shard is worth a look; its mark is taken.
    pub(super) fn take_of(&self, shard: Shard) -> bool {
        self.marks.get(shard.index()).is_some_and(|mark| mark.swap(false, Ordering::AcqRel))
    }

    /// The next shard that is worth a look, in turn; its mark is taken, before the look, so that none set meanwhile is
    /// lost.
    pub(super) fn take(&self) -> Option<Shard> {
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        let shards = self.marks.len();
        let mut in_turn = (0..shards).map(|step| (first.wrapping_add(step)) % shards);
        let index = in_turn.find(|&index| self.marks[index].swap(false, Ordering::AcqRel))?;
        u16::try_from(index).ok().map(Shard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn of_many_looks_at_a_shard_only_the_earliest_is_waited_for() {
        let awake = Awake::new(2);
        while awake.take().is_some() {}
        let now = Instant::now();
        let [soon, later] = [1, 2].map(|seconds| now + Duration::from_secs(seconds));
        assert!(awake.plan(Shard(0), later) && awake.plan(Shard(1), later));
        assert!(!awake.plan(Shard(0), later), "somebody waits for it");
        assert!(awake.plan(Shard(0), soon) && !awake.plan(Shard(0), later));

        assert!(awake.look(Shard(0), soon));

        assert_eq!((awake.take(), awake.take()), (Some(Shard(0)), None));
        assert!(!awake.look(Shard(0), later), "the earlier stood for it");
        assert!(awake.plan(Shard(0), later), "the next");
    }

    #[test]
    fn every_shard_gets_its_turn() {
        let awake = Awake::new(3);
        let first: Vec<_> = std::iter::from_fn(|| awake.take()).collect();
        assert_eq!(first.len(), 3);
        assert_eq!(awake.take(), None);
        awake.mark(Shard(2));
        assert_eq!((awake.take(), awake.take()), (Some(Shard(2)), None));
        // A shard that always has more does not keep the others waiting.
        awake.mark_all();
        let mut taken = Vec::new();
        for _ in 0..6 {
            let shard = awake.take().unwrap();
            awake.mark(shard);
            taken.push(shard);
        }
        for number in 0..3 {
            assert!(taken.contains(&Shard(number)), "{taken:?}");
        }
    }
}
