//! What stops a request is told on a page to a browser that opens one, or sends a form by itself: nobody there reads a
//! problem.

use super::{AuthLayer, is_page};
use crate::middleware::API;
use crate::middleware::refusal::OnPage;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::ALLOW;
use http::request::Parts;

/// Puts the page in place of a refusal that has [one](crate::middleware::refusal::OnPage), with its status.
pub(crate) async fn layer(State(auth): State<AuthLayer>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let asked = has_page(&parts).then(|| parts.clone());
    let mut refused = next.run(Request::from_parts(parts, body)).await;
    let (Some(parts), Some(page)) = (asked, refused.extensions_mut().remove::<OnPage>()) else {
        return refused;
    };
    let mut response = auth.tell_on_page(&parts, page).await;
    *response.status_mut() = refused.status();
    if let Some(methods) = refused.headers_mut().remove(ALLOW) {
        response.headers_mut().insert(ALLOW, methods);
    }
    response
}

/// Whether somebody sees a page in answer. `OPTIONS *` and `CONNECT` have no path, which a page cannot do without.
fn has_page(parts: &Parts) -> bool {
    let path = parts.uri.path();
    is_page(parts) && path.starts_with('/') && !path.starts_with(API)
}
