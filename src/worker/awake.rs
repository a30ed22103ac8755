//! Which cells may have something to claim, and whose turn it is.

use crate::model::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A mark for each cell: set by a wake token, by the regular look, and as long as claims come back with jobs.
pub(super) struct Awake {
    marks: Vec<AtomicBool>,
    turn: AtomicUsize,
    /// When somebody marks a cell anew because the rate of a queue allows its next job then; one time for each cell.
    /// Every look tells of such a time, and were each kept, there would be ever more looks.
    looks: Mutex<Vec<Option<Instant>>>,
}

impl Awake {
    /// Every cell is worth a first look.
    pub(super) fn new(cells: u16) -> Self {
        Self {
            marks: (0..cells).map(|_| AtomicBool::new(true)).collect(),
            turn: AtomicUsize::new(0),
            looks: Mutex::new(vec![None; usize::from(cells)]),
        }
    }

    /// Notes that a cell is to be marked at that time. `false` when that happens then or earlier anyway; else whoever asks
    /// has to [`look`](Self::look) then.
    pub(super) fn plan(&self, cell: Cell, at: Instant) -> bool {
        let mut looks = self.looks();
        let Some(planned) = looks.get_mut(cell.index()) else { return false };
        if planned.is_some_and(|earlier| earlier <= at) {
            return false;
        }
        *planned = Some(at);
        true
    }

    /// Marks a cell as planned for that time. `false` when an earlier time has been planned since, which stood for this one
    /// as well.
    pub(super) fn look(&self, cell: Cell, at: Instant) -> bool {
        let mut looks = self.looks();
        let Some(planned) = looks.get_mut(cell.index()).filter(|planned| **planned == Some(at)) else {
            return false;
        };
        *planned = None;
        drop(looks);
        self.mark(cell);
        true
    }

    fn looks(&self) -> MutexGuard<'_, Vec<Option<Instant>>> {
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn mark(&self, cell: Cell) {
        if let Some(mark) = self.marks.get(cell.index()) {
            mark.store(true, Ordering::Release);
        }
    }

    pub(super) fn mark_all(&self) {
        for mark in &self.marks {
            mark.store(true, Ordering::Release);
        }
    }

    /// Whether that cell is worth a look; its mark is taken.
    pub(super) fn take_of(&self, cell: Cell) -> bool {
        self.marks.get(cell.index()).is_some_and(|mark| mark.swap(false, Ordering::AcqRel))
    }

    /// The next cell that is worth a look, in turn; its mark is taken, before the look, so that none set meanwhile is
    /// lost.
    pub(super) fn take(&self) -> Option<Cell> {
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        let cells = self.marks.len();
        let mut in_turn = (0..cells).map(|step| (first.wrapping_add(step)) % cells);
        let index = in_turn.find(|&index| self.marks[index].swap(false, Ordering::AcqRel))?;
        u16::try_from(index).ok().map(Cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn of_many_looks_at_a_cell_only_the_earliest_is_waited_for() {
        let awake = Awake::new(2);
        while awake.take().is_some() {}
        let now = Instant::now();
        let [soon, later] = [1, 2].map(|seconds| now + Duration::from_secs(seconds));
        assert!(awake.plan(Cell(0), later) && awake.plan(Cell(1), later));
        assert!(!awake.plan(Cell(0), later), "somebody waits for it");
        assert!(awake.plan(Cell(0), soon) && !awake.plan(Cell(0), later));

        assert!(awake.look(Cell(0), soon));

        assert_eq!((awake.take(), awake.take()), (Some(Cell(0)), None));
        assert!(!awake.look(Cell(0), later), "the earlier stood for it");
        assert!(awake.plan(Cell(0), later), "the next");
    }

    #[test]
    fn every_cell_gets_its_turn() {
        let awake = Awake::new(3);
        let first: Vec<_> = std::iter::from_fn(|| awake.take()).collect();
        assert_eq!(first.len(), 3);
        assert_eq!(awake.take(), None);
        awake.mark(Cell(2));
        assert_eq!((awake.take(), awake.take()), (Some(Cell(2)), None));
        // A cell that always has more does not keep the others waiting.
        awake.mark_all();
        let mut taken = Vec::new();
        for _ in 0..6 {
            let cell = awake.take().unwrap();
            awake.mark(cell);
            taken.push(cell);
        }
        for number in 0..3 {
            assert!(taken.contains(&Cell(number)), "{taken:?}");
        }
    }
}
