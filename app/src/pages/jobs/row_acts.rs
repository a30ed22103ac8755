//! What is pressed in a row: its tick, its menu button and the one button of its card on a phone; and, where it has the focus,
//! keys that act on it without its menu. The table hears all of it: two hundred rows have no listeners of their own.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use reprieve::model::JobId;

use super::rows::{LiveRow, Rows};
use super::ticks::Ticks;
use crate::components::acts::verb::Verb;
use crate::components::acts::{Acted, Target, at_once};
use crate::components::turn;
use crate::i18n::Said;
use crate::notice::Notices;
use crate::t;

/// What is pressed in the rows of a list, and what it does.
#[derive(Clone, Copy)]
pub(crate) struct RowActs {
    rows: Rows,
    ticks: Ticks,
    /// The row whose menu is open.
    menu: RwSignal<Option<LiveRow>>,
    /// Of the list: what is pressed asks for its session and its notices.
    owner: StoredValue<Option<Owner>>,
}

impl RowActs {
    /// For these rows. In a component of their list.
    pub(super) fn of(rows: Rows, ticks: Ticks, menu: RwSignal<Option<LiveRow>>) -> Self {
        Self { rows, ticks, menu, owner: StoredValue::new(Owner::current()) }
    }

    /// Does what a click on a control of a row is for.
    pub(super) fn clicked(self, event: &MouseEvent) {
        let Some((id, control)) = control(event) else { return };
        match control {
            Control::Tick => self.ticks.press(&id, event.shift_key()),
            Control::Menu => self.menu.set(self.row(&id)),
            Control::Card => {
                let Some(live) = self.row(&id) else { return };
                if let Some(verb) = Verb::on_card(live.shown.with_untracked(|shown| shown.row.state)) {
                    self.act(verb, &live);
                }
            }
        }
    }

    /// Does what a key is for to the row that has the focus: `e`, `r`, `h` and Shift `C`.
    pub(super) fn pressed(self, event: &KeyboardEvent) {
        if let Some((id, key)) = asked(event)
            && self.do_by_key(&id, &key)
        {
            event.prevent_default();
        }
    }

    /// Does it to a row, or says why not. What asks something first does so in the menu of the row; what does not waits for
    /// the answer to an act on that job which is on its way.
    fn act(self, verb: Verb, live: &LiveRow) {
        let row = live.shown.with_untracked(|shown| Target::from(&shown.row));
        let Some(Some(owner)) = self.owner.try_get_value() else { return };
        owner.with(|| {
            let target = untrack(|| Acted::get().brought(row));
            if turn::is_free(&target.id) || target.asks_first(verb) {
                return act_on(verb, &target);
            }
            let notices = Notices::get();
            turn::wait(&target.id.clone(), verb.in_line(), move || match self.owner.try_get_value() {
                Some(Some(owner)) => {
                    owner.with(|| act_on(verb, &untrack(|| Acted::get().brought(target))));
                }
                // The list was left meanwhile.
                _ => notices.say(Said::bad(t!("acts-overtaken", job = target.id.to_string()))),
            });
        });
    }

    /// Whether the key is one that acts on rows.
    fn do_by_key(self, id: &JobId, key: &str) -> bool {
        let Some(live) = self.row(id) else { return false };
        let verb = Verb::of_key(key, live.shown.with_untracked(|shown| shown.row.state));
        if let Some(verb) = verb {
            self.act(verb, &live);
        }
        verb.is_some()
    }

    fn row(self, id: &JobId) -> Option<LiveRow> {
        self.rows.list_untracked().into_iter().find(|live| live.id == *id)
    }
}

/// A control that every row has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "nobody clicks on a server"))]
enum Control {
    /// Ticks it.
    Tick,
    /// Opens its menu.
    Menu,
    /// Does the one act of its card.
    Card,
}

/// Does it to a job as somebody has seen it, or says why not.
fn act_on(verb: Verb, target: &Target) {
    match why_not(verb, target) {
        Some(why) => Notices::get().say(Said::bad(why)),
        None if target.asks_first(verb) => press_in_menu(&target.id, verb),
        None => at_once(verb, target),
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

/// The control of a row that was clicked, and the job of the row.
fn control(event: &MouseEvent) -> Option<(JobId, Control)> {
    #[cfg(feature = "hydrate")]
    return browser::control(event);
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
    use leptos::ev::{KeyboardEvent, MouseEvent};
    use leptos::prelude::*;
    use reprieve::model::JobId;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, HtmlElement};

    use super::Control;
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
        Some((job(&focus)?, event.key()))
    }

    pub(super) fn control(event: &MouseEvent) -> Option<(JobId, Control)> {
        let clicked = event.target()?.dyn_into::<Element>().ok()?;
        let controls =
            [(".cell-tick input", Control::Tick), (".row-more", Control::Menu), (".row-main", Control::Card)];
        controls
            .into_iter()
            .find_map(|(selector, control)| Some((job(&clicked.closest(selector).ok()??)?, control)))
    }

    /// The job whose row an element is in.
    fn job(element: &Element) -> Option<JobId> {
        row(element)?.get_attribute("data-id")?.parse().ok()
    }

    /// The menu is that of the row at the next frame. The table hears its button as well, which it cannot while it hears
    /// what was pressed.
    pub(super) fn press_in_menu(id: &JobId, verb: Verb) {
        let Ok(buttons) = document().query_selector_all("tr[data-id] .row-more") else { return };
        let button = (0..buttons.length())
            .filter_map(|place| buttons.get(place)?.dyn_into::<HtmlElement>().ok())
            .find(|button| job(button).as_ref() == Some(id));
        if let Some(button) = button {
            queue_microtask(move || {
                button.click();
                request_animation_frame(move || {
                    let menu = document().get_element_by_id(MENU);
                    if let Some(menu) = menu.filter(|_| press(verb.key())) {
                        // Fails only for an invalid attribute name.
                        let _ = menu.set_attribute(BY_KEY, "");
                    }
                });
            });
        }
    }

    fn row(element: &Element) -> Option<Element> {
        element.closest("tr[data-id]").ok().flatten()
    }
}
