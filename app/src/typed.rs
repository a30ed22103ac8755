//! What somebody typed before the page was alive stays typed.
//!
//! The page can be read and filled in as soon as it is there; the application takes it over a moment later, and would
//! put its own first values back into the fields that it knows.

use leptos::prelude::{document, request_animation_frame};
use leptos::wasm_bindgen::JsCast as _;
use web_sys::{
    Document, Element, Event, EventInit, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement,
};

/// A field with what somebody left in it.
enum Field {
    Line(HtmlInputElement, String),
    Text(HtmlTextAreaElement, String),
    Tick(HtmlInputElement, bool),
    Choice(HtmlSelectElement, String),
}

/// Whether a field in these parts of the page holds something else than what the server wrote into it.
pub(crate) fn holds_something(parts: &str) -> bool {
    let selector = format!(":is({parts}) :is(input:not([type=hidden]), textarea, select)");
    let Ok(fields) = document().query_selector_all(&selector) else { return false };
    (0..fields.length())
        .filter_map(|index| fields.item(index)?.dyn_into().ok())
        .any(|field| Field::changed(field).is_some())
}

/// The fields that do not hold what the server wrote into them.
pub(crate) struct Typed(Vec<Field>);

impl Typed {
    /// Looks through the page before the application takes it over.
    pub(crate) fn of(document: &Document) -> Self {
        let mut found = Vec::new();
        if let Ok(fields) = document.query_selector_all("input, textarea, select") {
            let elements = (0..fields.length()).filter_map(|index| fields.item(index)?.dyn_into().ok());
            found.extend(elements.filter_map(Field::changed));
        }
        Self(found)
    }

    /// Puts it back once the application has the page, and tells it. Once more before the next picture, for what takes
    /// its part of the page later.
    pub(crate) fn stays(self) {
        // Where nobody put anything else nobody was told of it either.
        self.0.iter().filter(|field| field.is_reset() || field.is_kept()).for_each(Field::put_back);
        request_animation_frame(move || {
            self.0.iter().filter(|field| field.is_reset()).for_each(Field::put_back);
        });
    }
}

impl Field {
    /// A field that does not hold what the server wrote into it, with what it holds.
    fn changed(element: Element) -> Option<Self> {
        let field = Self::of(element)?;
        let is_changed = match &field {
            Self::Tick(input, ticked) => *ticked != input.default_checked(),
            Self::Choice(select, _) => first_choice(select).is_some() && !field.is_reset(),
            Self::Line(..) | Self::Text(..) => !field.is_reset(),
        };
        is_changed.then_some(field)
    }

    /// A field with what it holds now.
    fn of(element: Element) -> Option<Self> {
        let element = match element.dyn_into::<HtmlInputElement>() {
            Ok(input) if matches!(input.type_().as_str(), "checkbox" | "radio") => {
                let ticked = input.checked();
                return Some(Self::Tick(input, ticked));
            }
            Ok(input) => {
                let typed = input.value();
                return Some(Self::Line(input, typed));
            }
            Err(element) => element,
        };
        let element = match element.dyn_into::<HtmlTextAreaElement>() {
            Ok(area) => {
                let typed = area.value();
                return Some(Self::Text(area, typed));
            }
            Err(element) => element,
        };
        let select = element.dyn_into::<HtmlSelectElement>().ok()?;
        let chosen = select.value();
        Some(Self::Choice(select, chosen))
    }

    /// Whether it holds again what the server wrote into it. Otherwise somebody went on typing.
    fn is_reset(&self) -> bool {
        match self {
            Self::Line(input, _) => input.value() == input.default_value(),
            Self::Text(area, _) => area.value() == area.default_value().unwrap_or_default(),
            Self::Choice(select, _) => Some(select.value()) == first_choice(select),
            Self::Tick(input, ticked) => input.checked() != *ticked,
        }
    }

    /// Whether it holds what somebody typed, and can be told of without changing it.
    fn is_kept(&self) -> bool {
        match self {
            Self::Line(input, typed) => input.value() == *typed,
            Self::Text(area, typed) => area.value() == *typed,
            Self::Choice(select, chosen) => select.value() == *chosen,
            Self::Tick(..) => false,
        }
    }

    /// Makes it hold that again, and tells the page.
    fn put_back(&self) {
        match self {
            Self::Line(input, typed) => {
                input.set_value(typed);
                tell(input, "input");
            }
            Self::Text(area, typed) => {
                area.set_value(typed);
                tell(area, "input");
            }
            Self::Choice(select, chosen) => {
                select.set_value(chosen);
                tell(select, "change");
            }
            // A click is what ticks are listened to by.
            Self::Tick(input, _) => input.click(),
        }
    }
}

/// What the server chose.
fn first_choice(select: &HtmlSelectElement) -> Option<String> {
    let first = |which| select.query_selector(which).ok().flatten();
    let option = first("option[selected]").or_else(|| first("option"))?;
    Some(option.get_attribute("value").unwrap_or_else(|| option.text_content().unwrap_or_default()))
}

fn tell(field: &Element, event: &str) {
    let init = EventInit::new();
    init.set_bubbles(true);
    // Fails only for an event that was sent already.
    if let Ok(event) = Event::new_with_event_init_dict(event, &init) {
        let _ = field.dispatch_event(&event);
    }
}
