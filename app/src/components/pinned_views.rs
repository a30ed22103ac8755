//! Saved views in the navigation: one's own and those that somebody shares, with how many jobs each has.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::Tally;

use crate::api::{SetNavigation, pinned_views};
use crate::components::fields::BackField;
use crate::components::icons::{Icon, icon};
use crate::light::is_read_again;
use crate::navigation::ViewsFold;
use crate::pinned::{Pinned, PinnedView};
use crate::{format, routes, t};

/// The heading, and the views below it once somebody has unfolded them. A cookie keeps that. Counting them costs as much as a
/// list: the script asks for that once for each page, and a refresh leaves it alone.
#[component]
pub fn PinnedViews() -> impl IntoView {
    let fold = ViewsFold::of_request();
    let is_open = fold == ViewsFold::Open;
    let list = Suspend::new(async move {
        // Without them the navigation still leads everywhere; but they are not said to be none.
        let pinned = pinned_views().await.ok().filter(|_| is_open && !is_read_again())?;
        Some(view! { <List pinned/> })
    });
    view! {
        <li class="navigation-views">
            <form method="post" action=SetNavigation::PATH>
                <BackField/>
                <button type="submit" name="views" value=fold.other().as_str() aria-expanded=is_open.to_string()>
                    {icon(Icon::ChevronRight)}
                    <span>{t!("filter-views")}</span>
                </button>
            </form>
            <Suspense>{list}</Suspense>
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
