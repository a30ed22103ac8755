//! An error in place of what could not be shown: what, since when, what still works, what to do.

use leptos::prelude::*;

use super::copy::CopyButton;
use super::icons::{Icon, icon};
use super::time::Time;
use crate::error::ApiError;

/// Says what is wrong and what to do; the page around it stays.
#[component]
pub fn ErrorPanel(
    /// What went wrong.
    error: ApiError,
) -> impl IntoView {
    let since = match &error {
        ApiError::Unavailable { since: Some(at), .. } => {
            let at = *at;
            Some(
                view! { <p class="error-since">"Since " <Time at style=super::time::TimeStyle::Absolute/> " (" <Time at/> ")."</p> },
            )
        }
        _ => None,
    };
    let request = match &error {
        ApiError::Internal { request_id } => {
            Some(view! { <CopyButton text=request_id.clone() what="request id"/> })
        }
        _ => None,
    };
    view! {
        <section class="error-panel" role="alert" data-error=error.code()>
            {icon(Icon::Warning)}
            <div>
                <p class="error-sentence">{error.sentence()} {request}</p>
                {since}
                <p>{error.next_step()}</p>
            </div>
        </section>
    }
}
