//! What the program is told before it starts: one TOML file, the environment, flags; the later wins.
//!
//! Everything is read once, checked together, and every mistake is reported together with its line.

mod address;
mod api_auth;
mod audit;
mod base_path;
mod cron;
mod document;
mod draft;
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
mod span;
mod suggest;
mod tls;
mod webhook;
mod window;
mod words;

pub use api_auth::ApiAuth;
pub use audit::AuditConfig;
pub use base_path::BasePath;
pub use flags::Flags;
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
pub(crate) use pem::{read_certificates, read_key};
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
use document::Document;
use draft::{Draft, RetentionDraft};
use mistake::Given;
use reprieve::model::{CronEntry, Namespace};
use reprieve::{EngineConfig, Retention};
use reprieve_sinks::SinkConfig;
use std::path::{Path, PathBuf};

/// Read when no other file is named, if it is there.
const FILE_DEFAULT: &str = "reprieve.toml";
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
        let mut mistakes = Mistakes::default();
        let file = match read_file(flags, variable, &mut mistakes) {
            Some(document) => Draft::from_document(&document, &mut mistakes),
            None => Draft::default(),
        };
        let environment = Draft::from_environment(variable, &mut mistakes);
        let shows = !flags.shows_nothing;
        let flags = Draft::from_flags(flags, &mut mistakes);
        let config = Self::settle(file.under(environment).under(flags), shows, &mut mistakes);
        if mistakes.is_empty() { Ok(config) } else { Err(mistakes) }
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

    /// Turns texts into values; what cannot be read is noted and replaced by its default. `shows` is whether the namespaces
    /// are to be reached in a browser.
    fn settle(draft: Draft, shows: bool, mistakes: &mut Mistakes) -> Self {
        let tls = TlsConfig::settle(&draft, mistakes);
        let login = mistakes.read(draft.login.as_ref(), str::parse::<Login>).unwrap_or_default();
        let reach = listen::Reach {
            encrypted: draft.tls_cert_file.is_some() || draft.insecure_plain_http == Some(true),
            signed_in: login != Login::Off,
        };
        let address = mistakes.read(draft.listen.as_ref(), |text| listen::read_address(text, reach));
        let address = address.unwrap_or(ListenConfig::default().address);
        let allowed_hosts: Vec<AllowedHost> = draft
            .allowed_hosts
            .iter()
            .filter_map(|given| mistakes.read(Some(given), AllowedHost::read))
            .collect();
        let trusted_proxies = proxy::read_nets(&draft.trusted_proxies, mistakes);
        let keep_alive = mistakes.read(draft.keep_alive.as_ref(), listen::read_keep_alive);
        let keep_alive = keep_alive.unwrap_or(ListenConfig::KEEP_ALIVE);
        let base_path = mistakes.read(draft.base_path.as_ref(), str::parse::<BasePath>).unwrap_or_default();
        let (namespace, named) =
            mistakes.read(draft.namespace.as_ref(), namespaces::read_names).unwrap_or_default();
        let named = named.into_iter().zip(draft.namespace.iter().cycle());
        let named = named.map(|(value, given)| Given { value, origin: given.origin.clone() }).collect();
        let (own, others) = namespaces::joined(&namespace, draft.namespaces.clone(), named);
        let shards = own.as_ref().and_then(|own| own.shards);
        let host = own
            .map(|own| own.host)
            .or_else(|| namespaces::own_host(&allowed_hosts, &others).cloned())
            .unwrap_or_else(AllowedHost::localhost);
        if shows {
            namespaces::refuse_shared_hosts((&namespace, &host), &others, mistakes);
        }
        let mut extra_namespaces: Vec<_> = others.into_iter().map(|other| other.value).collect();
        let machines = MachinesConfig::settle(&draft, shards, &mut extra_namespaces, mistakes);
        let redis = RedisConfig::settle(&draft, mistakes);
        let outgoing = OutgoingConfig::settle(&draft, mistakes);
        let audit = AuditConfig::settle(&draft, mistakes);
        for webhook in &draft.webhooks {
            if let Err(why) = webhook.value.check_url(&outgoing.nat64) {
                mistakes.note(&webhook.origin, why);
            }
        }
        let webhooks: Vec<_> = draft.webhooks.into_iter().map(|given| given.value).collect();
        let sinks = sink::settle(draft.sinks, (&namespace, shards), &webhooks, &draft.imports, mistakes);
        Self {
            tls,
            namespace,
            host,
            extra_namespaces,
            data: draft.data.as_ref().map_or_else(|| "reprieve-data".into(), |given| (&given.value).into()),
            redis,
            machines,
            outgoing,
            audit,
            retention: settle_retention(&draft.retention, mistakes),
            sinks,
            imports: draft.imports,
            webhooks,
            cron: draft.cron,
            vocabulary: draft.vocabulary,
            rules: draft.rules,
            queues: draft.queues,
            work: draft.work.unwrap_or(true),
            login,
            oidc: useful(draft.oidc, "[oidc]", login, mistakes)
                .map(|oidc| oidc.with_secret(draft.oidc_secret)),
            proxy: useful(draft.proxy, "[proxy]", login, mistakes).map(|proxy| proxy.among(&trusted_proxies)),
            api_auth: mistakes
                .read(draft.api_auth.as_ref(), str::parse::<ApiAuth>)
                .unwrap_or_else(|| ApiAuth::beside(login, address)),
            traces: mistakes.read(draft.traces.as_ref(), str::parse::<TracePage>),
            log: mistakes.read(draft.log.as_ref(), read_log_format).unwrap_or_default(),
            listen: ListenConfig { address, allowed_hosts, trusted_proxies, keep_alive, base_path },
            demo: false,
        }
    }
}

/// The file named by flag or environment, else the default one if it is there.
fn read_file(
    flags: &Flags,
    variable: &dyn Fn(&str) -> Option<String>,
    mistakes: &mut Mistakes,
) -> Option<Document> {
    let named = match (&flags.config, variable("REPRIEVE_CONFIG").filter(|path| !path.is_empty())) {
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
            mistakes.note(&origin, format!("{path} cannot be read: {why}"));
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

/// What signs people in, where people sign in.
fn useful<T>(given: Option<Given<T>>, name: &str, login: Login, mistakes: &mut Mistakes) -> Option<T> {
    let given = given?;
    if login == Login::Off {
        mistakes.note(
            &given.origin,
            format!("nobody signs in with login off; remove {name}, or login = \"off\""),
        );
    }
    Some(given.value)
}

fn settle_retention(draft: &RetentionDraft, mistakes: &mut Mistakes) -> Retention {
    let mut span = |given: &Option<Given<String>>| mistakes.read(given.as_ref(), span::read_settable_span);
    Retention {
        done: span(&draft.done),
        cancelled: span(&draft.cancelled),
        dead: span(&draft.dead),
        undo_window: span(&draft.undo_window),
    }
}

fn read_log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        other => Err(format!("log format {other:?} is not known; use text or json")),
    }
}
