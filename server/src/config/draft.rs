//! Settings as written, before they are checked: one layer each for file, environment and flags.

use super::document::{Document, Section};
use super::flags::Flags;
use super::import::ImportConfig;
use super::mistake::{Given, Mistakes, Origin};
use super::namespaces::NamespaceConfig;
use super::oidc::{self, OidcConfig};
use super::proxy::ProxyConfig;
use super::rules::{QueueConfig, RuleConfig};
use super::webhook::WebhookConfig;
use app::vocabulary::Vocabulary;
use reprieve::model::CronEntry;
use reprieve_sinks::SinkConfig;

/// One layer of settings. Absent means that another layer, or the default, decides.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) listen: Option<Given<String>>,
    pub(super) tls_cert_file: Option<Given<String>>,
    pub(super) tls_key_file: Option<Given<String>>,
    pub(super) insecure_plain_http: Option<bool>,
    pub(super) keep_alive: Option<Given<String>>,
    pub(super) base_path: Option<Given<String>>,
    pub(super) data: Option<Given<String>>,
    /// Whether the directory of the embedded Redis was named on the command line.
    pub(super) data_flag: bool,
    pub(super) redis: Option<Given<String>>,
    pub(super) redis_file: Option<Given<String>>,
    pub(super) redis_server: Option<Given<String>>,
    pub(super) redis_ca_file: Option<Given<String>>,
    /// Of the environment: what other programs trust.
    pub(super) ssl_cert_file: Option<Given<String>>,
    pub(super) redis_cert_file: Option<Given<String>>,
    pub(super) redis_key_file: Option<Given<String>>,
    pub(super) outgoing_ca_file: Option<Given<String>>,
    pub(super) outgoing_cert_file: Option<Given<String>>,
    pub(super) outgoing_key_file: Option<Given<String>>,
    pub(super) outgoing_proxy: Option<Given<String>>,
    pub(super) outgoing_nat64: Vec<Given<String>>,
    pub(super) audit_entries: Option<Given<String>>,
    pub(super) audit_bytes: Option<Given<String>>,
    pub(super) audit_archive: Option<Given<String>>,
    pub(super) shards: Option<Given<String>>,
    /// The same on the command line, which is about the first of several namespaces alone.
    pub(super) shards_flag: Option<Given<String>>,
    pub(super) confirm_replicas: Option<Given<String>>,
    pub(super) namespace: Option<Given<String>>,
    pub(super) namespaces: Vec<Given<NamespaceConfig>>,
    pub(super) log: Option<Given<String>>,
    pub(super) work: Option<bool>,
    pub(super) login: Option<Given<String>>,
    pub(super) api_auth: Option<Given<String>>,
    pub(super) traces: Option<Given<String>>,
    pub(super) oidc: Option<Given<OidcConfig>>,
    pub(super) oidc_secret: Option<String>,
    pub(super) proxy: Option<Given<ProxyConfig>>,
    pub(super) allowed_hosts: Vec<Given<String>>,
    pub(super) trusted_proxies: Vec<Given<String>>,
    pub(super) retention: RetentionDraft,
    pub(super) webhooks: Vec<Given<WebhookConfig>>,
    pub(super) cron: Vec<CronEntry>,
    pub(super) vocabulary: Vocabulary,
    pub(super) rules: Vec<RuleConfig>,
    pub(super) queues: Vec<QueueConfig>,
    pub(super) sinks: Vec<Given<SinkConfig>>,
    pub(super) imports: Vec<ImportConfig>,
}

/// `[retention]` as written.
#[derive(Default)]
pub(super) struct RetentionDraft {
    pub(super) done: Option<Given<String>>,
    pub(super) cancelled: Option<Given<String>>,
    pub(super) dead: Option<Given<String>>,
    pub(super) undo_window: Option<Given<String>>,
}

impl Draft {
    /// Reads the file's layer.
    pub(super) fn from_document(document: &Document, mistakes: &mut Mistakes) -> Self {
        document.read(mistakes, |root, mistakes| {
            root.refuse_unknown(
                &[
                    "listen",
                    "data",
                    "redis",
                    "redis_file",
                    "redis_server",
                    "redis_ca_file",
                    "redis_cert_file",
                    "redis_key_file",
                    "outgoing_ca_file",
                    "outgoing_cert_file",
                    "outgoing_key_file",
                    "outgoing_proxy",
                    "outgoing_nat64",
                    "audit_entries",
                    "audit_bytes",
                    "audit_archive",
                    "shards",
                    "confirm_replicas",
                    "namespace",
                    "namespaces",
                    "log",
                    "serve",
                    "tls",
                    "oidc",
                    "proxy",
                    "retention",
                    "webhook",
                    "cron",
                    "rule",
                    "queue",
                    "sink",
                    "import",
                    "kind",
                    "subject",
                ],
                mistakes,
            );
            let mut draft = Self {
                listen: root.text("listen", mistakes),
                data: root.text("data", mistakes),
                redis: root.text("redis", mistakes),
                redis_file: root.text("redis_file", mistakes),
                redis_server: root.text("redis_server", mistakes),
                redis_ca_file: root.text("redis_ca_file", mistakes),
                redis_cert_file: root.text("redis_cert_file", mistakes),
                redis_key_file: root.text("redis_key_file", mistakes),
                outgoing_ca_file: root.text("outgoing_ca_file", mistakes),
                outgoing_cert_file: root.text("outgoing_cert_file", mistakes),
                outgoing_key_file: root.text("outgoing_key_file", mistakes),
                outgoing_proxy: root.text("outgoing_proxy", mistakes),
                outgoing_nat64: root.texts("outgoing_nat64", mistakes),
                audit_entries: root.number("audit_entries", mistakes).map(in_digits),
                audit_bytes: root.number("audit_bytes", mistakes).map(in_digits),
                audit_archive: root.text("audit_archive", mistakes),
                shards: root.number("shards", mistakes).map(in_digits),
                confirm_replicas: root.number("confirm_replicas", mistakes).map(in_digits),
                namespace: root.text("namespace", mistakes),
                log: root.text("log", mistakes),
                ..Self::default()
            };
            draft.namespaces = super::namespaces::read(root, mistakes);
            draft.read_serve(root, mistakes);
            draft.read_tls(root, mistakes);
            draft.read_retention(root, mistakes);
            draft.oidc = root.section("oidc", mistakes).and_then(|section| {
                let value = OidcConfig::from_section(&section, mistakes)?;
                Some(Given { value, origin: section.origin() })
            });
            draft.proxy = root.section("proxy", mistakes).and_then(|section| {
                let value = ProxyConfig::from_section(&section, mistakes)?;
                Some(Given { value, origin: section.origin() })
            });
            draft.cron = super::cron::read(root, mistakes);
            draft.vocabulary = super::words::read(root, mistakes);
            draft.rules = super::rules::read_rules(root, mistakes);
            draft.queues = super::rules::read_queues(root, mistakes);
            draft.imports = super::import::read(root, mistakes);
            for section in root.sections("sink", mistakes) {
                draft.sinks.extend(super::sink::from_section(&section, mistakes));
            }
            for section in root.sections("webhook", mistakes) {
                draft.webhooks.extend(WebhookConfig::from_section(&section, mistakes));
            }
            draft
        })
    }

    fn read_serve(&mut self, root: &Section<'_>, mistakes: &mut Mistakes) {
        let Some(serve) = root.section("serve", mistakes) else { return };
        serve.refuse_unknown(
            &[
                "allowed_hosts",
                "trusted_proxies",
                "work",
                "login",
                "api_auth",
                "traces",
                "insecure_plain_http",
                "keep_alive",
                "base_path",
            ],
            mistakes,
        );
        self.allowed_hosts = serve.texts("allowed_hosts", mistakes);
        self.trusted_proxies = serve.texts("trusted_proxies", mistakes);
        self.login = serve.text("login", mistakes);
        self.api_auth = serve.text("api_auth", mistakes);
        self.traces = serve.text("traces", mistakes);
        self.keep_alive = serve.text("keep_alive", mistakes);
        self.base_path = serve.text("base_path", mistakes);
        self.work = serve.flag("work", mistakes).map(|given| given.value);
        self.insecure_plain_http = serve.flag("insecure_plain_http", mistakes).map(|given| given.value);
    }

    fn read_tls(&mut self, root: &Section<'_>, mistakes: &mut Mistakes) {
        let Some(tls) = root.section("tls", mistakes) else { return };
        tls.refuse_unknown(&["cert_file", "key_file"], mistakes);
        self.tls_cert_file = tls.required("cert_file", "table", mistakes);
        self.tls_key_file = tls.required("key_file", "table", mistakes);
    }

    fn read_retention(&mut self, root: &Section<'_>, mistakes: &mut Mistakes) {
        let Some(retention) = root.section("retention", mistakes) else { return };
        retention.refuse_unknown(&["done", "cancelled", "dead", "undo_window"], mistakes);
        self.retention = RetentionDraft {
            done: retention.text("done", mistakes),
            cancelled: retention.text("cancelled", mistakes),
            dead: retention.text("dead", mistakes),
            undo_window: retention.text("undo_window", mistakes),
        };
    }

    /// Reads the environment's layer.
    ///
    /// Unknown `REPRIEVE_…` variables are left alone: Kubernetes sets some for a service of that
    /// name (`REPRIEVE_PORT`), and no one could silence a complaint about them.
    pub(super) fn from_environment(
        variable: &dyn Fn(&str) -> Option<String>,
        mistakes: &mut Mistakes,
    ) -> Self {
        let text = |name: &'static str| {
            let value = variable(name).filter(|value| !value.is_empty())?;
            Some(Given { value, origin: Origin::Variable(name) })
        };
        let several = |name: &'static str| {
            let given = text(name).map(|given| given.value).unwrap_or_default();
            let parts = given.split(',').map(str::trim).filter(|part| !part.is_empty());
            let one = |part: &str| Given { value: part.to_owned(), origin: Origin::Variable(name) };
            parts.map(one).collect::<Vec<_>>()
        };
        let work = text("REPRIEVE_WORK");
        let plain = text("REPRIEVE_INSECURE_PLAIN_HTTP");
        let truth = |text: &str| match text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            other => Err(format!("{other:?} is neither true nor false")),
        };
        Self {
            listen: text("REPRIEVE_LISTEN"),
            tls_cert_file: text("REPRIEVE_TLS_CERT_FILE"),
            tls_key_file: text("REPRIEVE_TLS_KEY_FILE"),
            insecure_plain_http: mistakes.read(plain.as_ref(), truth),
            data: text("REPRIEVE_DATA"),
            redis: text("REPRIEVE_REDIS"),
            redis_file: text("REPRIEVE_REDIS_FILE"),
            redis_server: text("REPRIEVE_REDIS_SERVER"),
            redis_ca_file: text("REPRIEVE_REDIS_CA_FILE"),
            ssl_cert_file: text("SSL_CERT_FILE"),
            redis_cert_file: text("REPRIEVE_REDIS_CERT_FILE"),
            redis_key_file: text("REPRIEVE_REDIS_KEY_FILE"),
            outgoing_ca_file: text("REPRIEVE_OUTGOING_CA_FILE"),
            outgoing_cert_file: text("REPRIEVE_OUTGOING_CERT_FILE"),
            outgoing_key_file: text("REPRIEVE_OUTGOING_KEY_FILE"),
            outgoing_proxy: text("REPRIEVE_OUTGOING_PROXY"),
            outgoing_nat64: several("REPRIEVE_OUTGOING_NAT64"),
            audit_entries: text("REPRIEVE_AUDIT_ENTRIES"),
            audit_bytes: text("REPRIEVE_AUDIT_BYTES"),
            audit_archive: text("REPRIEVE_AUDIT_ARCHIVE"),
            shards: text("REPRIEVE_SHARDS"),
            confirm_replicas: text("REPRIEVE_CONFIRM_REPLICAS"),
            namespace: text("REPRIEVE_NAMESPACE"),
            log: text("REPRIEVE_LOG_FORMAT"),
            login: text("REPRIEVE_LOGIN"),
            api_auth: text("REPRIEVE_API_AUTH"),
            traces: text("REPRIEVE_TRACES"),
            keep_alive: text("REPRIEVE_KEEP_ALIVE"),
            base_path: text("REPRIEVE_BASE_PATH"),
            oidc_secret: oidc::secret_of(variable),
            work: mistakes.read(work.as_ref(), truth),
            allowed_hosts: several("REPRIEVE_ALLOWED_HOSTS"),
            trusted_proxies: several("REPRIEVE_TRUSTED_PROXIES"),
            ..Self::default()
        }
    }

    /// Reads the command line's layer.
    pub(super) fn from_flags(flags: &Flags, mistakes: &mut Mistakes) -> Self {
        let text = |flag: &Option<String>, name| {
            flag.clone().map(|value| Given { value, origin: Origin::Flag(name) })
        };
        let several = |values: &[String], name| {
            let one = |value: &String| Given { value: value.clone(), origin: Origin::Flag(name) };
            values.iter().map(one).collect()
        };
        let mut webhooks = Vec::new();
        for webhook in &flags.webhook {
            match WebhookConfig::from_flag(webhook, flags.webhook_allow_private) {
                Ok(value) => webhooks.push(Given { value, origin: Origin::Flag("--webhook") }),
                Err(why) => mistakes.note(&Origin::Flag("--webhook"), why),
            }
        }
        Self {
            listen: text(&flags.listen, "--listen"),
            tls_cert_file: text(&flags.tls_cert_file, "--tls-cert-file"),
            tls_key_file: text(&flags.tls_key_file, "--tls-key-file"),
            base_path: text(&flags.base_path, "--base-path"),
            insecure_plain_http: flags.insecure_plain_http.then_some(true),
            data: text(&flags.data, "--data"),
            data_flag: flags.data.is_some() && !flags.is_data_unnamed,
            redis: text(&flags.redis, "--redis"),
            redis_ca_file: text(&flags.redis_ca_file, "--redis-ca-file"),
            redis_cert_file: text(&flags.redis_cert_file, "--redis-cert-file"),
            redis_key_file: text(&flags.redis_key_file, "--redis-key-file"),
            shards_flag: text(&flags.shards, "--shards"),
            confirm_replicas: text(&flags.confirm_replicas, "--confirm-replicas"),
            namespace: text(&flags.namespace, "--namespace"),
            log: flags.json.then(|| Given { value: "json".to_owned(), origin: Origin::Flag("--json") }),
            work: flags.no_work.then_some(false),
            login: text(&flags.login, "--login"),
            api_auth: text(&flags.api_auth, "--api-auth"),
            allowed_hosts: several(&flags.allow_host, "--allow-host"),
            trusted_proxies: several(&flags.trusted_proxy, "--trusted-proxy"),
            webhooks,
            ..Self::default()
        }
    }

    /// Puts a later layer over this one. Single settings are replaced, lists grow.
    pub(super) fn under(mut self, later: Self) -> Self {
        // A URL and a file with a URL are one setting in two spellings: the later layer's wins.
        let redis_later = later.redis.is_some() || later.redis_file.is_some();
        let (redis, redis_file) = match redis_later {
            true => (later.redis, later.redis_file),
            false => (self.redis, self.redis_file),
        };
        self.allowed_hosts.extend(later.allowed_hosts);
        self.trusted_proxies.extend(later.trusted_proxies);
        self.outgoing_nat64.extend(later.outgoing_nat64);
        // Later webhooks come first: the first whose pattern fits is used.
        let mut webhooks = later.webhooks;
        webhooks.extend(self.webhooks);
        Self {
            listen: later.listen.or(self.listen),
            tls_cert_file: later.tls_cert_file.or(self.tls_cert_file),
            tls_key_file: later.tls_key_file.or(self.tls_key_file),
            insecure_plain_http: later.insecure_plain_http.or(self.insecure_plain_http),
            data: later.data.or(self.data),
            data_flag: later.data_flag,
            redis,
            redis_file,
            redis_server: later.redis_server.or(self.redis_server),
            redis_ca_file: later.redis_ca_file.or(self.redis_ca_file),
            ssl_cert_file: later.ssl_cert_file.or(self.ssl_cert_file),
            redis_cert_file: later.redis_cert_file.or(self.redis_cert_file),
            redis_key_file: later.redis_key_file.or(self.redis_key_file),
            outgoing_ca_file: later.outgoing_ca_file.or(self.outgoing_ca_file),
            outgoing_cert_file: later.outgoing_cert_file.or(self.outgoing_cert_file),
            outgoing_key_file: later.outgoing_key_file.or(self.outgoing_key_file),
            outgoing_proxy: later.outgoing_proxy.or(self.outgoing_proxy),
            outgoing_nat64: self.outgoing_nat64,
            audit_entries: later.audit_entries.or(self.audit_entries),
            audit_bytes: later.audit_bytes.or(self.audit_bytes),
            audit_archive: later.audit_archive.or(self.audit_archive),
            shards: later.shards.or(self.shards),
            shards_flag: later.shards_flag.or(self.shards_flag),
            confirm_replicas: later.confirm_replicas.or(self.confirm_replicas),
            namespace: later.namespace.or(self.namespace),
            namespaces: if later.namespaces.is_empty() { self.namespaces } else { later.namespaces },
            log: later.log.or(self.log),
            work: later.work.or(self.work),
            login: later.login.or(self.login),
            api_auth: later.api_auth.or(self.api_auth),
            traces: later.traces.or(self.traces),
            keep_alive: later.keep_alive.or(self.keep_alive),
            base_path: later.base_path.or(self.base_path),
            oidc: later.oidc.or(self.oidc),
            oidc_secret: later.oidc_secret.or(self.oidc_secret),
            proxy: later.proxy.or(self.proxy),
            allowed_hosts: self.allowed_hosts,
            trusted_proxies: self.trusted_proxies,
            retention: self.retention,
            webhooks,
            cron: self.cron,
            vocabulary: self.vocabulary,
            rules: self.rules,
            queues: self.queues,
            sinks: self.sinks,
            imports: self.imports,
        }
    }
}

/// The same number as text, for it may come from a flag or a variable as well.
fn in_digits(given: Given<u64>) -> Given<String> {
    Given { value: given.value.to_string(), origin: given.origin }
}
