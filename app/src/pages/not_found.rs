//! For addresses that lead nowhere.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::components::empty::Empty;
use crate::{routes, t};

/// Says so, with the status 404.
#[component]
pub(crate) fn NotFoundPage() -> impl IntoView {
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::NOT_FOUND);
    }
    view! {
        <Title text=t!("errors-no-page-title")/>
        <h1 tabindex="-1">{t!("errors-no-page")}</h1>
        <Empty text=t!("errors-no-page-next")>
            <a class="button" href=routes::OVERVIEW>{t!("errors-to-overview")}</a>
        </Empty>
    }
}
