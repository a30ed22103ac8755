//! What stops a request is told on a page to a browser that opens one, or sends a form by itself: nobody there reads a
//! problem.

use super::API;
use super::refusal::OnPage;
use crate::auth::{Gate, is_page};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

/// Puts the page in place of a refusal that [has one](super::refusal::Refusal::on_page).
pub(crate) async fn layer(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let asked = (is_page(&parts) && !parts.uri.path().starts_with(API)).then(|| parts.clone());
    let mut response = next.run(Request::from_parts(parts, body)).await;
    match (asked, response.extensions_mut().remove::<OnPage>()) {
        (Some(parts), Some(page)) => gate.tell_on_page(&parts, page).await,
        _ => response,
    }
}
