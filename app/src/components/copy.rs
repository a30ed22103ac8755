//! A button that copies a text.

use leptos::prelude::*;

use super::icons::{Icon, either_icon};
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
    let name = t!("acts-copy", what = what);
    let copy = move |event: leptos::ev::MouseEvent| {
        #[cfg(feature = "hydrate")]
        {
            // The promise is dropped on purpose: a refusal leaves the text where it can be selected.
            let _ = window().navigator().clipboard().write_text(&text.get_untracked());
            show_done(&event);
        }
        #[cfg(not(feature = "hydrate"))]
        let _ = (text, event);
    };
    // A list has a hundred of them: what shows for a moment costs nothing until then.
    view! {
        <button type="button" class="copy" title=name.clone() aria-label=name on:click=copy>
            {either_icon(Icon::Copy, Icon::Check)}
        </button>
    }
}

/// Marks the button that was clicked as done, for a moment.
#[cfg(feature = "hydrate")]
fn show_done(event: &leptos::ev::MouseEvent) {
    use leptos::web_sys::Element;
    use wasm_bindgen::JsCast;

    let clicked = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(button) = clicked.and_then(|element| element.closest(".copy").ok().flatten()) else { return };
    // Fails only for an invalid attribute name.
    let _ = button.set_attribute("data-copied", "");
    set_timeout(
        move || drop(button.remove_attribute("data-copied")),
        std::time::Duration::from_millis(1_500),
    );
}
