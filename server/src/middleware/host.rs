//! Which names the dashboard answers to.
//!
//! A foreign page can have its own name resolve to 127.0.0.1 and then read from us as "same origin"
//! (DNS rebinding). It cannot choose the `Host` its visitor's browser sends, so names we were not
//! told about get 421. Plain IP addresses are fine: nobody can rebind those.

use super::refusal::Refusal;
use crate::config::{AllowedHost, BasePath};
use app::door::Stopped;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::uri::Authority;
use http::{HeaderMap, StatusCode, header};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// As much as is shown of a name that is not ours.
const SHOWN_CHARS_MAX: usize = 100;

/// The names we answer to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hosts {
    allowed: Arc<[AllowedHost]>,
    /// Whether we speak TLS ourselves, so that browsers see every name under `https`.
    tls: bool,
    /// The path that everything is below.
    base: BasePath,
}

impl Hosts {
    #[cfg(test)]
    pub(crate) fn new(allowed: &[AllowedHost]) -> Self {
        Self::default().allowing(allowed)
    }

    /// With these names besides `localhost` and plain IP addresses.
    pub(crate) fn allowing(mut self, allowed: &[AllowedHost]) -> Self {
        self.allowed = allowed.into();
        self
    }

    /// The same names on a server that speaks TLS itself.
    pub(crate) const fn under_tls(mut self) -> Self {
        self.tls = true;
        self
    }

    /// The same names, with everything below that path.
    pub(crate) fn below(mut self, base: BasePath) -> Self {
        self.base = base;
        self
    }

    /// The path that everything is below.
    pub(crate) const fn base(&self) -> &BasePath {
        &self.base
    }

    /// Whether we speak TLS ourselves.
    pub(crate) const fn speak_tls(&self) -> bool {
        self.tls
    }

    /// The origin a browser names for pages of ours under this `Host`; `None` if it is not ours.
    ///
    /// Of several entries for one name the first decides whether it is seen under `https`, and at which port where `Host`
    /// names none.
    pub(crate) fn origin(&self, host: &str) -> Option<String> {
        let authority: Authority = host.parse().ok()?;
        if authority.as_str().contains('@') {
            return None;
        }
        let name = authority.host();
        let port = authority.as_str().strip_prefix(name)?;
        if !(port.is_empty() || port.strip_prefix(':')?.parse::<u16>().is_ok()) {
            return None;
        }
        let allowed = self.allowed.iter().find(|allowed| allowed.name.eq_ignore_ascii_case(name));
        if allowed.is_none() && !is_ours_anyway(name) {
            return None;
        }
        let scheme = if self.tls || allowed.is_some_and(|allowed| allowed.https) { "https" } else { "http" };
        match allowed.and_then(|allowed| allowed.port).filter(|_| port.is_empty()) {
            Some(port) => Some(format!("{scheme}://{host}:{port}")),
            None => Some(format!("{scheme}://{host}")),
        }
    }
}

fn is_ours_anyway(name: &str) -> bool {
    if name.eq_ignore_ascii_case("localhost") || name.parse::<Ipv4Addr>().is_ok() {
        return true;
    }
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    bare.is_some_and(|name| name.parse::<Ipv6Addr>().is_ok())
}

/// The one `Host` of a request.
pub(crate) fn host_of(headers: &HeaderMap) -> Option<&str> {
    only(headers, &header::HOST)
}

/// The value of a header that is there exactly once and is plain text.
pub(crate) fn only<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// Refuses names that are not ours, and requests whose address names another host than their header.
pub(crate) async fn layer(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let host = host_of(request.headers());
    let same = request.uri().authority().is_none_or(|authority| Some(authority.as_str()) == host);
    if same && host.is_some_and(|host| hosts.origin(host).is_some()) {
        return next.run(request).await;
    }
    let named = shown(host.unwrap_or_default());
    tracing::warn!(
        host = named,
        "a request for the host {named:?} was refused: it is none of the allowed hosts"
    );
    Refusal::new(
        StatusCode::MISDIRECTED_REQUEST,
        "unknown_host",
        format!(
            "this dashboard does not answer to the host {named:?}; open it as localhost, have the proxy in front pass on \
             the host of the browser, or allow the name with --allow-host or `allowed_hosts`"
        ),
    )
    .stopped(Stopped::UnknownHost { host: named })
    .into_response()
}

/// As much of a name that somebody sent as can be shown.
pub(crate) fn shown(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_graphic()).take(SHOWN_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_are_loopback_names_addresses_and_what_was_configured() {
        let hosts = Hosts::new(&[
            AllowedHost::read("https://jobs.example").unwrap(),
            AllowedHost::read("plain.example").unwrap(),
        ]);

        for host in
            ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "10.1.2.3", "plain.example:80"]
        {
            assert_eq!(hosts.origin(host), Some(format!("http://{host}")), "{host}");
        }
        assert_eq!(hosts.origin("jobs.example").unwrap(), "https://jobs.example");
        let behind = Hosts::new(&[AllowedHost::read("http://jobs.test:8090").unwrap()]);
        assert_eq!(behind.origin("jobs.test").unwrap(), "http://jobs.test:8090");
        assert_eq!(behind.origin("jobs.test:81").unwrap(), "http://jobs.test:81", "the browser's own word");
        for host in ["localhost:8443", "10.1.2.3", "plain.example:8443", "jobs.example"] {
            assert_eq!(hosts.clone().under_tls().origin(host), Some(format!("https://{host}")), "{host}");
        }
        assert_eq!(hosts.clone().under_tls().origin("evil.example"), None);
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "xlocalhost",
            "a@localhost",
            "127.0.0.1.evil.example",
            "localhost:",
            "localhost:x",
            "[::1",
            "::1",
            "jobs.example.",
            "127.1",
            "0x7f.1",
        ] {
            assert_eq!(hosts.origin(host), None, "{host:?} was accepted");
        }
    }
}
