//! Which shard an entry lives in.

use crate::constants::CRON_ENTRIES_MAX;
use crate::error::{Error, Result};
use crate::model::{CronEntry, CronName, CronState, Shard, Subject};
use crate::store::{Shards, Store};

/// The shard of an entry: that of its jobs' subject, so that its jobs are called off with all others of the subject,
/// or that of its name. Its jobs, the rule for overlaps and its past are all there.
fn home<'a>(shards: &'a Shards, entry: &CronEntry) -> &'a Store {
    let subject = entry.subject.as_ref().map(Subject::as_str);
    shards.shard(Shard::home(subject, None, &format!("cron:{}", entry.name), shards.count()))
}

/// An entry and the shard it is in; `None` when there is none of that name.
pub(crate) async fn find<'a>(shards: &'a Shards, name: &CronName) -> Result<Option<(&'a Store, CronState)>> {
    let found = shards.each(|store| store.cron_entry(name)).await?;
    Ok(shards.all().iter().zip(found).find_map(|(store, state)| Some((store, state?))))
}

/// The shard to put an entry into; `None` for another one where all shards together have as many as a namespace may. Those
/// that are made at the same moment do not see each other: each shard by itself never has more.
///
/// # Errors
/// [`Error::Invalid`] when it is in another one: a change of its subject would be a move.
pub(crate) async fn place<'a>(shards: &'a Shards, entry: &CronEntry) -> Result<Option<&'a Store>> {
    let home = home(shards, entry);
    if shards.count() == 1 {
        // The script that makes it counts.
        return Ok(Some(home));
    }
    match find(shards, &entry.name).await? {
        Some((store, _)) if store.shard() != home.shard() => Err(Error::invalid(
            "subject",
            "of a cron entry cannot be changed in a namespace of several shards; remove the entry and make it anew",
        )),
        Some(_) => Ok(Some(home)),
        None => {
            let counts = shards.each(Store::cron_count).await?;
            let count = counts.into_iter().fold(0, u64::saturating_add);
            Ok((count < CRON_ENTRIES_MAX).then_some(home))
        }
    }
}
