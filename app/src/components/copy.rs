//! A button that copies a text.

use leptos::prelude::*;

use super::icons::{Icon, either_icon};
use crate::t;

/// Copies a text to the clipboard; shows for a moment that it did, and says so. Hidden where no script runs, and where the
/// browser gives no clipboard.
#[component]
pub(crate) fn CopyButton(
    /// What is copied.
    #[prop(into)]
    text: String,
    /// What it is, for the button's name: `id`, `payload`.
    #[prop(into)]
    what: String,
) -> impl IntoView {
    let name = t!("acts-copy", what = what.clone());
    view! {
        <button type="button" class="copy" title=name.clone() aria-label=name data-copy=text data-what=what>
            {either_icon(Icon::Copy, Icon::Check)}
        </button>
    }
}
