//! Which shard has a job, by its id alone. A shard that does not answer leaves the jobs of the others where they are.

use super::Store;
use crate::error::{Error, Result};
use crate::model::{JobId, SHARDS_MAX, Shard, Version};
use futures_util::future::join_all;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use std::collections::{BTreeSet, HashMap};

/// The shard of these that has a job: the likely ones are asked at once, then all others, and the first that has it is
/// believed. `None` when none has it.
///
/// # Errors
/// [`Error::Unavailable`] when one that was asked did not answer, and none of the others has it.
pub(super) async fn holder<'a>(shards: &'a [Store], id: &JobId) -> Result<Option<&'a Store>> {
    if let [only] = shards {
        return Ok(Some(only));
    }
    let ask = async |store| (store, Store::presence(store, &[id]).await);
    let count = u16::try_from(shards.len()).unwrap_or(SHARDS_MAX);
    let likely: BTreeSet<Shard> = Shard::likely(id.as_str(), count).collect();
    let (likely, others): (Vec<_>, Vec<_>) = shards.iter().partition(|store| likely.contains(&store.shard()));
    let mut unanswered = None;
    for part in [likely, others] {
        let mut asked: FuturesUnordered<_> = part.into_iter().map(ask).collect();
        while let Some((store, answer)) = asked.next().await {
            match answer {
                Ok((present, _)) if present == [true] => return Ok(Some(store)),
                Ok(_) => {}
                Err(error) => unanswered = Some(error),
            }
        }
    }
    unanswered.map_or(Ok(None), Err)
}

/// Where jobs are, as far as shards answer.
#[derive(Default)]
pub(super) struct Found {
    /// The shard of each that was found.
    held: HashMap<JobId, Shard>,
    /// Which version each shard has reached with jobs that it removed.
    removed: HashMap<Shard, Version>,
    /// What a shard said that did not answer; `None` when all did.
    unanswered: Option<Error>,
}

impl Found {
    /// Which of these shards has each of these jobs, as far as they answer. One shard alone is not asked.
    pub(super) async fn among(shards: &[Store], ids: &[&JobId]) -> Self {
        let mut found = Self::default();
        if ids.is_empty() || shards.len() == 1 {
            return found;
        }
        let answers = join_all(shards.iter().map(|store| store.presence(ids))).await;
        for (store, answer) in shards.iter().zip(answers) {
            match answer {
                Ok((present, removed)) => {
                    found.removed.insert(store.shard(), removed);
                    let there = ids.iter().zip(present).filter(|(_, present)| *present);
                    found.held.extend(there.map(|(&id, _)| (id.clone(), store.shard())));
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

    /// The shard that has that job; `None` where none has it.
    pub(super) fn get(&self, id: &JobId) -> Option<Shard> {
        self.held.get(id).copied()
    }

    /// One of the jobs that another shard has.
    pub(super) fn elsewhere(&self, home: Shard) -> Option<&JobId> {
        self.held.iter().find(|&(_, &shard)| shard != home).map(|(id, _)| id)
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
        self.unanswered.clone().filter(|_| !self.held.contains_key(id))
    }
}
