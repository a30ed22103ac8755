//! How the visitor likes it.

use leptos::prelude::*;

use crate::error::ApiError;
use crate::i18n::Language;
use crate::keys::SingleKeys;
use crate::navigation::Width;
use crate::theme::Theme;

/// Keeps the choice of light, dark or the system's own in a cookie.
#[server(prefix = "/api/fn", endpoint = "set_theme")]
pub async fn set_theme(theme: Theme, #[server(default)] back: Option<String>) -> Result<(), ApiError> {
    use super::answer;
    crate::cookie::keep("theme", theme.as_str());
    answer::to(back, |()| String::new(), async { Ok(()) }).await
}

/// Keeps the choice of language in a cookie; pages loaded from then on speak it.
#[server(prefix = "/api/fn", endpoint = "set_language")]
pub async fn set_language(
    language: Language,
    #[server(default)] back: Option<String>,
) -> Result<(), ApiError> {
    use super::answer;
    crate::cookie::keep("language", language.tag());
    answer::to(back, |()| String::new(), async { Ok(()) }).await
}

/// Keeps in a cookie how wide the navigation stands.
#[server(prefix = "/api/fn", endpoint = "set_navigation")]
pub async fn set_navigation(width: Width, #[server(default)] back: Option<String>) -> Result<(), ApiError> {
    use super::answer;
    crate::cookie::keep("navigation", width.as_str());
    answer::to(back, |()| String::new(), async { Ok(()) }).await
}

/// Keeps in a cookie whether single letters are commands.
#[server(prefix = "/api/fn", endpoint = "set_keys")]
pub async fn set_keys(keys: SingleKeys, #[server(default)] back: Option<String>) -> Result<(), ApiError> {
    use super::answer;
    crate::cookie::keep("keys", keys.as_str());
    answer::to(back, |()| String::new(), async { Ok(()) }).await
}
