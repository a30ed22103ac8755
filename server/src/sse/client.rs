//! One open stream: what it is sent, and when it is given up.

use super::Resume;
use axum::response::sse::Event as Message;
use rand::Rng;
use reprieve::model::{Event, EventPlace, QueueName};
use reprieve::{Engine, EventTail, Replay};
use reprieve_access::Principal;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until, timeout};

/// How long events wait for company, so that a burst is one message.
const GATHER: Duration = Duration::from_millis(100);
/// Events of one message. In a burst beyond this a page is better off reading once than hearing of each.
const GATHER_MAX: usize = 200;
/// How long a burst is gathered before it is told as one `reset`.
const BURST: Duration = Duration::from_millis(500);
/// Silence after which a heartbeat is sent: a page is called live while it hears from the server, and one that hears nothing
/// knows that its stream is dead although nobody has closed it.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// How long a client may leave a message lying before it is given up.
const BLOCKED: Duration = Duration::from_secs(30);
/// When a browser that lost us comes back: spread, so that a restart is no storm. One whose own network was away asks as
/// soon as that is back.
const RETRY_MS: std::ops::RangeInclusive<u64> = 2_000..=10_000;

/// A time to come back after, different for every client.
pub(super) fn retry() -> Duration {
    Duration::from_millis(rand::rng().random_range(RETRY_MS))
}

/// One open stream.
pub(super) struct Client {
    engine: Engine,
    build: String,
    tail: EventTail,
    messages: mpsc::Sender<Result<Message, Infallible>>,
    /// The last events the client knows of.
    place: EventPlace,
    /// Of which queues it hears; empty for all.
    queues: Vec<QueueName>,
    /// Who has opened it, and what is theirs, in the word that pages have.
    who: String,
    /// When something was sent last.
    sent: Instant,
}

/// The stream is over: the client went away, or does not read.
struct Gone;

impl Client {
    pub(super) fn new(
        engine: &Engine,
        build: &str,
        messages: mpsc::Sender<Result<Message, Infallible>>,
    ) -> Self {
        let (tail, place) = (engine.events(), EventPlace::beginning(engine.shard_count()));
        let (queues, sent) = (Vec::new(), Instant::now());
        Self {
            engine: engine.clone(),
            build: build.to_owned(),
            tail,
            messages,
            place,
            queues,
            who: String::new(),
            sent,
        }
    }

    /// Opened by them: only what happens in their queues, where they are bound to some.
    pub(super) fn opened_by(mut self, principal: &Principal) -> Self {
        self.queues.clone_from(&principal.queues);
        self.who = principal.who();
        self
    }

    /// Sends until the client is gone.
    pub(super) async fn run(mut self, resume: Resume) {
        // Subscribed before anything is read, so that nothing falls between.
        let events = self.tail.subscribe();
        self.tail.ready().await;
        if let Ok(replayed) = self.begin(resume).await {
            let Err(Gone) = self.follow(events, &replayed).await;
        }
    }

    /// Says hello and fills the gap. Returns what the client was sent by that.
    async fn begin(&mut self, resume: Resume) -> Result<EventPlace, Gone> {
        let nothing = EventPlace::beginning(self.engine.shard_count());
        // Without Redis the stream still opens: the page learns from it that the server is there.
        let latest = self.tail.latest().await.ok();
        let hello = self.hello().await;
        let Resume::Behind(after) = resume else {
            let hello = match latest.clone() {
                Some(latest) => {
                    let hello = hello.id(latest.to_string());
                    self.place = latest;
                    hello
                }
                None => hello,
            };
            self.send(hello).await?;
            if resume == Resume::Unknown {
                self.reset("the place in Last-Event-ID is unknown", latest).await?;
            }
            return Ok(nothing);
        };
        self.send(hello).await?;
        match self.tail.replay(&after).await {
            Ok(Replay::Events(missed)) => {
                self.place = after;
                let missed: Vec<Arc<Event>> = missed.into_iter().map(Arc::new).collect();
                for events in missed.chunks(GATHER_MAX) {
                    self.jobs(events).await?;
                }
                Ok(self.place.clone())
            }
            _ => {
                self.reset("some events since then are no longer available", latest.clone()).await?;
                Ok(latest.unwrap_or(nothing))
            }
        }
    }

    /// Sends what happens from now on, but for what was replayed.
    async fn follow(
        &mut self,
        mut events: broadcast::Receiver<Arc<Event>>,
        replayed: &EventPlace,
    ) -> Result<Infallible, Gone> {
        loop {
            // What others see and this one does not is silence to it.
            let heartbeat = self.sent + HEARTBEAT;
            tokio::select! {
                event = events.recv() => match event {
                    Ok(event) if replayed.includes(&event) => continue,
                    Ok(event) => self.gather(event, &mut events).await?,
                    Err(RecvError::Lagged(_)) => self.lagged(&mut events).await?,
                    Err(RecvError::Closed) => return Err(Gone),
                },
                () = sleep_until(heartbeat) => self.heartbeat().await?,
                () = self.messages.closed() => return Err(Gone),
            }
        }
    }

    /// Waits a moment for more events and sends them together.
    async fn gather(
        &mut self,
        first: Arc<Event>,
        events: &mut broadcast::Receiver<Arc<Event>>,
    ) -> Result<(), Gone> {
        let began = Instant::now();
        let mut place = self.place.clone();
        place.pass(&first);
        // Shared with every other stream, which all hold the same: copies of a burst would be as many as there are tabs.
        let mut gathered = if self.sees(&first) { vec![first] } else { Vec::new() };
        let mut burst = false;
        loop {
            let until = began + if burst { BURST } else { GATHER };
            let next = tokio::time::timeout_at(until, events.recv()).await;
            match next {
                Err(_) | Ok(Err(RecvError::Closed)) => break,
                Ok(Err(RecvError::Lagged(_))) => return self.lagged(events).await,
                Ok(Ok(event)) => {
                    place.pass(&event);
                    if !self.sees(&event) {
                        continue;
                    }
                    burst = burst || gathered.len() >= GATHER_MAX;
                    if burst {
                        gathered = Vec::new();
                    } else {
                        gathered.push(event);
                    }
                }
            }
        }
        if burst {
            self.reset("more happened than is worth telling one by one", Some(place)).await
        } else {
            self.place = place;
            self.jobs(&gathered).await
        }
    }

    /// Whether a job's queue is one of theirs.
    fn sees(&self, event: &Event) -> bool {
        self.queues.is_empty() || self.queues.contains(&event.queue)
    }

    /// Says that the stream lives, where it is by now, and whether Redis is away: nothing is heard of jobs then.
    async fn heartbeat(&mut self) -> Result<(), Gone> {
        // Pages do not see comments, nor messages without data.
        let data = if self.engine.outage().is_some() { r#"{"away":true}"# } else { "{}" };
        let message = Message::default().event("heartbeat").data(data);
        let is_known = self.place != EventPlace::beginning(self.engine.shard_count());
        let message = if is_known { message.id(self.place.to_string()) } else { message };
        self.send(message).await
    }

    /// We were too slow for the tail: go on from its present end.
    async fn lagged(&mut self, events: &mut broadcast::Receiver<Arc<Event>>) -> Result<(), Gone> {
        *events = events.resubscribe();
        let latest = self.tail.latest().await.ok();
        self.reset("this stream was too slow and lost events", latest).await
    }

    async fn hello(&self) -> Message {
        // Without Redis's clock the page goes by this machine's.
        let here_ms = || jiff::Timestamp::now().as_millisecond();
        let now_ms =
            self.engine.now().await.map_or_else(|_| here_ms(), reprieve::model::Timestamp::as_millis);
        let data = json!({ "now_ms": now_ms, "build": self.build, "who": self.who });
        Message::default().event("hello").retry(retry()).data(data.to_string())
    }

    async fn jobs(&mut self, events: &[Arc<Event>]) -> Result<(), Gone> {
        for event in events {
            self.place.pass(event);
        }
        let seen: Vec<&Event> = events.iter().map(Arc::as_ref).filter(|event| self.sees(event)).collect();
        if seen.is_empty() {
            return Ok(());
        }
        match Message::default().event("jobs").id(self.place.to_string()).json_data(seen) {
            Ok(message) => self.send(message).await,
            Err(error) => {
                tracing::error!(error = %error, "events could not be written as JSON: {error}");
                self.reset("events could not be written", Some(self.place.clone())).await
            }
        }
    }

    async fn reset(&mut self, why: &str, place: Option<EventPlace>) -> Result<(), Gone> {
        let mut message = Message::default().event("reset").data(json!({ "reason": why }).to_string());
        if let Some(place) = place {
            message = message.id(place.to_string());
            self.place = place;
        }
        self.send(message).await
    }

    async fn send(&mut self, message: Message) -> Result<(), Gone> {
        self.sent = Instant::now();
        match timeout(BLOCKED, self.messages.send(Ok(message))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Gone),
            Err(_) => {
                tracing::info!(
                    "a live stream was given up: its client has not read for {} s",
                    BLOCKED.as_secs()
                );
                Err(Gone)
            }
        }
    }
}
