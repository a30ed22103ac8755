//! Cron entries, read and changed.

use super::{Inspector, Operator};
use crate::acts::{awaited, intended};
use crate::constants::CRON_HISTORY_MAX;
use crate::cron::{CronSchedule, check, job_now};
use crate::error::{Error, Result};
use crate::model::{CronChanged, CronEntry, CronFire, CronName, CronState, Enqueued, Tick};
use crate::store::{Intent, PutEntry, Shards, Store};
use crate::store::{find, place};

/// Ticks of a preview: two screens.
const PREVIEW_MAX: usize = 100;
/// Attempts at an act on an entry that others keep changing.
const ATTEMPTS_MAX: u32 = 5;

impl Inspector {
    /// All cron entries, by their next tick; paused ones last. Entries that cannot be read are left out and logged.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn cron(&self) -> Result<Vec<CronState>> {
        let entries = self.shards().each(Store::cron_entries).await?;
        let redaction = self.settings.redaction().await?;
        let readable = entries.into_iter().flatten().filter_map(|entry| {
            entry.inspect_err(|error| tracing::error!(%error, "a cron entry cannot be read: {error}")).ok()
        });
        let mut entries: Vec<CronState> =
            readable.filter(|state| self.shards.sees(&state.entry.queue)).collect();
        entries.iter_mut().for_each(|state| redaction.cron(&mut state.entry));
        entries.sort_by_cached_key(|state| (state.next.is_none(), state.next, state.entry.name.clone()));
        Ok(entries)
    }

    /// One cron entry; `None` when there is none of that name.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] for one that cannot be read.
    pub async fn cron_entry(&self, name: &CronName) -> Result<Option<CronState>> {
        let redaction = self.settings.redaction().await?;
        let found = find(self.shards(), name).await?.map(|(_, state)| state);
        let mut found = found.filter(|state| self.shards.sees(&state.entry.queue));
        found.iter_mut().for_each(|state| redaction.cron(&mut state.entry));
        Ok(found)
    }

    /// What came of an entry's latest ticks, latest first; at most 100.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn cron_history(&self, name: &CronName, most: usize) -> Result<Vec<CronFire>> {
        // What is left of an entry that is gone does not say into which queue it went.
        if self.shards.is_bound() && self.cron_entry(name).await?.is_none() {
            return Ok(Vec::new());
        }
        let lines = self
            .shards()
            .each(|store| store.cron_history(name, most.min(usize::from(CRON_HISTORY_MAX))))
            .await?;
        Ok(lines.into_iter().find(|lines| !lines.is_empty()).unwrap_or_default())
    }

    /// The next ticks of a schedule in a zone, with what daylight saving does to them; at most 100.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a schedule that cannot be read, [`Error::Unavailable`].
    pub async fn cron_preview(&self, schedule: &str, zone: &str, most: usize) -> Result<Vec<Tick>> {
        let schedule = CronSchedule::parse(schedule, zone)?;
        Ok(schedule.preview(self.shards().first().now().await?, most.min(PREVIEW_MAX)))
    }
}

/// What a [`CronAct`] does.
#[derive(Debug, Clone)]
enum Verb {
    Put(Box<CronEntry>),
    Remove,
    Pause,
    Resume,
}

/// A change of a cron entry, with who, why and on which version. Nothing happens before it is awaited.
#[derive(Debug)]
#[must_use = "nothing happens before it is awaited"]
pub struct CronAct {
    shards: Shards,
    name: CronName,
    verb: Verb,
    seen: Option<u64>,
    intent: Intent,
}

impl CronAct {
    /// Only if the entry is still at the version the person saw, zero for one that is not there yet; else
    /// [`CronChanged::Conflict`].
    pub const fn seen_if(mut self, version: Option<u64>) -> Self {
        self.seen = version;
        self
    }

    intended!();

    async fn run(self) -> Result<CronChanged> {
        crate::acts::check(&self.intent)?;
        let Self { shards, name, verb, seen, intent } = self;
        if let Verb::Put(entry) = verb {
            let schedule = check(&entry)?;
            let Some(store) = place(&shards, &entry).await? else { return Ok(CronChanged::Full) };
            let from = store.now().await?;
            let next = schedule.next_after(from);
            return store
                .put_cron(&PutEntry { entry: &entry, from, next, seen, declared: false }, &intent)
                .await;
        }
        // A repeated removal finds its entry nowhere, and its first answer where the entry was.
        let mut answer = CronChanged::Missing;
        for store in shards.all() {
            answer = match &verb {
                Verb::Remove => store.remove_cron(&name, seen, &intent).await?,
                Verb::Pause => store.pause_cron(&name, seen, &intent).await?,
                Verb::Resume | Verb::Put(_) => resume(store, &name, seen, &intent).await?,
            };
            if answer != CronChanged::Missing {
                break;
            }
        }
        Ok(answer)
    }
}

awaited!(CronAct, CronChanged);

/// The next tick follows from the definition, so it counts only for the version it was read from.
async fn resume(store: &Store, name: &CronName, seen: Option<u64>, intent: &Intent) -> Result<CronChanged> {
    let mut answer = CronChanged::Missing;
    for _ in 0..ATTEMPTS_MAX {
        let Some(state) = store.cron_entry(name).await? else { return Ok(CronChanged::Missing) };
        let from = store.now().await?;
        let next = check(&state.entry)?.next_after(from);
        answer = store.resume_cron(name, seen, intent, (from, next, state.version)).await?;
        let raced = matches!(answer, CronChanged::Conflict { .. }) && seen.is_none();
        if !raced {
            break;
        }
    }
    Ok(answer)
}

impl Operator {
    fn cron_act(&self, name: &CronName, verb: Verb) -> CronAct {
        let intent = Intent::of(self.actor());
        CronAct { shards: self.shards().clone(), name: name.clone(), verb, seen: None, intent }
    }

    /// One cron entry with nothing hidden, to write it anew; `None` when there is none of that name.
    ///
    /// # Errors
    /// As [`Inspector::cron_entry`].
    pub async fn cron_entry_whole(&self, name: &CronName) -> Result<Option<CronState>> {
        Ok(find(self.shards(), name).await?.map(|(_, state)| state))
    }

    /// Makes a cron entry, or changes the one of that name. It fires from its next tick on. At most 1,000 entries.
    pub fn put_cron(&self, entry: CronEntry) -> CronAct {
        let name = entry.name.clone();
        self.cron_act(&name, Verb::Put(Box::new(entry)))
    }

    /// Removes a cron entry. A program that declares it makes it again at its next start: pause such ones instead.
    pub fn remove_cron(&self, name: &CronName) -> CronAct {
        self.cron_act(name, Verb::Remove)
    }

    /// Stops a cron entry; its ticks are passed over until it is resumed.
    pub fn pause_cron(&self, name: &CronName) -> CronAct {
        self.cron_act(name, Verb::Pause)
    }

    /// Starts a paused cron entry again, from its next tick on.
    pub fn resume_cron(&self, name: &CronName) -> CronAct {
        self.cron_act(name, Verb::Resume)
    }

    /// Enqueues a job of a cron entry at once, only if it is still at the version the person saw; its ticks stay as they
    /// are.
    ///
    /// - `Ok(Ok(…))` with what became of the job;
    /// - `Ok(Err(…))` when nothing was done: [`CronChanged::Conflict`] or [`CronChanged::Missing`].
    ///
    /// # Errors
    /// [`Error::Unavailable`]: nothing is known; repeat it with the same operation id. [`Error::StorageFull`].
    pub async fn run_cron(
        &self,
        name: &CronName,
        seen: Option<u64>,
        why: &str,
        operation: &str,
    ) -> Result<std::result::Result<Enqueued, CronChanged>> {
        let mut intent = Intent::of(self.actor());
        why.clone_into(&mut intent.why);
        operation.clone_into(&mut intent.operation);
        crate::acts::check(&intent)?;
        for _ in 0..ATTEMPTS_MAX {
            let Some((store, state)) = find(self.shards(), name).await? else {
                return Ok(Err(CronChanged::Missing));
            };
            let job = job_now(&state.entry, self.actor())?;
            let answer = store.run_cron(name, seen, &intent, state.version, &job).await?;
            // At the version that was read, it is another entry than the operation was about.
            let raced = matches!(answer, Err(CronChanged::Conflict { version }) if version != state.version)
                && seen.is_none();
            if !raced {
                return Ok(answer);
            }
        }
        Err(Error::Unavailable { what: format!("cron entry {name} keeps changing; try again") })
    }
}
