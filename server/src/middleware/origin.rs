//! Changes come from our own pages, or from no browser at all.
//!
//! A browser says where a request comes from in `Sec-Fetch-Site`, or, on plain HTTP under a name
//! other than localhost, only in `Origin`. Scripts and curl say nothing, and bring no cookies.

use super::host::{Hosts, host_of, only, shown};
use super::refusal::Refusal;
use app::door::Stopped;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{COOKIE, HeaderName, ORIGIN, REFERER};
use http::{HeaderMap, Method, StatusCode};

/// Who a browser says is asking.
pub(crate) const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Refuses changes that another site asks for.
pub(crate) async fn layer(State(hosts): State<Hosts>, mut request: Request, next: Next) -> Response {
    // Nothing here takes any other method: such a request only asks which ones its address takes.
    let changes = *request.method() == Method::POST;
    if !changes || is_ours(request.headers(), &hosts) {
        if changes {
            // Server functions would send a form whose fields they cannot read back to wherever this says. Our pages
            // send none.
            request.headers_mut().remove(REFERER);
        }
        return next.run(request).await;
    }
    let why = why_foreign(request.headers(), &hosts);
    tracing::warn!("a change was refused: {why}");
    Refusal::new(
        StatusCode::FORBIDDEN,
        "foreign_origin",
        format!(
            "this change was asked for by another site, so nothing was done: {why}; open the dashboard itself and try again"
        ),
    )
    .stopped(Stopped::Foreign { why })
    .into_response()
}

/// What the browser says of where it asks from, beside what this server takes itself for. A proxy that leaves the port
/// out of `Host` makes the two differ.
fn why_foreign(headers: &HeaderMap, hosts: &Hosts) -> String {
    let host = host_of(headers).unwrap_or_default();
    let ours = hosts.origin(host).unwrap_or_default();
    let Some(theirs) = only(headers, &ORIGIN).filter(|_| !headers.contains_key(SEC_FETCH_SITE)) else {
        return "the browser says so itself, or does not say where it comes from".to_owned();
    };
    let (theirs, ours) = (shown(theirs), shown(&ours));
    match theirs.strip_prefix(&ours).and_then(|rest| rest.strip_prefix(':')) {
        Some(_) => format!(
            "its origin is {theirs}, and by the header Host this is {ours}; let the proxy in front pass on Host with its \
             port, or set allowed_hosts = [{theirs:?}]"
        ),
        None => format!(
            "its origin is {theirs:?}, and by the header Host this is {ours}; a proxy in front has to pass on Host"
        ),
    }
}

/// `Sec-Fetch-Site` decides if it is there, else `Origin`; with neither there must be no cookie.
///
/// Values are compared exactly: browsers send them in lower case, and a header that comes twice is
/// no browser's.
fn is_ours(headers: &HeaderMap, hosts: &Hosts) -> bool {
    if headers.contains_key(SEC_FETCH_SITE) {
        return only(headers, &SEC_FETCH_SITE) == Some("same-origin");
    }
    if headers.contains_key(ORIGIN) {
        let ours = host_of(headers).and_then(|host| hosts.origin(host));
        return ours.is_some() && only(headers, &ORIGIN) == ours.as_deref();
    }
    !headers.contains_key(COOKIE)
}
