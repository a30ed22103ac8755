//! What could not be shown at the desk.

use leptos::prelude::*;

use crate::components::error_panel::{ErrorPanel, again_without_script};
use crate::components::icons::{Icon, icon};
use crate::error::ApiError;
use crate::{i18n, t};

/// Says that something is away and whom to tell, not which part of the machinery it is; the rest like everywhere.
#[component]
pub(super) fn DeskTrouble(
    /// What went wrong.
    error: ApiError,
    /// Whether it is shown all the same, as it was read before.
    #[prop(optional)]
    stale: bool,
) -> impl IntoView {
    let (sentence, next) = match &error {
        ApiError::Unavailable { .. } | ApiError::Offline | ApiError::TooSlow if stale => {
            (t!("support-away-stale"), Some(t!("support-away-next")))
        }
        ApiError::Unavailable { .. } | ApiError::Offline | ApiError::TooSlow => {
            (t!("support-away"), Some(t!("support-away-next")))
        }
        ApiError::Internal { .. } => (i18n::refused_at_desk(&error), None),
        _ => return view! { <ErrorPanel error/> }.into_any(),
    };
    view! {
        <section class="error-panel" role="alert" data-error=error.code()>
            {icon(Icon::Warning)}
            <div>
                <p class="error-sentence">{sentence}</p>
                {next.map(|next| view! { <p>{next}</p> })}
                {again_without_script(&error)}
            </div>
        </section>
    }
    .into_any()
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_away_is_told_at_the_desk_without_a_word_of_queues() {
        let owner = Owner::new();
        owner.set();
        let redis = ApiError::Unavailable { sentence: "Redis is unreachable.".to_owned(), since: None };
        for error in [redis, ApiError::Offline, ApiError::TooSlow] {
            let panel = view! { <DeskTrouble error/> }.to_html();
            for said in ["This cannot be shown just now.", "Nothing is lost; tell whoever looks after"] {
                assert!(panel.contains(said), "{said}: {panel}");
            }
            assert!(!panel.contains("Redis") && !panel.to_lowercase().contains("jobs"), "{panel}");
        }
        let panel =
            view! { <DeskTrouble error=ApiError::Internal { request_id: "r-7".to_owned() }/> }.to_html();
        assert!(panel.contains("r-7") && !panel.contains("server"), "{panel}");
    }

    #[test]
    fn what_is_shown_as_it_was_read_before_is_said_to_be_old() {
        let owner = Owner::new();
        owner.set();
        let panel = view! { <DeskTrouble error=ApiError::Offline stale=true/> }.to_html();
        assert!(panel.contains("What is shown here may have changed since."), "{panel}");
    }
}
