//! Confirmation of level L1: a popover beside its button that says what will happen.

use leptos::html;
use leptos::prelude::*;

use crate::t;

/// A button that opens a popover with a form.
///
/// Opening, closing by Esc and closing by a click elsewhere are the browser's own
/// (`popovertarget`), so they also work where no script runs. The form inside is sent
/// before anything closes: `done` closes it, a failure leaves it open with what was typed.
#[component]
pub fn Confirm(
    /// Unique on the page.
    #[prop(into)]
    id: String,
    /// The button that opens it: picture and verb.
    #[prop(into)]
    trigger: ViewFn,
    /// The verb with its object: `Cancel job`.
    #[prop(into)]
    title: Signal<String>,
    /// What will happen, in one sentence.
    #[prop(into)]
    sentence: Signal<String>,
    /// The button that changes nothing, named for what stays: `Keep job`.
    #[prop(into)]
    dismiss: String,
    /// Why the trigger is off; empty while it is on.
    #[prop(optional, into)]
    disabled_because: Signal<String>,
    /// Grows each time the act has succeeded.
    #[prop(optional, into)]
    done: Signal<u64>,
    /// `danger` for what destroys, `plain` for the rest; for the style sheet.
    #[prop(default = "plain")]
    tone: &'static str,
    /// Opening it puts the focus on the button that changes nothing, and Enter in a field sends nothing: for what cannot be
    /// taken back. Ctrl Enter does.
    #[prop(optional)]
    dismiss_first: bool,
    /// The key that opens it, for its hint; empty for none.
    #[prop(optional)]
    key: &'static str,
    /// The id of what the button is about, where many have the same words.
    #[prop(optional, into)]
    about: Option<String>,
    /// The form, without the dismissing button.
    children: Children,
) -> impl IntoView {
    let popover = NodeRef::<html::Div>::new();
    Effect::new(move |before: Option<u64>| {
        let now = done.get();
        if before.is_some_and(|before| before != now) {
            hide(popover);
        }
        now
    });
    let heading = format!("{id}-title");
    let (popover_id, heading_id, target) = (id.clone(), heading.clone(), id.clone());
    let disabled = move || !disabled_because.get().is_empty();
    // Why it is off is told by its title, which a description would take the place of.
    let described = move || about.clone().filter(|_| !disabled());
    let hint = move || match disabled_because.get() {
        why if !why.is_empty() => Some(why),
        _ if key.is_empty() => None,
        _ => Some(t!("acts-with-key", act = title.get(), key = key)),
    };
    let keep = move |event: leptos::ev::KeyboardEvent| {
        if dismiss_first {
            sends_nothing(&event);
        }
    };
    view! {
        <span class="confirm">
            <button
                type="button"
                class="button"
                data-tone=tone
                popovertarget=target
                aria-describedby=described
                aria-disabled=move || disabled().then_some("true")
                title=hint
                data-key=Some(key).filter(|key| !key.is_empty())
            >
                {trigger.run()}
            </button>
            <div
                id=popover_id
                class="popover"
                popover="auto"
                role="dialog"
                aria-labelledby=heading_id
                node_ref=popover
                on:keydown=keep
                on:toggle=move |_| hand_back(popover)
            >
                <h2 id=heading>{move || title.get()}</h2>
                <p>{move || sentence.get()}</p>
                {children()}
                <button
                    type="button"
                    class="button"
                    data-tone="quiet"
                    popovertarget=id
                    popovertargetaction="hide"
                    autofocus=dismiss_first
                >
                    {dismiss}
                </button>
            </div>
        </span>
    }
}

/// Keeps Enter in a field from sending its form, as browsers would have it. Ctrl Enter sends it all the same.
pub(crate) fn sends_nothing(event: &leptos::ev::KeyboardEvent) {
    if is_enter_in_field(event) && !event.ctrl_key() && !event.meta_key() {
        event.prevent_default();
    }
}

/// Whether that is Enter in a field of one line, which sends its form.
pub(crate) fn is_enter_in_field(event: &leptos::ev::KeyboardEvent) -> bool {
    let in_field = || document().active_element().is_some_and(|element| element.tag_name() == "INPUT");
    event.key() == "Enter" && in_field()
}

/// Puts the focus back on the button that opened it, once it is closed: for a popover that lies in another one browsers do not.
fn hand_back(popover: NodeRef<html::Div>) {
    #[cfg(feature = "hydrate")]
    browser::hand_back(popover);
    #[cfg(not(feature = "hydrate"))]
    let _ = popover;
}

/// Closes it; focus returns to the button that opened it, as the browser does by itself.
pub(crate) fn hide(popover: NodeRef<html::Div>) {
    #[cfg(feature = "hydrate")]
    if let Some(element) = popover.get_untracked() {
        // Fails only when it is closed already.
        let _ = element.hide_popover();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = popover;
}

#[cfg(feature = "hydrate")]
pub(crate) mod browser {
    use leptos::html;
    use leptos::prelude::*;
    use wasm_bindgen::JsCast;
    use web_sys::HtmlElement;

    use crate::components::focus::browser::{focus_in_place, is_lost};

    /// On a menu of which nothing was wanted but the question that a key has opened in it.
    pub(crate) const BY_KEY: &str = "data-by-key";

    pub(super) fn hand_back(popover: NodeRef<html::Div>) {
        let Some(popover) = popover.get_untracked() else { return };
        let Some(trigger) = popover.previous_element_sibling() else { return };
        if popover.matches(":popover-open").unwrap_or(true) {
            return;
        }
        if is_lost() {
            drop(focus_in_place(&trigger));
        }
        // Closing the menu in turn gives the focus to what had it before the key.
        let menu = trigger.closest(&format!("[{BY_KEY}]")).ok().flatten();
        if let Some(menu) = menu.and_then(|menu| menu.dyn_into::<HtmlElement>().ok()) {
            let _ = menu.remove_attribute(BY_KEY);
            // Fails only when it is closed already.
            let _ = menu.hide_popover();
        }
    }
}
