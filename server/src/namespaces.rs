//! Several namespaces behind one address: each answers to a host name of its own.
//!
//! The name decides, so that an address opens the same namespace for everybody, and browsers keep two tabs on two
//! namespaces as apart as two sites: a page of one cannot act in the other.
//!
//! `/n/<namespace>/…` works under every name: programs are answered there, people are sent to the name that is meant.

use crate::base_path::slash_of;
use crate::config::{AllowedHost, BasePath};
use crate::middleware::host::host_of;
use crate::middleware::refusal::Refusal;
use crate::middleware::{no_store, security_headers};
use app::places::origin;
use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Redirect, Response};
use http::header::LOCATION;
use http::uri::{Authority, PathAndQuery};
use http::{HeaderValue, Method, StatusCode, Uri};
use reprieve::model::Namespace;
use std::sync::Arc;
use tower::ServiceExt as _;

/// What programs call under `/n/<namespace>`; everything else is for people.
const FOR_PROGRAMS: [&str; 4] = ["/api/v1/", "/metrics", "/healthz", "/readyz"];

/// One namespace with everything it serves.
#[derive(Debug, Clone)]
pub struct Served {
    /// Which one.
    pub(crate) name: Namespace,
    /// The name it answers to; for the main one, the name that links lead to.
    pub(crate) host: AllowedHost,
    /// Whether this server speaks TLS itself: then it is under `https`, at the port where the visitor came in.
    pub(crate) tls: bool,
    /// Its routes, with all their layers.
    pub(crate) routes: Router,
}

impl Served {
    /// A namespace whose routes are answered under that name.
    #[must_use]
    pub const fn new(name: Namespace, host: AllowedHost, routes: Router) -> Self {
        Self { name, host, tls: false, routes }
    }

    /// The same on a server that speaks TLS itself.
    #[must_use]
    pub const fn under_tls(mut self, tls: bool) -> Self {
        self.tls = tls;
        self
    }
}

/// All routes of all namespaces. The main one answers to every name that is no other's. `base` is the path that
/// [their links](crate::Dashboard::base_path) are below.
pub fn joined(main: Served, others: Vec<Served>, base: &BasePath) -> Router {
    if others.is_empty() {
        return main.routes;
    }
    let served: Arc<[Served]> = std::iter::once(main).chain(others).collect();
    let base = base.clone();
    // What is answered here has passed none of a namespace's own layers.
    Router::new()
        .fallback(async move |request: Request| answer(&served, &base, request).await)
        .layer(from_fn(no_store::layer))
        .layer(from_fn(security_headers::layer))
}

async fn answer(served: &[Served], base: &BasePath, mut request: Request) -> Response {
    let authority = host_of(request.headers()).and_then(|host| host.parse::<Authority>().ok());
    let (name, port) =
        authority.as_ref().map_or(("", None), |authority| (authority.host(), authority.port_u16()));
    let named = served.iter().skip(1).find(|served| served.host.name.eq_ignore_ascii_case(name));
    // The list always begins with the main one.
    let Some(mut place) = named.or_else(|| served.first()) else { return no_such_namespace() };
    let mut called = None;
    if let Some((wanted, rest)) = prefixed(request.uri().path()) {
        let Some(found) = served.iter().find(|served| served.name.as_str() == wanted) else {
            return no_such_namespace();
        };
        let rest = match request.uri().query() {
            Some(query) => format!("{rest}?{query}"),
            None => rest.to_owned(),
        };
        if !FOR_PROGRAMS.iter().any(|door| rest.starts_with(door)) {
            let may_go = matches!(*request.method(), Method::GET | Method::HEAD);
            return if may_go { sent_to(found, port, base, &rest) } else { no_such_namespace() };
        }
        match rest.parse::<PathAndQuery>() {
            Ok(path) => *request.uri_mut() = Uri::from(path),
            Err(_) => return no_such_namespace(),
        }
        (place, called) = (found, Some(&found.name));
    }
    let response = place.routes.clone().oneshot(request).await.into_response();
    match called {
        Some(name) => led_back(response, name),
        None => response,
    }
}

/// The same answer, whose `Location` leads into the namespace that was called by its name. Under the host that it was called
/// at, the path alone would lead into another.
fn led_back(mut response: Response, name: &Namespace) -> Response {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let path = location.filter(|path| slash_of(path.as_bytes()).is_some());
    if let Some(value) = path.and_then(|path| HeaderValue::try_from(format!("/n/{name}{path}")).ok()) {
        response.headers_mut().insert(LOCATION, value);
    }
    response
}

/// The namespace and the rest of `/n/<namespace>/…`.
fn prefixed(path: &str) -> Option<(&str, &str)> {
    let path = path.strip_prefix("/n/")?;
    let end = path.find('/').unwrap_or(path.len());
    let (name, rest) = path.split_at(end);
    Some((name, if rest.is_empty() { "/" } else { rest }))
}

fn sent_to(place: &Served, port: Option<u16>, base: &BasePath, path: &str) -> Response {
    let origin = origin(&place.host.authority(), place.host.https, place.tls, port);
    Redirect::temporary(&format!("{origin}{base}{path}")).into_response()
}

fn no_such_namespace() -> Response {
    Refusal::new(StatusCode::NOT_FOUND, "no_such_namespace", "this server shows no such namespace")
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_in_a_path_ends_at_its_slash() {
        assert_eq!(prefixed("/n/shop/jobs/dead"), Some(("shop", "/jobs/dead")));
        assert_eq!(prefixed("/n/shop"), Some(("shop", "/")));
        assert_eq!(prefixed("/n/"), Some(("", "/")));
        assert_eq!(prefixed("/new/shop"), None);
    }
}
