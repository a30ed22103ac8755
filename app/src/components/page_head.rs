//! What most pages begin with.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::light::RefreshedEvery;

/// What the browser calls the page.
#[component]
pub(crate) fn PageTitle(title: String) -> impl IntoView {
    view! { <Title text=format!("{title} · Reprieve")/> }
}

/// The title of a page, how often it is refreshed, as [`RefreshedEvery`] has it, and its heading.
#[component]
pub(crate) fn PageHead(
    title: String,
    /// In seconds; 0 for never.
    every: u32,
) -> impl IntoView {
    view! {
        <PageTitle title=title.clone()/>
        <RefreshedEvery seconds=every/>
        <h1 tabindex="-1">{title}</h1>
    }
}
