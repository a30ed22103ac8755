//! Single keys: what they do on the pages of jobs.

use leptos::prelude::*;

use crate::live::Live;

/// Listens for `p` (pause), and for keys that buttons and links of the page name in `data-key`.
///
/// Off while somebody types, and together with Ctrl, Alt or Meta. `j` and `k` move between the
/// elements marked `data-row-link`.
#[component]
pub fn Keys() -> impl IntoView {
    let live = Live::get();
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| {
        let listener =
            window_event_listener(leptos::ev::keydown, move |event| browser::pressed(live, &event));
        on_cleanup(move || listener.remove());
    });
    #[cfg(not(feature = "hydrate"))]
    let _ = live;
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::prelude::*;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, HtmlElement, KeyboardEvent};

    use crate::live::Live;

    /// Where letters are text, not commands.
    const TYPING: &str = "input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]";

    pub(super) fn pressed(live: Live, event: &KeyboardEvent) {
        if event.ctrl_key() || event.alt_key() || event.meta_key() || event.default_prevented() || is_typing()
        {
            return;
        }
        let key = event.key();
        let done = match key.as_str() {
            "p" => {
                if live.paused().is_some() {
                    live.resume();
                } else {
                    live.pause();
                }
                true
            }
            "j" => step(1),
            "k" => step(-1),
            _ => press(&key),
        };
        if done {
            event.prevent_default();
        }
    }

    fn is_typing() -> bool {
        document().active_element().is_some_and(|element| element.matches(TYPING).unwrap_or(false))
    }

    /// Presses the button that names the key. Only plain characters: no selector can be smuggled in.
    fn press(key: &str) -> bool {
        let mut chars = key.chars();
        let (Some(c), None) = (chars.next(), chars.next()) else { return false };
        if !(c.is_ascii_alphabetic() || c == '.') {
            return false;
        }
        let scope = if document().query_selector(":popover-open").ok().flatten().is_some() {
            ":popover-open"
        } else {
            "main"
        };
        let selector = format!(
            "{scope} [data-key=\"{c}\"] button:not(:disabled), {scope} button[data-key=\"{c}\"]:not(:disabled)"
        );
        let Some(button) = document().query_selector(&selector).ok().flatten() else { return false };
        let Ok(button) = button.dyn_into::<HtmlElement>() else { return false };
        let _ = button.focus();
        button.click();
        true
    }

    /// Moves the focus to the next or previous row.
    fn step(by: i32) -> bool {
        let Ok(links) = document().query_selector_all("[data-row-link]") else { return false };
        let count = i32::try_from(links.length()).unwrap_or(i32::MAX);
        if count == 0 {
            return false;
        }
        let row = |element: &Element| element.closest("tr").ok().flatten();
        let here = document().active_element().and_then(|element| row(&element));
        let link = |place: i32| {
            u32::try_from(place)
                .ok()
                .and_then(|p| links.get(p))
                .and_then(|n| n.dyn_into::<HtmlElement>().ok())
        };
        let now = here.and_then(|here| {
            (0..count).find(|&place| link(place).and_then(|l| row(&l)).as_ref() == Some(&here))
        });
        let next = match now {
            Some(now) => (now + by).clamp(0, count - 1),
            None if by > 0 => 0,
            None => count - 1,
        };
        link(next).is_some_and(|link| link.focus().is_ok())
    }
}
