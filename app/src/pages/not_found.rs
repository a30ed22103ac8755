//! For addresses that lead nowhere.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::components::empty::Empty;
use crate::routes;

/// Says so, with the status 404.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::NOT_FOUND);
    }
    view! {
        <Title text="Not found · Reprieve"/>
        <h1>"There is no such page"</h1>
        <Empty text="The address may be mistyped, or the page has moved.">
            <a class="button" href=routes::OVERVIEW>"To the overview"</a>
        </Empty>
    }
}
