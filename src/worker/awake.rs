//! Which cells may have something to claim, and whose turn it is.

use crate::model::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A mark for each cell: set by a wake token, by the regular look, and as long as claims come back with jobs.
pub(super) struct Awake {
    marks: Vec<AtomicBool>,
    turn: AtomicUsize,
}

impl Awake {
    /// Every cell is worth a first look.
    pub(super) fn new(cells: u16) -> Self {
        Self { marks: (0..cells).map(|_| AtomicBool::new(true)).collect(), turn: AtomicUsize::new(0) }
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
