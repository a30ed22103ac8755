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
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Between looks at the events: filters read what is behind them on their own.
const PERIOD: Duration = Duration::from_millis(250);
/// Between looks while there is no index, or another process keeps it.
const REST: Duration = Duration::from_secs(2);
/// Who has entered nothing for so long is followed by somebody else.
const SILENCE: Delay = Delay::seconds(2);
/// Entries of the event stream a round: most have one job.
const ENTRIES: usize = 20;
/// Jobs with which a round has enough: an entry has 200 at most, so it looks at twice as many and enters them in a few
/// milliseconds of Redis.
const JOBS: usize = 200;
/// Keys a step of the walk looks at: about a millisecond of Redis.
const KEYS: u32 = 200;

/// What keeps the index of one cell.
#[derive(Debug, Clone)]
pub(crate) struct Indexer {
    store: Store,
    /// That of the first cell, which has the settings.
    first: Store,
    settings: KnownSettings,
    name: Arc<str>,
}

impl Indexer {
    pub(crate) const fn new(store: Store, first: Store, settings: KnownSettings, name: Arc<str>) -> Self {
        Self { store, first, settings, name }
    }

    pub(super) async fn run(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let began = Instant::now();
            let wait = match self.round().await {
                // As long as it took: whoever walks through all jobs leaves Redis to others half of the time.
                Ok(Round::GoOn) => began.elapsed(),
                Ok(Round::Follow) => PERIOD,
                Ok(Round::Rest) => REST,
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
        if place.fields.is_empty() || self.is_kept_by_another(&look) {
            return Ok(Round::Rest);
        }
        let Some(behind) = self.store.events_behind(&place.at, ENTRIES, JOBS).await? else {
            return self.begin(place).await;
        };
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
        Ok(if fields.is_empty() { Round::Rest } else { Round::GoOn })
    }

    fn is_kept_by_another(&self, look: &IndexLook) -> bool {
        let is_fresh = |on| look.now.millis_since(on) < SILENCE.as_millis();
        look.by != *self.name && look.on.is_some_and(is_fresh)
    }
}

/// What follows a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    /// The next one, for there is more to do.
    GoOn,
    /// A short wait.
    Follow,
    /// A long one: there is nothing to do, or somebody else does it.
    Rest,
}
