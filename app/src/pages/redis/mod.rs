//! Redis: what everything rests on, and what to do about what is not well.

mod facts;
mod findings;
mod slow;

use leptos::prelude::*;
use leptos_meta::Title;
use reprieve::model::RedisReport;

use crate::api::get_redis;
use crate::components::error_panel::ErrorPanel;
use crate::components::loading::{Loading, Shape};
use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::error::ApiError;
use crate::light::{Refresh, RefreshedBy};
use crate::live::Live;
use crate::live::latest::Latest;
use crate::live::reading::Reading;
use crate::t;

/// How often Redis is looked at while somebody watches, in seconds: a look costs some fifty small calls.
const PULSE_SECONDS: i64 = 15;

/// What everything rests on.
#[component]
pub fn RedisPage() -> impl IntoView {
    let live = Live::get();
    let pulse = live.pulse(PULSE_SECONDS);
    let asked = RwSignal::new(0_u64);
    let report = Reading::new(move || (asked.get(), pulse.get()), |_| get_redis());
    view! {
        <Title text=t!("redis-page-title")/>
        <RefreshedBy when=Refresh::Every(15)/>
        <h1 tabindex="-1">{t!("redis-title")}</h1>
        <Loading shape=Shape::Panels>
            <Loaded report asked/>
        </Loading>
    }
}

/// The page behind its first answer.
#[component]
fn Loaded(report: Reading<Result<RedisReport, ApiError>>, asked: RwSignal<u64>) -> impl IntoView {
    let latest = Latest::of(report);
    Suspend::new(async move {
        let _first = report.await;
        view! { <Board latest asked/> }
    })
}

#[component]
fn Board(latest: Latest<RedisReport>, asked: RwSignal<u64>) -> impl IntoView {
    let error = move || latest.error.get().map(|error| view! { <ErrorPanel error/> });
    let board = move || {
        latest.data.get().map(|report| {
            let read_at = report.read_at;
            view! {
                <findings::Findings findings=report.findings.clone()/>
                <facts::Facts report=report.clone()/>
                <slow::SlowCalls slow=report.slow/>
                <p class="redis-looked">
                    <TimedSentence text=t!("redis-looked", at = HERE) at=read_at style=TimeStyle::Absolute/>
                </p>
            }
        })
    };
    // A plain link for whoever has no script; with one, the same page is read again in place.
    let again = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        asked.update(|count| *count += 1);
    };
    view! {
        {error}
        <div class="redis" data-stale=move || latest.error.with(Option::is_some).then_some("")>
            {board}
            <p><a class="button" href="" data-again="" on:click=again>{t!("redis-again")}</a></p>
        </div>
    }
}
