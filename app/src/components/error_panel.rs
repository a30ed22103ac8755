//! An error in place of what could not be shown: what, since when, what still works, what to do.

use leptos::prelude::*;
use reprieve::model::Timestamp;

use super::copy::CopyButton;
use super::icons::{Icon, icon};
use super::prove::prove_link;
use crate::clock::Clock;
use crate::error::ApiError;
use crate::{format, t};

/// After how many seconds a page that an outage leaves without what it is about is loaded again, where no script of it asks.
/// Redis is tried every second.
pub const AGAIN_SECONDS: u16 = 5;

/// What was read as it is shown, or why it could not be read.
pub(crate) fn or_why(shown: Result<impl IntoView + 'static, ApiError>) -> AnyView {
    match shown {
        Ok(shown) => shown.into_any(),
        Err(error) => view! { <ErrorPanel error/> }.into_any(),
    }
}

/// Says what is wrong and what to do; the page around it stays, and has the status of the error.
#[component]
pub(crate) fn ErrorPanel(
    error: ApiError,
    /// Whether the rest of the page is there: then the page has no error's status.
    #[prop(optional)]
    is_aside: bool,
) -> impl IntoView {
    if !is_aside {
        error.set_status();
    }
    let clock = Clock::get();
    let since_when = match &error {
        ApiError::Unavailable { since: Some(at), .. } => {
            let at = *at;
            // Seen to grow, not heard to: the alert around it would be read out anew each second.
            Some(view! { <p class="error-since" aria-live="off">{since(at, clock)}</p> })
        }
        _ => None,
    };
    let request = match &error {
        ApiError::Internal { request_id } => {
            Some(view! { <CopyButton text=request_id.clone() what=t!("errors-request-id")/> })
        }
        _ => None,
    };
    // The script of the page asks for it again.
    let passes = error.is_to_be_asked_again().then_some("");
    view! {
        <section class="error-panel" role="alert" data-error=error.code() data-passes=passes>
            {icon(Icon::Warning)}
            <div>
                <p class="error-sentence">{error.sentence()} {request}</p>
                {since_when}
                <p>{error.next_step()} {prove_link(&error)}</p>
                {again_without_script(&error)}
            </div>
        </section>
    }
}

/// Has a browser without scripts load the page again, as its script would ask for what is missing. To any other it is a text
/// that nobody sees.
pub(crate) fn again_without_script(error: &ApiError) -> Option<impl IntoView + use<>> {
    let again = || format!(r#"<meta http-equiv="refresh" content="{AGAIN_SECONDS}">"#);
    matches!(error, ApiError::Unavailable { .. }).then(|| view! { <noscript inner_html=again()></noscript> })
}

/// Since when it has been so, and how long ago that is.
pub(crate) fn since(at: Timestamp, clock: Clock) -> String {
    let instant = format::date_time(at, clock.zone(), Some(clock.now_ms()));
    let instant = format!("{instant} {}", clock.zone().label_at(at));
    t!("errors-since-ago", instant = instant, ago = format::distance(at, clock.now_ms()))
}
