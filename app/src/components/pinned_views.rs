//! Saved views in the navigation: one's own and those that somebody shares, with how many jobs each has.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_router::hooks::use_query_map;
use reprieve::model::Tally;

use crate::api::settings::SetAppearance;
use crate::api::views::pinned_views;
use crate::clock::Clock;
use crate::components::fields::BackField;
use crate::components::icons::{Icon, icon};
use crate::light::{is_read_again, suspended};
use crate::pinned::{Pinned, PinnedView};
use crate::preferences::ViewsFold;
use crate::{format, routes, t};

const MINUTE_MS: i64 = 60_000;
/// What the address says where only these views are asked for.
const ASKED: &str = "pinned";

/// The heading, and the views below it once somebody has unfolded them. A cookie keeps that. Counting them costs as much as a
/// list: a refresh leaves them alone, and the script asks for them once a minute.
#[component]
pub(crate) fn PinnedViews() -> impl IntoView {
    let fold = ViewsFold::current();
    let is_open = fold == ViewsFold::Open;
    let is_read = !is_read_again() || use_query_map().get_untracked().get_str(ASKED).is_some();
    let late = format!("{}?{ASKED}={}", routes::SEARCH, Clock::get().now_ms() / MINUTE_MS);
    let views = is_open.then(|| {
        // Reading begins with the part: it is made only where somebody sees it.
        let list = is_read.then(|| {
            suspended(async {
                // Without them the navigation still leads everywhere; but they are not said to be none.
                let pinned = pinned_views().await.ok()?;
                Some(view! { <List pinned/> })
            })
        });
        view! { <div id="pinned-views" data-late=late data-is-read=is_read.then_some("")>{list}</div> }
    });
    view! {
        <li class="navigation-views">
            <form method="post" action=SetAppearance::PATH>
                <BackField/>
                <button type="submit" name="views" value=fold.other().as_str() aria-expanded=is_open.to_string()>
                    {icon(Icon::ChevronRight)}
                    <span>{t!("filter-views")}</span>
                </button>
            </form>
            {views}
        </li>
    }
}

#[component]
fn List(pinned: Pinned) -> impl IntoView {
    let Pinned { views, more } = pinned;
    let none = views.is_empty().then(|| view! { <p>{t!("frame-nav-views-none")}</p> });
    let link = |PinnedView { name, href, count }: PinnedView| {
        let count = count.map(|tally| view! { <small class="view-count">{in_figures(tally)}</small> });
        let title = name.clone();
        view! { <li><a href=href title=title><span>{name}</span> {count}</a></li> }
    };
    let rest = (more > 0)
        .then(|| view! { <li><a href=routes::JOBS>{t!("frame-nav-views-more", count = more)}</a></li> });
    view! {
        {none}
        <ul aria-label=t!("filter-views")>{views.into_iter().map(link).collect_view()} {rest}</ul>
    }
}

/// How many jobs there are, in figures; with a plus where not all were looked at.
pub(crate) fn in_figures(tally: Tally) -> String {
    let number = format::number(tally.found);
    if tally.or_more { t!("filter-some", count = number) } else { number }
}
