//! What stands where nothing is.

use leptos::prelude::*;

/// A quiet place: one line, and what to do about it if anything.
#[component]
pub(crate) fn Empty(
    #[prop(into)] text: String,
    /// What to do: links, a snippet.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="empty">
            <p>{text}</p>
            {children.map(|children| children())}
        </div>
    }
}
