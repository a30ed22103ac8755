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

#[cfg(feature = "hydrate")]
pub(crate) mod browser {
    use std::cell::Cell;
    use std::time::Duration;

    use leptos::leptos_dom::helpers::IntervalHandle;
    use leptos::prelude::*;
    use wasm_bindgen::{JsCast, JsValue};
    use web_sys::Element;

    /// What a page is called, where it can have the focus.
    const HEADING: &str = "main h1[tabindex]";
    /// How often the new page is looked for. Less is noticed by nobody.
    const LOOK: Duration = Duration::from_millis(50);
    /// How many looks there are: 10 s. Who waits longer for a page has gone on to something else.
    const LOOKS_MAX: u32 = 200;

    thread_local! {
        /// Waits for a page; another one that is asked for meanwhile takes its place.
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
            stop();
            let looking = set_interval_with_handle(
                move || {
                    if arrival.is_over() {
                        stop();
                    }
                },
                LOOK,
            );
            WAITING.set(looking.ok());
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
