//! The way to show who one is, where something was refused until then.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::error::ApiError;
use crate::{routes, t};

/// A link to the page that asks who somebody is, and leads back to this one.
#[component]
pub(crate) fn ProveLink() -> impl IntoView {
    let location = use_location();
    let href = move || {
        let mut query = location.query.get();
        // What was said of the form before is over; the page that asks for the proof says what came of it.
        query.remove("said");
        routes::prove(&format!("{}{}", location.pathname.get(), query.to_query_string()))
    };
    view! { <a href=href rel="external">{t!("account-prove")}</a> }
}

/// The same beside an error after which that is the next step; nothing beside others.
pub(crate) fn prove_link(error: &ApiError) -> Option<impl IntoView + use<>> {
    (*error == ApiError::ProveFirst).then(|| view! { " " <ProveLink/> })
}
