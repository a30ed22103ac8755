//! The notices in their corner, what the voice of the page says, and the outcome of a plain form above the page.

use std::time::Duration;

use leptos::ev::FocusEvent;
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::icons::{Icon, icon};
use super::prove::ProveLink;
use super::refusal;
use crate::done::UndoForm;
use crate::i18n::{self, Said, Tone};
use crate::live::effect::effect;
use crate::live::voice::Voice;
use crate::notice::{Notice, Notices};
use crate::refused::Refused;
use crate::session::Session;
use crate::{light, t};

/// How long a notice stays, unless somebody points at it.
const STAY: Duration = Duration::from_secs(10);

/// All notices of the page; the voice reads them out as they come.
#[component]
pub fn NoticeList() -> impl IntoView {
    let notices = Notices::get();
    if light::is_on() {
        return view! {
            <div class="notices" data-own></div>
            <template id="notice">
                <div class="notice">
                    <div><p></p></div>
                    <button type="button" class="notice-close" aria-label=t!("live-close")>{icon(Icon::Close)}</button>
                </div>
            </template>
        }
        .into_any();
    }
    view! {
        <div class="notices">
            <For each=move || notices.list() key=|notice| notice.id let:notice>
                <NoticeCard notice/>
            </For>
        </div>
    }
    .into_any()
}

/// What the voice of the page says, for whoever listens. Nobody sees it: what it tells of is on screen.
#[component]
pub fn Spoken() -> impl IntoView {
    let voice = Voice::get();
    let last = move || Some(voice.message()).filter(|message| message.number > 0);
    view! {
        <div class="visually-hidden" role="status" data-testid="voice" data-own=light::is_on().then_some("")>
            // A node for each message: the same words again would change nothing, and not be read out.
            <For each=last key=|message| message.number let:message>
                <p>{message.text}</p>
            </For>
        </div>
    }
}

/// One notice. Leaves after a while; pointing at it or focusing it makes it stay.
#[component]
fn NoticeCard(
    /// What it says.
    notice: Notice,
) -> impl IntoView {
    let Notice { id, said, next_step, prove, undo, follows, .. } = notice;
    let notices = Notices::get();
    let card = NodeRef::<html::Div>::new();
    if follows {
        effect(move || take_focus(card));
    }
    // Apart: a pointer that crosses it does not take it from whoever has the focus in it.
    let (pointed, focused) = (RwSignal::new(false), RwSignal::new(false));
    effect(move || {
        if pointed.get() || focused.get() {
            return;
        }
        if let Ok(leaving) = set_timeout_with_handle(move || notices.dismiss(id), STAY) {
            on_cleanup(move || leaving.clear());
        }
    });
    let undo = undo.map(|_| {
        let take_back = move |_| {
            notices.undo(id);
        };
        view! {
            <button type="button" class="button" data-tone="quiet" title=t!("frame-undo-key") on:click=take_back>
                {icon(Icon::Undo)} {t!("live-undo")}
            </button>
        }
    });
    let close = move |_| {
        leave(card);
        notices.dismiss(id);
    };
    let next_step = (!next_step.is_empty()).then(
        || view! { <p class="notice-next">{next_step} {prove.then(|| view! { " " <ProveLink/> })}</p> },
    );
    view! {
        <div
            class="notice"
            data-tone=said.tone.as_str()
            on:pointerenter=move |_| pointed.set(true)
            on:pointerleave=move |_| pointed.set(false)
            node_ref=card
            on:focusin=move |event| {
                come(&event);
                focused.set(true);
            }
            on:focusout=move |_| focused.set(false)
        >
            <div>
                <p>{said.text}</p>
                {next_step}
            </div>
            {undo}
            <button type="button" class="notice-close" aria-label=t!("live-close") on:click=close>
                {icon(Icon::Close)}
            </button>
        </div>
    }
}

/// Remembers from where the focus has come to a notice.
fn come(event: &FocusEvent) {
    #[cfg(feature = "hydrate")]
    browser::come(event);
    #[cfg(not(feature = "hydrate"))]
    let _ = event;
}

/// Gives the focus that a notice takes along to the next one, or to where it came from.
fn leave(card: NodeRef<html::Div>) {
    #[cfg(feature = "hydrate")]
    if let Some(card) = card.get_untracked() {
        browser::leave(&card);
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = card;
}

/// Gives a notice the focus that the one before it took along.
fn take_focus(card: NodeRef<html::Div>) {
    #[cfg(feature = "hydrate")]
    if let Some(card) = card.get() {
        browser::take_focus(&card);
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = card;
}

#[cfg(feature = "hydrate")]
mod browser {
    use std::cell::RefCell;

    use leptos::ev::FocusEvent;
    use leptos::prelude::document;
    use wasm_bindgen::JsCast;
    use web_sys::Element;

    use crate::components::focus::browser::{focus_in_place, heading, is_lost};

    thread_local! {
        /// What had the focus before a notice had it.
        static BEFORE: RefCell<Option<Element>> = const { RefCell::new(None) };
    }

    pub(super) fn come(event: &FocusEvent) {
        let from = event.related_target().and_then(|from| from.dyn_into::<Element>().ok());
        if let Some(from) = from.filter(|from| matches!(from.closest(".notice"), Ok(None))) {
            BEFORE.set(Some(from));
        }
    }

    pub(super) fn leave(card: &Element) {
        if !document().active_element().is_some_and(|focused| card.contains(Some(&focused))) {
            return;
        }
        let next = card.next_element_sibling().or_else(|| card.previous_element_sibling());
        let next = next.and_then(|card| card.query_selector(".notice-close").ok().flatten());
        let before = || BEFORE.take().filter(|before| before.is_connected());
        if let Some(element) = next.or_else(before).or_else(heading) {
            drop(focus_in_place(&element));
        }
    }

    pub(super) fn take_focus(card: &Element) {
        let button = card.query_selector("button").ok().flatten();
        if let Some(button) = button.filter(|_| is_lost()) {
            drop(focus_in_place(&button));
        }
    }
}

/// What a plain form achieved, from the word `said` in the address; of one that was refused, what is wrong and in which field.
#[component]
pub fn FormOutcome() -> impl IntoView {
    let query = use_query_map();
    let Session { refused, done, .. } = Session::get();
    let link = done.as_ref().and_then(|done| done.link.clone());
    let text = done.map(|done| done.text).filter(|text| !text.is_empty());
    let link = StoredValue::new(link);
    let (refused, text) = (StoredValue::new(refused), StoredValue::new(text));
    let said = move || {
        let word = query.with(|query| query.get("said"))?;
        let refused = refused.get_value().filter(|refused| refused.said == word);
        let said = match &refused {
            Some(refused) => Said::bad(refused.text.clone()),
            None => {
                let said = i18n::said(&word)?;
                Said { text: text.get_value().unwrap_or(said.text), ..said }
            }
        };
        Some((said, refused, word))
    };
    let voice = Voice::get();
    effect(move || {
        let Some((said, refused, _)) = said() else { return };
        // It came with the page, of which nothing is news to whoever listens. Of a field it is heard there, which has the focus.
        if refused.is_none_or(|refused| refused.field.is_none()) {
            voice.answer(said.text);
        }
    });
    move || {
        said().map(|(said, refused, word)| {
            let prove = word == "error.prove_first";
            let place = NodeRef::<html::P>::new();
            let (action, field) = match refused {
                Some(Refused { action, field: Some(field), .. }) => (Some(action), Some(field)),
                _ => (None, None),
            };
            if let (Some(action), Some(field)) = (&action, &field) {
                refusal::tie(place, Some(action.clone()), field.clone());
            }
            // A light page has its script tie them.
            let (action, field) = (action.filter(|_| light::is_on()), field.filter(|_| light::is_on()));
            let link = link.get_value().filter(|_| said.tone != Tone::Bad);
            view! {
                <p class="form-outcome" role="status" data-tone=said.tone.as_str() data-action=action data-field=field node_ref=place>
                    {said.text} {prove.then(|| view! { " " <ProveLink/> })} {link.map(|(page, words)| view! { " " <a href=page>{words}</a> })}
                </p>
                <UndoForm/>
            }
        })
    }
}
