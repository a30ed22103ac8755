//! Browsers that came over TLS of ours come over TLS from then on.

use super::host::{Hosts, host_of};
use crate::config::is_loopback;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use http::header::STRICT_TRANSPORT_SECURITY;
use http::uri::Authority;

/// A year. Names below this one are somebody else's to decide about.
const A_YEAR: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Says so, but not of this machine: what a browser keeps of `localhost` would hold for every program on it.
pub(crate) async fn layer(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let is_elsewhere = hosts.speak_tls() && host_of(request.headers()).is_some_and(|host| !is_here(host));
    let mut response = next.run(request).await;
    if is_elsewhere {
        response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, A_YEAR);
    }
    response
}

fn is_here(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return true };
    let name = authority.host().trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_loopback)
}
