//! The counts of all queues, read once for all streams.

use reprieve::model::{Counts as QueueCounts, QueueName, Timestamp};
use reprieve::{Engine, Error};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Least time between two readings: people read figures no faster.
const PACE: Duration = Duration::from_secs(1);
/// Reads again after this long even if no event came: events are hints, and hints get lost.
const DOUBT: Duration = Duration::from_secs(10);

/// One reading.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Reading {
    queues: BTreeMap<QueueName, QueueCounts>,
    total: QueueCounts,
    at_ms: Timestamp,
}

/// What a stream sees of the counts: the latest reading, `None` before the first.
pub(super) type Readings = watch::Receiver<Option<Arc<Reading>>>;

/// Hands the readings to every stream.
pub(super) struct Counts {
    latest: Arc<watch::Sender<Option<Arc<Reading>>>>,
    opened: Arc<Notify>,
}

impl Counts {
    /// Starts the reader. It rests while nobody listens.
    pub(super) fn start(engine: &Engine, tasks: &TaskTracker, shutdown: CancellationToken) -> Self {
        let latest = Arc::new(watch::Sender::new(None));
        let opened = Arc::new(Notify::new());
        let reader = Reader { engine: engine.clone(), latest: latest.clone(), opened: opened.clone() };
        tasks.spawn(async move { shutdown.run_until_cancelled(reader.run()).await });
        Self { latest, opened }
    }

    /// Listens, and wakes the reader.
    pub(super) fn subscribe(&self) -> Readings {
        let readings = self.latest.subscribe();
        self.opened.notify_one();
        readings
    }
}

struct Reader {
    engine: Engine,
    latest: Arc<watch::Sender<Option<Arc<Reading>>>>,
    opened: Arc<Notify>,
}

impl Reader {
    async fn run(self) {
        loop {
            self.opened.notified().await;
            self.read_while_heard().await;
            // The next subscriber must not be shown what was true a while ago.
            self.latest.send_replace(None);
        }
    }

    async fn read_while_heard(&self) {
        let mut events = self.engine.events().subscribe();
        while self.latest.receiver_count() > 0 {
            // From here on every event counts as news; those before are in the reading.
            events = events.resubscribe();
            match self.read().await {
                Ok(reading) => self.publish(reading),
                // Said once by the engine, which watches Redis; the streams show it by what is missing.
                Err(error) => tracing::debug!(error = %error, "the counts could not be read: {error}"),
            }
            tokio::time::sleep(PACE).await;
            // A closed channel means that the process stops; the rate limit keeps that from spinning.
            drop(tokio::time::timeout(DOUBT, events.recv()).await);
        }
    }

    async fn read(&self) -> Result<Reading, Error> {
        let (counts, at_ms) = self.engine.inspector().counts_by_queue().await?;
        let mut total = QueueCounts::default();
        let mut queues = BTreeMap::new();
        for (queue, counts) in counts {
            total.add(&counts);
            queues.insert(queue, counts);
        }
        Ok(Reading { queues, total, at_ms })
    }

    /// Tells the streams, if anything but the time differs.
    fn publish(&self, reading: Reading) {
        self.latest.send_if_modified(|latest| {
            let same = latest.as_ref().is_some_and(|before| before.queues == reading.queues);
            if !same {
                *latest = Some(Arc::new(reading));
            }
            !same
        });
    }
}
