//! What the program is told before it starts: one TOML file, the environment, flags; the later wins.
//!
//! Everything is read once, checked together, and every mistake is reported together with its line.

mod address;
mod api_auth;
mod audit;
mod base_path;
mod cron;
mod document;
mod flags;
mod import;
mod listen;
mod login;
mod machines;
mod mistake;
mod namespaces;
mod oidc;
mod outgoing;
mod pem;
mod proxy;
mod redis;
mod rules;
mod secret;
mod sink;
mod sources;
mod span;
mod suggest;
mod tls;
mod webhook;
mod window;
mod words;

pub use api_auth::ApiAuth;
pub use audit::AuditConfig;
pub use base_path::{BasePath, InvalidBasePath};
pub use flags::{Flags, PlaceFlags};
pub use import::ImportConfig;
pub use listen::{AllowedHost, ListenConfig};
pub(crate) use listen::{is_loopback, named_here};
pub use login::Login;
pub use machines::MachinesConfig;
pub use mistake::{Mistake, Mistakes, Origin};
pub use namespaces::NamespaceConfig;
pub(crate) use oidc::may_be_asked;
pub use oidc::{GroupConfig, OidcConfig};
pub use outgoing::OutgoingConfig;
pub(crate) use pem::{pair, read_certificates, read_pair};
pub use proxy::ProxyConfig;
pub use redis::{RedisConfig, RedisUrl};
pub use rules::{QueueConfig, RuleConfig};
pub use secret::Secret;
pub(crate) use span::read_span;
pub use tls::TlsConfig;
pub use webhook::{KindGlob, WebhookConfig};
pub(crate) use window::{DAYS, read_days, read_hours};

use crate::text;
use app::traces::TracePage;
use app::vocabulary::Vocabulary;
use document::{Document, Section};
use mistake::Notes;
use reprieve::model::{CronEntry, Namespace};
use reprieve::{EngineConfig, Retention};
use reprieve_sinks::SinkConfig;
use sources::{Sources, flag};
use std::path::{Path, PathBuf};

/// Read when no other file is named, if it is there.
pub(crate) const FILE_DEFAULT: &str = "reprieve.toml";
/// Larger than any configuration, small enough to read at once, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Everything the program is told before it starts.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// Where the dashboard listens, and under which names it answers.
    pub listen: ListenConfig,
    /// The certificate of the dashboard; `None` for plain HTTP.
    pub tls: Option<TlsConfig>,
    /// The directory of the embedded Redis and of what else is kept. Made at start, mode 0700.
    pub data: PathBuf,
    /// Which Redis.
    pub redis: RedisConfig,
    /// How that Redis is spread over machines.
    pub machines: MachinesConfig,
    /// How webhooks and a provider of sign-in are reached.
    pub outgoing: OutgoingConfig,
    /// How long the audit may become.
    pub audit: AuditConfig,
    /// The namespace whose jobs are shown and run.
    pub namespace: Namespace,
    /// The name under which that namespace is shown, where there are others.
    pub host: AllowedHost,
    /// The other namespaces that are shown and kept moving.
    pub extra_namespaces: Vec<NamespaceConfig>,
    /// How long ended jobs are kept, as far as it is said; the rest stays as people have set it.
    pub retention: Retention,
    /// Where due jobs are sent. The first that fits a job is used.
    pub webhooks: Vec<WebhookConfig>,
    /// Cron entries that are declared at start.
    pub cron: Vec<CronEntry>,
    /// When jobs of which kinds may start, and how late; set at start.
    pub rules: Vec<RuleConfig>,
    /// What holds for single queues; set at start.
    pub queues: Vec<QueueConfig>,
    /// Which queues are handed to consumers outside.
    pub sinks: Vec<SinkConfig>,
    /// Foreign queues whose jobs are taken over as they come.
    pub imports: Vec<ImportConfig>,
    /// Whether due jobs are worked on in this process.
    pub work: bool,
    /// Whether people sign in before they see anything.
    pub login: Login,
    /// Who vouches for people besides their passwords here.
    pub oidc: Option<OidcConfig>,
    /// A proxy in front whose word about people is taken.
    pub proxy: Option<ProxyConfig>,
    /// Whether the HTTP API asks for a token.
    pub api_auth: ApiAuth,
    /// What this place calls its kinds of work, for the support desk.
    pub vocabulary: Vocabulary,
    /// Where the traces of jobs are looked at.
    pub traces: Option<TracePage>,
    /// How log lines look.
    pub log: LogFormat,
    /// Whether this is the demo, which works on nothing but what a demo has made.
    pub demo: bool,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

impl Config {
    /// Reads file, environment and flags.
    ///
    /// # Errors
    /// Every mistake there is, each with its place.
    pub fn load(flags: &Flags) -> Result<Self, Mistakes> {
        Self::load_with(flags, &|name| std::env::var(name).ok())
    }

    /// Like [`load`](Self::load), with the environment given.
    ///
    /// # Errors
    /// Every mistake there is, each with its place.
    pub fn load_with(flags: &Flags, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, Mistakes> {
        let notes = Notes::default();
        let document = read_file(flags, variable, &notes).unwrap_or_default();
        let config = document.read(&notes, |root| {
            root.table_or_empty("serve", |serve| {
                Self::read(&Sources { notes: &notes, root, serve, environment: variable, flags })
            })
        });
        notes.or_mistakes(config)
    }

    /// What the engine is told for a Redis at this address.
    pub(crate) fn engine(&self, url: String) -> EngineConfig {
        let MachinesConfig { shards, ca, client_certificate, confirm_replicas } = &self.machines;
        let engine = EngineConfig::new(url)
            .namespace(self.namespace.clone())
            .retention(self.retention)
            .shards(*shards)
            .confirm_replicas(*confirm_replicas);
        let engine = match ca {
            Some(pem) => engine.ca(pem.clone()),
            None => engine,
        };
        match client_certificate {
            Some((certificate, key)) => engine.client_certificate(certificate.clone(), key.clone()),
            None => engine,
        }
    }

    /// Reads every setting; what cannot be read is noted and replaced by its default.
    fn read(from: &Sources<'_>) -> Self {
        let Sources { notes, root, serve, flags, .. } = *from;
        let login = flag("--login", flags.login.as_ref()).or(from.variable("REPRIEVE_LOGIN"));
        let login = notes.read(login.or(serve.text("login")).as_ref(), str::parse::<Login>);
        let login = login.unwrap_or_default();
        let tls = TlsConfig::read(from);
        let listen = ListenConfig::read(from, tls.is_some(), login);
        let (namespace, host, shards, others) = namespaces::read(from, &listen.allowed_hosts);
        let mut extra_namespaces: Vec<_> = others.into_iter().map(|other| other.value).collect();
        let machines = MachinesConfig::read(from, shards, &mut extra_namespaces);
        let outgoing = OutgoingConfig::read(from);
        let webhooks = WebhookConfig::read_all(from, &outgoing.nat64);
        let imports = import::read(root);
        let sinks = sink::read(root, (&namespace, shards), &webhooks, &imports);
        let data = flag("--data", flags.place.data.as_ref()).or(from.variable("REPRIEVE_DATA"));
        let data = data.or(root.text("data"));
        let api_auth = flag("--api-auth", flags.api_auth.as_ref()).or(from.variable("REPRIEVE_API_AUTH"));
        let api_auth = notes.read(api_auth.or(serve.text("api_auth")).as_ref(), str::parse::<ApiAuth>);
        let traces = from.variable("REPRIEVE_TRACES").or(serve.text("traces"));
        let log = from.variable("REPRIEVE_LOG_FORMAT").or(root.text("log"));
        let work = from.variable_truth("REPRIEVE_WORK").or(serve.truth("work"));
        Self {
            tls,
            namespace,
            host,
            extra_namespaces,
            data: data.map_or_else(|| "reprieve-data".into(), |given| given.value.into()),
            redis: RedisConfig::read(from),
            machines,
            outgoing,
            audit: AuditConfig::read(from),
            retention: read_retention(root),
            sinks,
            imports,
            webhooks,
            cron: cron::read(root),
            vocabulary: words::read(root),
            rules: rules::read_rules(root),
            queues: rules::read_queues(root),
            work: !flags.no_work && work.unwrap_or(true),
            login,
            oidc: OidcConfig::read(from, login),
            proxy: ProxyConfig::read(root, login, &listen.trusted_proxies),
            api_auth: api_auth.unwrap_or_else(|| ApiAuth::beside(login, listen.address)),
            traces: notes.read(traces.as_ref(), str::parse::<TracePage>),
            log: match flags.json {
                true => LogFormat::Json,
                false => notes.read(log.as_ref(), read_log_format).unwrap_or_default(),
            },
            listen,
            demo: false,
        }
    }
}

/// The file named by flag or environment, else the default one if it is there.
fn read_file(flags: &Flags, variable: &dyn Fn(&str) -> Option<String>, notes: &Notes) -> Option<Document> {
    let named = match (&flags.place.config, variable("REPRIEVE_CONFIG").filter(|path| !path.is_empty())) {
        (Some(path), _) => Some((path.clone(), Origin::Flag("--config"))),
        (None, Some(path)) => Some((path, Origin::Variable("REPRIEVE_CONFIG"))),
        (None, None) => None,
    };
    let (path, origin) = match named {
        Some(named) => named,
        None if Path::new(FILE_DEFAULT).exists() => {
            (FILE_DEFAULT.to_owned(), Origin::File { path: FILE_DEFAULT.into(), line: 1 })
        }
        None => return None,
    };
    match read_bounded(Path::new(&path)) {
        Ok(text) => Some(Document::new(Path::new(&path), text)),
        Err(why) => {
            notes.add(&origin, format!("{path} cannot be read: {why}"));
            None
        }
    }
}

fn read_bounded(path: &Path) -> Result<String, String> {
    let bytes = std::fs::metadata(path).map_err(|why| why.to_string())?.len();
    if bytes > FILE_BYTES_MAX {
        return Err(format!("it has {bytes} bytes, at most {FILE_BYTES_MAX} are read"));
    }
    // What has no length, as a device, has no end either.
    text::of_file(path, FILE_BYTES_MAX)
}

fn read_retention(root: &Section<'_>) -> Retention {
    root.table_or_empty("retention", |retention| {
        let span = |key| retention.read(key, span::read_settable_span);
        Retention {
            done: span("done"),
            cancelled: span("cancelled"),
            dead: span("dead"),
            undo_window: span("undo_window"),
        }
    })
}

fn read_log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        other => Err(format!("log format {other:?} is not known; use text or json")),
    }
}
