//! Every route, and the layers around all of them.

use crate::auth::Gate;
use crate::config::{AllowedHost, ApiAuth};
use crate::middleware::host::Hosts;
use crate::middleware::refusal::Refusal;
use crate::middleware::{
    body_limit, content_type, deadline, host, method, no_store, origin, panic_guard, principal, request_id,
    security_headers,
};
use crate::site::Site;
use crate::{export, health, http_api, metrics, pages, reference, site};
use app::desk::vocabulary::Vocabulary;
use axum::Router;
use axum::extract::State;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, StatusCode, Uri};
use reprieve::Engine;
use std::sync::Arc;

/// What the dashboard shows and how it may be called.
#[derive(Clone)]
pub struct Dashboard {
    pub(crate) engine: Engine,
    pub(crate) site: Arc<Site>,
    pub(crate) environment: String,
    pub(crate) vocabulary: Arc<Vocabulary>,
    hosts: Hosts,
    api_auth: ApiAuth,
}

impl Dashboard {
    /// A dashboard of this engine, which answers to `localhost`, plain IP addresses and these names.
    #[must_use]
    pub fn new(engine: Engine, allowed_hosts: &[AllowedHost]) -> Self {
        Self {
            engine,
            site: Arc::new(Site::load()),
            environment: String::new(),
            vocabulary: Arc::default(),
            hosts: Hosts::new(allowed_hosts),
            api_auth: ApiAuth::Off,
        }
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

    /// Whether the HTTP API asks for a token; off unless said otherwise.
    #[must_use]
    pub const fn api_auth(mut self, auth: ApiAuth) -> Self {
        self.api_auth = auth;
        self
    }

    /// Names the build of the site, so that a page knows when it is older than the server.
    #[must_use]
    pub fn build(&self) -> &str {
        self.site.build()
    }
}

/// Everything the dashboard serves. `live` is the route of the event stream.
///
/// To be mounted in another axum application: at its root, and only where that application decides
/// who gets in, for there is no login here yet.
pub fn router(dashboard: &Dashboard, live: Router) -> Router {
    let routes = pages::router(dashboard)
        .merge(health::router(dashboard.engine.clone()))
        .merge(metrics::router(dashboard.engine.clone()))
        .merge(export::router(dashboard.engine.clone()))
        .merge(http_api::router(dashboard.engine.clone()))
        .merge(reference::router(dashboard.site.clone()))
        .merge(live)
        .merge(Router::new().route("/assets/{*path}", get(asset)).with_state(dashboard.site.clone()));
    layered(routes, dashboard.hosts.clone(), Gate::new(&dashboard.engine, dashboard.api_auth))
}

/// Puts the layers around routes. The last one added is the first to see a request.
pub(crate) fn layered(routes: Router, hosts: Hosts, gate: Gate) -> Router {
    routes
        .layer(from_fn_with_state(gate, principal::layer))
        .layer(from_fn(deadline::layer))
        .layer(from_fn(body_limit::layer))
        .layer(from_fn(content_type::layer))
        .layer(from_fn_with_state(hosts.clone(), origin::layer))
        .layer(from_fn(method::layer))
        .layer(from_fn_with_state(hosts, host::layer))
        .layer(from_fn(panic_guard::layer))
        .layer(from_fn(no_store::layer))
        .layer(from_fn(security_headers::layer))
        .layer(from_fn(request_id::layer))
}

async fn asset(State(site): State<Arc<Site>>, uri: Uri, headers: HeaderMap) -> Response {
    site::asset(&site, uri.path(), &headers).unwrap_or_else(|| {
        Refusal::new(StatusCode::NOT_FOUND, "no_such_file", "there is no such file; reload the page")
            .into_response()
    })
}
