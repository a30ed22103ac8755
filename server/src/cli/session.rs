//! A verb's way to the engine: the same settings as `serve`, and the Redis they name.

use super::exit::Failure;
use super::output::Output;
use crate::config::{Config, FILE_DEFAULT, Flags, PlaceFlags, RedisConfig};
use crate::redis_child::{DataDir, socket_url};
use clap::{Args, Subcommand};
use reprieve::{Engine, EngineConfig, Error, Operator};
use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
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
        let load = |place: PlaceFlags| {
            let flags = Flags { place, shows_nothing: true, ..Flags::default() };
            Config::load(&flags).map_err(|mistakes| Failure::Usage(mistakes.to_string()))
        };
        let config = load(self.place.clone())?;
        let installed = Path::new(INSTALLED);
        if self.says_where() || !installed.exists() || running_on(&config.data).is_ok() {
            return Ok(config);
        }
        // Nothing here says where the jobs are: they are where the installed service has them.
        match std::fs::File::open(installed) {
            Err(why) if why.kind() == ErrorKind::PermissionDenied => Err(Failure::Failed(format!(
                "only its own user may read {INSTALLED}; act as that user: {AS_SERVICE}"
            ))),
            _ => load(PlaceFlags { config: Some(INSTALLED.to_owned()), ..self.place.clone() }),
        }
    }
}

impl Reach {
    /// Whether a flag, a variable or a file of this directory says where the jobs are.
    fn says_where(&self) -> bool {
        let PlaceFlags { config, data, redis, .. } = &self.place;
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        config.is_some()
            || data.is_some()
            || redis.is_some()
            || ["REPRIEVE_CONFIG", "REPRIEVE_DATA", "REPRIEVE_REDIS"].into_iter().any(is_set)
            || Path::new(FILE_DEFAULT).exists()
    }
}

/// The settings of the service that a package installs.
const INSTALLED: &str = "/etc/reprieve/reprieve.toml";
/// How to act as its user.
const AS_SERVICE: &str = "sudo -u reprieve reprieve …";

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

/// The name under which events and audit show what was done from this shell: that of who used `sudo`, else of the user. It
/// is no proof: who has this shell can say another.
pub(crate) fn actor() -> String {
    let mut said = ["SUDO_USER", "USER", "LOGNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    let user = said.find(|name| !name.is_empty()).or_else(user_of_process).unwrap_or_default();
    // It stands in streams that others read: a name, and nothing that only looks like one.
    let user: String =
        user.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).take(64).collect();
    if user.is_empty() { "cli".to_owned() } else { format!("cli:{user}") }
}

/// The name of the user whose process this is, as this machine lists it: a container or a timer may have set no variable.
fn user_of_process() -> Option<String> {
    let (users, own) =
        (std::fs::read_to_string("/etc/passwd").ok()?, rustix::process::getuid().as_raw().to_string());
    // name:password:uid:…
    let name_of = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == own).then(|| name.to_owned())
    };
    users.lines().find_map(name_of)
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
    running_on(data).map_err(|why| match why.kind() {
        ErrorKind::PermissionDenied => {
            let data = data.display();
            Failure::Failed(format!("only its own user may read {data}; act as that user: {AS_SERVICE}"))
        }
        _ => Failure::Failed(format!("{}; {START_ONE}", no_server_on(data))),
    })
}

/// The address of the embedded Redis of a server that runs.
fn running_on(data: &Path) -> std::io::Result<String> {
    std::fs::read_dir(data)?;
    let socket = DataDir::socket_in(data).ok_or(ErrorKind::NotFound)?;
    UnixStream::connect(&socket)?;
    Ok(socket_url(&socket))
}
