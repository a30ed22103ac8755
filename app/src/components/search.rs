//! The search field of the top bar: a plain form, and the way into the palette.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::icons::{Icon, icon};
use crate::{routes, t};

/// Finds ids, subjects, queues and kinds. `/` leads into it.
#[component]
pub fn SearchField(
    /// Grows each time the palette is to open.
    palette: RwSignal<u64>,
) -> impl IntoView {
    let query = use_query_map();
    let value = move || query.with(|query| query.get("find").unwrap_or_default());
    view! {
        <form class="search" role="search" action=routes::SEARCH method="get">
            {icon(Icon::Search)}
            <input
                type="search"
                name="find"
                maxlength="200"
                value=value
                data-key="/"
                aria-label=t!("frame-search-what")
                placeholder=t!("frame-search")
                title=t!("frame-search-key")
                autocomplete="off"
                spellcheck="false"
            />
            <button
                type="button"
                class="search-palette"
                title=t!("frame-palette-key")
                aria-label=t!("frame-palette-key")
                on:click=move |_| palette.update(|count| *count += 1)
            >
                <kbd>"Ctrl K"</kbd>
            </button>
        </form>
    }
}
