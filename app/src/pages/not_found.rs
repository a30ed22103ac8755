//! For addresses that lead nowhere.

use leptos::prelude::*;

use crate::components::empty::Empty;
use crate::components::page_head::PageTitle;
use crate::{routes, t};

/// What stands at an address that leads nowhere.
#[component]
pub(crate) fn NotFoundPage() -> impl IntoView {
    let (why, way) = (t!("errors-no-page-next"), t!("errors-to-overview"));
    view! { <NotThere title=t!("errors-no-page") why href=routes::OVERVIEW way/> }
}

/// What the address names is not there. Says so, with the status 404, and leads on.
#[component]
pub(crate) fn NotThere(title: String, why: String, href: &'static str, way: String) -> impl IntoView {
    answer_not_found();
    view! {
        <PageTitle title=title.clone()/>
        <h1 tabindex="-1">{title}</h1>
        <Empty text=why>
            <a class="button" href=href>{way}</a>
        </Empty>
    }
}

/// Answers with the status 404.
pub(crate) fn answer_not_found() {
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::NOT_FOUND);
    }
}
