//! Workers: who is working, who is not?

mod banner;
mod forwarders;
mod jobs;
mod orders;
mod worker;

use leptos::prelude::*;
use reprieve::model::Fleet;

use crate::api::workers::get_fleet;
use crate::components::empty::Empty;
use crate::components::error_panel::or_why;
use crate::components::page_head::PageHead;
use crate::components::snippet::Snippet;
use crate::light::suspended;
use crate::t;

/// How often heartbeats are read again, in seconds: they come every four.
const PULSE_SECONDS: u32 = 2;

/// Who is working, who is not?
#[component]
pub fn WorkersPage() -> impl IntoView {
    let fleet = suspended(async { or_why(get_fleet().await.map(|fleet| view! { <Known fleet/> })) });
    view! {
        <PageHead title=t!("workers-title") every=PULSE_SECONDS/>
        {fleet}
    }
}

#[component]
fn Known(fleet: Fleet) -> impl IntoView {
    let read_at = fleet.read_at;
    let cards = fleet.workers.iter().cloned().map(|at| view! { <worker::WorkerCard at read_at/> });
    let list = if fleet.workers.is_empty() {
        view! { <Nobody/> }.into_any()
    } else {
        view! { <ul class="workers">{cards.collect_view()}</ul> }.into_any()
    };
    let more = (fleet.more > 0)
        .then(|| view! { <p class="workers-more">{t!("workers-more", count = fleet.more)}</p> });
    view! {
        <div class="fleet">
            <banner::Unserved queues=fleet.unserved.clone()/>
            {list}
            {more}
            <forwarders::Forwarders fleet/>
        </div>
    }
}

/// Nobody has been heard for a day: what to do.
#[component]
fn Nobody() -> impl IntoView {
    view! {
        <Empty text=t!("workers-none")>
            <p>{t!("workers-none-next")}</p>
            <Snippet title="reprieve.toml" code=banner::webhook(None)/>
        </Empty>
    }
}
