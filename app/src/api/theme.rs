//! How the visitor likes it.

use leptos::prelude::*;

use crate::error::ApiError;
use crate::theme::Theme;

/// Keeps the choice of light, dark or the system's own in a cookie.
#[server(prefix = "/api/fn", endpoint = "set_theme")]
pub async fn set_theme(theme: Theme, #[server(default)] back: Option<String>) -> Result<(), ApiError> {
    use super::answer;
    let cookie = format!("theme={theme}; Path=/; Max-Age=31536000; SameSite=Strict");
    if let (Some(response), Ok(cookie)) =
        (use_context::<leptos_axum::ResponseOptions>(), http::HeaderValue::from_str(&cookie))
    {
        response.append_header(http::header::SET_COOKIE, cookie);
    }
    answer::to(back, |()| String::new(), async { Ok(()) }).await
}
