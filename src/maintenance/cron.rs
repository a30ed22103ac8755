//! Fires the ticks of cron entries.

use crate::cron::{Round, check, job_at};
use crate::error::Result;
use crate::store::{CronDue, DueEntry, Store};
use std::collections::HashMap;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The longest sleep: how late an entry may be noticed that another process made.
const SLEEP_MAX: Duration = Duration::from_secs(1);
/// Wait after a failed call.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Entries a look; more follow at once.
const ENTRIES_MAX: usize = 50;

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let mut trouble = Trouble::default();
    while !stop.is_cancelled() {
        let sleep = match look(&store, &mut trouble).await {
            Ok(sleep) => sleep,
            Err(error) => {
                super::duty::complain(&error);
                RETRY_DELAY
            }
        };
        stop.run_until_cancelled(tokio::time::sleep(sleep)).await;
    }
}

/// Looks once. `true` when another look has to follow at once.
#[cfg(feature = "testing")]
pub(crate) async fn fire_due(store: &Store) -> Result<bool> {
    Ok(look(store, &mut Trouble::default()).await?.is_zero())
}

/// Entries that do not fire, each logged once until the reason changes: they are met at every look.
#[derive(Default)]
struct Trouble(HashMap<String, String>);

impl Trouble {
    fn meets(&mut self, name: &str, why: &str) {
        if self.0.get(name).is_none_or(|known| known != why) {
            tracing::error!(cron.name = name, "cron entry {name} does not fire: {why}");
            self.0.insert(name.to_owned(), why.to_owned());
        }
    }
}

/// Fires what is due; how long until the next look.
async fn look(store: &Store, trouble: &mut Trouble) -> Result<Duration> {
    let due = store.cron_due(ENTRIES_MAX).await?;
    let mut again = false;
    for entry in &due.entries {
        match entry {
            Ok(entry) => match fire(store, entry, &due).await {
                Ok(more) => again |= more,
                Err(error) if error.is_transient() => return Err(error),
                Err(error) => trouble.meets(entry.entry.name.as_str(), &error.to_string()),
            },
            Err(name) => trouble.meets(name, "it cannot be read"),
        }
    }
    if again {
        return Ok(Duration::ZERO);
    }
    let ahead = due.next.map(|next| u64::try_from(next.millis_since(due.now)).unwrap_or(0));
    Ok(ahead.map_or(SLEEP_MAX, |ahead| Duration::from_millis(ahead).min(SLEEP_MAX)))
}

/// Fires the ticks of one entry. `true` when there are more.
async fn fire(store: &Store, due: &DueEntry, look: &CronDue) -> Result<bool> {
    let schedule = check(&due.entry)?;
    let round = Round::judge(&schedule, due.entry.missed, due.from, look.now);
    let jobs = round.ticks.iter().map(|&tick| job_at(&due.entry, tick)).collect::<Result<Vec<_>>>()?;
    match store.fire_cron(due, &round, &jobs).await? {
        Some(count) if count > 0 => {
            tracing::debug!(cron.name = %due.entry.name, count, "cron entry {} enqueued {count} jobs", due.entry.name);
        }
        _ => {}
    }
    Ok(round.next.is_some_and(|next| next <= look.now))
}
