//! Fires the ticks of cron entries.

use crate::cron::{CronSchedule, Round, check, job_at};
use crate::error::Result;
use crate::model::{ForwarderInfo, Timestamp};
use crate::store::{DueEntry, MetEntry, Store};
use crate::zones;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// The longest sleep: how late an entry may be noticed that another process made.
const SLEEP_MAX: Duration = Duration::from_secs(2);
/// Wait after a failed call.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Entries of one call; more follow at once.
const ENTRIES_MAX: usize = 50;
/// Calls of one look: all entries that a namespace may have.
const CALLS_MAX: usize = 20;
/// Between comparisons of all next ticks with the rules of this process: another process may have put an entry with others.
const COMPARE_PERIOD: Duration = Duration::from_secs(3_600);

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let mut trouble = Trouble::default();
    let mut compared: Option<Instant> = None;
    while !stop.is_cancelled() {
        if compared.is_none_or(|at| at.elapsed() >= COMPARE_PERIOD) {
            match put_right(&store).await {
                Ok(()) => compared = Some(Instant::now()),
                Err(error) => super::duty::complain(&error),
            }
        }
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

/// Puts next ticks right that were worked out by other rules: those of an older time zone database, or of an older version
/// of this program.
async fn put_right(store: &Store) -> Result<()> {
    if who_knows_better(store, store.now().await?).await?.is_some() {
        return Ok(());
    }
    for (due, next) in store.cron_places().await? {
        let Ok(schedule) = CronSchedule::parse(&due.entry.schedule, &due.entry.zone) else { continue };
        let right = schedule.next_after(due.from);
        if right == next {
            continue;
        }
        let round = Round { ticks: Vec::new(), passed_over: None, until: due.from, next: right };
        if store.fire_cron(&due, &round, &[]).await?.is_some() {
            let name = &due.entry.name;
            tracing::warn!(cron.name = %name, "the next tick of cron entry {name} was worked out by other rules, and is put right");
        }
    }
    Ok(())
}

/// A process that goes on and has later rules of time zones than this one: cron entries are left to it.
async fn who_knows_better(store: &Store, now: Timestamp) -> Result<Option<ForwarderInfo>> {
    let own = &zones::version().version;
    let others = store.forwarders().await?.into_iter().filter(|other| other.is_heard(now));
    Ok(others.max_by(|one, other| one.zones.cmp(&other.zones)).filter(|best| best.zones > *own))
}

/// What is logged once until it changes.
#[derive(Default)]
struct Trouble {
    /// Why entries do not fire, by their names: they are met at every look.
    entries: HashMap<String, String>,
    /// The version of the rules to whose processes the entries are left.
    left_to: Option<String>,
}

impl Trouble {
    fn meets(&mut self, name: &str, why: &str) {
        if self.entries.get(name).is_none_or(|known| known != why) {
            tracing::error!(cron.name = name, "cron entry {name} does not fire: {why}");
            self.entries.insert(name.to_owned(), why.to_owned());
        }
    }

    fn leaves_to(&mut self, other: ForwarderInfo) {
        if self.left_to.as_ref() != Some(&other.zones) {
            let (own, host, theirs) = (&zones::version().version, &other.host, &other.zones);
            tracing::warn!(
                "this process fires no cron entries: {host} has time zone rules {theirs}, this one {own}; update tzdata or \
                 this program here"
            );
            self.left_to = Some(other.zones);
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
        if met.is_empty() && !due.entries.is_empty() {
            if let Some(other) = who_knows_better(store, due.now).await? {
                trouble.leaves_to(other);
                return Ok(SLEEP_MAX);
            }
            trouble.left_to = None;
        }
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
    use crate::model::{CronEntry, CronName, Delay, Kind};
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

    /// A process with these rules that said at that time that it goes on.
    async fn hears(redis: &TestRedis, at: Timestamp, zones: &str) {
        let mut other = ForwarderInfo::new("other", "newer-host", 1);
        zones.clone_into(&mut other.zones);
        redis.store().at(at).tick(&serde_json::to_string(&other).unwrap(), false).await.unwrap();
    }

    #[tokio::test]
    async fn entries_are_left_to_a_process_with_later_rules_for_as_long_as_it_goes_on() {
        for (zones, fires) in [("2999z", false), ("1999a", true), ("", true)] {
            let (redis, tick) = with("* * * * *").await;
            hears(&redis, tick - Delay::seconds(9), zones).await;

            fire_due(&redis.store().at(tick)).await.unwrap();
            assert_eq!(jobs(&redis).await, usize::from(fires), "{zones:?}");

            fire_due(&redis.store().at(tick + Delay::seconds(2))).await.unwrap();
            assert_eq!(jobs(&redis).await, 1, "{zones:?}: it is gone, and nobody is left to wait for");
        }
    }

    #[tokio::test]
    async fn a_next_tick_by_other_rules_is_put_right_once_and_not_by_one_who_knows_less() {
        let (redis, tick) = with("0 9 * * *").await;
        let store = redis.store().at(tick);
        let place = async || {
            let state = redis.inspector_at(tick).cron_entry(&CronName::new("nightly").unwrap()).await;
            state.unwrap().unwrap().next
        };
        let right = place().await;
        let directory = format!("{}cron", redis.prefix());
        let wrong = right.unwrap() + Delay::hours(1);
        let misplace = async || {
            redis.command(&["ZADD", &directory, &wrong.as_millis().to_string(), "nightly"]).await.unwrap();
        };

        misplace().await;
        hears(&redis, tick, "2999z").await;
        put_right(&store).await.unwrap();
        assert_eq!(place().await, Some(wrong), "a process with later rules is to say what is right");

        let store = redis.store().at(tick + Delay::minutes(1));
        put_right(&store).await.unwrap();
        assert_eq!((place().await, jobs(&redis).await), (right, 0));
        let before = redis.snapshot().await;
        put_right(&store).await.unwrap();
        assert_eq!(redis.snapshot().await, before, "what is right stays as it is");
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
