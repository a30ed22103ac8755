//! Addresses of pages are short: what is in them stands in many links of the page.

use super::refusal::Refusal;
use app::door::Stopped;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;

/// Longest path and query of a page, in bytes: a long filter with its columns. A page repeats it some twenty times.
const ADDRESS_BYTES_MAX: usize = 8 * 1024;

/// Refuses longer ones, but for functions and the HTTP API, which do not repeat what they are asked.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    let address = request.uri().path_and_query().map_or("", http::uri::PathAndQuery::as_str);
    if address.len() <= ADDRESS_BYTES_MAX || address.starts_with("/api/") {
        return next.run(request).await;
    }
    Refusal::new(
        StatusCode::URI_TOO_LONG,
        "address_too_long",
        format!("an address may have {ADDRESS_BYTES_MAX} bytes here"),
    )
    .stopped(Stopped::TooLong)
    .into_response()
}
