//! Who takes part, and the process that drives each.

use crate::protocol::{Answer, Order};
use crate::scheme::SCHEMES;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// One way to run delayed jobs on Redis.
#[derive(Debug, Clone)]
pub(crate) struct Competitor {
    pub(crate) name: String,
    pub(crate) about: String,
    command: Vec<String>,
}

impl Competitor {
    /// Our own name in tables and aims.
    pub(crate) const OWN: &str = "reprieve";
    pub(crate) const LIMIT: &str = "limit";

    pub(crate) fn is_own(&self) -> bool {
        self.name == Self::OWN
    }

    /// Whether it is a whole engine, which promises to run a dead worker's jobs again.
    pub(crate) fn is_engine(&self) -> bool {
        self.is_own() || PEERS.iter().any(|peer| peer.name == self.name)
    }

    /// Everyone who can take part on this machine, and who cannot and what would help.
    pub(crate) fn all() -> Result<(Vec<Self>, Vec<Absent>)> {
        let this = std::env::current_exe()?.display().to_string();
        let mut found: Vec<Self> = SCHEMES
            .iter()
            .map(|(name, about)| Self {
                name: (*name).to_owned(),
                about: (*about).to_owned(),
                command: vec![this.clone(), "drive".to_owned(), (*name).to_owned()],
            })
            .collect();
        let mut missing = Vec::new();
        for peer in PEERS {
            match peer.command() {
                Some(command) => {
                    found.push(Self { name: peer.name.to_owned(), about: peer.about.to_owned(), command });
                }
                None => missing.push(Absent { name: peer.name, install: peer.install }),
            }
        }
        Ok((found, missing))
    }
}

/// A peer that is not installed, and the command that installs it.
pub(crate) struct Absent {
    pub(crate) name: &'static str,
    pub(crate) install: &'static str,
}

/// A package of somebody else's, driven by a small program under `peers/`.
struct Peer {
    name: &'static str,
    about: &'static str,
    /// What must be there, under `peers/`.
    needs: &'static str,
    /// The program under `peers/`, behind what runs it.
    runs: &'static [&'static str],
    install: &'static str,
}

const PEERS: &[Peer] = &[
    Peer {
        name: "bullmq",
        about: "BullMQ 6.7 on Node.js, from npm",
        needs: "bullmq/node_modules/bullmq",
        runs: &["node", "bullmq/driver.mjs"],
        install: "npm install --ignore-scripts --prefix tools/bench/peers/bullmq",
    },
    Peer {
        name: "apalis",
        about: "apalis-redis 1.0, from crates.io",
        needs: "apalis/target/release/apalis-driver",
        runs: &["apalis/target/release/apalis-driver"],
        install: "cargo build --release --manifest-path tools/bench/peers/apalis/Cargo.toml",
    },
    Peer {
        name: "asynq",
        about: "asynq 0.1.8 for Rust, from crates.io",
        needs: "asynq/target/release/asynq-driver",
        runs: &["asynq/target/release/asynq-driver"],
        install: "cargo build --release --manifest-path tools/bench/peers/asynq/Cargo.toml",
    },
];

impl Peer {
    fn command(&self) -> Option<Vec<String>> {
        let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
        folder.join(self.needs).exists().then(|| {
            let last = self.runs.len() - 1;
            let words = self.runs.iter().enumerate();
            words
                .map(
                    |(n, word)| {
                        if n == last { folder.join(word).display().to_string() } else { (*word).to_owned() }
                    },
                )
                .collect()
        })
    }
}

/// A competitor's process. It ends with this value.
pub(crate) struct Driver {
    child: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

/// What an order came to.
pub(crate) enum Reply {
    Done(Answer),
    /// The competitor has no such thing, and why.
    Unsupported(String),
}

impl Driver {
    pub(crate) async fn start(competitor: &Competitor, url: &str) -> Result<Self> {
        let mut child = Command::new(&competitor.command[0])
            .args(&competitor.command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} does not start", competitor.name))?;
        let orders = child.stdin.take().context("a driver without stdin")?;
        let answers = BufReader::new(child.stdout.take().context("a driver without stdout")?).lines();
        let mut driver = Self { child, orders, answers };
        driver.ask(&Order::Open { url: url.to_owned() }).await?;
        Ok(driver)
    }

    pub(crate) async fn ask(&mut self, order: &Order) -> Result<Reply> {
        let mut line = serde_json::to_string(order)?;
        line.push('\n');
        self.orders.write_all(line.as_bytes()).await?;
        let line = self.answers.next_line().await?.context("the driver ended")?;
        let mut answer: Answer =
            serde_json::from_str(&line).with_context(|| format!("a driver said {line}"))?;
        if let Some(error) = answer.error {
            anyhow::bail!("{error}");
        }
        Ok(match answer.unsupported.take() {
            Some(why) => Reply::Unsupported(why),
            None => Reply::Done(answer),
        })
    }

    /// Ends it at once, as a crash would.
    pub(crate) async fn kill(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    /// Processor time of the process so far, µs. 0 where the system does not tell.
    pub(crate) fn processor_us(&self) -> f64 {
        let ticks = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()?)).ok()?;
            // Behind the name, which may hold anything: the state is the first field, user time the twelfth.
            let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
            Some(fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?)
        };
        ticks().unwrap_or(0.0) * TICK_US
    }
}

/// Linux counts processor time for programs in hundredths of a second, on every architecture.
const TICK_US: f64 = 10_000.0;
