//! Signing in whom a proxy in front has signed in.
//!
//! Its headers are believed on the page to sign in alone, where they begin a session like any other. Everywhere else, from
//! everywhere else, and without the secret they mean nothing.

use super::accounts::Visit;
use super::federated::{admit, refuse};
use super::refuse::{SIGNED_OUT, asked};
use crate::middleware::client_ip::peer_of;
use crate::middleware::origin::SEC_FETCH_SITE;
use app::door::next_page;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::Method;

/// Begins a session of whom the proxy names, and goes on. Not where the page has something to say, unless the page that it
/// goes on to says the same.
pub(super) async fn layer(visit: Visit, request: Request, next: Next) -> Response {
    let goes_on = asked(request.uri(), "said").is_none_or(|said| said == SIGNED_OUT);
    let looks = request.method() == Method::GET && goes_on;
    let proxy = visit.routes.proxy.as_ref().filter(|_| looks);
    let Some(proven) =
        proxy.and_then(|proxy| proxy.names(peer_of(&visit.parts.extensions), &visit.parts.headers))
    else {
        return next.run(request).await;
    };
    let wanted = asked(request.uri(), "next").unwrap_or_default();
    let onward = next_page(&wanted);
    match admit(&visit, &proven).await {
        // Whom another site leads was sent on before; not every browser says so.
        Ok(opened) if visit.parts.headers.contains_key(SEC_FETCH_SITE) => visit.enter(&opened, onward).await,
        Ok(opened) => visit.enter_from_elsewhere(&opened, onward).await,
        Err(stop) => refuse(&visit, stop, "/login", onward).await,
    }
}
