//! Leading a browser back to a page that says what became of its form.

use app::routes;
use axum::response::{IntoResponse as _, Redirect, Response};
use http::HeaderValue;
use http::header::SET_COOKIE;
use url::form_urlencoded::byte_serialize;

/// Back to a page that says what became of it.
pub(super) fn back(page: &str, said: &str) -> Response {
    Redirect::to(&saying(page, said)).into_response()
}

/// Back to a page that says what is wrong, and has in a cookie what exactly that is.
pub(super) fn back_with((said, cookie): (String, Option<HeaderValue>), page: &str) -> Response {
    let mut response = back(page, &said);
    if let Some(cookie) = cookie {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// The address of a page that says this, in place of what it said before.
pub(super) fn saying(page: &str, said: &str) -> String {
    let (path, query) = page.split_once('?').unwrap_or((page, ""));
    let said = format!("said={said}");
    let kept = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("said="));
    let query: Vec<&str> = kept.chain([said.as_str()]).collect();
    format!("{path}?{}", query.join("&"))
}

/// The address to go on to for a person who has proved who they are. On the page of their account nothing waits for that.
pub(super) fn saying_proved(page: &str) -> String {
    let is_ahead = page.split('?').next() == Some(routes::ACCOUNT);
    saying(page, if is_ahead { "account.proved_ahead" } else { "account.proved" })
}

/// The same, and it still knows where to go on to.
pub(super) fn back_with_next(page: &str, said: &str, next: &str) -> Response {
    back(&format!("{page}?next={}", encoded(next)), said)
}

/// A text as a value of an address.
pub(super) fn encoded(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}
