//! Bodies of forms and server functions: read whole, within a limit and a time.
//!
//! The HTTP API takes payloads, which are larger; it has its own limit.

use super::API;
use super::refusal::Refusal;
use crate::timeouts::Timeouts;
use app::door::Stopped;
use app::error::ApiError;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{Method, StatusCode};

/// A reason, a due time, a payload edited by hand: what a form can hold, in bytes.
const BODY_BYTES_MAX: usize = 64 * 1024;

/// What is done at the desk names the jobs that were on screen with their versions.
const DESK: &str = "/api/fn/act_on_desk";
/// As many as a subject may have.
const JOBS_MAX: usize = 1_000;
/// An id of 128 bytes, all of them escaped, with its version and what stands between.
const JOB_BYTES_MAX: usize = 128 * 3 + 26;
/// What such a form can hold, in bytes.
const DESK_BYTES_MAX: usize = BODY_BYTES_MAX + JOBS_MAX * JOB_BYTES_MAX;

/// Reads the body first and hands it on whole, so that its handler never sees half of one.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    if request.method() != Method::POST || request.uri().path().starts_with(API) {
        return next.run(request).await;
    }
    let bytes_max = if request.uri().path() == DESK { DESK_BYTES_MAX } else { BODY_BYTES_MAX };
    let timeouts = Timeouts::for_body(request.extensions());
    let (parts, body) = request.into_parts();
    match tokio::time::timeout(timeouts, to_bytes(body, bytes_max)).await {
        Ok(Ok(bytes)) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Ok(Err(why)) if is_too_long(&why) => Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!("a body may have {bytes_max} bytes here"),
        )
        .on_page(ApiError::TooLarge, false)
        .into_response(),
        Ok(Err(_)) => Refusal::new(StatusCode::BAD_REQUEST, "body_broken_off", "the body ended too early")
            .stopped(Stopped::BrokenOff)
            .into_response(),
        Err(_) => Refusal::new(
            StatusCode::REQUEST_TIMEOUT,
            "body_too_slow",
            format!("the body took longer than {} s", timeouts.as_secs()),
        )
        .stopped(Stopped::BrokenOff)
        .into_response(),
    }
}

fn is_too_long(error: &axum::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<http_body_util::LengthLimitError>())
}
