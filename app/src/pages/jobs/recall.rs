//! What a list was like when one left it: what was ticked, how far it was loaded, where one had scrolled to.

use std::collections::VecDeque;

use leptos::prelude::*;
use leptos_router::location::Url;
use reprieve::model::JobId;
use reprieve::model::list::PAGE_SIZE_MAX;

use super::address::Address;

use crate::live::effect::effect;

/// Lists remembered. Whoever looked at more of them since has left the first long ago.
const LISTS_MAX: usize = 8;

/// One list as it was left.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Left {
    pub(super) address: Address,
    pub(super) ticked: Vec<JobId>,
    /// Rows on screen.
    pub(super) rows: usize,
    /// How far one had scrolled into it, in CSS pixels; `None` at the top of the page.
    pub(super) top: Option<f64>,
}

/// The lists of this tab as they were left, the latest last. They go with the tab.
#[derive(Clone, Copy)]
pub struct Recall {
    lists: StoredValue<VecDeque<Left>>,
    /// Where *back* or *forward* has led, until a list asks: reading addresses of lists is their code, not that of every page.
    led: StoredValue<Option<Url>>,
    /// The list that it led to, until it is on screen. A link begins at the top instead.
    returning: StoredValue<Option<Address>>,
}

impl Recall {
    /// Provides it to every page. Before the router, to hear of *back* first.
    pub fn provide() {
        let recall = Self::new();
        #[cfg(feature = "hydrate")]
        browser::hear_of_back(recall);
        provide_context(recall);
    }

    fn new() -> Self {
        let lists = StoredValue::new(VecDeque::new());
        Self { lists, led: StoredValue::new(None), returning: StoredValue::new(None) }
    }

    pub(super) fn get() -> Self {
        expect_context()
    }

    /// Reads where *back* or *forward* has led.
    fn arrive(self) {
        if let Some(url) = self.led.try_update_value(Option::take).flatten() {
            let group = url.path().strip_prefix("/jobs/");
            self.returning.try_set_value(group.map(|group| Address::read(group, url.search_params())));
        }
    }

    /// Remembers a list that is about to go.
    pub(super) fn leave(self, left: Left) {
        self.arrive();
        let _ = self.returning.try_update_value(|returning| {
            // One returns to it later by another way.
            returning.take_if(|address| *address == left.address);
        });
        let _ = self.lists.try_update_value(|lists| {
            lists.retain(|other| other.address != left.address);
            lists.push_back(left);
            let surplus = lists.len().saturating_sub(LISTS_MAX);
            lists.drain(..surplus);
        });
    }

    /// What was ticked there.
    pub(super) fn ticked(self, address: &Address) -> Vec<JobId> {
        self.left(address).map(|left| left.ticked).unwrap_or_default()
    }

    /// How many rows to read: as many as were there for whoever comes back, a page for everybody else.
    pub(super) fn size(self, address: &Address) -> u16 {
        if !self.is_returning(address) {
            return address.size;
        }
        let rows = self.left(address).map_or(0, |left| left.rows);
        u16::try_from(rows).unwrap_or(PAGE_SIZE_MAX).clamp(address.size, PAGE_SIZE_MAX)
    }

    /// How far to scroll, for whoever comes back. Asked once, when the rows are there.
    pub(super) fn take_top(self, address: &Address) -> Option<f64> {
        let returns = self.is_returning(address);
        self.returning.try_set_value(None);
        returns.then(|| self.left(address)).flatten().and_then(|left| left.top)
    }

    fn is_returning(self, address: &Address) -> bool {
        self.arrive();
        self.returning.try_with_value(|returning| returning.as_ref() == Some(address)) == Some(true)
    }

    fn left(self, address: &Address) -> Option<Left> {
        self.lists.try_with_value(|lists| lists.iter().find(|left| left.address == *address).cloned())?
    }
}

/// Scrolls to where one was, and keeps in `top` where one scrolls to while the list is on screen.
pub(super) fn keep_place(recall: Recall, address: &Address, top: StoredValue<Option<f64>>) {
    let (address, current) = (address.clone(), Address::current());
    effect(move || {
        let there = recall.take_top(&address);
        // On the way to another list the router scrolls as well: that is not this list's place.
        let address = address.clone();
        let is_here = move || current.try_with_untracked(|current| *current == address) == Some(true);
        #[cfg(feature = "hydrate")]
        browser::follow(there, is_here, top);
        #[cfg(not(feature = "hydrate"))]
        let _ = (there, is_here, top);
    });
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::prelude::*;
    use leptos_router::location::{BrowserUrl, LocationProvider};
    use wasm_bindgen::JsCast;
    use web_sys::HtmlElement;

    use super::Recall;

    pub(super) fn hear_of_back(recall: Recall) {
        let listener = window_event_listener(leptos::ev::popstate, move |_| {
            recall.led.set_value(BrowserUrl::current().ok());
        });
        on_cleanup(move || listener.remove());
    }

    pub(super) fn follow(
        there: Option<f64>,
        is_here: impl Fn() -> bool + 'static,
        top: StoredValue<Option<f64>>,
    ) {
        if let Some(there) = there {
            // The rows are in the page by the next frame. What comes above them later moves nothing: browsers see to that.
            request_animation_frame(move || window().scroll_to_with_x_and_y(0.0, there + list_top()));
        }
        let listener = window_event_listener(leptos::ev::scroll, move |_| {
            if is_here() {
                let scrolled = window().scroll_y().unwrap_or_default();
                top.try_set_value((scrolled > 0.0).then(|| scrolled - list_top()));
            }
        });
        on_cleanup(move || listener.remove());
    }

    /// Where the list begins, in CSS pixels: what stands above it may be there later than its rows.
    fn list_top() -> f64 {
        let list = document().query_selector(".jobs-list").ok().flatten();
        list.and_then(|list| list.dyn_into::<HtmlElement>().ok()).map_or(0.0, |list| list.offset_top().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leptos_router::location::RequestUrl;
    use leptos_router::params::ParamsMap;

    fn list(group: &str) -> Address {
        Address::read(group, &ParamsMap::new())
    }

    fn left(group: &str, rows: usize) -> Left {
        Left { address: list(group), ticked: vec![JobId::new("a").unwrap()], rows, top: Some(400.0) }
    }

    fn recall(returning: Option<Address>) -> Recall {
        Recall { returning: StoredValue::new(returning), ..Recall::new() }
    }

    #[test]
    fn whoever_comes_back_finds_rows_ticks_and_place() {
        let owner = Owner::new();
        owner.with(|| {
            let recall = recall(None);
            recall.leave(left("delay", 75));
            recall.returning.set_value(Some(list("delay")));
            assert_eq!(recall.size(&list("delay")), 75);
            assert_eq!(recall.take_top(&list("delay")), Some(400.0));
            assert_eq!(recall.take_top(&list("delay")), None, "once");
            assert_eq!(recall.ticked(&list("delay")).len(), 1);
        });
    }

    #[test]
    fn where_back_has_led_is_read_when_a_list_asks() {
        let owner = Owner::new();
        owner.with(|| {
            let recall = recall(None);
            recall.leave(left("dead", 75));
            recall.led.set_value(RequestUrl::new("/jobs/dead").parse().ok());
            assert_eq!(recall.size(&list("dead")), 75);
            recall.led.set_value(RequestUrl::new("/desk").parse().ok());
            assert_eq!(recall.take_top(&list("dead")), None, "to no list");
        });
    }

    #[test]
    fn a_link_begins_at_the_top_with_one_page() {
        let owner = Owner::new();
        owner.with(|| {
            let recall = recall(Some(list("dead")));
            recall.leave(left("delay", 75));
            assert_eq!(recall.size(&list("delay")), list("delay").size);
            assert_eq!(recall.take_top(&list("delay")), None);
        });
    }

    #[test]
    fn lists_left_long_ago_are_forgotten_and_no_more_is_read_than_fits() {
        let owner = Owner::new();
        owner.with(|| {
            let recall = recall(Some(list("delay")));
            for size in 1..=9_u16 {
                let address = Address { size, ..list("delay") };
                recall.leave(Left { address, ..left("delay", 1) });
            }
            assert_eq!(recall.ticked(&Address { size: 1, ..list("delay") }), []);
            recall.leave(left("dead", 900));
            recall.returning.set_value(Some(list("dead")));
            assert_eq!(recall.size(&list("dead")), PAGE_SIZE_MAX);
        });
    }
}
