//! Every route, and the layers around all of them.

use crate::auth::{AccountRoutes, Entry, FirstRun, Gate, HostAuth, OidcProvider, TrustedProxy};
use crate::config::{AllowedHost, ApiAuth, BasePath, Login, WebhookConfig};
use crate::middleware::client_ip::TrustedProxies;
use crate::middleware::host::Hosts;
use crate::middleware::refusal::Refusal;
use crate::middleware::{
    address, body_limit, client_ip, compression, content_type, deadline, host, hsts, method, no_store,
    on_page, origin, panic_guard, principal, request_id, security_headers,
};
use crate::site::Site;
use crate::sse::Live;
use crate::{export, health, http_api, metrics, pages, reference, site};
use app::access::Webhook;
use app::places::Place;
use app::traces::TracePage;
use app::vocabulary::Vocabulary;
use axum::Router;
use axum::extract::State;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, StatusCode, Uri};
use ipnet::IpNet;
use reprieve::Engine;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

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
    hosts: Hosts,
    pub(crate) api_auth: ApiAuth,
    entry: Entry,
    first: FirstRun,
    pub(crate) provider: Option<OidcProvider>,
    proxy: Option<TrustedProxy>,
    proxies: TrustedProxies,
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

    /// The path under which browsers see all of it, such as `/jobs`. The routes themselves begin at `/`, as for axum's
    /// `nest`.
    #[must_use]
    pub fn base_path(mut self, base: BasePath) -> Self {
        self.hosts = self.hosts.below(base);
        self
    }

    /// The path under which browsers see it.
    pub(crate) const fn base(&self) -> &BasePath {
        self.hosts.base()
    }

    /// All of it, to be put below the [base path](Self::base_path) by axum's `nest`. `stop` ends its live streams.
    ///
    /// Must be called inside a tokio runtime.
    pub fn into_router(self, stop: CancellationToken) -> Router {
        let live = Live::start(self.engine.clone(), self.build(), stop);
        self.base().lead_out(router(&self, live.router()))
    }

    /// Names the build of the site, so that a page knows when it is older than the server.
    #[must_use]
    pub fn build(&self) -> &str {
        self.site.build()
    }
}

/// Everything the dashboard serves. `live` is the route of the event stream.
///
/// To be mounted in another axum application at its root. With [`Login::Off`] that application decides who gets in;
/// that is what holds unless [`Dashboard::login`] said otherwise.
pub fn router(dashboard: &Dashboard, live: Router) -> Router {
    let (engine, hosts) = (&dashboard.engine, dashboard.hosts.clone());
    let context = pages::shared_context(dashboard);
    let account_routes = AccountRoutes::new(
        engine,
        hosts.clone(),
        dashboard.first.clone(),
        (dashboard.provider.clone(), dashboard.proxy.clone()),
        context.clone(),
    );
    let accounts = match dashboard.entry.has_accounts() {
        true => account_routes.router(),
        false => account_routes.without_accounts(),
    };
    let routes = pages::router(dashboard)
        .merge(accounts)
        .merge(health::router(dashboard.engine.clone()))
        .merge(metrics::router(dashboard.engine.clone()))
        .merge(export::router(dashboard.engine.clone()))
        .merge(http_api::router(dashboard.engine.clone()))
        .merge(reference::router(dashboard.site.clone()))
        .merge(live)
        .merge(Router::new().route("/assets/{*path}", get(asset)).with_state(dashboard.site.clone()));
    let gate = Gate::new(engine, dashboard.api_auth, dashboard.entry.clone(), hosts.clone(), context);
    layered(routes, &hosts, dashboard.proxies.clone(), gate)
}

/// Puts the layers around routes. The last one added is the first to see a request.
pub(crate) fn layered(routes: Router, hosts: &Hosts, proxies: TrustedProxies, gate: Gate) -> Router {
    let routes = routes
        .layer(from_fn_with_state(gate.clone(), principal::layer))
        .layer(from_fn(deadline::layer))
        .layer(from_fn(body_limit::layer))
        .layer(from_fn(content_type::layer))
        .layer(from_fn_with_state(hosts.clone(), origin::layer))
        .layer(from_fn(method::layer))
        .layer(from_fn(address::layer))
        .layer(from_fn_with_state(hosts.clone(), host::layer))
        .layer(from_fn(panic_guard::layer))
        .layer(from_fn_with_state(gate, on_page::layer));
    hosts
        .base()
        .lead_pages_out(routes)
        // Files of the site are compressed already.
        .layer(compression::layer())
        .layer(from_fn(compression::only_for_ours))
        .layer(from_fn(no_store::layer))
        .layer(from_fn(security_headers::layer))
        .layer(from_fn_with_state(hosts.clone(), hsts::layer))
        .layer(from_fn_with_state(proxies, client_ip::layer))
        .layer(from_fn(request_id::layer))
}

async fn asset(State(site): State<Arc<Site>>, uri: Uri, headers: HeaderMap) -> Response {
    site::asset(&site, uri.path(), &headers).unwrap_or_else(|| {
        Refusal::new(StatusCode::NOT_FOUND, "no_such_file", "there is no such file; reload the page")
            .into_response()
    })
}
