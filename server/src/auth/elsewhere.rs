//! Coming from another site to a page for which one has to be signed in.
//!
//! Browsers keep the session's cookie from what another site has asked for, so that a person who is signed in looks here as
//! if they were not. A page of ours sends them on to where they wanted to go: that request is our own, and the cookie comes
//! with it.

use super::accounts::Visit;
use super::refuse::asked;
use super::refused::EXPIRED;
use crate::middleware::host::only;
use crate::middleware::origin::SEC_FETCH_SITE;
use app::door::{going_on, next_page};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};

/// Sends a visitor whom another site has led to the page to sign in on to the page that they wanted. Not where that page has
/// something to say.
pub(super) async fn layer(visit: Visit, request: Request, next: Next) -> Response {
    if asked(request.uri(), "said").is_some_and(|said| said == EXPIRED) {
        let (session, _) = visit.cookies();
        // Another tab has signed in meanwhile: there is nothing to say.
        if matches!(visit.routes.people.session(&session, false).await, Ok(Some(_))) {
            let wanted = asked(request.uri(), "next").unwrap_or_default();
            return Redirect::to(next_page(&wanted)).into_response();
        }
    }
    let is_led = only(&visit.parts.headers, &SEC_FETCH_SITE) == Some("cross-site");
    if !is_led || asked(request.uri(), "said").is_some() {
        return next.run(request).await;
    }
    // A visitor who is not signed in comes back from there, but from us.
    let wanted = asked(request.uri(), "next").unwrap_or_default();
    visit.go_on(next_page(&wanted), going_on).await
}
