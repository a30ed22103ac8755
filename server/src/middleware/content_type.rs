//! A body comes in the format its route declares; a plain form of another site cannot pretend.

use super::API;
use super::refusal::Refusal;
use crate::body;
use app::door::Stopped;
use axum::body::HttpBody;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method, StatusCode};

/// What the HTTP API reads.
const JSON: &str = "application/json";
/// What forms send, and server functions with them.
const FORM: &str = "application/x-www-form-urlencoded";

/// Refuses a body in any other format. No body needs no format.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    let wanted = if request.uri().path().starts_with(API) { JSON } else { FORM };
    let empty = request.body().is_end_stream();
    let fits = request.method() != Method::POST || empty || is(request.headers(), wanted);
    let encoding = body::encoding(request.headers()).filter(|_| request.method() == Method::POST && !empty);
    if let Some(encoding) = encoding {
        let advice = body::unsupported(&encoding);
        return Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_encoding", advice)
            .stopped(Stopped::NoForm)
            .into_response();
    }
    if fits {
        return next.run(request).await;
    }
    Refusal::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        format!("send this body with the header 'Content-Type: {wanted}'"),
    )
    .stopped(Stopped::NoForm)
    .into_response()
}

/// Exactly one content type, and it is that one; parameters such as the charset may follow.
fn is(headers: &HeaderMap, wanted: &str) -> bool {
    let Some(given) = super::host::only(headers, &CONTENT_TYPE) else { return false };
    let essence = given.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    // `application/problem+json` and the like are JSON too.
    essence == wanted || (wanted == JSON && essence.starts_with("application/") && essence.ends_with("+json"))
}
