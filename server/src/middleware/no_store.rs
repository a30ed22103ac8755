//! What is not said to be kept is not kept: jobs are other people's business.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::header::{CACHE_CONTROL, HeaderValue};

/// Adds `no-store` unless the handler decided; only files of the site do.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
