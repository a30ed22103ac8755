//! Every route, and the layers around all of them.

use crate::auth::{AccountRoutes, AuthLayer, on_page, principal_layer};
use crate::dashboard::Dashboard;
use crate::middleware::client_ip::TrustedProxies;
use crate::middleware::host::Hosts;
use crate::middleware::refusal::Refusal;
use crate::middleware::{
    address, body_limit, client_ip, compression, content_type, deadline, host, hsts, method, no_store,
    origin, panic_guard, request_id, security_headers,
};
use crate::site::Site;
use crate::sse::Live;
use crate::{export, health, metrics, pages, reference, site};
use axum::Router;
use axum::extract::State;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use http::{HeaderMap, StatusCode, Uri};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl Dashboard {
    /// All of it below its [base path](Self::base_path), for axum's `merge`. `stop` ends its live streams.
    ///
    /// Must be called inside a tokio runtime.
    pub fn into_router(self, stop: CancellationToken) -> Router {
        let live = Live::start(self.engine.clone(), self.build(), stop);
        let base = self.base().as_str();
        let routes = self.base().lead_out(router(&self, live.router()));
        if self.base().is_root() {
            return routes;
        }
        // `nest` answers `/jobs` and what is below it, but not `/jobs/`.
        let home = Redirect::permanent(base);
        Router::new().nest(base, routes).route(&format!("{base}/"), get(async || home))
    }
}

/// Everything the dashboard serves. `live` is the route of the event stream.
///
/// To be mounted in another axum application at its root. With [`Login::Off`](crate::config::Login::Off) that application decides who gets in;
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
        .merge(reference::api(dashboard.engine.clone()))
        .merge(reference::router(dashboard.site.clone()))
        .merge(live)
        .merge(Router::new().route("/assets/{*path}", get(asset)).with_state(dashboard.site.clone()));
    let auth = AuthLayer::new(engine, dashboard.api_auth, dashboard.entry.clone(), hosts.clone(), context);
    layered(routes, &hosts, dashboard.proxies.clone(), auth)
}

/// Puts the layers around routes. The last one added is the first to see a request.
pub(crate) fn layered(routes: Router, hosts: &Hosts, proxies: TrustedProxies, auth: AuthLayer) -> Router {
    let routes = routes
        .layer(from_fn_with_state(auth.clone(), principal_layer::layer))
        .layer(from_fn(deadline::layer))
        .layer(from_fn(body_limit::layer))
        .layer(from_fn(content_type::layer))
        .layer(from_fn_with_state(hosts.clone(), origin::layer))
        .layer(from_fn(method::layer))
        .layer(from_fn(address::layer))
        .layer(from_fn_with_state(hosts.clone(), host::layer))
        .layer(from_fn(panic_guard::layer))
        .layer(from_fn_with_state(auth, on_page::layer));
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
