//! What could not be shown at the desk.

use leptos::prelude::*;

use crate::components::error_panel::{ErrorPanel, again_without_script};
use crate::components::icons::{Icon, icon};
use crate::error::ApiError;
use crate::t;

/// Says that something is away and whom to tell, not which part of the machinery it is; the rest like everywhere. Above what
/// was read before, where the script puts it, it says that this may be old.
#[component]
pub(super) fn DeskTrouble(error: ApiError) -> impl IntoView {
    let (sentence, stale) = match &error {
        ApiError::Unavailable { .. } | ApiError::Offline | ApiError::TooSlow => {
            (t!("support-away"), Some(t!("support-away-stale")))
        }
        ApiError::Internal { .. } => (crate::error::refused_at_desk(&error), None),
        _ => return view! { <ErrorPanel error/> }.into_any(),
    };
    error.set_status();
    let passes = error.is_to_be_asked_again().then_some("");
    let next = stale.is_some().then(|| view! { <p>{t!("support-away-next")}</p> });
    let stale = stale.map(|stale| view! { <p class="error-sentence if-stale">{stale}</p> });
    let class = if stale.is_some() { "error-sentence if-not-stale" } else { "error-sentence" };
    view! {
        <section class="error-panel" role="alert" data-error=error.code() data-passes=passes>
            {icon(Icon::Warning)}
            <div>
                <p class=class>{sentence}</p>
                {stale}
                {next}
                {again_without_script(&error)}
            </div>
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_away_is_told_at_the_desk_without_a_word_of_queues() {
        let owner = Owner::new();
        owner.set();
        let redis = ApiError::Unavailable { sentence: "Redis is unreachable.".to_owned(), since: None };
        for error in [redis, ApiError::Offline, ApiError::TooSlow] {
            let panel = view! { <DeskTrouble error/> }.to_html();
            for said in [
                "This cannot be shown just now.",
                "What is shown here may have changed since.",
                "Nothing is lost; tell the person who looks after",
            ] {
                assert!(panel.contains(said), "{said}: {panel}");
            }
            assert!(!panel.contains("Redis") && !panel.to_lowercase().contains("jobs"), "{panel}");
        }
        let panel =
            view! { <DeskTrouble error=ApiError::Internal { request_id: "r-7".to_owned() }/> }.to_html();
        assert!(panel.contains("r-7") && !panel.contains("server"), "{panel}");
    }
}
