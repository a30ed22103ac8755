//! The routes behind which people prove who they are and change accounts.
//!
//! All of them are plain forms, which work without script and answer with a redirect or with a page that shows
//! something once.

use super::accounts::AccountRoutes;
use super::{account, elsewhere, oidc_routes, people, proxy_layer, reveal, sign_in};
use app::{door, routes};
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use leptos::prelude::{AnyView, IntoAny as _};
use leptos_axum::render_app_async_with_context;

impl AccountRoutes {
    /// The routes.
    pub(crate) fn router(self) -> Router {
        let context = self.context.clone();
        let context = move || context();
        let page = |view: fn() -> AnyView| get(render_app_async_with_context(context.clone(), view));
        let sign_in = page(|| door::sign_in().into_any());
        // A person whom the proxy has signed in is in already.
        let sign_in = sign_in.layer(from_fn_with_state(self.clone(), proxy_layer::layer));
        let sign_in = sign_in.layer(from_fn_with_state(self.clone(), elsewhere::layer));
        let first =
            page(|| door::first().into_any()).layer(from_fn_with_state(self.clone(), sign_in::first_is_here));
        Router::new()
            .route("/login", sign_in.post(sign_in::login))
            .route("/login/oidc", get(oidc_routes::start))
            .route("/login/oidc/callback", get(oidc_routes::callback))
            .route("/welcome", page(|| door::welcome().into_any()).post(sign_in::welcome))
            .route("/first", first.post(sign_in::first))
            .route("/account/prove", page(|| door::prove().into_any()).post(sign_in::prove))
            .route("/logout", post(sign_in::logout))
            .route("/account/password", post(account::password))
            .route("/account/second-factor/begin", post(account::begin_factor))
            .route("/account/second-factor/confirm", post(account::confirm_factor))
            .route("/account/second-factor/drop", post(account::drop_factor))
            .route("/account/sessions/end", post(account::end_sessions))
            .route("/people/add", post(people::add))
            .route("/people/invite", post(people::invite))
            .route("/people/role", post(people::set_role))
            .route("/people/disable", post(people::disable))
            .route("/people/remove", post(people::remove))
            .route("/people/sessions/end", post(people::end_sessions))
            .with_state(self.clone())
            .merge(self.without_accounts())
    }

    /// Those that are there where another program has the accounts: tokens, and hidden parts of payloads.
    pub(crate) fn without_accounts(self) -> Router {
        Router::new()
            .route(routes::REVEAL, post(reveal::show))
            .route("/people/tokens/add", post(people::add_token))
            .route("/people/tokens/revoke", post(people::revoke_token))
            .with_state(self)
    }
}
