//! The pages of the app, its server functions, and what is asked for at the root.

use crate::auth::Context;
use crate::config::ApiAuth;
use crate::dashboard::Dashboard;
use crate::middleware::refusal::Refusal;
use crate::middleware::sealed;
use crate::middleware::shared_pages::{self, SharedPages};
use crate::site;
use app::access::{self, Assets};
use app::door::Provider;
use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse as _;
use http::StatusCode;
use leptos::config::LeptosOptions;
use leptos::prelude::provide_context;
use leptos_axum::{AxumRouteListing, LeptosRoutes, generate_route_list, render_app_async_with_context};
use reprieve_access::{Credential, Principal};
use std::sync::{Arc, LazyLock};

/// The addresses of the app's pages, found out once a process.
///
/// Finding out runs the app with all its reads suppressed, by a flag that holds for the whole process: a page that
/// another dashboard renders meanwhile would wait for its data until its time is up. Nobody renders before this is
/// there.
static ROUTES: LazyLock<Vec<AxumRouteListing>> = LazyLock::new(|| generate_route_list(app::App));

/// Pages and server functions; every other address is a file of the site or the page "not found".
pub(crate) fn router(dashboard: &Dashboard) -> Router {
    let options = LeptosOptions::builder().output_name("app").build();
    let context = context(dashboard);
    let not_found = render_app_async_with_context(context.clone(), app::shell::shell);
    let site = dashboard.site.clone();
    Router::new()
        .leptos_routes_with_context(&options, ROUTES.clone(), context, app::shell::shell)
        .fallback(move |request: Request| {
            let (site, not_found) = (site.clone(), not_found.clone());
            async move {
                match site::root_file(&site, request.uri().path(), request.headers()) {
                    Some(file) => file,
                    // The page around "not found" is for people who are in.
                    None if is_nobody(&request) => {
                        Refusal::new(StatusCode::NOT_FOUND, "no_such_file", "there is no such file")
                            .into_response()
                    }
                    None => not_found(request).await,
                }
            }
        })
        .layer(from_fn_with_state(dashboard.engine.clone(), sealed::layer))
        .layer(from_fn_with_state(SharedPages::new(dashboard.base().is_root()), shared_pages::layer))
        .with_state(options)
}

fn is_nobody(request: &Request) -> bool {
    request.extensions().get::<Principal>().is_none_or(|principal| principal.credential == Credential::Nobody)
}

/// The same for pages that other routes render.
pub(crate) fn shared_context(dashboard: &Dashboard) -> Context {
    Arc::new(context(dashboard))
}

/// What the app finds in every request's context.
fn context(dashboard: &Dashboard) -> impl Fn() + Clone + Send + Sync + 'static {
    let engine = dashboard.engine.clone();
    let place = access::Site {
        environment: dashboard.environment.clone(),
        traces: dashboard.traces.clone(),
        webhooks: Arc::clone(&dashboard.webhooks),
        asks_for_token: dashboard.api_auth != ApiAuth::Off,
        base: dashboard.base().as_str().into(),
    };
    let assets = Assets { root: dashboard.site.root(), build: dashboard.site.build().to_owned() };
    let vocabulary = dashboard.vocabulary.clone();
    let places = dashboard.places.clone();
    let provider =
        dashboard.provider.as_ref().map(|provider| Provider { label: provider.label().to_owned() });
    move || {
        access::provide(engine.clone());
        access::provide_site(place.clone(), assets.clone());
        access::provide_vocabulary(vocabulary.clone());
        app::places::provide(places.clone());
        if let Some(provider) = provider.clone() {
            provide_context(provider);
        }
    }
}
