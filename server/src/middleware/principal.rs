//! Who is asking.

use crate::auth::Gate;
use app::access::Way;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;

/// Puts the principal into the request, where `access` looks for it; or refuses.
pub(crate) async fn layer(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    match gate.principal(&parts).await {
        Ok(principal) => {
            let asks = (principal.way == Way::Token && !parts.method.is_safe())
                .then(|| (principal.clone(), parts.method.clone(), parts.uri.clone()));
            parts.extensions.insert(principal);
            let response = next.run(Request::from_parts(parts, body)).await;
            // What a program may do its handler knows, not the door.
            if let Some((program, method, uri)) = asks.filter(|_| response.status() == StatusCode::FORBIDDEN)
            {
                gate.note_program(&program, &format!("{method} {}", uri.path())).await;
            }
            response
        }
        Err(problem) => problem.into_response(),
    }
}
