//! The cookies in which the choices of a visitor are kept.

use http::HeaderValue;
use http::header::{COOKIE, SET_COOKIE};
use http::request::Parts;
use leptos::prelude::use_context;
use leptos_axum::ResponseOptions;
use leptos_router::location::Url;
use serde::Serialize;
use serde::de::DeserializeOwned;

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

/// The ends of the names of the request's cookies that begin so.
pub(crate) fn names(beginning: &str) -> Vec<String> {
    let parts = use_context::<Parts>();
    let cookies =
        parts.as_ref().and_then(|parts| parts.headers.get(COOKIE)?.to_str().ok()).unwrap_or_default();
    let name = |pair: &str| pair.trim().split_once('=')?.0.strip_prefix(beginning).map(str::to_owned);
    cookies.split(';').filter_map(name).collect()
}

/// So many characters of a sentence are lent at most: each may take nine bytes, and browsers keep cookies of 4,096.
const CHARS_MAX: usize = 300;

/// A sentence that is short enough to be lent.
pub(crate) fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(CHARS_MAX) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Keeps a word for a year; both are ours, so that nothing needs escaping.
pub(crate) fn keep(name: &'static str, word: &str) {
    set(HeaderValue::from_str(&format!("{name}={word}; Path=/; Max-Age={KEPT_S}; SameSite=Strict")).ok());
}

/// Keeps a text for some seconds, out of reach of scripts; with none it is forgotten. The caller has escaped it.
pub(crate) fn lend(name: &str, text: &str, seconds: u32) {
    set(lent(name, text, seconds));
}

/// What was lent as JSON, where the address of this request has a word behind `said=` that fits it; it is forgotten with that.
pub(crate) fn take_back<T: DeserializeOwned>(
    name: &'static str,
    fits: impl Fn(&T, &str) -> bool,
) -> Option<T> {
    let lent: T = serde_json::from_str(&Url::unescape(&read(name)?)).ok()?;
    let query = use_context::<Parts>()?.uri.query()?.to_owned();
    let is_of_this =
        query.split('&').filter_map(|pair| pair.strip_prefix("said=")).any(|said| fits(&lent, said));
    is_of_this.then(|| {
        lend(name, "", 0);
        lent
    })
}

/// A value as a text that may stand in a cookie.
pub(crate) fn escaped(value: &impl Serialize) -> Option<String> {
    serde_json::to_string(value).ok().map(|json| Url::escape(&json))
}

/// The header that does.
pub(crate) fn lent(name: &str, text: &str, seconds: u32) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("{name}={text}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict"))
        .ok()
}

fn set(cookie: Option<HeaderValue>) {
    if let (Some(response), Some(cookie)) = (use_context::<ResponseOptions>(), cookie) {
        response.append_header(SET_COOKIE, cookie);
    }
}
