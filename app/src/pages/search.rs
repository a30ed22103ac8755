//! What a typed word leads to.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::api::find;
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::hits::HitLink;
use crate::components::loading::{Loading, Shape};
use crate::live::reading::Reading;
use crate::t;

/// The answers to the search field.
#[component]
pub fn SearchPage() -> impl IntoView {
    let query = use_query_map();
    let text = Memo::new(move |_| query.with(|query| query.get("find").unwrap_or_default()));
    let found = Reading::new(
        move || text.get(),
        |text| async move {
            let hits = if text.trim().is_empty() { Ok(Vec::new()) } else { find(text.clone()).await };
            (text, hits)
        },
    );
    let list = move || {
        Suspend::new(async move {
            match found.await {
                (text, Ok(_)) if text.trim().is_empty() => {
                    view! { <Empty text=t!("frame-search-begin")/> }.into_any()
                }
                (text, Ok(hits)) if hits.is_empty() => {
                    view! { <Empty text=t!("frame-search-none", text = text)/> }.into_any()
                }
                (_, Ok(hits)) => {
                    let hits = hits.into_iter().map(|hit| view! { <li><HitLink hit/></li> });
                    view! { <ul class="hits panel">{hits.collect_view()}</ul> }.into_any()
                }
                (_, Err(error)) => {
                    found.refetch_after(&error);
                    view! { <ErrorPanel error/> }.into_any()
                }
            }
        })
    };
    view! {
        <Title text=format!("{} · Reprieve", t!("frame-search"))/>
        <h1 tabindex="-1">{t!("frame-search")}</h1>
        <Loading shape=Shape::Table>{list}</Loading>
    }
    .into_any()
}
