//! The only place that talks to Redis: one method per Lua script.
//!
//! Low-level: everything here takes what it is given. Limits, policies and
//! wording are the business of [`Client`](crate::Client), [`Worker`](crate::Worker),
//! [`Inspector`](crate::Inspector) and [`Operator`](crate::Operator).

mod accounts;
mod acts;
mod address;
mod adopt;
mod allowance;
mod answers;
mod audit;
mod audit_archive;
mod batches;
mod bulk;
mod bulk_continuation;
mod bulk_shards;
mod bulk_take;
mod call;
mod claimed;
mod client;
mod clock_samples;
mod cluster;
pub(crate) mod codec;
mod complete_and_claim;
mod confirm;
mod connection;
mod cron;
mod cron_home;
mod dry_run;
mod durability;
mod events;
mod examine;
#[cfg(feature = "flaws")]
mod flaw;
mod fleet;
mod forecast;
mod foreign;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzed;
mod holders;
mod home;
mod import;
mod index;
mod intake;
mod intent;
mod journal;
mod library;
pub(crate) mod limits;
mod link;
mod merged;
mod noted;
mod notes;
mod own_connection;
mod people;
mod plans;
mod publish;
mod reads;
mod record;
mod renewal;
pub(crate) mod reply;
mod retention;
mod rights;
mod rules;
mod scan;
mod script;
mod sentinel;
mod sessions;
mod settings;
mod shards;
mod slow;
mod together;
mod tokens;
mod turns;
mod uptime;
mod url;
mod verb;
mod views;
mod wake;
mod watch;
mod work;

pub use accounts::{Mode, PersonChange, PutAs};
pub(crate) use address::{check_address, has_password};
pub use adopt::{Adopted, Adoptee, Arrival, Past, Withdrawn};
pub use bulk::{BulkStep, BulkWord};
pub use claimed::ClaimedJob;
pub use client::TlsFiles;
pub(crate) use clock_samples::ClockSample;
pub use complete_and_claim::CompletedAndClaimed;
pub(crate) use connection::Connections;
pub(crate) use cron::{DueEntry, MetEntry, PutEntry};
pub(crate) use cron_home::{find, place};
pub(crate) use events::StreamReader;
pub use examine::Examination;
pub use foreign::Foreign;
pub(crate) use home::Home;
pub(crate) use index::{IndexLook, IndexPlace};
pub use intent::Intent;
pub use merged::QueueMinute;
pub use notes::{Note, NoteLine, NoteWord};
pub use people::KeptPerson;
pub use plans::PlanVerb;
pub use publish::{Found, Look, Over, PublishOutcome, Target};
pub use reads::Survey;
pub use retention::Surplus;
pub use rights::{acl_keys, acl_recipe};
pub(crate) use rules::REFRESH;
pub(crate) use scan::{Candidate, Scan, Step};
pub use sessions::{CALLED_BY, Guess};
pub(crate) use settings::{NEVER_SET, NOTHING_SET};
pub(crate) use shards::FirstUse;
pub use shards::{BrokenOff, ENQUEUE_BATCH_MAX, Shards};
pub use together::JobsVerb;
pub use tokens::KeptAs;
pub(crate) use url::shown;
pub use url::{is_socket, redact};
pub(crate) use wake::DueReader;
pub use wake::WakeReader;
pub(crate) use watch::{Measured, ServerId, Watched, Watcher, worst_halt};
pub use work::{FailWord, ForwardTick, LeaseWord, Mended, ReleaseWord, SnoozeWord};

use crate::actor::Actor;
use crate::clock::GivenClock;
use crate::error::{self, Error, Result};
use crate::keys::Keys;
use crate::model::{Shard, Timestamp};
use call::Call;
use clock_samples::ClockSamples;
use connection::Proof;
use futures_util::future::BoxFuture;
use journal::Journal;
use library::LIBRARY;
use link::Link;
use own_connection::OwnConnection;
pub(crate) use reply::Reply;
use std::sync::Arc;
use std::time::{Duration, Instant};
use verb::Verb;

/// Layout of the keys. A process that knows another one does not write.
pub(crate) const SCHEMA: &str = "4";
/// For how long a call under an operation id is asked again whose outcome is not known; with the calls themselves it is some
/// fifteen seconds, as long as somebody may wait for an answer.
const ASKED_AGAIN_FOR: Duration = Duration::from_secs(8);
/// How long after one such call the next goes out.
const ASKED_AGAIN_AFTER: Duration = Duration::from_millis(200);

/// One shard of a namespace: one prefix, and the Redis that holds it. Cloning shares its connections.
#[derive(Clone)]
pub struct Store {
    connections: Arc<Connections>,
    shard: Shard,
    /// How many shards the namespace has.
    shards: u16,
    keys: Keys,
    /// The time every script is given; `None` in production, where each asks Redis.
    time: Option<GivenClock>,
    /// Who calls, as scripts are told of it; `None` where no more than a name is known.
    caller: Option<Arc<str>>,
    /// How many replicas are to have a write before it is answered; 0 for none.
    confirm: u32,
    /// What this process holds true of the shard.
    clock_samples: Arc<ClockSamples>,
    /// What this process acknowledged lately.
    journal: Arc<Journal>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("prefix", &self.keys.prefix())
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}

impl Store {
    pub(crate) fn new(connections: Arc<Connections>, shard: Shard, shards: u16, keys: Keys) -> Self {
        let (clock_samples, journal) = (Arc::default(), Arc::default());
        Self {
            connections,
            shard,
            shards,
            keys,
            time: None,
            caller: None,
            confirm: 0,
            clock_samples,
            journal,
        }
    }

    /// Which shard of the namespace this is.
    #[must_use]
    pub const fn shard(&self) -> Shard {
        self.shard
    }

    /// How many shards the namespace has.
    #[must_use]
    pub const fn shards(&self) -> u16 {
        self.shards
    }

    /// The same store with a clock that stands still at `time`. For tests and sandboxes.
    #[must_use]
    pub fn at(&self, time: Timestamp) -> Self {
        self.on_clock(&GivenClock::new(time))
    }

    /// The same store with a clock that somebody moves. For tests and sandboxes.
    pub(crate) fn on_clock(&self, clock: &GivenClock) -> Self {
        Self { time: Some(clock.clone()), ..self.clone() }
    }

    /// The same store, whose entries in the audit say what is known of that actor, where they are in their name.
    pub fn called_by(&self, actor: &Actor) -> Self {
        Self { caller: actor.told(), ..self.clone() }
    }

    /// What of its keys is between their braces, and decides on their slot.
    pub fn tag(&self) -> &str {
        self.keys.tag()
    }

    pub(crate) const fn keys(&self) -> &Keys {
        &self.keys
    }

    pub(crate) const fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// A connection of the caller's own to the Redis of this shard, for commands that block.
    async fn blocking(&self) -> Result<OwnConnection> {
        self.connections.blocking(self.keys.prefix()).await
    }

    /// Runs a command that waits, at most so long, on the connection that a reader keeps: opened anew where there is none or
    /// where it may lead to the wrong server.
    async fn wait<T: redis::FromRedisValue>(
        &self,
        kept: &mut Option<OwnConnection>,
        longest: Duration,
        command: &redis::Cmd,
    ) -> Result<T> {
        if kept.as_ref().is_none_or(|own| !self.connections.is_current(own)) {
            *kept = None;
            *kept = Some(self.blocking().await?);
        }
        self.connections.wait(kept, longest, command).await
    }

    /// `ARGV[1]` of every script: the given time; or nothing for Redis's own, and what is held true of it. Behind it,
    /// who calls.
    fn first_argument(&self) -> String {
        let mut argument = match &self.time {
            Some(clock) => clock.now().as_millis().to_string(),
            None => self.clock_samples.argument(),
        };
        argument.push_str(self.caller.as_deref().unwrap_or_default());
        argument
    }

    fn clock_samples(&self) -> &ClockSamples {
        &self.clock_samples
    }

    /// Holds a look to be true from now on, in all that this process does on the shard, and the clock to go on from where
    /// it was at another look.
    pub(crate) fn learn_clock(&self, look: ClockSample, right: ClockSample) {
        self.clock_samples.learn(look, right);
    }

    /// Says whether this process is to start nothing here: its clock and Redis's are too far apart.
    pub(crate) fn stand_back(&self, is_off: bool) {
        self.clock_samples.stand_back(is_off);
    }

    /// Whether this process starts nothing here.
    pub(crate) fn stands_back(&self) -> bool {
        self.clock_samples.stands_back()
    }

    /// Says whether this process looks at the shard, so that nothing here starts before it knows.
    pub(crate) fn expect_looks(&self, looks: bool) {
        self.clock_samples.expect_looks(looks);
    }

    /// Tells of each outage that ends from now on: whatever answers then may be another server.
    pub(crate) fn recoveries(&self) -> tokio::sync::watch::Receiver<u64> {
        self.connections.recoveries()
    }

    fn journal(&self) -> &Journal {
        &self.journal
    }

    /// A script with its declared key and its time; the caller adds the rest.
    fn call(&self, verb: &'static Verb) -> Call {
        let prefix = self.keys.prefix();
        let mut call = if self.connections.is_cluster() {
            // A script reaches keys that it does not declare. While its slot moves to another node, key by key, it
            // must run on neither; two declared keys, which do not exist, make the nodes say TRYAGAIN until it is over.
            Call::new(verb, &[prefix, &format!("{prefix}whole")])
        } else {
            Call::new(verb, &[prefix])
        };
        call.arg(self.first_argument());
        call
    }

    /// Runs a script that adds to what Redis holds; refused when it is full.
    async fn grow(&self, call: &Call) -> Result<Reply> {
        self.invoke(self.connections.writes(), Proof::Grows, call).await
    }

    /// Runs a script that also works when Redis is full.
    async fn drain(&self, call: &Call) -> Result<Reply> {
        self.invoke(self.connections.writes(), Proof::Drains, call).await
    }

    /// Runs a script for a screen, on a connection that cannot hold up the workers'.
    async fn read(&self, call: &Call) -> Result<Reply> {
        self.invoke(self.connections.reads(), Proof::Reads, call).await
    }

    /// Runs a call; one under an operation id until its outcome is known, for as long as somebody may wait for it.
    async fn invoke(&self, connection: Link, proof: Proof, call: &Call) -> Result<Reply> {
        let mut outcome = self.invoke_once(connection.clone(), proof, call).await;
        let asked = Instant::now();
        while call.is_answered_once()
            && outcome.as_ref().is_err_and(Error::may_be_told_later)
            && asked.elapsed() < ASKED_AGAIN_FOR
        {
            tokio::time::sleep(ASKED_AGAIN_AFTER).await;
            match self.invoke_once(connection.clone(), proof, call).await {
                // This one was not carried out; of the first nothing is known yet.
                Err(Error::Unavailable { .. }) => {}
                known => outcome = known,
            }
        }
        if let Err(Error::OutcomeUnknown { is_once, .. }) = &mut outcome {
            *is_once = call.has_operation();
        }
        outcome
    }

    /// Boxed: the futures of callers are deep enough without it.
    fn invoke_once<'a>(
        &'a self,
        mut connection: Link,
        proof: Proof,
        call: &'a Call,
    ) -> BoxFuture<'a, Result<Reply>> {
        Box::pin(async move {
            if self.confirm > 0 && proof != Proof::Reads {
                return self.invoke_confirmed(proof, call).await;
            }
            let reply = call.invoke(&mut connection, self.connections.loading()).await;
            let reply = self.conclude(proof, reply);
            if self.connections.wants_rights_looked_at() {
                self.look_at_rights();
            }
            reply?.list()
        })
    }

    /// Passes the result of a call on, and keeps in mind since when Redis does not answer.
    fn conclude<T>(&self, proof: Proof, result: redis::RedisResult<T>) -> Result<T> {
        let is_lost = proof != Proof::Reads && result.as_ref().is_err_and(error::is_lost_answer);
        let told = self.connections.note(proof, result).map_err(with_places);
        if is_lost { told.map_err(Error::of_lost_answer) } else { told }
    }

    /// Runs one plain command for a screen.
    async fn ask<T: redis::FromRedisValue>(&self, command: &redis::Cmd) -> Result<T> {
        let reply = command.query_async(&mut self.connections.reads()).await;
        self.connections.note(Proof::Reads, reply)
    }

    /// Runs plain commands for a screen.
    async fn pipeline<T: redis::FromRedisValue>(&self, pipeline: &redis::Pipeline) -> Result<T> {
        let reply = pipeline.query_async(&mut self.connections.reads()).await;
        self.connections.note(Proof::Reads, reply)
    }
}

/// An error that names lines of files, not of the library that they are part of.
fn with_places(error: Error) -> Error {
    match error {
        Error::Unavailable { what } => Error::Unavailable { what: LIBRARY.with_places(&what) },
        Error::Codec { what } => Error::Codec { what: LIBRARY.with_places(&what) },
        other => other,
    }
}

/// The words of a script that answers one word a job.
fn words<T: std::str::FromStr>(reply: Reply) -> Result<Vec<T>> {
    reply.map(|item| word(&item.text()?)).collect()
}

/// The type a word stands for; an unknown word is an error.
fn word<T: std::str::FromStr>(text: &str) -> Result<T> {
    text.parse().map_err(|_| unknown_word("a script", text))
}

/// A script answered what its header does not name.
fn unknown_word(script: &str, word: &str) -> Error {
    Error::codec(format!("{script} replied with the unknown word {word:?}"))
}
