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

/// Keeps the focus where it is while the page around it is written anew: what was moved only has it again. In place of what
/// is gone the first button of its part has it, or the heading of the page where no button of that is left to see. A part has
/// its name in `data-stays`.
pub(super) fn keep_in_place() {
    #[cfg(feature = "hydrate")]
    effect(browser::keep_in_place);
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
    use std::cell::{Cell, RefCell};
    use std::time::Duration;

    use leptos::leptos_dom::helpers::IntervalHandle;
    use leptos::prelude::*;
    use wasm_bindgen::closure::Closure;
    use wasm_bindgen::{JsCast, JsValue};
    use web_sys::{
        Element, Event, HtmlElement, MutationObserver, MutationObserverInit, MutationRecord, Node, NodeList,
    };

    /// What a page is called, where it can have the focus.
    const HEADING: &str = "main h1[tabindex]";
    /// How often the new page is looked for. Less is noticed by nobody.
    const LOOK: Duration = Duration::from_millis(50);
    /// How many looks there are: 10 s. Who waits longer for a page has gone on to something else.
    const LOOKS_MAX: u32 = 200;
    /// The name of a part of the page that keeps the focus.
    const STAYS: &str = "data-stays";
    /// What a row of a list is opened by.
    const ROWS: &str = "tbody [data-row-link]";

    thread_local! {
        /// Waits for a page; another one that is asked for meanwhile takes its place.
        static WAITING: Cell<Option<IntervalHandle>> = const { Cell::new(None) };
        /// What has the focus, until somebody takes it elsewhere.
        static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
    }

    /// What has the focus, or had it when it was taken off the page.
    struct Kept {
        element: Element,
        /// The part of the page it is in, if that has a name.
        part: Option<String>,
        /// Whether it was taken off, and nothing in its place has the focus yet.
        is_gone: bool,
    }

    impl Kept {
        fn new(element: Element) -> Self {
            let part = element.closest(&format!("[{STAYS}]")).ok().flatten();
            let part = part.and_then(|part| part.get_attribute(STAYS));
            Self { element, part, is_gone: false }
        }

        /// The page was written anew, in part.
        fn look(&mut self, records: &js_sys::Array) {
            self.is_gone |= records.iter().any(|record| is_taken(&record, &self.element));
            if !(self.is_gone && is_lost()) {
                return;
            }
            if self.element.is_connected() {
                drop(focus_in_place(&self.element));
            }
            // What was moved in a popover is hidden now, for moving one closes it.
            for other in [trigger(&self.element), self.part.as_deref().and_then(of_part)] {
                if let Some(other) = other.filter(|other| is_lost() && other.is_connected()) {
                    drop(focus_in_place(&other));
                }
            }
            self.is_gone = is_lost();
        }
    }

    /// The button that opens the popover in which an element is.
    fn trigger(element: &Element) -> Option<Element> {
        element.closest("[popover]").ok().flatten()?.previous_element_sibling()
    }

    /// Whether a change of the page took an element off it, be it to put it elsewhere.
    fn is_taken(record: &JsValue, element: &Element) -> bool {
        let removed = record.unchecked_ref::<MutationRecord>().removed_nodes();
        (0..removed.length()).filter_map(|at| removed.get(at)).any(|node| node.contains(Some(element)))
    }

    pub(super) fn keep_in_place() {
        let Some(body) = document().body() else { return };
        let came = Closure::<dyn Fn(Event)>::new(|event: Event| {
            KEPT.set(event.target().and_then(|target| target.dyn_into().ok()).map(Kept::new));
        });
        // Who points elsewhere leaves it, also where nothing can have the focus.
        let pointed = Closure::<dyn Fn(Event)>::new(|event: Event| {
            let at = event.target().and_then(|target| target.dyn_into::<Node>().ok());
            KEPT.with_borrow_mut(|kept| drop(kept.take_if(|kept| !kept.element.contains(at.as_ref()))));
        });
        let written = Closure::<dyn Fn(js_sys::Array)>::new(|records: js_sys::Array| {
            let Some(mut kept) = KEPT.take() else { return };
            kept.look(&records);
            // Giving the focus back has told of it anew.
            KEPT.with_borrow_mut(|now| {
                now.get_or_insert(kept);
            });
        });
        let Ok(observer) = MutationObserver::new(written.as_ref().unchecked_ref()) else { return };
        let whole = MutationObserverInit::new();
        whole.set_child_list(true);
        whole.set_subtree(true);
        let _ = observer.observe_with_options(&body, &whole);
        for (name, listener) in [("focusin", came), ("pointerdown", pointed)] {
            let _ = body.add_event_listener_with_callback(name, listener.as_ref().unchecked_ref());
            // The frame stays as long as the page.
            listener.forget();
        }
        written.forget();
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

    /// What has the focus in a part of the page: its first button, or the heading where no button of it can be seen. `None` as
    /// long as the part is not there. Names are compared here, for a selector would have to be safe from them.
    fn of_part(name: &str) -> Option<Element> {
        let parts = document().query_selector_all(&format!("[{STAYS}]")).ok()?;
        let part = elements(&parts).find(|part| part.get_attribute(STAYS).as_deref() == Some(name))?;
        let buttons = part.query_selector_all("button").ok()?;
        // What is folded away may have a size, and cannot have the focus.
        let is_folded = !matches!(part.closest("details:not([open])"), Ok(None));
        let seen = elements(&buttons).find(|button| button.offset_width() > 0 && !is_folded);
        seen.map(Element::from).or_else(heading)
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
