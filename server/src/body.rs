//! Reads a request's body: JSON only, never more than its limit.

use crate::parse;
use crate::problem::Problem;
use crate::text::{self, NotText};
use crate::timeouts::Timeouts;
use axum::body::Body;
use axum::extract::Request;
use futures_util::StreamExt;
use http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;

/// Most bytes of a body that holds one object.
///
/// A payload of 256 KiB grows by a third in base64; the rest is room for the other fields and for escapes.
pub(crate) const ONE_BYTES_MAX: usize = 512 * 1024;
/// Most bytes of a body that holds an array of jobs.
pub(crate) const MANY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The body as its type.
///
/// # Errors
/// Those of [`text`], and of [`parse::whole`].
pub(crate) async fn read<T: DeserializeOwned>(request: Request) -> Result<T, Problem> {
    parse::whole(&text(request).await?)
}

/// The same of a body that may be left out or null: that is as good as an empty object.
pub(crate) async fn read_optional<T: DeserializeOwned>(request: Request) -> Result<T, Problem> {
    let text = text(request).await?;
    parse::whole(if matches!(text.trim(), "" | "null") { "{}" } else { &text })
}

/// The body as text, without a byte order mark in front; empty if there is none.
///
/// # Errors
/// 415 unless it is JSON as it is, 413 beyond the limit, 408 if it takes too long, 400 if it is not UTF-8 or
/// the sender gave up.
pub(crate) async fn text(request: Request) -> Result<String, Problem> {
    let timeouts = Timeouts::for_body(request.extensions());
    let (parts, body) = request.into_parts();
    let bytes = tokio::time::timeout(timeouts, limited(body)).await.map_err(|_| {
        Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "body_too_slow",
            "The body took too long",
            format!("a body has {} s to arrive", timeouts.as_secs()),
        )
    })??;
    if bytes.is_empty() {
        return Ok(String::new());
    }
    require_json(&parts.headers)?;
    if let Some(encoding) = encoding(&parts.headers) {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_encoding",
            "The body is encoded",
            unsupported(&encoding),
        ));
    }
    text::of(bytes).map_err(|why| {
        let advice = match why {
            NotText::NotUtf8 { .. } => "; bytes of a payload go into payload_base64",
            _ => "",
        };
        Problem::new(
            StatusCode::BAD_REQUEST,
            "invalid_json",
            "The body is not JSON",
            format!("the body is not text: {why}{advice}"),
        )
    })
}

/// In what a body is encoded that is not sent as it is: its `Content-Encoding`.
pub(crate) fn encoding(headers: &HeaderMap) -> Option<String> {
    let given = headers.get_all(header::CONTENT_ENCODING).iter();
    let given = given.map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned());
    let mut encodings = given.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"));
    encodings.next()
}

/// What to do about an encoding.
pub(crate) fn unsupported(encoding: &str) -> String {
    format!(
        "no body is decoded here, and this one is {encoding:?}: send it without the header `Content-Encoding`"
    )
}

/// Also a guard: a form of a foreign page cannot send this type without asking first.
fn require_json(headers: &HeaderMap) -> Result<(), Problem> {
    let sent = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = sent.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json")) {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        "The body is not declared as JSON",
        "send the header `Content-Type: application/json`",
    ))
}

/// Reads until the limit, which depends on the first sign: `[` opens an array.
async fn limited(body: Body) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| {
            Problem::new(
                StatusCode::BAD_REQUEST,
                "incomplete_body",
                "The body did not arrive",
                "the connection ended, or the server's limit for bodies was reached, before the body did",
            )
        })?;
        bytes.extend_from_slice(&chunk);
        let bytes_max = match text::unmarked(&bytes).iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'[') => MANY_BYTES_MAX,
            _ => ONE_BYTES_MAX,
        };
        if bytes.len() > bytes_max {
            return Err(Problem::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "body_too_large",
                "The body is too large",
                format!("a body of this shape has at most {bytes_max} bytes"),
            ));
        }
    }
    Ok(bytes)
}
