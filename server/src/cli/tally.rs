//! What became of many jobs of a file, for the line at its end.

use super::exit::Failure;
use reprieve::model::Enqueued;

/// How many were taken in, were known before, and were not taken in.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) taken: usize,
    known: usize,
    /// Each was refused for a reason of its own.
    pub(super) refused: usize,
}

impl Tally {
    /// That of these answers.
    pub(super) fn of(told: &[Enqueued]) -> Self {
        let mut tally = Self::default();
        told.iter().for_each(|answer| tally.count(answer));
        tally
    }

    /// One answer more.
    pub(super) fn count(&mut self, answer: &Enqueued) {
        match answer {
            Enqueued::Exists(_) => self.known += 1,
            answer if answer.standing().is_some() => self.taken += 1,
            _ => self.refused += 1,
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.taken + self.known + self.refused == 0
    }

    pub(super) fn sentence(&self) -> String {
        let Self { taken, known, refused } = self;
        format!("{taken} taken in, {known} known before, {refused} not taken in")
    }

    /// The end of what broke off: why, where what is not known to be taken in begins, under the name of that place, and whether
    /// nothing is known of the step in which it did.
    pub(super) fn broken(&self, why: &str, place: Option<(&str, usize)>, is_unknown: bool) -> Failure {
        let counts = [("taken", self.taken), ("known", self.known), ("refused", self.refused)];
        let done = counts.into_iter().chain(place).map(|(name, count)| (name.to_owned(), count.into()));
        Failure::Part { why: format!("{}, then: {why}", self.sentence()), done: done.collect(), is_unknown }
    }
}
