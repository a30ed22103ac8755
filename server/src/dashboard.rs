//! What the dashboard shows, and how it may be called.

use crate::auth::{Entry, FirstRun, HostAuth, OidcProvider, TrustedProxy};
use crate::config::{AllowedHost, ApiAuth, BasePath, Login, WebhookConfig};
use crate::middleware::client_ip::TrustedProxies;
use crate::middleware::host::Hosts;
use crate::site::Site;
use app::access::Webhook;
use app::places::Place;
use app::traces::TracePage;
use app::vocabulary::Vocabulary;
use ipnet::IpNet;
use reprieve::Engine;
use std::sync::Arc;

/// What the dashboard shows and how it may be called.
#[derive(Clone)]
pub struct Dashboard {
    pub(crate) engine: Engine,
    pub(crate) site: Arc<Site>,
    pub(crate) environment: String,
    pub(crate) traces: Option<TracePage>,
    pub(crate) webhooks: Arc<[Webhook]>,
    pub(crate) vocabulary: Arc<Vocabulary>,
    pub(crate) places: Arc<[Place]>,
    pub(crate) hosts: Hosts,
    pub(crate) api_auth: ApiAuth,
    pub(crate) entry: Entry,
    pub(crate) first: FirstRun,
    pub(crate) provider: Option<OidcProvider>,
    pub(crate) proxy: Option<TrustedProxy>,
    pub(crate) proxies: TrustedProxies,
}

/// A webhook as far as everybody may know it.
fn shown(webhook: &WebhookConfig) -> Webhook {
    let mut shown = Webhook::new(webhook.kind.as_str(), webhook.url.origin().ascii_serialization());
    shown.queue.clone_from(&webhook.queue);
    shown.is_signed = webhook.secret.is_some();
    shown
}

impl Dashboard {
    /// A dashboard of this engine, which answers to `localhost` and plain IP addresses.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            site: Arc::new(Site::load()),
            environment: String::new(),
            traces: None,
            webhooks: Arc::from([]),
            vocabulary: Arc::default(),
            places: Arc::from([]),
            hosts: Hosts::default(),
            api_auth: ApiAuth::Off,
            entry: Entry::Open,
            first: FirstRun::default(),
            provider: None,
            proxy: None,
            proxies: TrustedProxies::default(),
        }
    }

    /// The names that it answers to besides.
    #[must_use]
    pub fn allowed_hosts(mut self, names: &[AllowedHost]) -> Self {
        self.hosts = self.hosts.allowing(names);
        self
    }

    /// What this place calls its kinds of work, for the support desk.
    #[must_use]
    pub fn vocabulary(mut self, vocabulary: Vocabulary) -> Self {
        self.vocabulary = Arc::new(vocabulary);
        self
    }

    /// A word beside the name on every page, such as `demo` or `staging`.
    #[must_use]
    pub fn environment(mut self, environment: impl Into<String>) -> Self {
        self.environment = environment.into();
        self
    }

    /// Where the traces of jobs are looked at.
    #[must_use]
    pub fn traces(mut self, traces: Option<TracePage>) -> Self {
        self.traces = traces;
        self
    }

    /// Where due jobs are posted, for the settings.
    #[must_use]
    pub fn webhooks(mut self, webhooks: &[WebhookConfig]) -> Self {
        self.webhooks = webhooks.iter().map(shown).collect();
        self
    }

    /// All namespaces of this server, for the switch in the frame.
    #[must_use]
    pub fn places(mut self, places: Arc<[Place]>) -> Self {
        self.places = places;
        self
    }

    /// This server speaks TLS itself, so browsers see every name of it under `https`.
    #[must_use]
    pub fn tls(mut self) -> Self {
        self.hosts = self.hosts.under_tls();
        self
    }

    /// Whether the HTTP API asks for a token; off unless said otherwise.
    #[must_use]
    pub const fn api_auth(mut self, auth: ApiAuth) -> Self {
        self.api_auth = auth;
        self
    }

    /// Whether people sign in; nobody does unless said otherwise.
    #[must_use]
    pub fn login(mut self, login: Login) -> Self {
        self.entry = if login == Login::Off { Entry::Open } else { Entry::Login };
        self
    }

    /// Takes the word of the program around the dashboard for who somebody is, in place of our own sign-in. Programs send the
    /// HTTP API a token, unless [`api_auth`](Self::api_auth) says otherwise after this.
    #[must_use]
    pub fn auth(mut self, host: impl HostAuth) -> Self {
        self.entry = Entry::Host(Arc::new(host));
        self.api_auth = ApiAuth::Required;
        self
    }

    /// Lets visitors choose what they are. For made-up data alone.
    #[must_use]
    pub fn demo(mut self) -> Self {
        self.entry = Entry::Demo;
        self
    }

    /// The link with which the first person comes in.
    #[must_use]
    pub fn first_run(mut self, first: FirstRun) -> Self {
        self.first = first;
        self
    }

    /// Who else proves who people are, beside their passwords. For [`Login::Required`].
    #[must_use]
    pub fn provider(mut self, provider: OidcProvider) -> Self {
        self.provider = Some(provider);
        self
    }

    /// A proxy in front whose word about people is taken. For [`Login::Required`].
    #[must_use]
    pub fn proxy(mut self, proxy: TrustedProxy) -> Self {
        self.proxy = Some(proxy);
        self
    }

    /// Proxies in front whose `X-Forwarded-For` says where visitors come from; none unless said otherwise.
    #[must_use]
    pub fn trusted_proxies(mut self, networks: &[IpNet]) -> Self {
        self.proxies = TrustedProxies::new(networks);
        self
    }

    /// The path under which browsers see all of it, such as `/jobs`.
    #[must_use]
    pub fn base_path(mut self, base: BasePath) -> Self {
        self.hosts = self.hosts.below(base);
        self
    }

    /// The path under which browsers see it.
    pub(crate) const fn base(&self) -> &BasePath {
        self.hosts.base()
    }

    /// Names the build of the site, so that a page knows when it is older than the server.
    #[must_use]
    pub fn build(&self) -> &str {
        self.site.build()
    }
}
