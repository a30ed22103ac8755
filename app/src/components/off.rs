//! Buttons that are off for a reason: it stands in their `title`, and whoever gets to one reads it.
//!
//! They are off by `aria-disabled`, not `disabled`: what is disabled has no focus, so that keyboards, fingers and screen readers
//! never come to why. The style sheet shows the reason where the focus is. Without scripts the server refuses what is sent.

#[cfg(feature = "hydrate")]
use crate::live::effect::effect;

/// Has no press on such a button do what the button is for.
pub(super) fn guard_buttons() {
    #[cfg(feature = "hydrate")]
    effect(browser::guard);
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::prelude::*;
    use wasm_bindgen::JsCast;
    use wasm_bindgen::closure::Closure;
    use web_sys::{Element, HtmlElement, MouseEvent};

    /// Before anybody else hears of the press.
    pub(super) fn guard() {
        let pressed = Closure::<dyn Fn(MouseEvent)>::new(|event: MouseEvent| {
            if let Some(button) = off(&event) {
                event.prevent_default();
                event.stop_immediate_propagation();
                // Not every browser does so by itself for a finger.
                let _ = button.focus();
            }
        });
        let listens = pressed.as_ref().unchecked_ref();
        // Fails for no kind of event.
        let _ = window().add_event_listener_with_callback_and_bool("click", listens, true);
        // The frame stays as long as the page.
        pressed.forget();
    }

    fn off(event: &MouseEvent) -> Option<HtmlElement> {
        let pressed: Element = event.target()?.dyn_into().ok()?;
        pressed.closest("button[aria-disabled=true]").ok()??.dyn_into().ok()
    }
}
