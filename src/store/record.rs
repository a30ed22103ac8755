//! How it stood in each minute, and what happened in each hour: written once, read by the screens.

use super::{Store, script};
use crate::constants::STATS_KEPT_S;
use crate::error::Result;
use crate::keys::{HOUR_MS, MINUTE_MS, latest_starts, start_of};
use crate::model::{Counts, CountsAt, JobState, Timestamp};
use redis::{Pipeline, Value};
use std::collections::HashMap;

/// How long the minutes of an hour are kept once it has its sums, in seconds: a day and an hour, for the widest chart of
/// minutes shows a day. A busy namespace of 100 queues has 7 MB of them an hour.
const SUMMED_MINUTE_KEPT_S: i64 = 90_000;
/// The latest hours whose sums are made up for, if no process was there when they ended.
const HOURS_BACK: i64 = 168;
/// The latest hours that are added up when they are read, where nobody could write their sums: a full Redis takes none,
/// and counts what is acknowledged all the same. Each costs 60 reads.
const HOURS_ADDED_UP_MAX: usize = 24;

impl Store {
    /// Writes down how many jobs are in each state, unless somebody has in this minute: see `lua/functions/queues/record.lua`. `true`
    /// when it was written now.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn record(&self) -> Result<bool> {
        let mut reply = self.grow(&self.call(&script::RECORD)).await?;
        Ok(reply.text()? == "recorded")
    }

    /// How it stood in these minutes; `None` for one in which nobody wrote it down.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn recorded(&self, minutes: &[Timestamp]) -> Result<Vec<Option<CountsAt>>> {
        let mut reads = Pipeline::new();
        for minute in minutes {
            reads.hgetall(self.keys().counts(*minute));
        }
        let hashes: Vec<HashMap<String, String>> = self.pipeline(&reads).await?;
        let read =
            |(at, hash): (&Timestamp, HashMap<String, String>)| (!hash.is_empty()).then(|| counts(*at, hash));
        Ok(minutes.iter().zip(hashes).map(read).collect())
    }

    /// How much was expected of these hours before they began; `None` for one of which nobody wrote it down, or not of
    /// all queues. Of one that nobody saw coming it is what its first minute says: what had become ready by then is
    /// not in it.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn expected(&self, hours: &[Timestamp]) -> Result<Vec<Option<u64>>> {
        let mut reads = Pipeline::new();
        for hour in hours {
            reads.get(self.keys().expected(*hour));
        }
        let texts: Vec<Option<String>> = self.pipeline(&reads).await?;
        let unseen: Vec<Timestamp> =
            hours.iter().zip(&texts).filter(|(_, text)| text.is_none()).map(|(hour, _)| *hour).collect();
        let begun = if unseen.is_empty() { Vec::new() } else { self.recorded(&unseen).await? };
        let mut begun = begun.into_iter();
        let read = |text: Option<String>| match text {
            Some(text) => text.parse().ok(),
            None => {
                let counts = begun.next().flatten().filter(|counts| counts.queues_in_all.is_none());
                counts.map(|counts| counts.due_within_hour)
            }
        };
        Ok(texts.into_iter().map(read).collect())
    }

    /// Adds up the minutes of every full hour that has no sums yet, unless that was done in this hour: `done` is what
    /// the last call returned, 0 before the first one.
    ///
    /// Every process comes to the same sums, so it does no harm when two write them.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn sum_hours(&self, done: i64) -> Result<i64> {
        let running = start_of(self.now().await?, HOUR_MS).as_millis();
        if running == done {
            return Ok(done);
        }
        let hours: Vec<_> = (1..=HOURS_BACK)
            .map(|back| Timestamp::saturating_from_millis(running - back * HOUR_MS))
            .collect();
        let mut reads = Pipeline::new();
        for hour in &hours {
            reads.exists(self.keys().hour(*hour)).exists(self.minute_keys(*hour).collect::<Vec<_>>());
        }
        let found: Vec<u8> = self.pipeline(&reads).await?;
        for (hour, found) in hours.iter().zip(found.chunks(2)) {
            // A new namespace has a week of hours without minutes: 60 reads for each would find nothing.
            match found {
                [0, 0] => self.write_sums(*hour, &HashMap::new()).await?,
                [0, _] => self.write_sums(*hour, &self.minutes_of(*hour).await?).await?,
                _ => {}
            }
        }
        Ok(running)
    }

    async fn write_sums(&self, hour: Timestamp, sums: &HashMap<String, u64>) -> Result<()> {
        let mut write = Pipeline::new();
        let key = self.keys().hour(hour);
        // An hour in which nothing happened is known as well: an empty field stands for it.
        write.hset(&key, "", 0).ignore();
        for (name, sum) in sums {
            write.hset(&key, name, sum).ignore();
        }
        write.expire(&key, STATS_KEPT_S).ignore();
        for minute in self.minute_keys(hour).filter(|_| !sums.is_empty()) {
            write.cmd("EXPIRE").arg(minute).arg(SUMMED_MINUTE_KEPT_S).arg("LT").ignore();
        }
        let written = write.query_async::<Value>(&mut self.connections().writes()).await;
        self.connections().note(super::connection::Proof::Grows, written)?;
        Ok(())
    }

    /// What was counted in each of the latest hours, oldest first; the last is the running one. Of those without sums
    /// it and the latest full ones, 24 in all, are added up from their minutes.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn hours(&self, hours: u16) -> Result<Vec<(Timestamp, HashMap<String, u64>)>> {
        let starts = latest_starts(self.now().await?, HOUR_MS, hours);
        let mut reads = Pipeline::new();
        for start in &starts {
            reads.hgetall(self.keys().hour(*start));
        }
        let sums: Vec<HashMap<String, u64>> = self.pipeline(&reads).await?;
        let mut all: Vec<_> = starts.into_iter().zip(sums).collect();
        let recent = all.len().saturating_sub(HOURS_ADDED_UP_MAX);
        for (at, sums) in all.iter_mut().skip(recent).filter(|(_, sums)| sums.is_empty()) {
            *sums = self.minutes_of(*at).await?;
        }
        Ok(all)
    }

    /// The keys of an hour's minutes.
    fn minute_keys(&self, hour: Timestamp) -> impl Iterator<Item = String> {
        let starts = (0..HOUR_MS / MINUTE_MS).map(move |minute| hour.as_millis() + minute * MINUTE_MS);
        starts.map(|ms| self.keys().stats(Timestamp::saturating_from_millis(ms)))
    }

    /// The sums of an hour's minutes.
    async fn minutes_of(&self, hour: Timestamp) -> Result<HashMap<String, u64>> {
        let mut reads = Pipeline::new();
        for minute in self.minute_keys(hour) {
            reads.hgetall(minute);
        }
        let minutes: Vec<HashMap<String, u64>> = self.pipeline(&reads).await?;
        let mut sums: HashMap<String, u64> = HashMap::new();
        for (name, count) in minutes.into_iter().flatten() {
            let sum = sums.entry(name).or_default();
            *sum = sum.saturating_add(count);
        }
        Ok(sums)
    }
}

/// What `lua/functions/queues/record.lua` wrote; lines that do not read are left out.
fn counts(at: Timestamp, hash: HashMap<String, String>) -> CountsAt {
    let mut all = CountsAt::empty(at);
    for (queue, line) in hash {
        if queue.is_empty() {
            all.queues_in_all = line.parse().ok();
            continue;
        }
        let Ok(queue) = queue.parse() else { continue };
        let mut numbers = line.split(' ').map(str::parse::<u64>);
        let mut counts = Counts::default();
        for state in JobState::ALL {
            if let Some(Ok(number)) = numbers.next() {
                *counts.of_mut(state) = number;
            }
        }
        let due = numbers.next().and_then(std::result::Result::ok).unwrap_or(0);
        all.add(queue, &counts, due);
    }
    all
}
