//! Which namespace this is, and the way to the others.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::components::icons::{Icon, icon};
use crate::places::PlaceLink;
use crate::session::Session;
use crate::{routes, t};

/// The popover with the others.
const NAMESPACES: &str = "namespaces";

/// The name of the namespace; a menu where the server shows several.
#[component]
pub(crate) fn NamespaceSwitch() -> impl IntoView {
    let session = Session::get();
    let shown = if session.title.is_empty() { session.namespace.clone() } else { session.title.clone() };
    let title = format!("{}: {}", t!("frame-namespace"), session.namespace);
    let mark =
        view! { <span class="namespace-mark" data-colour=session.colour.as_str() aria-hidden="true"></span> };
    if session.places.len() < 2 {
        return view! { {mark} <span class="namespace" title=title>{shown}</span> }.into_any();
    }
    let path = use_location().pathname;
    let here = session.namespace.clone();
    let links = session.places.into_iter().map(|PlaceLink { name, title, colour, address }| {
        let current = (name == here).then_some("true");
        // Another host: the browser loads it anew, with the rights and the look that hold there.
        let href = move || path.with(|path| format!("{address}{}", routes::elsewhere(path)));
        let named = (!title.is_empty()).then(|| view! { <small>{name.clone()}</small> });
        let shown = if title.is_empty() { name } else { title };
        view! {
            <li>
                <a href=href rel="external" aria-current=current>
                    <span class="namespace-mark" data-colour=colour.as_str() aria-hidden="true"></span>
                    <span class="two-lines"><span>{shown}</span> {named}</span>
                </a>
            </li>
        }
    });
    view! {
        {mark}
        <button type="button" class="namespace namespace-button" popovertarget=NAMESPACES title=title>
            {shown} {icon(Icon::ChevronRight)}
        </button>
        <div id=NAMESPACES class="popover namespaces" popover="auto" role="dialog" aria-label=t!("frame-namespaces")>
            <h2>{t!("frame-namespaces")}</h2>
            <ul>{links.collect_view()}</ul>
        </div>
    }
    .into_any()
}
