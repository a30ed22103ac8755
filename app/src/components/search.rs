//! The search field of the top bar: a plain form, and the way into the palette.

use leptos::prelude::*;
use leptos_router::hooks::{use_location, use_query_map};
use reprieve::model::Role;

use super::icons::{Icon, icon};
use crate::session::Session;
use crate::{routes, t};

/// What somebody looks for, and where.
pub(super) struct Wanted {
    /// The page that answers a plain form, by `find`.
    pub(super) page: &'static str,
    /// What its field takes.
    pub(super) what: String,
    /// The same with its key.
    with_key: String,
}

impl Wanted {
    /// For somebody of that role: support looks at its desk, for what it calls a number.
    pub(super) fn of(role: Option<Role>) -> Self {
        match role {
            Some(Role::Support) => Self {
                page: routes::DESK,
                what: t!("frame-search-number"),
                with_key: t!("frame-search-number-key"),
            },
            _ => {
                Self { page: routes::SEARCH, what: t!("frame-search-what"), with_key: t!("frame-search-key") }
            }
        }
    }
}

/// Finds jobs, subjects, queues, schedules and kinds. `/` leads into it.
#[component]
pub(crate) fn SearchField() -> impl IntoView {
    // Other pages have a search of their own.
    let is_here = use_location().pathname.get_untracked() == routes::SEARCH;
    let value = use_query_map().get_untracked().get("find").filter(|_| is_here);
    let Wanted { page, what, with_key } = Wanted::of(Session::get().role);
    view! {
        <form class="search" role="search" action=page method="get">
            {icon(Icon::Search)}
            <input
                type="search"
                name="find"
                maxlength="200"
                value=value
                data-key="/"
                aria-label=what
                placeholder=t!("frame-search")
                title=with_key
                autocomplete="off"
                spellcheck="false"
            />
            <button type="button" class="search-palette" title=t!("frame-palette-key") aria-label=t!("frame-palette-key")>
                <kbd>"Ctrl K"</kbd>
            </button>
        </form>
    }
}
