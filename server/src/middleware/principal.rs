//! Who is asking.
//!
//! There is no login yet, and the server listens on this machine only: whoever reaches the
//! dashboard may do everything, and has no name.

use app::access::Principal;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

/// Puts the principal into the request, where `access` looks for it.
pub(crate) async fn layer(mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(Principal::at_the_dashboard());
    next.run(request).await
}
