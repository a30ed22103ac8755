//! The live events of a namespace: one reader a process, any number of listeners.

use crate::error::Result;
use crate::model::{Event, EventId, EventPlace};
use crate::store::{Shards, Store, StreamReader};
use futures_util::future::join_all;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

/// Events a slow listener may fall behind before it is told so and starts afresh.
const BROADCAST_CAPACITY: usize = 1_024;
/// Most events one replay carries; beyond it a snapshot is cheaper.
const REPLAY_MAX: usize = 1_000;
/// Wait between attempts while Redis is away.
const RETRY_DELAY: Duration = Duration::from_millis(400);

/// What happened since a place in the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replay {
    /// Everything, oldest first.
    Events(Vec<Event>),
    /// The stream no longer reaches back that far, or it is too much: start from a snapshot.
    Gap,
}

/// A part of what happened, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventPage {
    /// Events of one shard come in their order, those of several by the time they carry.
    pub events: Vec<Event>,
    /// Where the next part begins.
    pub next: EventPlace,
    /// Whether it reaches the end of the stream.
    pub end: bool,
    /// Whether events between the place asked for and this part are lost, because the stream is bounded.
    pub gap: bool,
}

/// Follows the event stream. Events are hints: a reader that misses them reads Redis and is right again.
#[derive(Debug, Clone)]
pub struct EventTail {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    shards: Shards,
    sender: broadcast::Sender<Arc<Event>>,
    /// How many readers do not stand in their streams yet.
    unready: watch::Sender<usize>,
    /// Whether readers follow. They stop when nobody listens any more.
    follows: Mutex<bool>,
    stop: CancellationToken,
}

impl EventTail {
    pub(crate) fn new(shards: Shards) -> Self {
        let (sender, _) = broadcast::channel(BROADCAST_CAPACITY);
        let (unready, _) = watch::channel(shards.groups().len());
        let stop = CancellationToken::new();
        Self { shared: Arc::new(Shared { shards, sender, unready, follows: Mutex::new(false), stop }) }
    }

    /// Listens from now on. The first listener starts the reader; must be called inside a tokio runtime.
    ///
    /// A listener that falls 1,024 events behind is told by `RecvError::Lagged`.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Event>> {
        let mut follows = self.shared.follows();
        let receiver = self.shared.sender.subscribe();
        if !*follows {
            *follows = true;
            let shared = Arc::clone(&self.shared);
            tokio::spawn(async move { shared.stop.clone().run_until_cancelled(shared.follow()).await });
        }
        receiver
    }

    /// Waits until the reader stands in every stream: what happens from here on reaches every listener.
    pub async fn ready(&self) {
        let mut unready = self.shared.unready.subscribe();
        // The sender lives as long as `self`, so this can only end well.
        drop(unready.wait_for(|&readers| readers == 0).await);
    }

    /// Everything behind `after`, for a listener that was away. Subscribe first, then replay, then skip doubles.
    /// Events of one shard come in their order, those of several by the time they carry.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn replay(&self, after: &EventPlace) -> Result<Replay> {
        let shards = &self.shared.shards;
        if after.shards() != usize::from(shards.count()) {
            return Ok(Replay::Gap);
        }
        let missed = shards.each(|store| events_of(store, after.of(store.shard()))).await?;
        let whole: Option<Vec<Vec<Event>>> = missed.into_iter().collect();
        let Some(mut events) = whole.map(|shards| shards.into_iter().flatten().collect::<Vec<_>>()) else {
            return Ok(Replay::Gap);
        };
        if shards.count() > 1 {
            events.sort_by_key(|event| event.at);
        }
        Ok(if events.len() <= REPLAY_MAX { Replay::Events(events) } else { Replay::Gap })
    }

    /// At most `most` events behind a place, for a reader that comes back for more. A place of another number of shards is
    /// as good as the beginning.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn page(&self, after: &EventPlace, most: usize) -> Result<EventPage> {
        let shards = &self.shared.shards;
        let known = after.shards() == usize::from(shards.count());
        let from = if known { after.clone() } else { EventPlace::beginning(shards.count()) };
        let found = shards.each(|store| part_of(store, from.of(store.shard()), most + 1)).await?;
        let gap = !known || found.iter().any(|part| part.gap);
        let mut next = EventPlace::new(found.iter().map(|part| part.from).collect());
        let mut events: Vec<Event> = found.into_iter().flat_map(|part| part.events).collect();
        if shards.count() > 1 {
            events.sort_by_key(|event| event.at);
        }
        let end = events.len() <= most;
        events.truncate(most);
        events.iter().for_each(|event| next.pass(event));
        Ok(EventPage { events, next, end, gap })
    }

    /// The latest event there is, in every shard.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn latest(&self) -> Result<EventPlace> {
        self.shared.shards.latest_events().await
    }

    /// Stops the reader for good.
    pub fn shutdown(&self) {
        self.shared.stop.cancel();
    }
}

/// What a shard's stream has behind a place; `None` when that is not within it.
async fn events_of(store: &Store, after: EventId) -> Result<Option<Vec<Event>>> {
    let part = part_of(store, after, REPLAY_MAX + 1).await?;
    Ok((!part.gap).then_some(part.events))
}

/// What a shard's stream has behind a place.
struct Part {
    events: Vec<Event>,
    /// Whether the place is not within the stream: it is bounded, and after a failover it may end before a place that somebody
    /// has seen.
    gap: bool,
    /// Behind which event this part begins.
    from: EventId,
}

async fn part_of(store: &Store, after: EventId, most: usize) -> Result<Part> {
    let events = store.events_after(after, most).await?;
    // Asked last, so that what is trimmed meanwhile counts as a gap.
    let oldest = store.oldest_event().await?;
    let end = if events.is_empty() { store.latest_event().await? } else { after };
    let reaches_back = after == EventId::ZERO || oldest.is_some_and(|oldest| oldest <= after);
    Ok(Part { events, gap: !reaches_back || end < after, from: end.min(after) })
}

impl Shared {
    fn follows(&self) -> MutexGuard<'_, bool> {
        // A flag is right whatever happened to its holder.
        self.follows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows all streams until nobody listens.
    async fn follow(&self) {
        let groups = self.shards.groups();
        let count = groups.len();
        let mut readers = pin!(join_all(groups.into_iter().map(|group| self.read(group))));
        loop {
            tokio::select! {
                _ = &mut readers => return,
                () = self.sender.closed() => {}
            }
            let mut follows = self.follows();
            // Somebody may have come since.
            if self.sender.receiver_count() == 0 {
                *follows = false;
                self.unready.send_replace(count);
                return;
            }
        }
    }

    /// Reads some streams for ever, from their present ends on.
    async fn read(&self, group: Vec<Store>) {
        let mut reader = loop {
            match StreamReader::at_the_end(group.clone()).await {
                Ok(reader) => break reader,
                Err(_) => tokio::time::sleep(RETRY_DELAY).await,
            }
        };
        self.unready.send_modify(|readers| *readers -= 1);
        loop {
            match reader.next().await {
                Ok(events) => {
                    for event in events {
                        // Without listeners there is nobody to tell.
                        drop(self.sender.send(Arc::new(event)));
                    }
                }
                Err(_) => tokio::time::sleep(RETRY_DELAY).await,
            }
        }
    }
}
