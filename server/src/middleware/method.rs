//! Methods nobody uses here are refused before anything looks at them; TRACE above all.

use super::refusal::Refusal;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{ALLOW, HeaderValue};
use http::{Method, StatusCode};

/// Lets GET, HEAD and POST pass. A preflight (OPTIONS) is refused too: nothing here is for other sites.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::POST) {
        return next.run(request).await;
    }
    let refusal = Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "only GET, HEAD and POST are used here",
    );
    let mut response = refusal.into_response();
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
    response
}
