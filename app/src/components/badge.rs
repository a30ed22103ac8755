//! The state of a job: picture and word.

use leptos::prelude::*;
use reprieve::model::JobState;

use super::icons::{Icon, icon};
use crate::i18n;

/// A state as picture and word; the colour only repeats them.
#[component]
pub(crate) fn Badge(
    state: JobState,
    /// More about it in the same breath: `2/5`, `overdue`; empty for nothing.
    #[prop(optional, into)]
    detail: String,
) -> impl IntoView {
    let detail = (!detail.is_empty()).then(|| view! { <span class="badge-detail">{detail}</span> });
    view! {
        <span class="badge" data-state=state.as_str() title=i18n::word("states-meaning", state.as_str())>
            {icon(Icon::of_state(state))}
            <span>{i18n::state(state)}</span>
            {detail}
        </span>
    }
}
