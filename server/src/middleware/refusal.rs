//! A refusal as an RFC 9457 problem: a stable code, a sentence, the request's id.

use super::request_id::RequestId;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

/// Why a request goes no further.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    code: &'static str,
    detail: String,
    request: Option<String>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), request: None }
    }

    /// Repeats the request's id in the body, where the reason alone does not help to find it.
    pub(crate) fn of(mut self, request: Option<&RequestId>) -> Self {
        self.request = request.map(ToString::to_string);
        self
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut problem = json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("Refused"),
            "status": self.status.as_u16(),
            "code": self.code,
            "detail": self.detail,
        });
        if let Some(request) = self.request {
            problem["request_id"] = request.into();
        }
        let mut response = (self.status, problem.to_string()).into_response();
        let json = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }
}
