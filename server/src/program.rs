//! Everything that runs beside the web: Redis, engine, scheduler, webhooks, sinks; started and ended in order.

use crate::audit_archive::Archivists;
use crate::config::{Config, WebhookConfig};
use crate::connect::{Connected, connect};
use crate::extra_namespaces::ExtraNamespace;
use crate::follower::Followers;
use crate::redis_child::RedisChild;
use crate::shutdown::within;
use crate::webhook::Sender;
use anyhow::Context;
use futures_util::future::join_all;
use reprieve::model::{CronChanged, CronEntry, KindRule, QueueName, RetentionChange};
use reprieve::{Engine, Error, MaintenanceHandle, Worker, WorkerBuilder};
use reprieve_sinks::SinkHandle;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Webhooks on their way at once, for each queue: enough to keep a slow receiver busy, few enough
/// not to be an attack on it.
const WEBHOOKS_AT_ONCE: u32 = 32;
/// One worker runs no more at once.
const WORKER_SLOTS_MAX: u32 = 1_000;
/// A worker waits for its running jobs by itself, and gives the rest back; this is more than that. All of the stop together
/// stays below the 30 s after which many supervisors kill.
const WORKER_STOP_MAX: Duration = Duration::from_secs(25);
/// A duty ends after its present call to Redis, which takes so long only when Redis does not answer.
const MAINTENANCE_STOP_MAX: Duration = Duration::from_secs(2);

/// How often it is looked whether a full Redis has room again: about as soon as a person who made some would look.
const ROOM_LOOK: Duration = Duration::from_secs(5);

/// Who declares the cron entries of the configuration, in lists and audit.
const DECLARED_BY: &str = "configuration";

/// What runs beside the web.
pub(crate) struct Program {
    engine: Engine,
    redis: String,
    child: Option<RedisChild>,
    maintenance: MaintenanceHandle,
    workers: Vec<Worker>,
    sinks: Vec<SinkHandle>,
    followers: Followers,
    extra_namespaces: Vec<ExtraNamespace>,
    archivists: Archivists,
    /// What of the configuration is still to be written into the namespace.
    later: Option<Later>,
}

impl Program {
    /// Starts it. `Ok(None)` if `stop` came first.
    pub(crate) async fn start(config: &Config, stop: &CancellationToken) -> anyhow::Result<Option<Self>> {
        // Checked first: a wrong secret should not cost a start of Redis.
        let sender = Sender::through(config.webhooks.clone(), &config.outgoing)?;
        let Some(Connected { engine, child, redis }) = connect(config, stop).await? else { return Ok(None) };
        let is_written = match configure(&engine, config).await {
            Err(error) if is_full(&error) => false,
            configured => configured.map(|()| true)?,
        };
        let restored = child.as_ref().filter(|child| child.is_restored());
        if restored.is_some() {
            engine.halt_as_restored().await?;
            tracing::warn!(
                "the data was put into its directory by hand, as out of a backup: no jobs start until somebody has looked and \
                 ends the halt, with `reprieve halt clear` or on the overview"
            );
        }
        let maintenance = engine.maintenance().start();
        let followers = Followers::start(&engine, &config.imports)?;
        let extra_namespaces = ExtraNamespace::start_all(&engine, config, restored.is_some()).await?;
        restored.inspect(|child| child.was_halted());
        let engines = extra_namespaces.iter().map(|extra| &extra.engine).chain([&engine]);
        let archivists = Archivists::start(engines, &config.audit);
        let later = (!is_written).then(|| Later::start(&engine, config));
        let mut program = Self {
            engine,
            redis,
            child,
            maintenance,
            workers: Vec::new(),
            sinks: Vec::new(),
            followers,
            extra_namespaces,
            archivists,
            later,
        };
        if config.work && !config.webhooks.is_empty() {
            let places: BTreeSet<String> =
                config.webhooks.iter().map(|webhook| webhook.url.origin().ascii_serialization()).collect();
            let worker = serving(program.engine.worker(), &config.webhooks).posts_to(places);
            program.work(webhooks(worker, sender)).await?;
        }
        for sink in config.sinks.iter().filter(|_| config.work) {
            let started = SinkHandle::start(&program.engine, sink).await;
            let started = started.with_context(|| format!("sink {} cannot be started", sink.name))?;
            program.sinks.push(started);
        }
        Ok(Some(program))
    }

    /// Starts a worker that ends with the program.
    pub(crate) async fn work(&mut self, worker: WorkerBuilder) -> anyhow::Result<()> {
        let worker = worker.start().await.context("a worker cannot be started")?;
        self.workers.push(worker);
        Ok(())
    }

    /// For whatever else is started on it.
    pub(crate) const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The other namespaces.
    pub(crate) fn extra_namespaces(&self) -> &[ExtraNamespace] {
        &self.extra_namespaces
    }

    /// Which Redis, for people.
    pub(crate) fn redis(&self) -> &str {
        &self.redis
    }

    /// Gives running jobs back, ends the duties, then Redis; each with its time limit, and what is alike at once.
    pub(crate) async fn stop(self) {
        if let Some(later) = self.later {
            within(MAINTENANCE_STOP_MAX, "what waits for room", later.stop()).await;
        }
        let workers = self.workers.into_iter();
        join_all(workers.map(|worker| within(WORKER_STOP_MAX, "a worker", worker.shutdown()))).await;
        let sinks = self.sinks.into_iter();
        let sinks = sinks.map(|sink| within(MAINTENANCE_STOP_MAX, "a sink", sink.shutdown()));
        let extra_namespaces = self.extra_namespaces.into_iter();
        let extra_namespaces = extra_namespaces
            .map(|extra| within(MAINTENANCE_STOP_MAX, "the scheduler of another namespace", extra.stop()));
        tokio::join!(
            within(MAINTENANCE_STOP_MAX, "an importer", self.followers.shutdown()),
            join_all(sinks),
            within(MAINTENANCE_STOP_MAX, "the scheduler", self.maintenance.shutdown()),
            join_all(extra_namespaces),
            within(MAINTENANCE_STOP_MAX, "the archive of the audit", self.archivists.shutdown()),
        );
        self.engine.events().shutdown();
        if let Some(child) = self.child {
            child.stop().await;
        }
    }
}

/// What waits until Redis has room: jobs can be ended and called off meanwhile, and only that makes room.
struct Later {
    task: JoinHandle<()>,
    stop: CancellationToken,
}

impl Later {
    fn start(engine: &Engine, config: &Config) -> Self {
        tracing::warn!(
            "redis is full: schedules, rules and retention of the configuration stay as they are until it has room"
        );
        let (engine, config, stop) = (engine.clone(), config.clone(), CancellationToken::new());
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            while stopped.run_until_cancelled(tokio::time::sleep(ROOM_LOOK)).await.is_some() {
                match configure(&engine, &config).await {
                    Ok(()) => {
                        tracing::info!("redis has room: the configuration is written into the namespace");
                        break;
                    }
                    Err(error) if may_pass(&error) => {}
                    Err(error) => {
                        tracing::error!("the configuration cannot be written into the namespace: {error:#}");
                        break;
                    }
                }
            }
        });
        Self { task, stop }
    }

    /// Ends it after its present call to Redis.
    async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::error!("what waited for room broke off: {error}");
        }
    }
}

fn is_full(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::StorageFull))
}

fn may_pass(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(Error::is_transient)
}

/// Writes into the namespace what the configuration says about it, before anything fires.
async fn configure(engine: &Engine, config: &Config) -> anyhow::Result<()> {
    engine.configure_retention(config.retention).await.context("the retention cannot be set")?;
    declare(engine, &config.cron).await?;
    rule(engine, config).await
}

/// Makes the cron entries of the configuration known.
async fn declare(engine: &Engine, entries: &[CronEntry]) -> anyhow::Result<()> {
    for entry in entries {
        let changed = engine.client().declare_cron(entry, DECLARED_BY).await;
        match changed.with_context(|| format!("cron entry {} cannot be declared", entry.name))? {
            CronChanged::Full => anyhow::bail!("the namespace has no room for cron entry {}", entry.name),
            changed => {
                tracing::debug!(cron.name = %entry.name, ?changed, "cron entry {} is declared", entry.name);
            }
        }
    }
    Ok(())
}

/// Sets the rules of the configuration. What it does not name stays as people have set it.
async fn rule(engine: &Engine, config: &Config) -> anyhow::Result<()> {
    let operator = engine.operator(DECLARED_BY);
    for rule in &config.rules {
        let whole = KindRule::new(rule.kind.clone(), rule.window.clone(), rule.lateness, Vec::new());
        let set = operator.set_rule(&whole.protected(rule.protected), "").await;
        set.with_context(|| format!("the rule of kind {} cannot be set", rule.kind))?;
    }
    let known = engine.inspector().retention().await.context("the rules of retention cannot be read")?;
    for queue in &config.queues {
        let change = RetentionChange::named(&queue.retention);
        let stands = known.queues.get(&queue.name).copied().unwrap_or_default();
        if !change.changes(&stands) {
            continue;
        }
        let set = operator.change_retention(Some(&queue.name), change, "").await;
        set.with_context(|| format!("the retention of queue {} cannot be set", queue.name))?;
    }
    Ok(())
}

/// The queues that webhooks are about. Only when one of them names no queue is it all of them: jobs of a queue
/// that belongs to other workers would only be claimed and parked.
fn serving(worker: WorkerBuilder, webhooks: &[WebhookConfig]) -> WorkerBuilder {
    let named: Option<BTreeSet<QueueName>> = webhooks.iter().map(|webhook| webhook.queue.clone()).collect();
    match named {
        Some(queues) => {
            let many = u32::try_from(queues.len()).unwrap_or(u32::MAX).max(1);
            let each = WEBHOOKS_AT_ONCE.min(WORKER_SLOTS_MAX / many).max(1);
            queues.into_iter().fold(worker, |worker, queue| worker.queue(queue, each))
        }
        None => worker.all_queues(WEBHOOKS_AT_ONCE),
    }
}

/// A worker that sends due jobs where the configuration says.
fn webhooks(worker: WorkerBuilder, sender: Sender) -> WorkerBuilder {
    let accepting = sender.clone();
    worker.accepts(move |kind, queue| accepting.accepts(kind, queue)).handler_for_all(move |job| {
        let sender = sender.clone();
        async move { sender.deliver(job).await }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Flags;
    use reprieve::model::{AuditFilter, Delay, Namespace, RetentionRule};
    use reprieve::testing::{RedisServer, TestRedis};

    #[tokio::test]
    async fn a_queue_of_the_configuration_leaves_what_it_does_not_name_as_people_have_set_it() {
        let (redis, folder) = (TestRedis::namespace().await, tempfile::tempdir().unwrap());
        let file = folder.path().join("reprieve.toml");
        std::fs::write(&file, "[[queue]]\nname = \"mail\"\ndone = \"2d\"\n").unwrap();
        let mut flags = Flags::default();
        flags.place.config = Some(file.to_str().unwrap().to_owned());
        let config = Config::load(&flags).unwrap();
        let mail = QueueName::new("mail").unwrap();
        let mut by_people = RetentionRule::default();
        (by_people.done, by_people.dead_most) = (Some(Delay::days(1)), Some(9));
        redis.engine().operator("ann").set_retention(Some(&mail), by_people, "").await.unwrap();

        for _ in 0..2 {
            rule(redis.engine(), &config).await.unwrap();
        }

        let stands = redis.engine().inspector().retention().await.unwrap().queues[&mail];
        assert_eq!((stands.done, stands.dead_most), (Some(Delay::days(2)), Some(9)));
        let sets = redis.engine().inspector().audit(&AuditFilter::default(), None, 50).await.unwrap();
        let by_configuration = sets.items.iter().filter(|entry| entry.by == "configuration").count();
        assert_eq!(by_configuration, 1, "a start that changes nothing says nothing");
    }

    #[tokio::test]
    async fn webhooks_have_32_slots_for_each_queue_they_name_and_32_in_all_where_one_names_none() {
        let hook = |queue: Option<&str>| {
            let mut hook = WebhookConfig::from_flag("k=https://example.com/", false).unwrap();
            hook.queue = queue.map(|name| name.parse().unwrap());
            hook
        };
        let named = [hook(Some("mail")), hook(Some("sms")), hook(Some("mail"))];
        for (hooks, slots) in [(&named[..], 64), (&[hook(Some("mail")), hook(None)][..], 32)] {
            let redis = TestRedis::namespace().await;
            let worker = serving(redis.engine().worker(), hooks).handler_for_all(|_| async { Ok(()) });

            let worker = worker.start().await.unwrap();

            assert_eq!(redis.engine().inspector().workers().await.unwrap()[0].slots, slots);
            worker.shutdown().await;
        }
    }

    #[tokio::test]
    async fn a_start_on_a_full_redis_writes_the_configuration_once_there_is_room() {
        let (server, folder) = (RedisServer::start().unwrap(), tempfile::tempdir().unwrap());
        let redis = TestRedis::on(server.url(), Namespace::default()).await;
        let file = folder.path().join("reprieve.toml");
        let written = "[[cron]]\nname = \"nightly\"\nschedule = \"30 2 * * *\"\nkind = \"report\"\n\
                       [retention]\ndone = \"2d\"\n[[queue]]\nname = \"mail\"\ndone = \"3d\"\n";
        std::fs::write(&file, written).unwrap();
        let mut flags = Flags::default();
        flags.place.config = Some(file.to_str().unwrap().to_owned());
        flags.place.redis = Some(server.url().to_owned());
        let config = Config::load(&flags).unwrap();
        redis.command(&["CONFIG", "SET", "maxmemory", "1"]).await.unwrap();

        let program = Program::start(&config, &CancellationToken::new()).await.unwrap().unwrap();

        let inspector = redis.engine().inspector();
        assert!(inspector.cron().await.unwrap().is_empty());
        redis.command(&["CONFIG", "SET", "maxmemory", "0"]).await.unwrap();
        let written = async {
            loop {
                let rules = inspector.retention().await.unwrap();
                if !rules.queues.is_empty() {
                    break rules;
                }
                // Redis has no signal for it.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let rules = tokio::time::timeout(Duration::from_secs(60), written).await.unwrap();
        assert_eq!(rules.namespace.done, Some(Delay::days(2)));
        assert_eq!(inspector.cron().await.unwrap().len(), 1);
        program.stop().await;
    }
}
