//! Saved views in the navigation: one's own and those that somebody shares, with how many jobs each has.

use leptos::prelude::*;
use reprieve::model::Tally;

use crate::api::{SetNavigation, pinned_views};
use crate::components::fields::BackField;
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::live::Live;
use crate::live::reading::Reading;
use crate::navigation::ViewsFold;
use crate::pinned::{Pinned, PinnedView};
use crate::{format, routes, t};

/// How often they are counted again, in seconds: it costs as much as a list.
const PULSE_SECONDS: i64 = 60;

/// The heading, and the views below it once somebody has unfolded them. A cookie keeps that.
#[component]
pub fn PinnedViews(
    /// One of the links was followed.
    followed: Callback<()>,
) -> impl IntoView {
    let action = FormAction::<SetNavigation>::new();
    let fold = RwSignal::new(SharedValue::new(ViewsFold::of_request).into_inner());
    let pulse = Live::get().pulse(PULSE_SECONDS);
    let is_open = move || fold.get() == ViewsFold::Open;
    let pinned = Reading::new(
        move || is_open().then(|| pulse.get()),
        |asked| async move {
            match asked {
                Some(_) => Some(pinned_views().await),
                None => None,
            }
        },
    );
    // The form has read the button's value by now, for this is heard behind it; and what is not sent is not heard.
    let turn = move |_| fold.update(|fold| *fold = fold.other());
    // What was known stays. Without them the navigation still leads everywhere; but they are not said to be none.
    let known = StoredValue::new(None::<Pinned>);
    let list = move || {
        Suspend::new(async move {
            let shown = match pinned.await {
                Some(Ok(now)) => {
                    let _ = known.try_set_value(Some(now.clone()));
                    Some(now)
                }
                Some(Err(error)) => {
                    pinned.refetch_after(&error);
                    known.try_get_value().flatten()
                }
                None => None,
            };
            shown.map(|pinned| view! { <List pinned followed/> })
        })
    };
    view! {
        <li class="navigation-views" on:submit=turn>
            <PostForm action>
                <BackField/>
                <button
                    type="submit"
                    name="views"
                    value=move || fold.get().other().as_str()
                    aria-expanded=move || is_open().to_string()
                >
                    {icon(Icon::ChevronRight)}
                    <span>{t!("filter-views")}</span>
                </button>
            </PostForm>
            <Transition>{list}</Transition>
        </li>
    }
}

#[component]
fn List(pinned: Pinned, followed: Callback<()>) -> impl IntoView {
    let Pinned { views, more } = pinned;
    let none = views.is_empty().then(|| view! { <p>{t!("frame-nav-views-none")}</p> });
    let link = move |PinnedView { name, href, count }: PinnedView| {
        let count = count.map(|tally| view! { <small class="view-count">{in_figures(tally)}</small> });
        let title = name.clone();
        view! { <li><a href=href title=title on:click=move |_| followed.run(())><span>{name}</span> {count}</a></li> }
    };
    let rest = (more > 0).then(|| {
        view! { <li><a href=routes::JOBS on:click=move |_| followed.run(())>{t!("frame-nav-views-more", count = more)}</a></li> }
    });
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
