//! The cookies in which the choices of a visitor are kept.

use http::HeaderValue;
use http::header::{COOKIE, SET_COOKIE};
use http::request::Parts;
use leptos::prelude::use_context;
use leptos_axum::ResponseOptions;

/// A year, in seconds.
const KEPT_S: u32 = 31_536_000;

/// What the request's cookie of that name holds.
pub(crate) fn read(name: &str) -> Option<String> {
    let parts = use_context::<Parts>()?;
    let cookies = parts.headers.get(COOKIE)?.to_str().ok()?;
    cookies.split(';').find_map(|pair| {
        let (found, value) = pair.trim().split_once('=')?;
        (found == name).then(|| value.to_owned())
    })
}

/// Keeps a word for a year; both are ours, so that nothing needs escaping.
pub(crate) fn keep(name: &'static str, word: &str) {
    set(HeaderValue::from_str(&format!("{name}={word}; Path=/; Max-Age={KEPT_S}; SameSite=Strict")).ok());
}

/// Keeps a text for some seconds, out of reach of scripts; with none it is forgotten. Whoever calls it has escaped it.
pub(crate) fn lend(name: &'static str, text: &str, seconds: u32) {
    set(lent(name, text, seconds));
}

/// The header that does.
pub(crate) fn lent(name: &'static str, text: &str, seconds: u32) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("{name}={text}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict"))
        .ok()
}

fn set(cookie: Option<HeaderValue>) {
    if let (Some(response), Some(cookie)) = (use_context::<ResponseOptions>(), cookie) {
        response.append_header(SET_COOKIE, cookie);
    }
}
