//! Where the focus goes when what had it is gone: nobody who uses a keyboard or a screen reader starts at the top again.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::live::effect::effect;

/// Puts the focus on the heading of a page that replaces another, if nothing has it by then.
///
/// A change of the query alone, as by filters and the panel beside a list, is no other page.
pub(super) fn follow_pages() {
    let pathname = use_location().pathname;
    let before = StoredValue::new(pathname.get_untracked());
    effect(move || {
        let now = pathname.get();
        if before.with_value(|before| *before != now) {
            before.set_value(now);
            #[cfg(feature = "hydrate")]
            browser::Arrival::wait();
        }
    });
}

/// Puts the focus on the heading of the page once what changes it by now is there, if nothing has it then.
pub(crate) fn lead_to_heading() {
    #[cfg(feature = "hydrate")]
    set_timeout(browser::lead_to_heading, std::time::Duration::ZERO);
}

/// Keeps the focus in a part of the page that is about to be written anew, if it is in there now: its first button has it
/// then, or the heading of the page where no button of it is left to see. A part has its name in `data-stays`.
pub(crate) fn stay(name: &str) {
    #[cfg(feature = "hydrate")]
    browser::stay(name);
    #[cfg(not(feature = "hydrate"))]
    let _ = name;
}

/// Puts the focus on a row of the list, counted from 0, once what changes the list by now is there, if nothing has it then;
/// on the heading of the page where there is no such row.
pub(crate) fn lead_to_row(place: usize) {
    #[cfg(feature = "hydrate")]
    set_timeout(move || browser::lead_to_row(place), std::time::Duration::ZERO);
    #[cfg(not(feature = "hydrate"))]
    let _ = place;
}

#[cfg(feature = "hydrate")]
pub(crate) mod browser {
    use std::cell::Cell;
    use std::time::Duration;

    use leptos::leptos_dom::helpers::IntervalHandle;
    use leptos::prelude::*;
    use wasm_bindgen::{JsCast, JsValue};
    use web_sys::{Element, HtmlElement, NodeList};

    /// What a page is called, where it can have the focus.
    const HEADING: &str = "main h1[tabindex]";
    /// How often the new page is looked for. Less is noticed by nobody.
    const LOOK: Duration = Duration::from_millis(50);
    /// How many looks there are: 10 s. Who waits longer for a page has gone on to something else.
    const LOOKS_MAX: u32 = 200;
    /// How many looks there are for what is written anew in its place: 5 s, for it may have to be read first.
    const STAY_LOOKS_MAX: u32 = 100;
    /// The name of a part of the page that keeps the focus.
    const STAYS: &str = "data-stays";
    /// What a row of a list is opened by.
    const ROWS: &str = "tbody [data-row-link]";

    thread_local! {
        /// Waits for a page or a part of one; another one that is asked for meanwhile takes its place.
        static WAITING: Cell<Option<IntervalHandle>> = const { Cell::new(None) };
    }

    /// The page that is on its way.
    pub(super) struct Arrival {
        /// The heading of the page that it replaces, and its words.
        left: Option<(Element, Option<String>)>,
        looks: Cell<u32>,
    }

    impl Arrival {
        /// Looks for the heading of the page until it is there.
        pub(super) fn wait() {
            let left = heading().map(|heading| {
                let words = heading.text_content();
                (heading, words)
            });
            let arrival = Self { left, looks: Cell::new(0) };
            look_until(move || arrival.is_over());
        }

        /// Whether there is nothing left to do, for it was done or somebody is elsewhere by now.
        fn is_over(&self) -> bool {
            let looks = self.looks.get() + 1;
            self.looks.set(looks);
            let Some(heading) = heading().filter(|heading| self.is_new(heading)) else {
                return looks >= LOOKS_MAX;
            };
            if is_lost() {
                drop(focus_in_place(&heading));
            }
            true
        }

        /// Pages of one sort may share the element.
        fn is_new(&self, heading: &Element) -> bool {
            let words = heading.text_content();
            self.left.as_ref().is_none_or(|(left, before)| left != heading || *before != words)
        }
    }

    /// Looks again and again until there is nothing left to do.
    fn look_until(is_over: impl Fn() -> bool + 'static) {
        stop();
        let looking = set_interval_with_handle(
            move || {
                if is_over() {
                    stop();
                }
            },
            LOOK,
        );
        WAITING.set(looking.ok());
    }

    fn stop() {
        if let Some(waiting) = WAITING.take() {
            waiting.clear();
        }
    }

    /// The heading of the page, if it can have the focus.
    pub(crate) fn heading() -> Option<Element> {
        document().query_selector(HEADING).ok().flatten()
    }

    /// Whether nothing has the focus, or something that is off.
    pub(crate) fn is_lost() -> bool {
        document().active_element().is_none_or(|element| {
            element.tag_name() == "BODY" || element.matches(":disabled").unwrap_or(false)
        })
    }

    pub(super) fn lead_to_heading() {
        if let Some(heading) = heading().filter(|_| is_lost()) {
            drop(focus_in_place(&heading));
        }
    }

    pub(super) fn stay(name: &str) {
        if !focus_is_in(name) {
            return;
        }
        let name = name.to_owned();
        let looks = Cell::new(0);
        look_until(move || {
            looks.set(looks.get() + 1);
            if is_lost() {
                if let Some(element) = first_button(&name).or_else(heading) {
                    drop(focus_in_place(&element));
                }
                return true;
            }
            // Who has gone on to something else stays there.
            looks.get() >= STAY_LOOKS_MAX || !focus_is_in(&name)
        });
    }

    pub(super) fn lead_to_row(place: usize) {
        if !is_lost() {
            return;
        }
        let rows = document().query_selector_all(ROWS).ok();
        let row = rows.and_then(|rows| elements(&rows).nth(place)).map(Element::from);
        if let Some(element) = row.or_else(heading) {
            drop(focus_in_place(&element));
        }
    }

    fn focus_is_in(name: &str) -> bool {
        let part =
            document().active_element().and_then(|element| element.closest(&format!("[{STAYS}]")).ok()?);
        part.is_some_and(|part| part.get_attribute(STAYS).as_deref() == Some(name))
    }

    /// The first button of a part that is on screen. Names are compared here, for a selector would have to be safe from them.
    fn first_button(name: &str) -> Option<Element> {
        let buttons = document().query_selector_all(&format!("[{STAYS}] button")).ok()?;
        let is_of_part = |button: &HtmlElement| {
            let part = button.closest(&format!("[{STAYS}]")).ok().flatten();
            part.is_some_and(|part| part.get_attribute(STAYS).as_deref() == Some(name))
        };
        // What is folded away may have a size, and cannot have the focus.
        let is_folded = |button: &HtmlElement| !matches!(button.closest("details:not([open])"), Ok(None));
        let is_seen = |button: &HtmlElement| button.offset_width() > 0 && !is_folded(button);
        elements(&buttons).find(|button| is_seen(button) && is_of_part(button)).map(Element::from)
    }

    fn elements(list: &NodeList) -> impl Iterator<Item = HtmlElement> {
        (0..list.length()).filter_map(|at| list.get(at)?.dyn_into().ok())
    }

    /// Opens what an element is folded away in.
    pub(crate) fn unfold(element: &Element) {
        if let Ok(Some(folded)) = element.closest("details:not([open])") {
            // Fails only for an invalid attribute name.
            let _ = folded.set_attribute("open", "");
        }
    }

    /// `element.focus({ preventScroll: true })`, for which the bindings want a feature of their own.
    pub(crate) fn focus_in_place(element: &Element) -> Result<(), JsValue> {
        let options = js_sys::Object::new();
        js_sys::Reflect::set(&options, &"preventScroll".into(), &JsValue::TRUE)?;
        let focus: js_sys::Function = js_sys::Reflect::get(element, &"focus".into())?.dyn_into()?;
        focus.call1(element, &options).map(drop)
    }
}
