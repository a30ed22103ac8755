//! Methods nobody uses here are refused with the methods that the address takes.
//!
//! Only the routes know those. So the request goes on to them as nobody's, without its body: no handler takes such a
//! method, and none could do anything for nobody.

use super::refusal::{OnPage, Refusal};
use app::door::Stopped;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{ALLOW, HeaderValue};
use http::{Method, StatusCode};

/// Whether some address takes that method.
pub(crate) fn is_used(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::POST)
}

/// Lets GET, HEAD and POST pass. A preflight (OPTIONS) is refused too: nothing here is for other sites.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    if is_used(request.method()) {
        let mut response = next.run(request).await;
        // The address of a form is opened as a page where somebody asks again for what they sent.
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            response.extensions_mut().insert(OnPage::Stopped(Stopped::Method));
        }
        return response;
    }
    let allowed = allowed_at(request, next).await;
    let refusal = Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this address does not take that method; the header `Allow` says which it takes",
    )
    .stopped(Stopped::Method);
    let mut response = refusal.into_response();
    if let Some(allowed) = allowed {
        response.headers_mut().insert(ALLOW, allowed);
    }
    response
}

/// What `Allow` is to say, as far as it is known here. Some routes say it in their own refusal. Of the others the router
/// adds the methods behind all layers, so nothing is said here. Where there is no route, only reading can be tried.
async fn allowed_at(request: Request, next: Next) -> Option<HeaderValue> {
    let reads = HeaderValue::from_static("GET,HEAD");
    // `OPTIONS *` and CONNECT name no address.
    if !request.uri().path().starts_with('/') {
        return Some(reads);
    }
    let (parts, _) = request.into_parts();
    let mut bare = Request::new(Body::empty());
    (*bare.method_mut(), *bare.uri_mut(), *bare.extensions_mut()) =
        (parts.method, parts.uri, parts.extensions);
    let mut response = next.run(bare).await;
    let is_there = response.status() == StatusCode::METHOD_NOT_ALLOWED;
    response.headers_mut().remove(ALLOW).filter(|_| is_there).or((!is_there).then_some(reads))
}
