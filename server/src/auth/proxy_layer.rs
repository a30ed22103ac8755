//! Signing in whom a proxy in front has signed in.
//!
//! Its headers are believed on the page to sign in alone, where they begin a session like any other. Everywhere else, from
//! everywhere else, and without the secret they mean nothing.

use super::accounts::{AccountRoutes, Caller};
use super::federated::{admit, refuse};
use super::refuse::{SIGNED_OUT, asked};
use crate::middleware::origin::SEC_FETCH_SITE;
use app::door::next_page;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::Method;

/// Begins a session of whom the proxy names, and goes on. Not where the page has something to say, unless the page that it
/// goes on to says the same.
pub(super) async fn layer(
    State(account_routes): State<AccountRoutes>,
    caller: Caller,
    request: Request,
    next: Next,
) -> Response {
    let goes_on = asked(request.uri(), "said").is_none_or(|said| said == SIGNED_OUT);
    let looks = request.method() == Method::GET && goes_on;
    let proxy = account_routes.proxy.as_ref().filter(|_| looks);
    let Some(proven) = proxy.and_then(|proxy| proxy.names(caller.peer, &caller.headers)) else {
        return next.run(request).await;
    };
    let wanted = asked(request.uri(), "next").unwrap_or_default();
    let onward = next_page(&wanted);
    match admit(&account_routes, &caller, &proven).await {
        // Whom another site leads was sent on before; not every browser says so.
        Ok(opened) if caller.headers.contains_key(SEC_FETCH_SITE) => {
            account_routes.enter(&caller, &opened, onward).await
        }
        Ok(opened) => account_routes.enter_from_elsewhere(&caller, &opened, onward).await,
        Err(stop) => refuse(&account_routes, &caller, stop, "/login", onward).await,
    }
}
