//! Acts on a row without its menu: by key where the row has the focus, and by the one button of its card on a phone.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use reprieve::model::JobId;

use super::rows::{LiveRow, Rows};
use crate::components::acts::verb::Verb;
use crate::components::acts::{Acted, Target, at_once};
use crate::i18n::Said;
use crate::notice::Notices;
use crate::t;

/// What keys and cards do to the rows of a list.
#[derive(Clone, Copy)]
pub(crate) struct RowActs {
    rows: Rows,
    /// Of the list: what is pressed asks for its session and its notices.
    owner: StoredValue<Option<Owner>>,
}

impl RowActs {
    /// For these rows. In a component of their list.
    pub(super) fn of(rows: Rows) -> Self {
        Self { rows, owner: StoredValue::new(Owner::current()) }
    }

    /// Does what a key is for to the row that has the focus: `e`, `r`, `h` and Shift `C`.
    pub(super) fn pressed(self, event: &KeyboardEvent) {
        if let Some((id, key)) = asked(event)
            && self.do_by_key(&id, &key)
        {
            event.prevent_default();
        }
    }

    /// Does it to a row, or says why not. What asks something first does so in the menu of the row.
    pub(super) fn act(self, verb: Verb, live: &LiveRow) {
        let row = live.shown.with_untracked(|shown| Target::from(&shown.row));
        let Some(Some(owner)) = self.owner.try_get_value() else { return };
        owner.with(|| {
            let target = untrack(|| Acted::get().brought(row));
            match why_not(verb, &target) {
                Some(why) => Notices::get().say(Said::bad(why)),
                None if target.asks_first(verb) => press_in_menu(&target.id, verb),
                None => at_once(verb, &target),
            }
        });
    }

    /// Whether the key is one that acts on rows.
    fn do_by_key(self, id: &JobId, key: &str) -> bool {
        let row = self.rows.list_untracked().into_iter().find(|live| live.id == *id);
        let Some(live) = row else { return false };
        let verb = Verb::of_key(key, live.shown.with_untracked(|shown| shown.row.state));
        if let Some(verb) = verb {
            self.act(verb, &live);
        }
        verb.is_some()
    }
}

/// Why it is not done; nothing runs what is cancelled before that is undone, as on its own page.
fn why_not(verb: Verb, target: &Target) -> Option<String> {
    if verb == Verb::Run && Verb::main(target.state) == Verb::Undo {
        return Some(t!("acts-undo-first"));
    }
    target.off_because(verb)
}

/// The job of the row that has the focus, and the key, if it may be a command.
fn asked(event: &KeyboardEvent) -> Option<(JobId, String)> {
    #[cfg(feature = "hydrate")]
    return browser::asked(event);
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = event;
        None
    }
}

/// Opens the menu of a row and presses its button there.
fn press_in_menu(id: &JobId, verb: Verb) {
    #[cfg(feature = "hydrate")]
    browser::press_in_menu(id, verb);
    #[cfg(not(feature = "hydrate"))]
    let _ = (id, verb);
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::ev::KeyboardEvent;
    use leptos::prelude::*;
    use reprieve::model::JobId;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, HtmlElement};

    use crate::components::acts::verb::Verb;
    use crate::components::confirm::browser::BY_KEY;
    use crate::components::keys::browser::{are_commands, is_open, press};
    use crate::pages::jobs::row::MENU;

    /// What has the focus of a row: its link or its tick. Its menu button has a menu of its own.
    const FOCUS: &str = "a[data-row-link], .cell-tick input";

    pub(super) fn asked(event: &KeyboardEvent) -> Option<(JobId, String)> {
        let is_modified = event.ctrl_key() || event.alt_key() || event.meta_key() || event.repeat();
        if is_modified || event.default_prevented() || !are_commands() || is_open() {
            return None;
        }
        let focus = document().active_element().filter(|element| element.matches(FOCUS).unwrap_or(false))?;
        Some((row(&focus)?.get_attribute("data-id")?.parse().ok()?, event.key()))
    }

    /// The menu is that of the row at the next frame.
    pub(super) fn press_in_menu(id: &JobId, verb: Verb) {
        let Ok(buttons) = document().query_selector_all("tr[data-id] .row-more") else { return };
        let button = (0..buttons.length())
            .filter_map(|place| buttons.get(place)?.dyn_into::<HtmlElement>().ok())
            .find(|button| {
                row(button).and_then(|row| row.get_attribute("data-id")).as_deref() == Some(id.as_str())
            });
        if let Some(button) = button {
            button.click();
            request_animation_frame(move || {
                let menu = document().get_element_by_id(MENU);
                if let Some(menu) = menu.filter(|_| press(verb.key())) {
                    // Fails only for an invalid attribute name.
                    let _ = menu.set_attribute(BY_KEY, "");
                }
            });
        }
    }

    fn row(element: &Element) -> Option<Element> {
        element.closest("tr[data-id]").ok().flatten()
    }
}
