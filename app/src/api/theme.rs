//! How the visitor likes it.

use leptos::prelude::*;

use super::answer;
use crate::call::Post;
use crate::error::ApiError;
use crate::i18n::Language;
use crate::keys::SingleKeys;
use crate::navigation::{ViewsFold, Width};
use crate::theme::Theme;
use crate::{access, cookie};

/// Keeps the choice of light, dark or the system's own in a cookie.
#[server(prefix = "/api/fn", endpoint = "set_theme", protocol = Post)]
pub async fn set_theme(theme: Theme, #[server(default)] back: Option<String>) -> Result<(), ApiError> {
    cookie::keep("theme", theme.as_str());
    answer::to(back, |()| String::new(), async { Ok(()) }).await
}

/// Keeps the choice of language in a cookie, and in the account of a person who is signed in; pages loaded from then on
/// speak it.
#[server(prefix = "/api/fn", endpoint = "set_language", protocol = Post)]
pub async fn set_language(
    language: Language,
    #[server(default)] back: Option<String>,
) -> Result<(), ApiError> {
    cookie::keep("language", language.tag());
    answer::to(back, |()| String::new(), access::read_in(language)).await
}

/// Keeps in cookies how wide the navigation stands, and whether it has the saved views: whichever is named.
#[server(prefix = "/api/fn", endpoint = "set_navigation", protocol = Post)]
pub async fn set_navigation(
    #[server(default)] width: Option<Width>,
    #[server(default)] views: Option<ViewsFold>,
    #[server(default)] back: Option<String>,
) -> Result<(), ApiError> {
    if let Some(width) = width {
        cookie::keep("navigation", width.as_str());
    }
    if let Some(views) = views {
        cookie::keep("views", views.as_str());
    }
    answer::to(back, |()| String::new(), async { Ok(()) }).await
}

/// Keeps in a cookie whether single letters are commands.
#[server(prefix = "/api/fn", endpoint = "set_keys", protocol = Post)]
pub async fn set_keys(keys: SingleKeys, #[server(default)] back: Option<String>) -> Result<(), ApiError> {
    cookie::keep("keys", keys.as_str());
    answer::to(back, |()| String::new(), async { Ok(()) }).await
}
