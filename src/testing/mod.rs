//! For tests: one private redis-server a test binary, a namespace in a database of its own a test.
//!
//! [`Sandbox`] is for programs that use Reprieve, and what `docs/how-to/testing.md` is about. [`TestRedis`] is for Reprieve's
//! own tests: it gives the stores beneath the engine.

pub mod cluster;
mod expected;
mod least_rights;
mod sandbox;
mod server;
mod soundness;

pub use crate::clock::GivenClock;
pub use expected::Expected;
pub use sandbox::Sandbox;
pub use server::{RedisServer, Snapshot, snapshot};
pub use soundness::{breaches, breaches_beside_events, in_no_set};

use crate::engine::{Engine, EngineConfig};
use crate::error::Error;
use crate::inspector::{Inspector, Operator};
use crate::model::{Namespace, Timestamp};
use crate::record;
use crate::settings::KnownSettings;
use crate::store::{Shards, Store};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long a busy machine may take to answer one command of a test.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Databases of the Redis of a test binary: a test looks at all keys of its own often, and would walk past those of all
/// others. More tests than that share them.
const DATABASES: u32 = 4_096;

static SERVER: OnceLock<RedisServer> = OnceLock::new();
static NAMESPACES: AtomicU32 = AtomicU32::new(0);

/// The address of a database of the shared server.
#[expect(clippy::expect_used, reason = "a test without its Redis can only fail")]
fn fresh_database() -> String {
    static USED: AtomicU32 = AtomicU32::new(0);
    let options = ["--save", "", "--appendonly", "no", "--databases", &DATABASES.to_string()];
    let server = SERVER.get_or_init(|| RedisServer::start_with(&options).expect("redis-server starts"));
    format!("{}?db={}", server.url(), USED.fetch_add(1, Ordering::Relaxed) % DATABASES)
}

/// Connects, and tries again for as long as a busy machine may take.
async fn connected(config: EngineConfig) -> crate::Result<Engine> {
    let began = Instant::now();
    loop {
        match Engine::connect(config.clone()).await {
            Err(Error::Unavailable { .. }) if began.elapsed() < TIMEOUT => {}
            answer => return answer,
        }
    }
}

/// A namespace of its own on the test binary's Redis. On a failed test it prints what is in there.
#[derive(Debug)]
pub struct TestRedis {
    url: String,
    engine: Engine,
    store: Store,
    namespace: Namespace,
    /// Whether the engine is a user with the least rights; plain commands never are.
    confined: bool,
}

impl TestRedis {
    /// A fresh namespace on the shared server.
    ///
    /// # Panics
    /// When no redis-server can be started: tests need one on the PATH.
    pub async fn namespace() -> Self {
        Self::connect(EngineConfig::new(fresh_database()).namespace(fresh_name()), &[]).await
    }

    /// A fresh namespace on the shared server, whose user has these rights besides when the tests run under the least
    /// rights, such as to foreign keys; `@` in them stands for the namespace.
    ///
    /// # Panics
    /// As [`namespace`](Self::namespace).
    pub async fn beside(shards: u16, rights: &[&str]) -> Self {
        Self::connect(EngineConfig::new(fresh_database()).namespace(fresh_name()).shards(shards), rights)
            .await
    }

    /// A fresh namespace of that many shards on the shared server.
    ///
    /// # Panics
    /// As [`namespace`](Self::namespace).
    pub async fn with_shards(shards: u16) -> Self {
        Self::connect(EngineConfig::new(fresh_database()).namespace(fresh_name()).shards(shards), &[]).await
    }

    /// A namespace on another server.
    ///
    /// # Panics
    /// When it does not answer.
    pub async fn on(url: &str, namespace: Namespace) -> Self {
        Self::on_beside(url, namespace, &[]).await
    }

    /// A namespace on another server, with these rights besides.
    ///
    /// # Panics
    /// When it does not answer.
    pub async fn on_beside(url: &str, namespace: Namespace, rights: &[&str]) -> Self {
        Self::connect(EngineConfig::new(url).namespace(namespace), rights).await
    }

    #[expect(clippy::expect_used, reason = "a test without its Redis can only fail")]
    async fn connect(config: EngineConfig, rights: &[&str]) -> Self {
        let (url, namespace) = (config.url.clone(), config.namespace.clone());
        let besides: Vec<String> =
            rights.iter().map(|right| right.replace('@', namespace.as_str())).collect();
        let own = least_rights::apply(config.clone(), &besides).expect("redis-server makes a user");
        let confined = own.is_some();
        let engine = connected(own.unwrap_or(config)).await.expect("redis-server answers");
        let store = engine.shards().first().clone();
        Self { url, engine, store, namespace, confined }
    }

    /// The engine of this namespace.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Its shards.
    #[must_use]
    pub const fn shards(&self) -> &Shards {
        self.engine.shards()
    }

    /// The store of its first shard, for tests of single transitions.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// Acts for somebody at that time.
    #[must_use]
    pub fn operator_at(&self, time: Timestamp, actor: &str) -> Operator {
        Operator::new(self.shards().at(time), actor.to_owned(), KnownSettings::new(self.shards().clone()))
    }

    /// Reads at that time.
    #[must_use]
    pub fn inspector_at(&self, time: Timestamp) -> Inspector {
        Inspector::new(self.shards().at(time), 0, KnownSettings::new(self.shards().clone()))
    }

    /// One look of the duty that fires cron entries, at that time. `true` when another has to follow at once.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn fire_cron_at(&self, time: Timestamp) -> crate::Result<bool> {
        let mut again = false;
        for store in self.shards().at(time).all() {
            again |= crate::maintenance::fire_cron(store).await?;
        }
        Ok(again)
    }

    /// Rounds of the duty that keeps the index of fields of payloads, until it has entered what there is.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn index(&self) -> crate::Result<()> {
        self.index_while(async |more| more).await
    }

    /// Rounds of that duty, in one process, as long as `goes_on` says so. It is told after each round whether there is more
    /// to do.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn index_while(&self, mut goes_on: impl AsyncFnMut(bool) -> bool) -> crate::Result<()> {
        let settings = KnownSettings::new(self.shards().clone());
        let first = self.shards().first();
        let of_shard = |store: &Store| {
            crate::maintenance::Indexer::new(store.clone(), first.clone(), settings.clone(), "tests".into())
        };
        let indexers: Vec<_> = self.shards().all().iter().map(of_shard).collect();
        loop {
            let mut more = false;
            for indexer in &indexers {
                more |= indexer.round().await? == crate::maintenance::Round::GoOn;
            }
            if !goes_on(more).await {
                return Ok(());
            }
        }
    }

    /// Writes down how it stands, at that time; `false` when somebody has in that minute.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn record_at(&self, time: Timestamp) -> crate::Result<bool> {
        let mut written = false;
        for store in self.shards().at(time).all() {
            written |= store.record().await?;
        }
        Ok(written)
    }

    /// Adds up the hours that have ended by that time.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn sum_hours_at(&self, time: Timestamp) -> crate::Result<()> {
        for store in self.shards().at(time).all() {
            store.sum_hours(0).await?;
        }
        Ok(())
    }

    /// Says again what stops jobs, as if Redis had come back from somewhere. Returns how many jobs needed it.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn say_again(&self) -> crate::Result<u64> {
        Ok(self.store.reassert(true).await?.again)
    }

    /// Says again what lets jobs go, as is done behind that. Returns how many jobs needed it.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn let_go_again(&self) -> crate::Result<u64> {
        Ok(self.store.reassert(false).await?.again)
    }

    /// Where the server is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Which namespace.
    #[must_use]
    pub const fn name(&self) -> &Namespace {
        &self.namespace
    }

    /// What every key of the first shard begins with; that of all keys when there is one.
    #[must_use]
    pub fn prefix(&self) -> String {
        self.store.keys().prefix().to_owned()
    }

    /// Sends a plain command, for damage and for looks that no script offers.
    ///
    /// # Errors
    /// What Redis says.
    pub async fn command(&self, words: &[&str]) -> redis::RedisResult<redis::Value> {
        let mut command = redis::cmd(words.first().copied().unwrap_or_default());
        for word in words.iter().skip(1) {
            command.arg(*word);
        }
        if self.confined {
            let client = redis::Client::open(self.url.as_str())?;
            // By itself it waits half a second.
            let patient = redis::AsyncConnectionConfig::new()
                .set_connection_timeout(Some(TIMEOUT))
                .set_response_timeout(Some(TIMEOUT));
            let mut connection = client.get_multiplexed_async_connection_with_config(&patient).await?;
            return command.query_async(&mut connection).await;
        }
        command.query_async(&mut self.store.connections().writes()).await
    }

    /// Gives a field of a job another value, past every check.
    ///
    /// # Panics
    /// When there is no such job.
    #[expect(clippy::expect_used, reason = "a test without its Redis can only fail")]
    pub async fn damage(&self, id: &str, field: &str, value: &str) {
        let key = format!("{}job:{id}", self.prefix());
        let reply = self.command(&["GET", &key]).await.expect("redis answers");
        let text: Vec<u8> = redis::from_redis_value(reply).expect("a record is text");
        let damaged = record::with(&text, field, value).expect("a record reads");
        let damaged = String::from_utf8(damaged).expect("the payload of a test is text");
        self.command(&["SET", &key, &damaged]).await.expect("redis answers");
    }

    /// Everything in the namespace, as text: key without prefix → an element a line. Entries of streams come
    /// without their ids.
    ///
    /// # Panics
    /// When Redis does not answer.
    #[expect(clippy::expect_used, reason = "a test without its Redis can only fail")]
    pub async fn snapshot(&self) -> Snapshot {
        let url = self.url.clone();
        let prefix = self.prefix();
        tokio::task::spawn_blocking(move || snapshot(&url, &prefix))
            .await
            .expect("snapshot runs")
            .expect("redis answers")
    }
}

#[expect(clippy::expect_used, reason = "a test without its Redis can only fail")]
fn fresh_name() -> Namespace {
    let number = NAMESPACES.fetch_add(1, Ordering::Relaxed);
    Namespace::new(format!("test{number}")).expect("a number makes a name")
}

impl Drop for TestRedis {
    fn drop(&mut self) {
        if self.confined && !std::thread::panicking() {
            let denied = least_rights::denied(&self.url, &self.namespace);
            assert!(denied.is_empty(), "the recipe for a Redis user lacks {denied:?}");
        }
        if std::thread::panicking() {
            match snapshot(&self.url, &self.prefix()) {
                Ok(keys) => eprintln!("namespace {} holds {keys:#?}", self.namespace),
                Err(error) => eprintln!("namespace {} cannot be read: {error}", self.namespace),
            }
        }
    }
}
