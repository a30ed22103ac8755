//! What is tested: servers, links, instances, and what can be done to them.

use crate::proxy::Link;
use crate::shim::{Library, Shim};
use crate::sink::wall_ms;
use crate::{spread, watched};
use anyhow::{Context, Result, bail, ensure};
use redis::aio::MultiplexedConnection;
use reprieve::testing::RedisServer;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, RwLock};

/// Redis's clock was wrong from one time of the machine to another, or what was done about it under way; by how much, in
/// ms, below nothing where it was behind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Jump {
    pub(crate) from_ms: i64,
    pub(crate) to_ms: i64,
    pub(crate) by_ms: i64,
}

/// Instances under test.
pub(crate) const INSTANCES: usize = 3;
/// How long an instance may take to end when told to: three times its own grace for handlers.
const END_PATIENCE: Duration = Duration::from_secs(90);
/// How long a sync may take that a kill waits for, in pauses; long enough for what waits to be written after it.
const SYNCS_MAX: u32 = 100;
const SYNC_PAUSE: Duration = Duration::from_millis(150);
/// By how much a server's clock is moved as it starts, to see that it can be, in ms. Back, for a server whose clock then goes
/// ahead has nothing to wait for.
const TRIAL_MS: i64 = -3_600_000;
/// How much the clock of a server may differ from what was asked for, in ms: what starting it takes.
const TRIAL_MS_OFF_MAX: u64 = 60_000;
/// Where a server says what it does, in its own folder.
const LOG: &str = "redis.log";
/// The namespace of a run.
pub(crate) const NAMESPACE: &str = "proof";

/// How Redis is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Topology {
    /// One server with an append-only file that is synced every second.
    Single,
    /// One server that syncs its append-only file before it answers.
    Always,
    /// A master and a replica, watched by three Sentinels.
    Sentinel,
    /// A Cluster of three masters with a replica each, and a namespace of several shards.
    Cluster,
}

impl Topology {
    /// How many shards the namespace has.
    pub(crate) const fn shards(self) -> u16 {
        match self {
            Self::Cluster => spread::SHARDS,
            _ => 1,
        }
    }
}

/// A server and its number.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) shim: Shim,
    process: Mutex<RedisServer>,
}

impl Server {
    pub(crate) fn start(library: &Library, options: &[&str]) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let port_text = port.to_string();
        let mut all = vec!["--port", &port_text, "--bind", "127.0.0.1", "--save", "", "--logfile", LOG];
        all.extend(options);
        let shim = library.shim(port)?;
        shim.skew(TRIAL_MS)?;
        let process = RedisServer::start_under(&shim.environment(), &all)?;
        let server = Self { port, shim, process: Mutex::new(process) };
        let shown_ms = server.clock_ms()?.saturating_sub(wall_ms());
        ensure!(
            is_skewed(shown_ms),
            "the library before redis-server does not move its clock: it shows {shown_ms} ms more than the real one, \
             and {TRIAL_MS} were asked for; a server that loads no library of ours shows no faults"
        );
        server.shim.skew(0)?;
        Ok(server)
    }

    /// What its clock shows, in ms.
    fn clock_ms(&self) -> Result<i64> {
        let mut connection = redis::Client::open(self.url())?.get_connection()?;
        let (seconds, micros): (i64, i64) = redis::cmd("TIME").query(&mut connection)?;
        Ok(seconds * 1_000 + micros / 1_000)
    }

    pub(crate) async fn kill(&self) -> Result<()> {
        let mut process = self.process.lock().await;
        tokio::task::block_in_place(|| process.kill())?;
        self.shim.forget_syncing()
    }

    /// Kills it at a moment in which it syncs nothing: with `everysec` it writes nothing to its log meanwhile, for up to two
    /// seconds, and answers all the same. What it has not written, a crash takes with it.
    pub(crate) async fn kill_between_syncs(&self) -> Result<()> {
        for _ in 0..SYNCS_MAX {
            let is_syncing = self.shim.is_syncing()?;
            tokio::time::sleep(SYNC_PAUSE).await;
            if is_syncing {
                continue;
            }
            self.signal("-STOP").await?;
            if !self.shim.is_syncing()? {
                break;
            }
            self.signal("-CONT").await?;
        }
        self.kill().await
    }

    pub(crate) async fn restart(&self) -> Result<()> {
        let mut process = self.process.lock().await;
        let started = tokio::task::block_in_place(|| process.restart());
        started.with_context(|| last_lines(&process.directory().join(LOG)))
    }

    /// Kills it, and takes away what it had not synced: as if the power had failed.
    pub(crate) async fn lose_power(&self) -> Result<()> {
        self.kill().await?;
        let process = self.process.lock().await;
        self.shim.forget_unsynced(process.directory())
    }

    /// Starts it again if it has ended by itself.
    pub(crate) async fn revive(&self) -> Result<()> {
        if !self.process.lock().await.has_ended()? {
            return Ok(());
        }
        self.kill().await?;
        self.restart().await
    }

    pub(crate) async fn signal(&self, name: &str) -> Result<()> {
        signal(self.process.lock().await.pid(), name).await
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// A connection past all links.
    pub(crate) async fn connection(&self) -> Result<MultiplexedConnection> {
        let client = redis::Client::open(self.url())?;
        Ok(client.get_multiplexed_async_connection().await?)
    }
}

/// Whether a clock that shows so much more than the real one was moved as asked.
const fn is_skewed(shown_ms: i64) -> bool {
    shown_ms.abs_diff(TRIAL_MS) <= TRIAL_MS_OFF_MAX
}

/// What a server said last, which is why it did not come up.
fn last_lines(log: &Path) -> String {
    const LINES: usize = 12;
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join(" | ")
}

pub(crate) async fn signal(pid: u32, name: &str) -> Result<()> {
    // Zero would be every process of this group.
    anyhow::ensure!(pid != 0, "there is no such process");
    Command::new("kill").args([name, &pid.to_string()]).status().await?;
    Ok(())
}

/// An instance's process, and how it is started.
pub(crate) struct Instance {
    name: String,
    url: String,
    shards: u16,
    sink: PathBuf,
    child: Mutex<Option<Child>>,
}

impl Instance {
    pub(crate) async fn start(&self) -> Result<()> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["instance", "--name", &self.name, "--url", &self.url, "--namespace", NAMESPACE]);
        command.args(["--shards", &self.shards.to_string()]);
        command.arg("--sink").arg(&self.sink);
        // It ends with us: the other end of its input closes.
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        *self.child.lock().await = Some(command.spawn().context("an instance cannot be started")?);
        Ok(())
    }

    pub(crate) async fn signal(&self, name: &str) -> Result<()> {
        let pid = self.child.lock().await.as_ref().and_then(Child::id);
        signal(pid.unwrap_or(0), name).await
    }

    /// Kills it, or waits for its end.
    pub(crate) async fn end(&self, kill: bool) -> Result<()> {
        if let Some(mut child) = self.child.lock().await.take() {
            if kill {
                child.start_kill()?;
            }
            let ended = tokio::time::timeout(END_PATIENCE, child.wait()).await;
            if ended.is_err() {
                child.kill().await?;
                bail!("{} did not end within {} s when told to", self.name, END_PATIENCE.as_secs());
            }
        }
        Ok(())
    }
}

/// Everything under test.
pub(crate) struct Bed {
    pub(crate) topology: Topology,
    pub(crate) servers: Vec<Server>,
    /// One for each instance, and the last for the load; none where Sentinels or a Cluster tell where to go.
    pub(crate) links: Vec<Link>,
    url: String,
    pub(crate) sentinels: Vec<Mutex<RedisServer>>,
    deaths_ms: std::sync::Mutex<Vec<(i64, i64)>>,
    jumps: std::sync::Mutex<Vec<Jump>>,
    /// Held by the start of an instance until that has looked at the data, and by its exchange until somebody
    /// has seen it: what a process finds at its first look it believes.
    pub(crate) first_looks: RwLock<()>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) sink: PathBuf,
    _directory: tempfile::TempDir,
}

impl Bed {
    /// Starts servers, links and instances.
    pub(crate) async fn start(topology: Topology) -> Result<Arc<Self>> {
        let directory = tempfile::tempdir()?;
        let sink = directory.path().join("effects");
        let library = Library::build(directory.path())?;
        let (mut servers, mut sentinels, mut links) = (Vec::new(), Vec::new(), Vec::new());
        let mut url = String::new();
        match topology {
            Topology::Single | Topology::Always => {
                let syncs = if topology == Topology::Always { "always" } else { "everysec" };
                let mut options =
                    vec!["--appendonly", "yes", "--appendfsync", syncs, "--busy-reply-threshold", "100"];
                // A log that Redis 7.0 has rewritten by itself, and that then finds the disk full, it reads no more.
                options.extend(["--auto-aof-rewrite-percentage", "0"]);
                let server = tokio::task::block_in_place(|| Server::start(&library, &options))?;
                for _ in 0..=INSTANCES {
                    links.push(Link::open(([127, 0, 0, 1], server.port).into()).await?);
                }
                servers.push(server);
            }
            Topology::Cluster => {
                (servers, url) = tokio::task::block_in_place(|| spread::start(&library))?;
            }
            Topology::Sentinel => (servers, sentinels, url) = watched::start(&library).await?,
        }
        let url_of = |place: usize| links.get(place).map_or_else(|| url.clone(), Link::url);
        let instance = |place: usize| Instance {
            name: format!("i{}", place + 1),
            url: url_of(place),
            shards: topology.shards(),
            sink: sink.clone(),
            child: Mutex::default(),
        };
        let instances: Vec<Instance> = (0..INSTANCES).map(instance).collect();
        for instance in &instances {
            instance.start().await?;
        }
        Ok(Arc::new(Self {
            topology,
            servers,
            url: url_of(INSTANCES),
            links,
            instances,
            sink,
            sentinels: sentinels.into_iter().map(Mutex::new).collect(),
            deaths_ms: std::sync::Mutex::default(),
            jumps: std::sync::Mutex::default(),
            first_looks: RwLock::default(),
            _directory: directory,
        }))
    }

    /// The address the load goes through.
    pub(crate) fn load_url(&self) -> &str {
        &self.url
    }

    /// Notes when a master died, and when it was back as a replica.
    pub(crate) fn note_death(&self, from_ms: i64, to_ms: i64) {
        self.deaths_ms.lock().unwrap_or_else(PoisonError::into_inner).push((from_ms, to_ms));
    }

    /// When masters died, and when they were back as replicas.
    pub(crate) fn deaths_ms(&self) -> Vec<(i64, i64)> {
        self.deaths_ms.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes from when to when Redis's clock was wrong, or what was done about it under way.
    pub(crate) fn note_jump(&self, jump: Jump) {
        self.jumps.lock().unwrap_or_else(PoisonError::into_inner).push(jump);
    }

    /// When Redis's clock was wrong.
    pub(crate) fn jumps(&self) -> Vec<Jump> {
        self.jumps.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The server that has the data.
    pub(crate) async fn master(&self) -> Result<&Server> {
        watched::master(&self.servers).await
    }

    /// How many bytes passed all links so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.links.iter().map(Link::bytes).sum()
    }

    /// Waits until the server answers plain commands again.
    pub(crate) async fn until_it_answers(&self) -> Result<()> {
        for server in &self.servers {
            for _ in 0..600 {
                let ping = async {
                    let mut connection = server.connection().await?;
                    redis::cmd("PING").query_async::<()>(&mut connection).await?;
                    anyhow::Ok(())
                };
                if tokio::time::timeout(Duration::from_secs(1), ping).await.is_ok_and(|pong| pong.is_ok()) {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Ok(())
    }
}
