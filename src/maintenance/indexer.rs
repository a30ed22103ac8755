//! Keeps the index of fields of payloads: follows the events, and walks through all jobs once after it was begun.
//!
//! Any number of processes may do so. What one enters moves the place from which all of them go on, and who finds it moved
//! has done nothing; the others rest while one is at it.

use super::duty;
use crate::error::Result;
use crate::index::Fields;
use crate::model::{Delay, JobId};
use crate::settings::KnownSettings;
use crate::store::{IndexLook, IndexPlace, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Between looks at the events: filters read what is behind them on their own.
const PERIOD: Duration = Duration::from_millis(250);
/// Between looks while another process keeps the index.
const REST: Duration = Duration::from_secs(2);
/// Between looks while there is no index: most namespaces have none.
const IDLE: Duration = Duration::from_secs(5);
/// Who has entered nothing for so long is followed by somebody else.
const SILENCE: Delay = Delay::seconds(2);
/// Entries of the event stream that a round reads at least. It has enough with this many where each tells of many jobs.
const ENTRIES_MIN: usize = 20;
/// The most that it reads, where each tells of one job; some 200 KB.
const ENTRIES_MAX: usize = 1_000;
/// Jobs with which a round has enough: an entry has 200 at most, so it looks at twice as many and enters them in a few
/// milliseconds of Redis.
const JOBS: usize = 200;
/// Keys a step of the walk looks at: about a millisecond of Redis.
const KEYS: u32 = 200;

/// What keeps the index of one shard.
#[derive(Debug, Clone)]
pub(crate) struct Indexer {
    store: Store,
    /// That of the first shard, which has the settings.
    first: Store,
    settings: KnownSettings,
    name: Arc<str>,
    /// Entries of the event stream that the next round reads.
    entries: Arc<AtomicUsize>,
}

impl Indexer {
    pub(crate) fn new(store: Store, first: Store, settings: KnownSettings, name: Arc<str>) -> Self {
        Self { store, first, settings, name, entries: Arc::new(AtomicUsize::new(ENTRIES_MIN)) }
    }

    pub(super) async fn run(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let began = Instant::now();
            let wait = match self.round().await {
                // As long as it took: a walk through all jobs leaves Redis to others half of the time.
                Ok(Round::GoOn) => began.elapsed(),
                Ok(Round::Follow) => PERIOD,
                Ok(Round::Rest) => REST,
                Ok(Round::Idle) => IDLE,
                Err(error) => {
                    duty::complain(&error);
                    REST
                }
            };
            stop.run_until_cancelled(duty::rest(wait)).await;
        }
    }

    /// One step: begins the index anew where it is not what it should be, else enters what is next.
    pub(crate) async fn round(&self) -> Result<Round> {
        let settings = self.settings.get().await?;
        let fields = Fields(&settings.index_fields);
        let look = self.store.index_look("", 0, &[]).await?;
        let place = &look.place;
        if fields.name() != place.fields {
            return self.begin(place).await;
        }
        if place.fields.is_empty() {
            return Ok(Round::Idle);
        }
        if self.is_kept_by_another(&look) {
            return Ok(Round::Rest);
        }
        let entries = self.entries.load(Ordering::Relaxed);
        let Some(behind) = self.store.events_behind(&place.at, entries, JOBS).await? else {
            return self.begin(place).await;
        };
        let next_entries = if behind.more { entries_for(entries, behind.jobs().len()) } else { ENTRIES_MIN };
        self.entries.store(next_entries, Ordering::Relaxed);
        let walks = !place.cursor.is_empty();
        if behind.last.is_none() && !walks {
            return Ok(Round::Follow);
        }
        // A cursor is worth nothing to another server, nor to the same one after it was started anew.
        let cursor = match walks {
            true if place.server == look.server => &place.cursor,
            true => "0",
            false => "",
        };
        let next = self.store.index_look(cursor, KEYS, &behind.jobs()).await?;
        if next.server != look.server {
            return Ok(Round::GoOn);
        }
        let jobs: Vec<(JobId, String)> =
            next.found.into_iter().map(|(id, payload)| (id, fields.values(&payload))).collect();
        let to = IndexPlace {
            fields: place.fields.clone(),
            at: behind.last.map_or_else(|| place.at.clone(), |last| last.to_string()),
            cursor: if next.next == "0" { String::new() } else { next.next },
            server: next.server,
        };
        let is_over = to.cursor.is_empty();
        self.store.index_put(place, &to, &self.name, &jobs).await?;
        Ok(if behind.more || !is_over { Round::GoOn } else { Round::Follow })
    }

    /// Begins it anew, or drops it. What is wanted is read once more: another process may know of a later setting.
    async fn begin(&self, from: &IndexPlace) -> Result<Round> {
        let fields = self.first.settings().await?.index_fields;
        self.store.index_begin(&Fields(&fields).name(), from, &self.name).await?;
        self.settings.forget();
        Ok(if fields.is_empty() { Round::Idle } else { Round::GoOn })
    }

    fn is_kept_by_another(&self, look: &IndexLook) -> bool {
        let is_fresh = |on| look.now.millis_since(on) < SILENCE.as_millis();
        look.by != *self.name && look.on.is_some_and(is_fresh)
    }
}

/// How many entries the next round reads when more are there than this one read: as many as tell of enough jobs. A stream
/// that grows faster than rounds read it would be cut before the index came to its end, again and again.
fn entries_for(entries: usize, jobs: usize) -> usize {
    (entries * JOBS / jobs.max(1)).clamp(ENTRIES_MIN, ENTRIES_MAX)
}

/// What follows a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    /// The next one, for there is more to do.
    GoOn,
    /// A short wait.
    Follow,
    /// A long one: somebody else does it.
    Rest,
    /// A longer one: there is nothing to do.
    Idle,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_that_is_behind_reads_as_many_entries_as_tell_of_enough_jobs() {
        // One job an entry, as services enqueue.
        assert_eq!(entries_for(ENTRIES_MIN, 20), 200);
        assert_eq!(entries_for(200, 200), 200);
        // Two hundred an entry, as bulk runs move them.
        assert_eq!(entries_for(200, 400), 100);
        assert_eq!(entries_for(ENTRIES_MIN, 4_000), ENTRIES_MIN);
        // The same few jobs in every entry.
        assert_eq!(entries_for(200, 1), ENTRIES_MAX);
        assert_eq!(entries_for(ENTRIES_MAX, 0), ENTRIES_MAX);
    }
}
