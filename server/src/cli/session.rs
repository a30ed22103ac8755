//! A verb's way to the engine: the same settings as `serve`, and the Redis they name.

use super::exit::Failure;
use super::output::Output;
use crate::config::{Config, Flags, PlaceFlags, RedisConfig};
use crate::redis_child::{DataDir, socket_url};
use clap::{Args, Subcommand};
use reprieve::{Engine, EngineConfig, Error, Operator};
use std::path::Path;

/// Where the jobs are, and how to print: what every verb takes.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Where the jobs are")]
pub struct Reach {
    #[command(flatten)]
    place: PlaceFlags,
    /// Print JSON, one value a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

impl Reach {
    /// The settings, read as `serve` reads them.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        if self.place.namespace.as_ref().is_some_and(|names| names.contains(',')) {
            return Err(Failure::Usage(
                "--namespace takes one name here: a verb acts in one namespace".to_owned(),
            ));
        }
        self.config_of_all()
    }

    /// The same for what concerns all namespaces that one program shows, or of them those that `--namespace` names.
    pub(crate) fn config_of_named(&self) -> Result<Config, Failure> {
        let mut config = self.config_of_all()?;
        if let Some(names) = &self.place.namespace {
            config
                .extra_namespaces
                .retain(|other| names.split(',').any(|name| name.trim() == other.name.as_str()));
        }
        Ok(config)
    }

    /// The same for what concerns all namespaces that one program shows: `--namespace` takes several names.
    pub(crate) fn config_of_all(&self) -> Result<Config, Failure> {
        let flags = Flags { place: self.place.clone(), shows_nothing: true, ..Flags::default() };
        Config::load(&flags).map_err(|mistakes| Failure::Usage(mistakes.to_string()))
    }
}

/// A connected engine, and a place for words.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    /// The engine. It keeps the namespace's rules as they are.
    pub(crate) engine: Engine,
    /// Where words go.
    pub(crate) out: Output,
}

impl Session {
    /// Reads the settings and connects.
    pub(crate) async fn open(reach: &Reach) -> Result<Self, Failure> {
        let (config, place) = engine(reach)?;
        let engine = Engine::connect(config).await.map_err(|error| not_connected(&place, error))?;
        Ok(Self { engine, out: Output::new(reach.json) })
    }

    /// The same for a verb that changes nothing: a namespace that nobody uses is not founded by it.
    pub(crate) async fn look(reach: &Reach) -> Result<Self, Failure> {
        let (config, place) = engine(reach)?;
        let engine = Engine::visit(config).await.map_err(|error| not_connected(&place, error))?;
        Ok(Self { engine, out: Output::new(reach.json) })
    }

    /// Acts in the name of the person at this shell.
    pub(crate) fn operator(&self) -> Operator {
        self.engine.operator(actor())
    }
}

/// What a verb does once its words are read.
pub(crate) trait Run {
    /// Whether none of it changes anything.
    const LOOKS: bool = false;

    /// Whether it changes nothing: then it does not found the namespace either.
    fn only_looks(&self) -> bool {
        Self::LOOKS
    }

    /// Does it on a connected engine.
    async fn run(self, session: &Session) -> Result<(), Failure>;
}

/// A verb that is one of several acts.
#[derive(Debug, Clone, Args)]
pub(crate) struct OneOf<A: Subcommand> {
    #[command(subcommand)]
    act: A,
}

impl<A: Subcommand + Run> Run for OneOf<A> {
    fn only_looks(&self) -> bool {
        self.act.only_looks()
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        self.act.run(session).await
    }
}

/// How to connect, and where to, without passwords.
fn engine(reach: &Reach) -> Result<(EngineConfig, String), Failure> {
    let config = reach.config()?;
    let engine = config.engine(url(&config)?).keep_rules();
    let place = engine.place();
    Ok((engine, place))
}

/// Why there is no connection, and where none is.
fn not_connected(place: &str, error: Error) -> Failure {
    match &error {
        Error::Unavailable { .. } => Failure::Failed(format!("{error}; no connection to {place}")),
        Error::Codec { what } if what.contains("Parse error") => {
            Failure::Failed(format!("what answers at {place} is no Redis"))
        }
        _ => error.into(),
    }
}

/// The name under which events and audit show what was done from this shell.
pub(crate) fn actor() -> String {
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).unwrap_or_default();
    // It stands in streams that others read: a name, and nothing that only looks like one.
    let user: String =
        user.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).take(64).collect();
    if user.is_empty() { "cli".to_owned() } else { format!("cli:{user}") }
}

/// The address of the Redis that the settings name.
pub(crate) fn url(config: &Config) -> Result<String, Failure> {
    match &config.redis {
        RedisConfig::External(url) => Ok(url.expose().to_owned()),
        RedisConfig::Embedded { .. } => embedded(&config.data),
    }
}

/// What to do where no server runs.
pub(crate) const START_ONE: &str = "start one with: reprieve serve (restart it if its Redis is down), \
     or name its directory with --data, or the Redis that holds the jobs with --redis";

/// That no server runs on a data directory.
pub(crate) fn no_server_on(data: &Path) -> String {
    format!("no server runs on {}", data.display())
}

/// The embedded Redis answers as long as its server runs; a verb does not start one for itself.
fn embedded(data: &Path) -> Result<String, Failure> {
    match DataDir::socket_in(data) {
        Some(socket) if std::os::unix::net::UnixStream::connect(&socket).is_ok() => Ok(socket_url(&socket)),
        _ => Err(Failure::Failed(format!("{}; {START_ONE}", no_server_on(data)))),
    }
}
