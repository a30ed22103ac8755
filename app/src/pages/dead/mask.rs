//! Which failure a dialog is about.

use leptos::prelude::*;

use crate::t;

/// The error in what opens from one of many buttons with the same words.
#[component]
pub(super) fn Mask(mask: String) -> impl IntoView {
    let error = if mask.is_empty() { t!("dead-no-error") } else { mask };
    view! { <p class="failure-mask">{error}</p> }
}
