//! Which cell has a job, by its id alone. A cell that does not answer leaves the jobs of the others where they are.

use super::reads::Presence;
use super::{Cells, Store};
use crate::error::{Error, Result};
use crate::model::{Cell, JobId, Version};
use futures_util::future::join_all;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use std::collections::HashMap;

impl Cells {
    /// The cell that has a job: every cell is asked at once, and the first that has it is believed. `None` when none has
    /// it.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when one that was asked did not answer, and none of the others has it.
    pub async fn holder(&self, id: &JobId) -> Result<Option<&Store>> {
        if let [only] = self.all() {
            return Ok(Some(only));
        }
        let ask = async |store| (store, Store::presence(store, &[id]).await);
        let mut asked: FuturesUnordered<_> = self.all().iter().map(ask).collect();
        let (mut leaving, mut unanswered) = (None, None);
        while let Some((store, answer)) = asked.next().await {
            match answer.map(|(found, _)| found.first().copied()) {
                Ok(Some(Presence::Present)) => return Ok(Some(store)),
                Ok(Some(Presence::Leaving)) => leaving = Some(store),
                Ok(_) => {}
                Err(error) => unanswered = Some(error),
            }
        }
        // One that is leaving may be in the cell that did not answer by now.
        unanswered.map_or(Ok(leaving), Err)
    }

    /// Which cell has each of these jobs.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when one that was asked did not answer, and one of the jobs may be there.
    pub(super) async fn holders(&self, ids: &[&JobId]) -> Result<Found> {
        let found = self.find(ids).await;
        match ids.iter().find_map(|id| found.doubt_of(id)) {
            Some(error) => Err(error),
            None => Ok(found),
        }
    }

    /// The same as far as cells answer.
    pub(super) async fn find(&self, ids: &[&JobId]) -> Found {
        let mut found = Found::default();
        if ids.is_empty() {
            return found;
        }
        let answers = join_all(self.all().iter().map(|store| store.presence(ids))).await;
        for (store, answer) in self.all().iter().zip(answers) {
            match answer {
                Ok((presences, removed)) => {
                    found.removed.insert(store.cell(), removed);
                    ids.iter()
                        .zip(presences)
                        .for_each(|(&id, presence)| found.add(id, store.cell(), presence));
                }
                Err(error) => found.unanswered = Some(error),
            }
        }
        found
    }
}

/// Where a job is.
pub(super) struct Held {
    /// The cell that has it: of two, the one it is not leaving.
    pub(super) cell: Cell,
    presence: Presence,
    /// The cell that it is leaving, or has left without being removed there.
    pub(super) leaves: Option<Cell>,
}

/// Where jobs are, as far as cells answer.
#[derive(Default)]
pub(super) struct Found {
    /// Those that a cell has.
    held: HashMap<JobId, Held>,
    /// Which version each cell has reached with jobs that it removed.
    removed: HashMap<Cell, Version>,
    /// What a cell said that did not answer; `None` when all did.
    unanswered: Option<Error>,
}

impl Found {
    /// Where that job is; `None` where no cell has it.
    pub(super) fn get(&self, id: &JobId) -> Option<&Held> {
        self.held.get(id)
    }

    /// The jobs that other cells have, with where they are.
    pub(super) fn elsewhere(&self, home: Cell) -> impl Iterator<Item = &JobId> {
        self.held.iter().filter(move |(_, held)| held.cell != home).map(|(id, _)| id)
    }

    /// Has new jobs of a cell begin above all that other cells have removed: their ids may have been those of such jobs.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub(super) async fn prepare(&self, home: &Store) -> Result<()> {
        let own = self.removed.get(&home.cell()).copied().unwrap_or(Version(0));
        match self.removed.values().copied().max().filter(|&most| most > own) {
            Some(most) => home.begin_above(most).await,
            None => Ok(()),
        }
    }

    /// Why nobody knows where that job is; `None` when it is known, also that no cell has it.
    pub(super) fn doubt_of(&self, id: &JobId) -> Option<Error> {
        match self.held.get(id) {
            Some(held) if held.presence == Presence::Present => None,
            _ => self.unanswered.clone(),
        }
    }

    fn add(&mut self, id: &JobId, cell: Cell, presence: Presence) {
        let leaves = (presence == Presence::Leaving).then_some(cell);
        match self.held.get_mut(id) {
            _ if presence == Presence::Absent => {}
            None => {
                self.held.insert(id.clone(), Held { cell, presence, leaves });
            }
            Some(known) => {
                known.leaves = known.leaves.or(leaves);
                if presence > known.presence {
                    (known.cell, known.presence) = (cell, presence);
                }
            }
        }
    }
}
