//! A handler that panics answers 500 with the request's id, and nothing of what went wrong.

use super::refusal::Refusal;
use super::request_id::RequestId;
use app::error::ApiError;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http::StatusCode;
use std::panic::AssertUnwindSafe;

/// Catches the panic. The panic hook has logged what it was, inside this request's span.
///
/// Unwind safe because nothing of the request outlives it, and what requests share holds no lock
/// over an await.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().copied();
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => {
            let request_id = id.as_ref().map(ToString::to_string).unwrap_or_default();
            Refusal::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal",
                "something went wrong on our side; the log has the details under this request id",
            )
            .of(id.as_ref())
            .on_page(ApiError::Internal { request_id }, true)
            .into_response()
        }
    }
}
