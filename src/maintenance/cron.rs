//! Fires the ticks of cron entries.

use crate::cron::{Round, check, job_at};
use crate::error::Result;
use crate::model::Timestamp;
use crate::store::{DueEntry, MetEntry, Store};
use std::collections::HashMap;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The longest sleep: how late an entry may be noticed that another process made.
const SLEEP_MAX: Duration = Duration::from_secs(1);
/// Wait after a failed call.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Entries of one call; more follow at once.
const ENTRIES_MAX: usize = 50;
/// Calls of one look: all entries that a namespace may have.
const CALLS_MAX: usize = 20;

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let mut trouble = Trouble::default();
    while !stop.is_cancelled() {
        let sleep = match look(&store, &mut trouble, &stop).await {
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
    Ok(look(store, &mut Trouble::default(), &CancellationToken::new()).await?.is_zero())
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

/// Fires what is due, each entry once; how long until the next look.
///
/// An entry that was met is passed by in the calls that follow, so that those that cannot fire, and those with a thousand
/// ticks to make up for, keep nobody waiting behind them.
async fn look(store: &Store, trouble: &mut Trouble, stop: &CancellationToken) -> Result<Duration> {
    let (mut met, mut soonest) = (Vec::new(), None);
    for _ in 0..CALLS_MAX {
        let due = store.cron_due(ENTRIES_MAX, &met).await?;
        for entry in &due.entries {
            if let Some(next) = try_fire(store, entry, due.now, trouble).await? {
                soonest = Some(soonest.map_or(next, |soonest: Timestamp| soonest.min(next)));
            }
        }
        if due.entries.len() < ENTRIES_MAX || stop.is_cancelled() {
            let next = soonest.into_iter().chain(due.next).min();
            let ahead = next.map(|next| u64::try_from(next.millis_since(due.now)).unwrap_or(0));
            return Ok(ahead.map_or(SLEEP_MAX, |ahead| Duration::from_millis(ahead).min(SLEEP_MAX)));
        }
        met.extend(due.entries.into_iter().map(|entry| entry.name));
    }
    Ok(if soonest.is_some() { Duration::ZERO } else { SLEEP_MAX })
}

/// Fires the ticks of an entry if it can be; its next tick, if we were the ones who did.
async fn try_fire(
    store: &Store,
    met: &MetEntry,
    now: Timestamp,
    trouble: &mut Trouble,
) -> Result<Option<Timestamp>> {
    let why = match &met.due {
        Some(due) => match fire(store, due, now).await {
            Err(error) if !error.is_transient() => error.to_string(),
            fired => return fired,
        },
        None => "it cannot be read".to_owned(),
    };
    trouble.meets(&String::from_utf8_lossy(&met.name), &why);
    Ok(None)
}

/// Fires the ticks of one entry. Its next tick; `None` without one, and when another process was first.
async fn fire(store: &Store, due: &DueEntry, now: Timestamp) -> Result<Option<Timestamp>> {
    let schedule = check(&due.entry)?;
    let round = Round::judge(&schedule, due.entry.missed, due.from, now);
    let jobs = round.ticks.iter().map(|&tick| job_at(&due.entry, tick)).collect::<Result<Vec<_>>>()?;
    let Some(count) = store.fire_cron(due, &round, &jobs).await? else { return Ok(None) };
    if count > 0 {
        tracing::debug!(cron.name = %due.entry.name, count, "cron entry {} enqueued {count} jobs", due.entry.name);
    }
    Ok(round.next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CronEntry, CronName, Kind};
    use crate::testing::TestRedis;

    /// Midnight of 1 January 2027, UTC, and a minute later.
    const TICKS_MS: [i64; 2] = [1_798_761_600_000, 1_798_761_660_000];

    fn entry(schedule: &str) -> CronEntry {
        CronEntry::new(CronName::new("nightly").unwrap(), schedule, Kind::new("report").unwrap())
    }

    /// A namespace with that entry, made at the first tick, and the time of the second.
    async fn with(schedule: &str) -> (TestRedis, Timestamp) {
        let redis = TestRedis::namespace().await;
        let [made, tick] = TICKS_MS.map(|ms| Timestamp::from_millis(ms).unwrap());
        redis.operator_at(made, "ann").put_cron(entry(schedule)).await.unwrap();
        (redis, tick)
    }

    async fn jobs(redis: &TestRedis) -> usize {
        redis.snapshot().await.keys().filter(|key| key.starts_with("job:cron:nightly:")).count()
    }

    #[tokio::test]
    async fn of_many_that_have_looked_before_anybody_fires_one_does() {
        let (redis, tick) = with("* * * * *").await;
        let store = redis.store().at(tick);
        let mut looked = Vec::new();
        for _ in 0..20 {
            looked.push(store.cron_due(ENTRIES_MAX, &[]).await.unwrap());
        }

        let mut fired = Vec::new();
        for due in &looked {
            let [met] = &due.entries[..] else { panic!("the entry is due") };
            fired.push(fire(&store, met.due.as_ref().unwrap(), due.now).await.unwrap().is_some());
        }

        assert_eq!(fired.iter().position(|fired| *fired), Some(0));
        assert_eq!((fired.iter().filter(|fired| **fired).count(), jobs(&redis).await), (1, 1));
    }

    #[tokio::test]
    async fn a_change_between_look_and_fire_wins() {
        let (redis, tick) = with("* * * * *").await;
        let store = redis.store().at(tick);
        let looked = store.cron_due(ENTRIES_MAX, &[]).await.unwrap();

        redis.operator_at(tick, "ann").put_cron(entry("0 9 * * *")).await.unwrap();

        let [met] = &looked.entries[..] else { panic!("the entry is due") };
        assert_eq!(fire(&store, met.due.as_ref().unwrap(), looked.now).await.unwrap(), None);
        assert_eq!(jobs(&redis).await, 0);
    }
}
