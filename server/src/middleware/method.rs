//! Methods nobody uses here are refused before anything looks at them; TRACE above all.

use super::refusal::{OnPage, Refusal};
use app::door::Stopped;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{ALLOW, HeaderValue};
use http::{Method, StatusCode};

/// Lets GET, HEAD and POST pass. A preflight (OPTIONS) is refused too: nothing here is for other sites.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::POST) {
        let mut response = next.run(request).await;
        // The address of a form is opened as a page where somebody asks again for what they sent.
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            response.extensions_mut().insert(OnPage::Stopped(Stopped::Method));
        }
        return response;
    }
    let refusal = Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "only GET, HEAD and POST are used here",
    )
    .stopped(Stopped::Method);
    let mut response = refusal.into_response();
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
    response
}
