//! What a typed word leads to.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::api::find;
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::hits::HitLink;
use crate::light::{RefreshedEvery, suspended};
use crate::t;

/// The answers to the search field.
#[component]
pub fn SearchPage() -> impl IntoView {
    let text = use_query_map().get_untracked().get("find").unwrap_or_default();
    let list = suspended(async move {
        if text.trim().is_empty() {
            return view! { <Empty text=t!("frame-search-begin")/> }.into_any();
        }
        match find(text.clone()).await {
            Ok(hits) if hits.is_empty() => {
                view! { <Empty text=t!("frame-search-none", text = text)/> }.into_any()
            }
            Ok(hits) => {
                let hits = hits.into_iter().map(|hit| view! { <li><HitLink hit/></li> });
                view! { <ul class="hits panel">{hits.collect_view()}</ul> }.into_any()
            }
            Err(error) => view! { <ErrorPanel error/> }.into_any(),
        }
    });
    view! {
        <Title text=format!("{} · Reprieve", t!("frame-search"))/>
        <RefreshedEvery seconds=0/>
        <h1 tabindex="-1">{t!("frame-search")}</h1>
        {list}
    }
    .into_any()
}
