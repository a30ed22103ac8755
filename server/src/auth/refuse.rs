//! Refusals of the auth layer, in the form that the caller can read: a page leads to where it can be mended, a script of
//! the page gets the error that its functions have, everybody else a problem.

use super::said::{back, back_with_next, encoded, saying};
use crate::middleware::refusal::Refusal;
use crate::problem::Problem;
use app::error::ApiError;
use axum::response::{IntoResponse as _, Redirect, Response};
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode, Uri};
use reprieve::model::{Permission, StateGroup};
use std::time::Duration;
use url::form_urlencoded::{Serializer, parse};

/// The word that what was sent was not looked at, for nobody was signed in.
pub(super) const SIGNED_OUT: &str = "error.signed_out";

/// Nobody is signed in.
pub(super) fn signed_out(parts: &Parts) -> Response {
    if is_form(parts) && parts.uri.path() != "/logout" {
        return signed_out_of(area_of(parts.uri.path()));
    }
    if is_page(parts) {
        let next = if parts.method == Method::GET {
            parts.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str)
        } else {
            "/"
        };
        return Redirect::to(&format!("/login?next={}", encoded(next))).into_response();
    }
    if !parts.uri.path().starts_with("/api/fn/") {
        return token_required().into_response();
    }
    answer(parts, &ApiError::SignedOut, "signed_out", "sign in first")
}

/// Nobody is signed in, and what was asked for is for programs too.
pub(super) fn token_required() -> Problem {
    Problem::new(
        StatusCode::UNAUTHORIZED,
        "token_required",
        "A token is needed",
        "send a token in the header `Authorization: Bearer <token>`; `reprieve token add` makes one",
    )
    .challenge(BEARER)
}

/// What a program has to send.
pub(super) const BEARER: &str = "Bearer realm=\"reprieve\"";

/// A form of this page was sent when the sign-in had ended. The way in says so, and so does the page, which then still has
/// what was sent.
fn signed_out_of(area: &str) -> Response {
    back_with_next("/login", SIGNED_OUT, &saying(area, SIGNED_OUT))
}

/// They lack a right.
pub(super) fn forbidden(parts: &Parts, permission: Permission) -> Response {
    if is_form(parts) {
        return back(area_of(parts.uri.path()), "error.forbidden");
    }
    if let Some(page) = back_to_list(parts, "error.forbidden") {
        return page;
    }
    let why = format!("this needs the permission {permission}");
    answer(parts, &ApiError::Forbidden { permission, elsewhere: false }, "forbidden", &why)
}

/// They have not proved lately who they are.
pub(super) fn unproved(parts: &Parts) -> Response {
    if is_form(parts) {
        let area = area_of(parts.uri.path());
        return Redirect::to(&format!("/account/prove?next={}", encoded(area))).into_response();
    }
    if let Some(list) = list_of(parts).filter(|_| is_page(parts)) {
        return Redirect::to(&format!("/account/prove?next={}", encoded(&list))).into_response();
    }
    answer(parts, &ApiError::ProveFirst, "prove_first", "confirm first that it is you, at /account/prove")
}

/// The page that a form is sent from; home for one that several have. Browsers do not say it: our pages ask them for no
/// `Referer`.
pub(super) fn area_of(path: &str) -> &'static str {
    if path.starts_with("/people/") {
        return "/people";
    }
    if path.starts_with("/account/") {
        return "/account";
    }
    match path.strip_prefix("/api/fn/").unwrap_or_default() {
        "act_on_desk" => "/desk",
        "abort_bulk" | "start_bulk" | "undo_bulk" => "/bulk",
        "order_worker" => "/workers",
        "pause_schedule" | "put_schedule" | "remove_schedule" | "resume_schedule" | "run_schedule" => {
            "/schedules"
        }
        "add_alert" | "add_redaction" | "remove_alert" | "remove_redaction" | "set_appearance"
        | "set_index_fields" | "set_look" | "set_reasons" | "set_retention" | "set_second_person"
        | "test_alert" => "/settings",
        _ => "/",
    }
}

/// The page of the list that somebody asks for as a file.
fn list_of(parts: &Parts) -> Option<String> {
    parts.uri.path().strip_prefix("/export/payloads.")?;
    let (mut list, mut kept) = (String::new(), Serializer::new(String::new()));
    for (name, value) in parse(parts.uri.query()?.as_bytes()) {
        match &*name {
            "list" => list = value.into_owned(),
            "q" | "columns" => _ = kept.append_pair(&name, &value),
            _ => {}
        }
    }
    let group: StateGroup = list.parse().ok()?;
    Some(format!("/jobs/{group}?{}", kept.finish()))
}

/// Back to the list that somebody asks for as a file, which says what stood in the way; `None` for a caller that opens no
/// page.
pub(crate) fn back_to_list(parts: &Parts, said: &str) -> Option<Response> {
    let list = list_of(parts).filter(|_| is_page(parts))?;
    let joint = if list.ends_with('?') { "" } else { "&" };
    Some(Redirect::to(&format!("{list}{joint}said={}", encoded(said))).into_response())
}

/// They do it too often.
pub(super) fn too_often(parts: &Parts, wait: Duration) -> Response {
    let seconds = reprieve::wait_seconds(wait);
    let mut response = if is_form(parts) {
        back(area_of(parts.uri.path()), "error.rate_limited")
    } else {
        answer(parts, &ApiError::TooOften { seconds }, "rate_limited", &format!("wait {seconds} s"))
    };
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// A function that does not say what it asks for opens for nobody.
pub(super) fn undeclared() -> Response {
    Refusal::new(StatusCode::NOT_FOUND, "no_such_function", "there is no such function; reload the page")
        .on_page(ApiError::Outdated, false)
        .into_response()
}

/// The first of a name in the query of an address.
pub(super) fn asked(uri: &Uri, name: &str) -> Option<String> {
    let query = uri.query().unwrap_or_default();
    parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// The error as the functions of a page have it, for its script; a problem for everybody else.
pub(super) fn answer(parts: &Parts, error: &ApiError, code: &'static str, why: &str) -> Response {
    let status = StatusCode::from(error);
    if !parts.uri.path().starts_with("/api/fn/") {
        return Refusal::new(status, code, why).into_response();
    }
    let text = serde_json::to_string(error).unwrap_or_default();
    let mut response = (status, text).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Whether a page can be answered with.
pub(super) fn wants_html(headers: &HeaderMap) -> bool {
    headers.get(ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|text| text.contains("text/html"))
}

/// A form that a browser sends by itself.
fn is_form(parts: &Parts) -> bool {
    parts.method == Method::POST && wants_html(&parts.headers)
}

/// A page that a browser opens, or a form it sends.
pub(crate) fn is_page(parts: &Parts) -> bool {
    wants_html(&parts.headers) && !matches!(parts.uri.path(), "/events" | "/metrics" | "/readyz" | "/healthz")
}
