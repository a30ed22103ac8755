//! The live events of a namespace: one reader a process, any number of listeners.

use crate::error::Result;
use crate::model::{Event, EventId};
use crate::store::{Store, StreamReader};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

/// Events a slow listener may fall behind before it is told so and starts afresh.
const BROADCAST_CAPACITY: usize = 1_024;
/// Most events one replay carries; beyond it a snapshot is cheaper.
const REPLAY_MAX: usize = 1_000;
/// Wait between attempts while Redis is away.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// What happened since a place in the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replay {
    /// Everything, oldest first.
    Events(Vec<Event>),
    /// The stream no longer reaches back that far, or it is too much: start from a snapshot.
    Gap,
}

/// Follows the event stream. Events are hints: whoever misses them reads Redis and is right again.
#[derive(Debug, Clone)]
pub struct EventTail {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    store: Store,
    sender: broadcast::Sender<Arc<Event>>,
    /// Where reading began; `None` until it has.
    began: watch::Sender<Option<EventId>>,
    started: Mutex<bool>,
    stop: CancellationToken,
}

impl EventTail {
    pub(crate) fn new(store: Store) -> Self {
        let (sender, _) = broadcast::channel(BROADCAST_CAPACITY);
        let (began, _) = watch::channel(None);
        let stop = CancellationToken::new();
        Self { shared: Arc::new(Shared { store, sender, began, started: Mutex::new(false), stop }) }
    }

    /// Listens from now on. The first listener starts the reader; must be called inside a tokio runtime.
    ///
    /// A listener that falls 1,024 events behind is told by `RecvError::Lagged`.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Event>> {
        let receiver = self.shared.sender.subscribe();
        if let Ok(mut started) = self.shared.started.lock()
            && !*started
        {
            *started = true;
            tokio::spawn(follow(Arc::clone(&self.shared)));
        }
        receiver
    }

    /// Waits until the reader stands in the stream: what happens from here on reaches every listener.
    pub async fn ready(&self) {
        let mut began = self.shared.began.subscribe();
        // The sender lives as long as `self`, so this can only end well.
        drop(began.wait_for(Option::is_some).await);
    }

    /// Everything behind `after`, for a listener that was away. Subscribe first, then replay, then skip doubles.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn replay(&self, after: EventId) -> Result<Replay> {
        let store = &self.shared.store;
        let events = store.events_after(after, REPLAY_MAX + 1).await?;
        // Asked last, so that what is trimmed meanwhile counts as a gap.
        let oldest = store.oldest_event().await?;
        let reaches_back = after == EventId::ZERO || oldest.is_some_and(|oldest| oldest <= after);
        let whole = reaches_back && events.len() <= REPLAY_MAX;
        Ok(if whole { Replay::Events(events) } else { Replay::Gap })
    }

    /// The latest event there is.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn latest(&self) -> Result<EventId> {
        self.shared.store.latest_event().await
    }

    /// Stops the reader for good.
    pub fn shutdown(&self) {
        self.shared.stop.cancel();
    }
}

async fn follow(shared: Arc<Shared>) {
    let stop = shared.stop.clone();
    stop.run_until_cancelled(async move {
        let mut reader = loop {
            match shared.store.latest_event().await {
                Ok(at) => {
                    shared.began.send_replace(Some(at));
                    break StreamReader::new(shared.store.clone(), at);
                }
                Err(_) => tokio::time::sleep(RETRY_DELAY).await,
            }
        };
        loop {
            match reader.next().await {
                Ok(events) => {
                    for event in events {
                        // Without listeners there is nobody to tell.
                        drop(shared.sender.send(Arc::new(event)));
                    }
                }
                Err(_) => tokio::time::sleep(RETRY_DELAY).await,
            }
        }
    })
    .await;
}
