//! Which shard has a job, by its id alone. A shard that does not answer leaves the jobs of the others where they are.

use super::Store;
use super::reads::Presence;
use crate::error::{Error, Result};
use crate::model::{JobId, Shard, Version};
use futures_util::future::join_all;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use std::collections::HashMap;

/// The shard of these that has a job: every one is asked at once, and the first that has it is believed. `None` when none
/// has it.
///
/// # Errors
/// [`Error::Unavailable`] when one that was asked did not answer, and none of the others has it.
pub(super) async fn holder<'a>(shards: &'a [Store], id: &JobId) -> Result<Option<&'a Store>> {
    if let [only] = shards {
        return Ok(Some(only));
    }
    let ask = async |store| (store, Store::presence(store, &[id]).await);
    let mut asked: FuturesUnordered<_> = shards.iter().map(ask).collect();
    let (mut leaving, mut unanswered) = (None, None);
    while let Some((store, answer)) = asked.next().await {
        match answer.map(|(found, _)| found.first().copied()) {
            Ok(Some(Presence::Present)) => return Ok(Some(store)),
            Ok(Some(Presence::Leaving)) => leaving = Some(store),
            Ok(_) => {}
            Err(error) => unanswered = Some(error),
        }
    }
    // One that is leaving may be in the shard that did not answer by now.
    unanswered.map_or(Ok(leaving), Err)
}

/// Where a job is.
pub(super) struct Held {
    /// The shard that has it: of two, the one it is not leaving.
    pub(super) shard: Shard,
    presence: Presence,
    /// The shard that it is leaving, or has left without being removed there.
    pub(super) leaves: Option<Shard>,
}

/// Where jobs are, as far as shards answer.
#[derive(Default)]
pub(super) struct Found {
    /// Those that a shard has.
    held: HashMap<JobId, Held>,
    /// Which version each shard has reached with jobs that it removed.
    removed: HashMap<Shard, Version>,
    /// What a shard said that did not answer; `None` when all did.
    unanswered: Option<Error>,
}

impl Found {
    /// Which of these shards has each of these jobs, as far as they answer.
    pub(super) async fn among(shards: &[Store], ids: &[&JobId]) -> Self {
        let mut found = Self::default();
        if ids.is_empty() {
            return found;
        }
        let answers = join_all(shards.iter().map(|store| store.presence(ids))).await;
        for (store, answer) in shards.iter().zip(answers) {
            match answer {
                Ok((presences, removed)) => {
                    found.removed.insert(store.shard(), removed);
                    ids.iter()
                        .zip(presences)
                        .for_each(|(&id, presence)| found.add(id, store.shard(), presence));
                }
                Err(error) => found.unanswered = Some(error),
            }
        }
        found
    }

    /// The same, where every shard answers that has to.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when one that was asked did not answer, and one of the jobs may be there.
    pub(super) async fn all_among(shards: &[Store], ids: &[&JobId]) -> Result<Self> {
        let found = Self::among(shards, ids).await;
        match ids.iter().find_map(|id| found.doubt_of(id)) {
            Some(error) => Err(error),
            None => Ok(found),
        }
    }

    /// Where that job is; `None` where no shard has it.
    pub(super) fn get(&self, id: &JobId) -> Option<&Held> {
        self.held.get(id)
    }

    /// The jobs that other shards have, with where they are.
    pub(super) fn elsewhere(&self, home: Shard) -> impl Iterator<Item = &JobId> {
        self.held.iter().filter(move |(_, held)| held.shard != home).map(|(id, _)| id)
    }

    /// Has new jobs of a shard begin above all that other shards have removed: their ids may have been those of such jobs.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub(super) async fn prepare(&self, home: &Store) -> Result<()> {
        let own = self.removed.get(&home.shard()).copied().unwrap_or(Version(0));
        match self.removed.values().copied().max().filter(|&most| most > own) {
            Some(most) => home.begin_above(most).await,
            None => Ok(()),
        }
    }

    /// Why nobody knows where that job is; `None` when it is known, also that no shard has it.
    pub(super) fn doubt_of(&self, id: &JobId) -> Option<Error> {
        match self.held.get(id) {
            Some(held) if held.presence == Presence::Present => None,
            _ => self.unanswered.clone(),
        }
    }

    fn add(&mut self, id: &JobId, shard: Shard, presence: Presence) {
        let leaves = (presence == Presence::Leaving).then_some(shard);
        match self.held.get_mut(id) {
            _ if presence == Presence::Absent => {}
            None => {
                self.held.insert(id.clone(), Held { shard, presence, leaves });
            }
            Some(known) => {
                known.leaves = known.leaves.or(leaves);
                if presence > known.presence {
                    (known.shard, known.presence) = (shard, presence);
                }
            }
        }
    }
}
