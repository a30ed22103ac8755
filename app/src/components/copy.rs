//! A button that copies a text.

use leptos::prelude::*;

use super::icons::{Icon, icon};
use crate::t;

/// Copies a text to the clipboard; shows for a moment that it did. Hidden where no script runs.
#[component]
pub fn CopyButton(
    /// What is copied.
    #[prop(into)]
    text: Signal<String>,
    /// What it is, for the button's name: `id`, `payload`.
    #[prop(into)]
    what: String,
) -> impl IntoView {
    let copied = RwSignal::new(false);
    let name = t!("acts-copy", what = what);
    let copy = move |_| {
        #[cfg(feature = "hydrate")]
        {
            // The promise is dropped on purpose: a refusal leaves the text where it can be selected.
            let _ = window().navigator().clipboard().write_text(&text.get_untracked());
            copied.set(true);
            set_timeout(
                move || {
                    let _ = copied.try_set(false);
                },
                std::time::Duration::from_millis(1_500),
            );
        }
        #[cfg(not(feature = "hydrate"))]
        let _ = text;
    };
    view! {
        <button type="button" class="copy" title=name.clone() aria-label=name data-copied=move || copied.get().to_string() on:click=copy>
            {move || icon(if copied.get() { Icon::Check } else { Icon::Copy })}
        </button>
    }
}
