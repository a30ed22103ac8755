//! One Reprieve in a process: connections, and the services that share them.

use crate::actor::Actor;
use crate::answers::Answers;
use crate::client::Client;
use crate::error::{Error, Result};
use crate::events::EventTail;
use crate::gather::Gathers;
use crate::inspector::{Inspector, Operator};
use crate::maintenance::Maintenance;
use crate::model::{Delay, HaltReason, Namespace, RedisHealth, Settings, Timestamp};
use crate::outage::Outage;
use crate::settings::KnownSettings;
use crate::store::SCHEMA;
use crate::store::{Connections, Examination, FirstUse, Shards, Store, TlsFiles, redact, shown};
use crate::worker::{Claimant, Roster, WorkerBuilder};
use std::sync::Arc;

/// Where a namespace says what it was made for, in its `meta`.
const PURPOSE: &str = "purpose";

/// Who sets what a process is configured with, in the audit.
const CONFIGURED_BY: &str = "configuration";

/// Where the engine finds its Redis, and its rules.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineConfig {
    /// `redis://host:port/database`, `unix:///path`, `redis+cluster://host:port,host:port` or
    /// `redis+sentinel://host:port,host:port/master/database`, user and password included; `rediss…` speaks TLS. In user and
    /// password `#`, `/`, `?` and `%` are percent-encoded. Sentinels that want a login are sent that of the master, or
    /// their own: `…/master?sentinel_user=…&sentinel_password=…`.
    pub url: String,
    /// Which Reprieve on that Redis.
    pub namespace: Namespace,
    /// How long ended jobs are kept: what is named here is written into the namespace at the start.
    pub retention: Retention,
    /// How many shards the namespace has, 1 to 256: each is a part of it with keys of its own, which a Cluster can
    /// keep on another machine. Fixed when the namespace is first used.
    pub shards: u16,
    /// Who is trusted to sign for a server that is reached by `rediss://`: certificates in PEM, instead of the
    /// authorities that come with the program. `None` for those.
    pub ca: Option<Vec<u8>>,
    /// What this process shows of itself to a server that wants client certificates (`tls-auth-clients yes`): a certificate
    /// in PEM, and the key to it.
    pub client_certificate: Option<(Vec<u8>, Vec<u8>)>,
    /// How many replicas are to have what a person does before it is answered; 0 for none. Answers say how many had
    /// it, see [`Standing::replicas`](crate::model::Standing::replicas).
    pub confirm_replicas: u32,
}

impl EngineConfig {
    /// The default namespace of that Redis, with the rules that stand there.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            namespace: Namespace::default(),
            retention: Retention::default(),
            shards: 1,
            ca: None,
            client_certificate: None,
            confirm_replicas: 0,
        }
    }

    /// Whether this can be the address of a Redis, without connecting to it.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) says what is wrong with the address or the certificates, without the
    /// password.
    pub fn check(&self) -> Result<()> {
        crate::store::check_address(&self.url, &self.tls())
    }

    /// Whether the address holds a password.
    #[must_use]
    pub fn has_password(&self) -> bool {
        crate::store::has_password(&self.url)
    }

    /// The address for people: without user and password.
    #[must_use]
    pub fn place(&self) -> String {
        shown(&self.url)
    }

    fn tls(&self) -> TlsFiles {
        TlsFiles { authorities: self.ca.clone(), client: self.client_certificate.clone() }
    }

    /// Another namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: Namespace) -> Self {
        self.namespace = namespace;
        self
    }

    /// Trusting only who is signed for by one of these certificates, in PEM.
    #[must_use]
    pub fn ca(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.ca = Some(pem.into());
        self
    }

    /// Showing this certificate to a server that wants one; both in PEM.
    #[must_use]
    pub fn client_certificate(mut self, certificate: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        self.client_certificate = Some((certificate.into(), key.into()));
        self
    }

    /// With what people do confirmed by that many replicas.
    #[must_use]
    pub const fn confirm_replicas(mut self, replicas: u32) -> Self {
        self.confirm_replicas = replicas;
        self
    }

    /// In that many shards, 1 to 256.
    #[must_use]
    pub const fn shards(mut self, shards: u16) -> Self {
        self.shards = shards;
        self
    }

    /// With these times to keep ended jobs; those it does not name stay as they are.
    #[must_use]
    pub const fn retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// Leaves the namespace's rules as they are: for tools that come and go beside the processes that own them.
    #[must_use]
    pub fn keep_rules(mut self) -> Self {
        self.retention = Retention::default();
        self
    }
}

impl std::fmt::Debug for EngineConfig {
    /// Without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineConfig")
            .field("url", &redact(&self.url))
            .field("namespace", &self.namespace)
            .field("retention", &self.retention)
            .field("shards", &self.shards)
            .field("ca", &self.ca.is_some())
            .field("client_certificate", &self.client_certificate.is_some())
            .field("confirm_replicas", &self.confirm_replicas)
            .finish()
    }
}

/// How long a program has ended jobs kept, unless their queue or the job itself says otherwise. What is `None` stays as
/// people have set it: where nobody has, a week, a month, three months, and a day to change one's mind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// Done jobs.
    pub done: Option<Delay>,
    /// Cancelled jobs; at least until their due time and the undo window are over.
    pub cancelled: Option<Delay>,
    /// Dead jobs.
    pub dead: Option<Delay>,
    /// How long after its due time a cancelled job can still be put back.
    pub undo_window: Option<Delay>,
}

impl Retention {
    /// What it names, in the words of `lua/functions/queues/set_retention.lua`.
    fn named(self) -> Vec<(&'static str, Delay)> {
        let times = [
            ("done", self.done),
            ("cancelled", self.cancelled),
            ("dead", self.dead),
            ("undo_window", self.undo_window),
        ];
        times.into_iter().filter_map(|(of, kept)| Some((of, kept?))).collect()
    }
}

/// One Reprieve in a process. Cloning is cheap and shares everything.
#[derive(Debug, Clone)]
pub struct Engine {
    shards: Shards,
    namespace: Namespace,
    events: EventTail,
    gathers: Gathers,
    confirm_replicas: u32,
    settings: KnownSettings,
    /// Who claims by calls of their own.
    claimants: Roster,
}

impl Engine {
    /// Connects, and checks that this Redis is one to entrust jobs to. The connections live in the tokio runtime this is
    /// called in, which has to outlive the engine.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) for a Redis before 7.0, one that would throw jobs away when full, one
    /// without `FUNCTION`, or without `WAIT` where writes are to be confirmed, one whose data another version of Reprieve
    /// owns, or a namespace with another number of shards; [`Error::Unavailable`](crate::Error::Unavailable) when it does
    /// not answer: try again.
    pub async fn connect(config: EngineConfig) -> Result<Self> {
        let connections = Connections::open(&config.url, config.tls())?;
        connections.check(config.confirm_replicas).await?;
        Self::on(&connections, config, FirstUse::Founds).await
    }

    /// The same for who only looks: a namespace that nobody has used yet stays so, and is shown as an empty one. No
    /// times to keep ended jobs are written.
    ///
    /// # Errors
    /// As for [`connect`](Self::connect).
    pub async fn visit(config: EngineConfig) -> Result<Self> {
        let connections = Connections::open(&config.url, config.tls())?;
        connections.check(config.confirm_replicas).await?;
        Self::on(&connections, config.keep_rules(), FirstUse::Passes).await
    }

    /// Another namespace on the same Redis, over the same connections; the address in `config` is not looked at.
    ///
    /// # Errors
    /// As for [`connect`](Self::connect).
    pub async fn beside(&self, config: EngineConfig) -> Result<Self> {
        Self::on(self.shards.first().connections(), config, FirstUse::Founds).await
    }

    async fn on(connections: &Arc<Connections>, config: EngineConfig, first: FirstUse) -> Result<Self> {
        let shards = Shards::open(connections, &config.namespace, config.shards)?;
        shards.settle(&config.namespace, SCHEMA, first).await?;
        let (events, gathers) = (EventTail::new(shards.clone()), Gathers::new(&shards));
        let engine = Self {
            settings: KnownSettings::new(shards.clone()),
            events,
            gathers,
            claimants: Roster::default(),
            shards,
            namespace: config.namespace,
            confirm_replicas: config.confirm_replicas,
        };
        match engine.configure_retention(config.retention).await {
            // Its jobs can be ended all the same, and only that makes room.
            Err(Error::StorageFull) => {
                tracing::warn!(
                    "redis is full: how long ended jobs are kept stays as it is until the next start"
                );
            }
            configured => configured?,
        }
        Ok(engine)
    }

    /// Has ended jobs kept for these times from now on; those it does not name stay as they are. Nothing is written of
    /// what stands there already. [`connect`](Self::connect) does it with those of its configuration.
    ///
    /// # Errors
    /// [`Error::Unavailable`] and [`Error::StorageFull`]: try again later.
    pub async fn configure_retention(&self, retention: Retention) -> Result<()> {
        let named = retention.named();
        if !named.is_empty() {
            // Boxed: what connects is part of many futures, and rarely has anything to write.
            self.shards.each(|store| Box::pin(store.configure_retention(CONFIGURED_BY, &named))).await?;
        }
        Ok(())
    }

    /// Adds jobs and calls them off, for services.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(self.shards.clone(), self.gathers.clone())
    }

    /// Reads, for screens.
    #[must_use]
    pub fn inspector(&self) -> Inspector {
        Inspector::new(self.shards.clone(), self.confirm_replicas, self.settings.clone())
    }

    /// Acts for a person, whose name goes into every event and audit entry. Of an [`Actor`] the audit also has the
    /// rest.
    #[must_use]
    pub fn operator(&self, actor: impl Into<Actor>) -> Operator {
        let actor = actor.into();
        let shards = self.shards.confirming(self.confirm_replicas).called_by(&actor);
        Operator::new(shards, actor.name, self.settings.clone())
    }

    /// What people set for the namespace, at most two seconds old.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn settings(&self) -> Result<Arc<Settings>> {
        self.settings.get().await
    }

    /// The same as it was last read; the defaults before the first time.
    #[must_use]
    pub fn latest_settings(&self) -> Arc<Settings> {
        self.settings.latest()
    }

    /// Keeps first answers, for callers that repeat a request.
    #[must_use]
    pub fn answers(&self) -> Answers {
        Answers::new(self.shards.first().clone())
    }

    /// Looks at a Redis without deciding whether it will do, for a doctor.
    ///
    /// # Errors
    /// [`Error::Refused`](crate::Error::Refused) for a URL that names no Redis;
    /// [`Error::Unavailable`](crate::Error::Unavailable) when it does not answer.
    pub async fn examine(config: &EngineConfig) -> Result<Examination> {
        let connections = Connections::open(&config.url, config.tls())?;
        Shards::open(&connections, &config.namespace, config.shards)?.examine(SCHEMA).await
    }

    /// The live events of the namespace; one reader a process, started by the first subscriber.
    #[must_use]
    pub fn events(&self) -> EventTail {
        self.events.clone()
    }

    /// Builds a worker.
    pub fn worker(&self) -> WorkerBuilder {
        WorkerBuilder::new(self.shards.clone())
    }

    /// A worker elsewhere, which claims and reports by calls of its own, under that name.
    #[must_use]
    pub fn claimant(&self, name: impl Into<String>) -> Claimant {
        Claimant::new(self.shards.clone(), self.claimants.clone(), name.into())
    }

    /// The duties that keep jobs moving: forwarder, recoverer, janitor. Any number of processes may run them.
    #[must_use]
    pub fn maintenance(&self) -> Maintenance {
        Maintenance::new(self.shards.clone(), self.inspector())
    }

    /// How many shards the namespace has.
    #[must_use]
    pub fn shard_count(&self) -> u16 {
        self.shards.count()
    }

    /// The same engine with a clock that stands still at `time`: nothing is due before it, whatever Redis's clock says.
    /// Blocking waits and the live events go by real time all the same.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn at(&self, time: Timestamp) -> Self {
        self.on_clock(&crate::clock::GivenClock::new(time))
    }

    /// The same engine with a clock that the caller moves; see [`testing::Sandbox`](crate::testing::Sandbox).
    #[cfg(feature = "testing")]
    #[must_use]
    pub(crate) fn on_clock(&self, clock: &crate::clock::GivenClock) -> Self {
        let shards = self.shards.on_clock(clock);
        Self { gathers: Gathers::new(&shards), claimants: Roster::default(), shards, ..self.clone() }
    }

    /// What people set, as it is known here.
    pub(crate) const fn known_settings(&self) -> &KnownSettings {
        &self.settings
    }

    /// The stores beneath everything.
    pub(crate) const fn shards(&self) -> &Shards {
        &self.shards
    }

    /// Which Reprieve on this Redis.
    #[must_use]
    pub const fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// What the namespace was made for; `None` where nobody has said so.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn purpose(&self) -> Result<Option<String>> {
        self.shards.first().meta(PURPOSE).await
    }

    /// Says what the namespace was made for, unless it was said before. What stands from then on.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) and [`Error::StorageFull`](crate::Error::StorageFull).
    pub async fn settle_purpose(&self, purpose: &str) -> Result<String> {
        self.shards.first().settle(PURPOSE, purpose).await
    }

    /// What Redis says of itself.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn health(&self) -> Result<RedisHealth> {
        self.shards.first().connections().health(self.confirm_replicas).await
    }

    /// Redis's clock.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn now(&self) -> Result<Timestamp> {
        self.shards.now().await
    }

    /// Looks whether Redis gives this user every right that a process needs. One that is missing is an
    /// [outage](Self::outage) with its name until it is there. `None` when Redis does not say.
    pub async fn missing_rights(&self) -> Option<Vec<String>> {
        self.shards.missing_rights().await
    }

    /// Has nothing start until a person says so, for this data was restored from a backup: what was called off since is not
    /// in it. To be called before anything works on it.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): repeat it.
    pub async fn halt_as_restored(&self) -> Result<()> {
        self.shards.each(|store| store.set_halt(HaltReason::Restored, 0)).await.map(drop)
    }

    /// Whether this process starts no jobs, because this machine's clock and Redis's are more than five minutes apart.
    #[must_use]
    pub fn stands_back(&self) -> bool {
        self.shards.all().iter().any(Store::stands_back)
    }

    /// Since when Redis does not work; `None` while it does.
    #[must_use]
    pub fn outage(&self) -> Option<Outage> {
        self.shards.first().connections().outage()
    }
}
