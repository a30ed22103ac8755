//! Why a plain form was not done as it was sent, for the page that it comes back to.
//!
//! The word in the address says what sort of mistake it was. What exactly is wrong, and where, comes along in a cookie that
//! is read once: an address could put any text on the page.

use serde::{Deserialize, Serialize};

/// What was refused, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The word for it in the address, behind `said=`.
    pub said: String,
    /// Where the form was sent.
    pub action: String,
    /// The name of the field that is at fault, if one is.
    pub field: Option<String>,
    /// What is wrong and what to do, in the language of whoever sent it.
    pub text: String,
}

#[cfg(feature = "ssr")]
mod ssr {
    use http::request::Parts;
    use leptos::prelude::use_context;
    use leptos_router::location::Url;

    use super::Refused;
    use crate::cookie;
    use crate::error::ApiError;

    /// Its cookie.
    const COOKIE: &str = "refused";
    /// For how long it waits for its page, in seconds.
    const KEPT_S: u32 = 60;
    /// What is told of a text at most: every character may take nine bytes, and browsers keep cookies of 4,096.
    const CHARS_MAX: usize = 300;

    impl Refused {
        /// Leaves it for the page that the form of this request comes back to, and returns its word.
        pub(crate) fn leave(error: &ApiError) -> String {
            let said = format!("error.{}", error.code());
            let action = use_context::<Parts>().map(|parts| parts.uri.path().to_owned()).unwrap_or_default();
            let (field, mut text) = (error.field().map(str::to_owned), error.in_full());
            if let Some((end, _)) = text.char_indices().nth(CHARS_MAX) {
                text.truncate(end);
                text.push('…');
            }
            if let Ok(json) = serde_json::to_string(&Self { said: said.clone(), action, field, text }) {
                cookie::lend(COOKIE, &Url::escape(&json), KEPT_S);
            }
            said
        }

        /// What was left for the page of this request; it is forgotten with that.
        pub(crate) fn of_request() -> Option<Self> {
            let json = Url::unescape(&cookie::read(COOKIE)?);
            let refused: Self = serde_json::from_str(&json).ok()?;
            let query = use_context::<Parts>()?.uri.query()?.to_owned();
            let is_this = query
                .split('&')
                .filter_map(|pair| pair.strip_prefix("said="))
                .any(|said| said == refused.said);
            is_this.then(|| {
                cookie::lend(COOKIE, "", 0);
                refused
            })
        }
    }
}
