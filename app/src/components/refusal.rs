//! Why a form was not done as it was sent, at the field that is at fault.

use leptos::html;
use leptos::prelude::*;

use super::prove::prove_link;
use crate::error::ApiError;
use crate::live::effect::effect;

/// The sentence and the next step of an error, within the form that it refuses.
pub(crate) fn refused(error: &ApiError) -> AnyView {
    refused_saying(error, error.in_full())
}

/// The same in other words.
pub(crate) fn refused_saying(error: &ApiError, text: String) -> AnyView {
    match prove_link(error) {
        Some(link) => view! { <p class="refusal" role="alert">{text} {link}</p> }.into_any(),
        None => refusal(text, error.field()),
    }
}

/// A refusal in these words. The field with that name is marked as wrong, described by them, and has the focus; they are
/// read out with it. Without such a field they are read out as they come.
pub(crate) fn refusal(text: String, field: Option<&str>) -> AnyView {
    let place = NodeRef::<html::P>::new();
    let role = field.is_none().then_some("alert");
    if let Some(field) = field {
        tie(place, None, field.to_owned());
    }
    view! { <p class="refusal" role=role node_ref=place>{text}</p> }.into_any()
}

/// Puts the focus into the field with that id.
pub(crate) fn lead_to(id: &str) {
    #[cfg(feature = "hydrate")]
    browser::lead_to(id);
    #[cfg(not(feature = "hydrate"))]
    let _ = id;
}

/// Ties it to a field of the form around it; or, where it stands elsewhere, of the one that was sent to this action.
pub(crate) fn tie(place: NodeRef<html::P>, sent_to: Option<String>, field: String) {
    effect(move || {
        #[cfg(feature = "hydrate")]
        if let Some(place) = place.get() {
            let form = match &sent_to {
                Some(action) => document().query_selector(&format!("main form[action=\"{action}\"]")),
                None => place.closest("form"),
            };
            browser::tie(&place, form.ok().flatten().as_ref(), &field);
        }
        #[cfg(not(feature = "hydrate"))]
        let _ = (place, &sent_to, &field);
    });
}

#[cfg(feature = "hydrate")]
pub(crate) mod browser {
    use leptos::prelude::*;
    use send_wrapper::SendWrapper;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, HtmlElement};

    use crate::components::focus::browser::unfold;

    const INVALID: &str = "aria-invalid";
    const DESCRIBED: &str = "aria-describedby";

    /// Ties a refusal to its field until the form is answered anew.
    pub(super) fn tie(place: &Element, form: Option<&Element>, field: &str) {
        let Some(field) = form.and_then(|form| find(form, field)) else {
            // Fails, like those below, only for an invalid attribute name.
            let _ = place.set_attribute("role", "alert");
            return;
        };
        let id = format!("{}-refusal", field.id());
        place.set_id(&id);
        let before = field.get_attribute(DESCRIBED);
        let described = before.iter().cloned().chain([id]).collect::<Vec<_>>().join(" ");
        let _ = field.set_attribute(INVALID, "true");
        let _ = field.set_attribute(DESCRIBED, &described);
        unfold(&field);
        let _ = field.focus();
        let field = SendWrapper::new(field);
        on_cleanup(move || {
            let _ = field.remove_attribute(INVALID);
            let _ = match before {
                Some(before) => field.set_attribute(DESCRIBED, &before),
                None => field.remove_attribute(DESCRIBED),
            };
        });
    }

    pub(super) fn lead_to(id: &str) {
        let field = document().get_element_by_id(id).and_then(|field| field.dyn_into::<HtmlElement>().ok());
        if let Some(field) = field {
            let _ = field.focus();
        }
    }

    /// The field of that name as somebody sees it: what is sent may stand in a hidden one.
    fn find(form: &Element, field: &str) -> Option<HtmlElement> {
        let seen = format!("[data-field=\"{field}\"], [name=\"{field}\"]:not([type=hidden], [type=radio])");
        form.query_selector(&seen).ok().flatten()?.dyn_into().ok()
    }
}
