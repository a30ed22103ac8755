//! Saved views in the navigation: one's own and those that somebody shares, with how many jobs each has.

use std::time::Duration;

use leptos::prelude::*;
use reprieve::model::{SavedView, Tally};
use serde::{Deserialize, Serialize};

use super::address::Address;
use super::views::in_figures;
use crate::api::{SetNavigation, count_jobs, list_views};
use crate::components::fields::BackField;
use crate::components::icons::{Icon, icon};
use crate::live::Live;
use crate::navigation::ViewsFold;
use crate::session::Session;
use crate::{routes, t};

/// Views shown; the others stand above every list.
const PINNED_MAX: usize = 5;
/// How often they are counted again, in seconds: it costs as much as a list.
const PULSE_SECONDS: i64 = 60;

/// That somebody saved or removed a view on this page.
#[derive(Clone, Copy)]
pub struct ViewsChanged(RwSignal<u64>);

impl ViewsChanged {
    /// Provides it to the navigation and to every list.
    pub fn provide() {
        provide_context(Self(RwSignal::new(0)));
    }

    pub(super) fn get() -> Self {
        expect_context()
    }

    /// The views are read again.
    pub(super) fn happened(self) {
        let _ = self.0.try_update(|count| *count += 1);
    }
}

/// What the navigation has of the saved views.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Pinned {
    /// The first of them, each with how many jobs it has where that is known.
    views: Vec<(SavedView, Option<Tally>)>,
    /// So many others there are.
    more: usize,
}

/// The heading, and the views below it once somebody has unfolded them. A cookie keeps that.
#[component]
pub fn PinnedViews(
    /// One of the links was followed.
    followed: Callback<()>,
) -> impl IntoView {
    let action = ServerAction::<SetNavigation>::new();
    let fold = RwSignal::new(SharedValue::new(ViewsFold::of_request).into_inner());
    let (pulse, changed) = (Live::get().pulse(PULSE_SECONDS), ViewsChanged::get());
    let is_open = move || fold.get() == ViewsFold::Open;
    let me = StoredValue::new(Session::get().name);
    let pinned = Resource::new(
        move || is_open().then(|| (pulse.get(), changed.0.get())),
        move |asked| async move {
            match asked {
                Some(_) => Some(read(&me.get_value()).await),
                None => None,
            }
        },
    );
    // Only after the form has read the button's value.
    let turn = move |_| set_timeout(move || fold.set(fold.get_untracked().other()), Duration::ZERO);
    let list =
        move || Suspend::new(async move { pinned.await.map(|pinned| view! { <List pinned followed/> }) });
    view! {
        <li class="navigation-views">
            <ActionForm action>
                <BackField/>
                <button
                    type="submit"
                    name="views"
                    value=move || fold.get().other().as_str()
                    aria-expanded=move || is_open().to_string()
                    on:click=turn
                >
                    {icon(Icon::ChevronRight)}
                    <span>{t!("filter-views")}</span>
                </button>
            </ActionForm>
            <Transition>{list}</Transition>
        </li>
    }
}

#[component]
fn List(pinned: Pinned, followed: Callback<()>) -> impl IntoView {
    let Pinned { views, more } = pinned;
    let none = views.is_empty().then(|| view! { <p>{t!("frame-nav-views-none")}</p> });
    let link = move |(view, tally): (SavedView, Option<Tally>)| {
        let href = Address::of_view(&view).href();
        let count = tally.map(|tally| view! { <small class="view-count">{in_figures(tally)}</small> });
        let title = view.name.clone();
        view! { <li><a href=href title=title on:click=move |_| followed.run(())><span>{view.name}</span> {count}</a></li> }
    };
    let rest = (more > 0).then(|| {
        view! { <li><a href=routes::JOBS on:click=move |_| followed.run(())>{t!("frame-nav-views-more", count = more)}</a></li> }
    });
    view! {
        {none}
        <ul aria-label=t!("filter-views")>{views.into_iter().map(link).collect_view()} {rest}</ul>
    }
}

/// One's own first. Without them, or without their numbers, the navigation still leads everywhere.
async fn read(me: &str) -> Pinned {
    let mut views = list_views().await.unwrap_or_default();
    views.sort_by_key(|view| view.owner != me);
    let more = views.len().saturating_sub(PINNED_MAX);
    views.truncate(PINNED_MAX);
    if views.is_empty() {
        return Pinned { views: Vec::new(), more };
    }
    let asked = views.iter().map(|view| format!("{}~{}", view.list, view.filter)).collect();
    let tallies = count_jobs(asked).await.unwrap_or_default();
    let tallies = tallies.into_iter().map(Some).chain(std::iter::repeat(None));
    Pinned { views: views.into_iter().zip(tallies).collect(), more }
}
