//! The palette: every page and every name from the keyboard, opened by Ctrl or Cmd with K.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::hits::{Hit, HitLink};
use super::icons::{Icon, icon};
use super::navigation;
use super::search::Wanted;
use crate::api::find;
use crate::error::ApiError;
use crate::live::effect::effect;
use crate::pages::lazy::{NotLoaded, in_module};
use crate::session::Session;
use crate::{light, routes, t};

/// A word this short is the start of too many names to ask for.
const ASK_FROM: usize = 2;
/// Who types on is not done yet.
const PAUSE: Duration = Duration::from_millis(150);

/// The dialog with its field. Empty until the page is hydrated: without script the field in the top bar does it.
#[component]
pub fn Palette(
    /// Grows each time it is to open.
    opened: RwSignal<u64>,
) -> impl IntoView {
    if light::is_on() {
        return view! { <Light/> }.into_any();
    }
    let dialog = NodeRef::<html::Dialog>::new();
    let field = NodeRef::<html::Input>::new();
    let text = RwSignal::new(String::new());
    // What it lists comes with the code of the search when it is opened first, and stays. If it does not come it is asked for
    // the next time.
    let (asked, is_missing) = (RwSignal::new(0_u32), StoredValue::new(true));
    Effect::new(move |before: Option<u64>| {
        let now = opened.get();
        if before.is_some_and(|before| before != now) {
            text.set(String::new());
            open(dialog, field);
            if is_missing.get_value() {
                is_missing.set_value(false);
                asked.update(|times| *times += 1);
            }
        }
        now
    });
    let listed = Listed { text, dialog, is_missing };
    let list =
        move || (asked.get() > 0).then(|| view! { <Suspense>{Suspend::new(arriving(listed))}</Suspense> });
    let steer = move |event: leptos::ev::KeyboardEvent| {
        let done = match event.key().as_str() {
            "ArrowDown" => step(dialog, 1),
            "ArrowUp" => step(dialog, -1),
            _ => false,
        };
        if done {
            event.prevent_default();
        }
    };
    // Where nothing is listed, or not yet, what was typed is searched for.
    let follow = move |event: leptos::ev::SubmitEvent| {
        if follow_first(dialog) || text.with_untracked(|text| text.trim().is_empty()) {
            event.prevent_default();
        }
    };
    let search = Wanted::of(Session::get().role);
    view! {
        <dialog class="palette" node_ref=dialog aria-label=t!("frame-palette") on:keydown=steer>
            <form class="palette-field" action=search.page method="get" on:submit=follow>
                {icon(Icon::Search)}
                <input
                    node_ref=field
                    type="text"
                    name="find"
                    aria-label=search.what.clone()
                    placeholder=search.what
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || text.get()
                    on:input=move |event| text.set(event_target_value(&event))
                />
                <kbd>"Esc"</kbd>
            </form>
            {list}
        </dialog>
    }
    .into_any()
}

/// The palette of a light page: the pages as links, of which its script shows those that fit; names come from the search.
#[component]
fn Light() -> impl IntoView {
    let role = Session::get().role;
    let search = Wanted::of(role);
    let pages =
        navigation::links(role).into_iter().map(|hit| view! { <li><HitLink hit/></li> }).collect_view();
    view! {
        <dialog class="palette" id="palette" aria-label=t!("frame-palette") data-own data-search=routes::SEARCH>
            <form class="palette-field" action=search.page method="get">
                {icon(Icon::Search)}
                <input type="text" name="find" aria-label=search.what.clone() placeholder=search.what autocomplete="off" spellcheck="false"/>
                <kbd>"Esc"</kbd>
            </form>
            <ul class="palette-list">{pages}</ul>
            <p class="palette-empty" role="status"></p>
        </dialog>
    }
}

/// What the list has of the palette.
#[derive(Clone, Copy)]
pub(crate) struct Listed {
    /// What was typed.
    text: RwSignal<String>,
    dialog: NodeRef<html::Dialog>,
    /// Whether its code has to be asked for.
    is_missing: StoredValue<bool>,
}

/// The list, or that its code did not come.
async fn arriving(listed: Listed) -> AnyView {
    list(listed).await.unwrap_or_else(|NotLoaded| {
        listed.is_missing.try_set_value(true);
        view! { <p class="palette-empty" role="status">{ApiError::Offline.in_full()}</p> }.into_any()
    })
}

in_module! {
    search,
    /// The pages and names that have what was typed.
    fn list(listed: Listed) view! { <List listed/> }.into_any()
}

#[component]
fn List(listed: Listed) -> impl IntoView {
    let Listed { text, dialog, .. } = listed;
    // Asks only while it is open, and only the server function that the search page asks too.
    let answer = RwSignal::new(None::<Answer>);
    effect(move || {
        let word = text.get();
        if !is_asked(&word) {
            return;
        }
        let ask = move || {
            spawn_local(async move {
                let hits = find(word.clone()).await;
                // Answers may come in another order than the letters.
                if text.try_get_untracked().as_ref() == Some(&word) {
                    answer.set(Some(Answer { word, hits }));
                }
            });
        };
        if let Ok(timer) = set_timeout_with_handle(ask, PAUSE) {
            on_cleanup(move || timer.clear());
        }
    });
    let named = Memo::new(move |_| Named::of(&text.get(), answer.get()));
    let role = Session::get().role;
    let all = Memo::new(move |_| {
        let word = text.with(|text| lower(text.trim()));
        let mut all: Vec<Hit> =
            navigation::links(role).into_iter().filter(|page| lower(&page.name).contains(&word)).collect();
        if let Named::Found(hits) = named.get() {
            all.extend(hits);
        }
        all
    });
    let told = move || match named.get() {
        Named::Unread(error) => Some(error.in_full()),
        Named::Found(_) => all.with(Vec::is_empty).then(|| t!("frame-search-nothing")),
        Named::Asked => None,
    };
    // Heard alone: whoever sees the list counts nothing. Silent until something is typed, and until it is known.
    let found = move || {
        let count = all.with(Vec::len);
        let is_known = named.with(|named| matches!(named, Named::Found(_)));
        (count > 0 && is_known && text.with(|text| !text.trim().is_empty()))
            .then(|| t!("frame-search-found", count = count))
    };
    view! {
        <ul class="palette-list">
            <For each=move || all.get() key=Hit::key let:hit>
                <li on:click=move |_| close(dialog)><HitLink hit/></li>
            </For>
        </ul>
        <p class="palette-empty" role="status">
            {told}
            <span class="visually-hidden">{found}</span>
        </p>
    }
}

/// What the server found, and by which word.
#[derive(Clone)]
struct Answer {
    word: String,
    hits: Result<Vec<Hit>, ApiError>,
}

/// What is known of the names that have the word in the field. An answer to another word is none.
#[derive(Debug, Clone, PartialEq)]
enum Named {
    /// Nothing yet.
    Asked,
    /// These; none for a word too short to ask for.
    Found(Vec<Hit>),
    /// It could not be found out.
    Unread(ApiError),
}

impl Named {
    fn of(word: &str, answer: Option<Answer>) -> Self {
        if !is_asked(word) {
            return Self::Found(Vec::new());
        }
        match answer.filter(|answer| answer.word == word) {
            None => Self::Asked,
            Some(Answer { hits: Ok(hits), .. }) => Self::Found(hits),
            Some(Answer { hits: Err(error), .. }) => Self::Unread(error),
        }
    }
}

/// Whether a word is long enough to ask for.
fn is_asked(word: &str) -> bool {
    word.trim().chars().count() >= ASK_FROM
}

/// In lower case, as the browser has it: Rust's own tables of letters are 24 KB that every page would load.
fn lower(text: &str) -> String {
    #[cfg(feature = "hydrate")]
    return js_sys::JsString::from(text).to_lower_case().into();
    #[cfg(not(feature = "hydrate"))]
    text.to_lowercase()
}

fn open(dialog: NodeRef<html::Dialog>, field: NodeRef<html::Input>) {
    #[cfg(feature = "hydrate")]
    if let Some(dialog) = dialog.get_untracked().filter(|dialog| !dialog.open()) {
        // Fails only when it is open already.
        let _ = dialog.show_modal();
        if let Some(field) = field.get_untracked() {
            let _ = field.focus();
        }
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (dialog, field);
}

fn close(dialog: NodeRef<html::Dialog>) {
    #[cfg(feature = "hydrate")]
    if let Some(dialog) = dialog.get_untracked() {
        dialog.close();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = dialog;
}

/// Presses the first link, if there is one.
fn follow_first(dialog: NodeRef<html::Dialog>) -> bool {
    #[cfg(feature = "hydrate")]
    return browser::stops(dialog).get(1).map(web_sys::HtmlElement::click).is_some();
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = dialog;
        false
    }
}

/// Moves the focus along the field and the links.
fn step(dialog: NodeRef<html::Dialog>, by: isize) -> bool {
    #[cfg(feature = "hydrate")]
    return browser::step(dialog, by);
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = (dialog, by);
        false
    }
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::html;
    use leptos::prelude::*;
    use wasm_bindgen::JsCast;
    use web_sys::HtmlElement;

    /// The field, then the links.
    pub(super) fn stops(dialog: NodeRef<html::Dialog>) -> Vec<HtmlElement> {
        let found = dialog.get_untracked().and_then(|dialog| dialog.query_selector_all("input, a").ok());
        let Some(found) = found else { return Vec::new() };
        (0..found.length()).filter_map(|place| found.get(place)?.dyn_into().ok()).collect()
    }

    pub(super) fn step(dialog: NodeRef<html::Dialog>, by: isize) -> bool {
        let stops = stops(dialog);
        let here = document().active_element();
        let now = stops.iter().position(|stop| here.as_ref() == Some(stop)).unwrap_or_default();
        let next = now.saturating_add_signed(by);
        stops.get(next).is_some_and(|stop| stop.focus().is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::hits::Sort;
    use reprieve::model::JobState;

    #[test]
    fn a_job_that_went_on_is_another_hit() {
        let hit = |state| Hit {
            href: "/job/a".to_owned(),
            name: "a".to_owned(),
            what: "notice".to_owned(),
            sort: Sort::Job(state),
        };
        assert_eq!(hit(JobState::Delayed).key(), hit(JobState::Delayed).key());
        assert_ne!(hit(JobState::Delayed).key(), hit(JobState::Cancelled).key());
    }

    #[test]
    fn the_answer_to_another_word_is_no_answer() {
        let answer = |word: &str, hits| Some(Answer { word: word.to_owned(), hits });
        assert_eq!(Named::of("4711", None), Named::Asked);
        assert_eq!(Named::of("4711", answer("471", Ok(Vec::new()))), Named::Asked);
        assert_eq!(Named::of("4711", answer("4711", Ok(Vec::new()))), Named::Found(Vec::new()));
        let failed = Named::of("4711", answer("4711", Err(ApiError::Offline)));
        assert_eq!(failed, Named::Unread(ApiError::Offline), "which is not the same as that there is none");
        assert_eq!(Named::of("4", answer("4", Err(ApiError::Offline))), Named::Found(Vec::new()));
    }
}
