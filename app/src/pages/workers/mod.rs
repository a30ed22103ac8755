//! Workers: who is working, who is not?

mod banner;
mod forwarders;
mod jobs;
mod orders;
mod worker;

use leptos::prelude::*;
use leptos_meta::Title;
use reprieve::model::Fleet;

use self::orders::Orders;
use crate::api::get_fleet;
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::loading::{Loading, Shape};
use crate::components::snippet::Snippet;
use crate::error::ApiError;
use crate::live::Live;
use crate::live::latest::Latest;
use crate::live::reading::Reading;
use crate::t;

/// How often heartbeats are read again, in seconds: they come every four.
const PULSE_SECONDS: i64 = 2;

/// Who is working, who is not?
#[component]
pub fn WorkersPage() -> impl IntoView {
    let live = Live::get();
    let (calm, pulse) = (live.calm(), live.pulse(PULSE_SECONDS));
    let fleet = Reading::new(move || (calm.get(), pulse.get()), |_| get_fleet());
    view! {
        <Title text=t!("workers-page-title")/>
        <h1 tabindex="-1">{t!("workers-title")}</h1>
        <Loading shape=Shape::Panels>
            <Loaded fleet/>
        </Loading>
    }
}

/// The page behind its first answer.
#[component]
fn Loaded(fleet: Reading<Result<Fleet, ApiError>>) -> impl IntoView {
    let latest = Latest::of(fleet);
    Suspend::new(async move {
        let _first = fleet.await;
        view! { <Board latest/> }
    })
}

#[component]
fn Board(latest: Latest<Fleet>) -> impl IntoView {
    let error = move || latest.error.get().map(|error| view! { <ErrorPanel error/> });
    let known = Memo::new(move |_| latest.data.with(Option::is_some));
    let board = move || known.get().then(|| view! { <Known fleet=latest.data/> });
    view! {
        {error}
        <div class="fleet" data-stale=move || latest.error.with(Option::is_some).then_some("")>{board}</div>
    }
}

#[component]
fn Known(fleet: Memo<Option<Fleet>>) -> impl IntoView {
    let orders = Orders::new();
    let ids = Memo::new(move |_| {
        fleet.with(|fleet| {
            fleet.iter().flat_map(|fleet| &fleet.workers).map(|at| at.info.id.clone()).collect::<Vec<_>>()
        })
    });
    let one = move |id: String| {
        Memo::new(move |_| {
            fleet.with(|fleet| fleet.as_ref()?.workers.iter().find(|at| at.info.id == id).cloned())
        })
    };
    let read_at = Memo::new(move |_| fleet.with(|fleet| fleet.as_ref().map(|fleet| fleet.read_at)));
    let list = move || {
        if ids.with(Vec::is_empty) {
            return view! { <Nobody/> }.into_any();
        }
        view! {
            <ul class="workers">
                <For each=move || ids.get() key=Clone::clone let:id>
                    <worker::WorkerCard id=id.clone() at=one(id) read_at orders/>
                </For>
            </ul>
        }
        .into_any()
    };
    let more = move || {
        let more = fleet.with(|fleet| fleet.as_ref().map_or(0, |fleet| fleet.more));
        (more > 0).then(|| view! { <p class="workers-more">{t!("workers-more", count = more)}</p> })
    };
    view! {
        <banner::Unserved fleet/>
        {list}
        {more}
        <forwarders::Forwarders fleet/>
    }
}

/// Nobody has been heard for a day: how to start somebody.
#[component]
fn Nobody() -> impl IntoView {
    view! {
        <Empty text=t!("workers-none")>
            <p>{t!("workers-none-next")}</p>
            <Snippet title="Shell" code=banner::start_command(None)/>
        </Empty>
    }
}
