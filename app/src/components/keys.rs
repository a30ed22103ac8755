//! What single keys do.

use leptos::prelude::*;

use crate::live::Live;
#[cfg(feature = "hydrate")]
use crate::live::effect::effect;
use crate::notice::Notices;

/// Listens for the keys of every page, and for those that buttons, links and fields name in `data-key`.
///
/// Off while somebody types, together with Ctrl, Alt or Meta, and for whoever switched them off, but for Esc, which is no
/// letter. `g` and a letter follow the link of the navigation with that letter in `data-go`; `j` and `k` move between the
/// elements marked `data-row-link`; neither they nor `u` do anything to what lies behind something open. A letter that is
/// held down counts once, but for these two. Ctrl or Cmd with K opens the palette, with Enter it confirms, even while
/// somebody types.
#[component]
pub fn Keys(
    /// Grows each time the palette is to open.
    #[prop(optional)]
    palette: Option<RwSignal<u64>>,
) -> impl IntoView {
    let (live, notices) = (Live::get(), Notices::get());
    #[cfg(feature = "hydrate")]
    effect(move || {
        let board = browser::Board::new(live, notices, palette);
        let listener = window_event_listener(leptos::ev::keydown, move |event| board.pressed(&event));
        on_cleanup(move || listener.remove());
    });
    #[cfg(not(feature = "hydrate"))]
    let _ = (live, notices, palette);
}

#[cfg(feature = "hydrate")]
pub(crate) mod browser {
    use std::cell::Cell;

    use leptos::prelude::*;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, HtmlElement, KeyboardEvent};

    use crate::keys::SingleKeys;
    use crate::live::Live;
    use crate::notice::Notices;

    /// Where letters are text, not commands.
    const TYPING: &str = "input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]";
    /// What sends a form.
    const SUBMIT: &str = "button[type=submit]:not(:disabled, [aria-disabled=true])";
    /// How long `g` waits for its letter, in ms.
    const GO_MS: f64 = 1_500.0;

    /// The keyboard of a page.
    pub(super) struct Board {
        live: Live,
        notices: Notices,
        palette: Option<RwSignal<u64>>,
        /// When `g` was pressed, by the page's own clock in ms.
        going: Cell<Option<f64>>,
    }

    impl Board {
        pub(super) const fn new(live: Live, notices: Notices, palette: Option<RwSignal<u64>>) -> Self {
            Self { live, notices, palette, going: Cell::new(None) }
        }

        pub(super) fn pressed(&self, event: &KeyboardEvent) {
            if event.default_prevented() || event.is_composing() {
                return;
            }
            let key = event.key();
            let with_command = event.ctrl_key() || event.meta_key();
            let done = if with_command && !event.alt_key() {
                match key.as_str() {
                    "k" | "K" => self.open_palette(),
                    "Enter" => confirm(),
                    _ => false,
                }
            } else if event.alt_key() {
                false
            } else if key == "Escape" {
                self.going.take();
                !is_typing() && press(&key)
            } else if !are_commands() || (event.repeat() && is_one_act(&key)) {
                false
            } else {
                self.single(&key, event.time_stamp())
            };
            if done {
                event.prevent_default();
            }
        }

        fn single(&self, key: &str, now: f64) -> bool {
            if self.going.take().is_some_and(|since| now - since < GO_MS) {
                return !is_open() && go(key);
            }
            match key {
                "g" | "j" | "k" if is_open() => press(key),
                "g" => {
                    self.going.set(Some(now));
                    true
                }
                "p" => {
                    if self.live.paused().is_some() {
                        self.live.resume();
                    } else {
                        self.live.pause();
                    }
                    true
                }
                "u" => press("u") || (!is_open() && self.notices.undo_last()),
                "t" => {
                    // The switch of languages looks the same.
                    click(".theme-switch button[name=theme][aria-pressed=true] + button")
                        || click(".theme-switch button[name=theme]")
                }
                "j" => step(1),
                "k" => step(-1),
                _ => press(key),
            }
        }

        fn open_palette(&self) -> bool {
            let Some(palette) = self.palette else { return false };
            palette.update(|count| *count += 1);
            true
        }
    }

    /// Whether single letters are commands now: not while somebody types, nor for whoever switched them off.
    pub(crate) fn are_commands() -> bool {
        !is_typing() && SingleKeys::current() != SingleKeys::Off
    }

    /// Whether a letter does one thing each time it is pressed: all but those that walk from row to row.
    fn is_one_act(key: &str) -> bool {
        key.len() == 1 && key.bytes().all(|b| b.is_ascii_alphabetic()) && !matches!(key, "j" | "k")
    }

    /// Whether something is open that takes the keys from the page behind it.
    pub(crate) fn is_open() -> bool {
        find(":popover-open, dialog[open]").is_some()
    }

    fn is_typing() -> bool {
        document().active_element().is_some_and(|element| element.matches(TYPING).unwrap_or(false))
    }

    fn find(selector: &str) -> Option<HtmlElement> {
        document().query_selector(selector).ok().flatten()?.dyn_into().ok()
    }

    fn find_all(selector: &str) -> Vec<HtmlElement> {
        let Ok(found) = document().query_selector_all(selector) else { return Vec::new() };
        (0..found.length()).filter_map(|at| found.get(at)?.dyn_into().ok()).collect()
    }

    fn is_shown(element: &HtmlElement) -> bool {
        element.offset_width() > 0 && element.offset_height() > 0
    }

    fn click(selector: &str) -> bool {
        let Some(element) = find(selector) else { return false };
        element.click();
        true
    }

    /// Follows the link of the navigation with that letter.
    fn go(key: &str) -> bool {
        key.len() == 1
            && key.bytes().all(|b| b.is_ascii_lowercase())
            && click(&format!(".navigation [data-go=\"{key}\"]"))
    }

    /// Sends the form that somebody is in, or else that of the uppermost thing that is open, as its own button would. What
    /// needs a tick or a number asks for it.
    fn confirm() -> bool {
        let here = document()
            .active_element()
            .and_then(|element| element.closest(":is(:popover-open, dialog[open]) form").ok().flatten())
            .and_then(|form| form.query_selector(SUBMIT).ok().flatten()?.dyn_into::<HtmlElement>().ok());
        // What is nested comes later. A menu of acts has many forms, and none of them is meant.
        let open = || {
            let uppermost = find_all(":popover-open, dialog[open]").pop()?;
            let form = format!(":scope > form {SUBMIT}, :scope > :not(.acts) form {SUBMIT}");
            uppermost.query_selector(&form).ok().flatten()?.dyn_into::<HtmlElement>().ok()
        };
        let Some(button) =
            here.or_else(open).or_else(|| find("main [data-confirms]:not(:disabled, [aria-disabled=true])"))
        else {
            return false;
        };
        button.click();
        true
    }

    /// Presses the button or link that names the key, or leads into the field that does. Only plain characters: no
    /// selector can be smuggled in.
    pub(crate) fn press(key: &str) -> bool {
        let is_plain = matches!(key, "." | "/" | "?" | "[" | "]" | "Escape")
            || (key.len() == 1 && key.bytes().all(|b| b.is_ascii_alphabetic()));
        if !is_plain {
            return false;
        }
        let open = [":popover-open", "dialog[open]"].into_iter().find(|open| find(open).is_some());
        // What is open closes by Esc on its own, one layer at a time.
        if open.is_some() && key == "Escape" {
            return false;
        }
        let scopes: &[&str] = match &open {
            Some(open) => &[open],
            None => &[".job-panel", "main", ".top-bar"],
        };
        scopes.iter().any(|scope| {
            let selector = format!(
                "{scope} [data-key=\"{key}\"] button:not(:disabled, [aria-disabled=true]), {scope} button[data-key=\"{key}\"]:not(:disabled, [aria-disabled=true]), \
                 {scope} a[data-key=\"{key}\"], {scope} input[data-key=\"{key}\"]"
            );
            // What is in a closed menu is still there, and not to be pressed.
            let Some(element) = find_all(&selector).into_iter().find(is_shown) else { return false };
            let _ = element.focus();
            if element.tag_name() != "INPUT" {
                element.click();
            }
            true
        })
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
