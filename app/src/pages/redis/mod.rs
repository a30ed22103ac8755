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
use crate::light::RefreshedEvery;
use crate::live::reading::Reading;
use crate::t;

/// How often Redis is looked at while somebody watches, in seconds: a look costs some fifty small calls.
const PULSE_SECONDS: u32 = 15;

/// What everything rests on.
#[component]
pub fn RedisPage() -> impl IntoView {
    let report = Reading::new(|| (), |()| get_redis());
    view! {
        <Title text=t!("redis-page-title")/>
        <RefreshedEvery seconds=PULSE_SECONDS/>
        <h1 tabindex="-1">{t!("redis-title")}</h1>
        <Loading shape=Shape::Panels>
            {Suspend::new(async move { view! { <Board report=report.await/> } })}
        </Loading>
    }
}

#[component]
fn Board(report: Result<RedisReport, ApiError>) -> impl IntoView {
    let is_stale = report.is_err();
    let (error, board) = match report {
        Err(error) => (Some(view! { <ErrorPanel error/> }), None),
        Ok(report) => {
            let read_at = report.read_at;
            let board = view! {
                <findings::Findings findings=report.findings.clone()/>
                <facts::Facts report=report.clone()/>
                <slow::SlowCalls slow=report.slow/>
                <p class="redis-looked">
                    <TimedSentence text=t!("redis-looked", at = HERE) at=read_at style=TimeStyle::Absolute/>
                </p>
            };
            (None, Some(board))
        }
    };
    view! {
        {error}
        <div class="redis" data-stale=is_stale.then_some("")>
            {board}
            // A plain link; the script reads the same page again in place.
            <p><a class="button" href="" data-again="">{t!("redis-again")}</a></p>
        </div>
    }
}
