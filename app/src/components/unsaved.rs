//! What is typed into a page of forms and not saved: it is said while it stands there, and kept for whoever leaves.
//!
//! Each section has forms of its own, and saving a plain one loads the page again. What the others hold by then is put
//! back afterwards, as it is for somebody who goes to another page of the dashboard and comes back; and what it held itself
//! where it was refused, or had to wait until somebody had shown who they are. Whoever leaves the dashboard is asked by the
//! browser.

use leptos::prelude::*;

use crate::t;

/// A section with something unsaved: its place in the address, and its heading.
type Place = (String, String);

/// The line that names the sections with something unsaved.
#[component]
pub fn Unsaved(
    /// The path of the page.
    page: &'static str,
) -> impl IntoView {
    let places = RwSignal::new(Vec::<Place>::new());
    #[cfg(feature = "hydrate")]
    browser::watch(page, places);
    #[cfg(not(feature = "hydrate"))]
    let _ = page;
    let named = move || {
        let places = places.get();
        (!places.is_empty()).then(|| {
            let links = places.into_iter().map(|(id, title)| {
                view! { " " <a href=format!("#{id}") rel="external">{title}</a> }
            });
            view! { <span>{t!("settings-unsaved")}</span> {links.collect_view()} }
        })
    };
    view! { <p class="settings-unsaved" role="status">{named}</p> }
}

/// The form of this field was saved without leaving the page: what it holds now is what is kept.
#[cfg(feature = "hydrate")]
pub(crate) fn is_saved(field: NodeRef<leptos::html::Input>) {
    // After the form has shown what was kept, which may read otherwise than what was typed.
    request_animation_frame(move || {
        if let Some(form) = field.get_untracked().and_then(|field| field.form()) {
            browser::settle(&form);
        }
    });
}

#[cfg(feature = "hydrate")]
pub(crate) mod browser {
    use leptos::ev;
    use leptos::prelude::*;
    use leptos::wasm_bindgen::JsCast as _;
    use serde::{Deserialize, Serialize};
    use web_sys::{BeforeUnloadEvent, Element, Event, EventInit, HtmlFormElement, Storage};

    use super::Place;
    use crate::components::focus::browser::unfold;
    use crate::i18n::Said;
    use crate::live::effect::effect;
    use crate::notice::Notices;
    use crate::session::Session;
    use crate::t;
    use crate::typed::Field;

    /// What a field holds, by the selector that finds it again.
    type Held = (String, String);

    /// What waits for the page to be loaded again.
    #[derive(Default, Serialize, Deserialize)]
    struct Waiting {
        /// What the fields held that were not sent.
        others: Vec<Held>,
        /// What those held that were: it is put back where the form was refused.
        sent: Vec<Held>,
    }

    /// The fields that one saves. Others are for trying things out.
    const FIELDS: &str = ".settings-section form :is(input:not([type=hidden]), textarea, select)";

    /// What a page says after something was sent that nobody looked at.
    const NOT_LOOKED_AT: [&str; 6] = [
        "account.proved",
        "account.oidc_unproved",
        "error.signed_out",
        "error.forbidden",
        "error.rate_limited",
        "error.unavailable",
    ];

    /// Looks after the fields for as long as the page is open.
    pub(super) fn watch(page: &'static str, places: RwSignal<Vec<Place>>) {
        let Session { name, refused, .. } = Session::get();
        let was_refused = refused.is_some() || was_not_looked_at();
        let notices = Notices::get();
        let unsaved = StoredValue::new(Vec::<Held>::new());
        // A form of this page is on its way, which comes back to it.
        let comes_back = StoredValue::new(false);
        let look = move || {
            let fields = changed();
            let _ = unsaved.try_set_value(fields.iter().filter_map(held).collect());
            let now = sections(&fields);
            if places.try_with_untracked(|before| *before != now) == Some(true) {
                places.set(now);
            }
        };
        let of_name = name.clone();
        effect(move || {
            let name = of_name.clone();
            // Once what was typed before the page was alive is back in its fields.
            request_animation_frame(move || {
                put_back(page, &name, was_refused);
                look();
            });
        });
        let typed = window_event_listener(ev::input, move |_| look());
        let chosen = window_event_listener(ev::change, move |_| look());
        let of_name = name.clone();
        let sent = window_event_listener(ev::submit, move |event| {
            let form = event.target().and_then(|target| target.dyn_into::<HtmlFormElement>().ok());
            // One that is sent beside the page leaves everything where it is.
            let Some(form) = form.filter(|_| !event.default_prevented()) else { return };
            if returns_to(page, &form) {
                let (sent, others): (Vec<_>, Vec<_>) =
                    changed().into_iter().partition(|field| form.contains(Some(field.element())));
                let held = |fields: Vec<Field>| fields.iter().filter_map(held).collect();
                keep(page, &of_name, &Waiting { others: held(others), sent: held(sent) });
                comes_back.set_value(true);
            }
        });
        let leaving = window_event_listener(ev::beforeunload, move |event: BeforeUnloadEvent| {
            let is_left = unsaved.try_with_value(|unsaved| !unsaved.is_empty()) == Some(true);
            if is_left && comes_back.try_get_value() == Some(false) {
                event.prevent_default();
            }
        });
        on_cleanup(move || {
            typed.remove();
            chosen.remove();
            sent.remove();
            leaving.remove();
            let left = unsaved.try_get_value().unwrap_or_default();
            if !left.is_empty() {
                keep(page, &name, &Waiting { others: left, sent: Vec::new() });
                notices.tell(Said::plain(t!("settings-unsaved-kept")));
            }
        });
    }

    /// From here on what the fields of a form hold is what is kept.
    pub(super) fn settle(form: &HtmlFormElement) {
        for field in fields().filter(|field| form.contains(Some(field))).filter_map(Field::changed) {
            field.settle();
        }
        let init = EventInit::new();
        init.set_bubbles(true);
        // Fails only for an event that was sent already.
        if let Ok(event) = Event::new_with_event_init_dict("change", &init) {
            let _ = form.dispatch_event(&event);
        }
    }

    fn fields() -> impl Iterator<Item = Element> {
        let found = document().query_selector_all(FIELDS).ok();
        let count = found.as_ref().map_or(0, web_sys::NodeList::length);
        (0..count).filter_map(move |index| found.as_ref()?.item(index)?.dyn_into().ok())
    }

    /// The fields that hold something else than what is kept.
    fn changed() -> Vec<Field> {
        fields().filter_map(Field::changed).collect()
    }

    fn sections(fields: &[Field]) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for field in fields {
            let Ok(Some(section)) = field.element().closest(".settings-section") else { continue };
            let title = section.query_selector("h2").ok().flatten().and_then(|title| title.text_content());
            let place = (section.id(), title.unwrap_or_default());
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// Whether a form that loads a page leads back to this one: it says so, or is sent to a place below it.
    fn returns_to(page: &str, form: &HtmlFormElement) -> bool {
        let back = form.query_selector("input[name=back]").ok().flatten();
        let back = back.and_then(|back| back.get_attribute("value"));
        back.or_else(|| form.get_attribute("action")).is_some_and(|to| to.starts_with(page))
    }

    /// Whether what was sent before was not looked at: somebody comes from showing who they are, or from trying to, or was
    /// refused before their form was read.
    fn was_not_looked_at() -> bool {
        let query = window().location().search().unwrap_or_default();
        let mut said = query.split(['?', '&']).filter_map(|pair| pair.strip_prefix("said="));
        said.any(|word| NOT_LOOKED_AT.contains(&word))
    }

    fn held(field: &Field) -> Option<Held> {
        let element = field.element();
        let attribute = |name| element.get_attribute(name).filter(|value| !value.contains(['"', '\\']));
        let selector = match attribute("id") {
            Some(id) => format!("[id=\"{id}\"]"),
            // A tick, or one of several choices.
            None => {
                let action = element.closest("form").ok().flatten()?.get_attribute("action")?;
                let (name, value) = (attribute("name")?, attribute("value")?);
                format!("form[action=\"{action}\"] [name=\"{name}\"][value=\"{value}\"]")
            }
        };
        Some((selector, field.text()))
    }

    /// Where it lies: in this tab, until it is closed, and only for whoever typed it.
    pub(crate) fn storage(page: &str, name: &str) -> Option<(Storage, String)> {
        Some((window().session_storage().ok().flatten()?, format!("unsaved:{page}:{name}")))
    }

    fn keep(page: &str, name: &str, waiting: &Waiting) {
        if let (Some((storage, key)), Ok(text)) = (storage(page, name), serde_json::to_string(waiting)) {
            // Fails where the tab has no room left: then it is lost, as it would be without this.
            let _ = storage.set_item(&key, &text);
        }
    }

    fn put_back(page: &str, name: &str, was_refused: bool) {
        let Some((storage, key)) = storage(page, name) else { return };
        let Ok(Some(text)) = storage.get_item(&key) else { return };
        let _ = storage.remove_item(&key);
        let Waiting { others, sent } = serde_json::from_str(&text).unwrap_or_default();
        for (selector, text) in others.into_iter().chain(sent.into_iter().filter(|_| was_refused)) {
            if let Some(field) = document().query_selector(&selector).ok().flatten() {
                unfold(&field);
                Field::with(field, &text).filter(Field::is_reset).inspect(Field::put_back);
            }
        }
    }
}
