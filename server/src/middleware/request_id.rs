//! A name for every request: in its answer, in its errors, in every line it logs.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue};
use std::fmt;
use tracing::Instrument;
use uuid::Uuid;

/// Where the answer carries it.
const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The name of one request. Made here, never taken from outside: it goes into logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestId(Uuid);

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.simple().fmt(f)
    }
}

/// Names the request.
pub(crate) async fn layer(mut request: Request, next: Next) -> Response {
    let id = RequestId(Uuid::now_v7());
    let value = HeaderValue::from_str(&id.to_string()).ok();
    request.extensions_mut().insert(id);
    if let Some(value) = &value {
        // The pages name it in their errors.
        request.headers_mut().insert(HEADER, value.clone());
    }
    let span = tracing::info_span!(
        "request",
        request.id = %id,
        http.method = %request.method(),
        // Without its query, which may hold what somebody searched for.
        http.path = request.uri().path(),
    );
    #[cfg(feature = "otlp")]
    crate::otlp::join_trace(&span, request.headers());
    let mut response = next.run(request).instrument(span).await;
    if let Some(value) = value {
        response.headers_mut().insert(HEADER, value);
    }
    response
}
