//! Redis: what everything rests on, and what to do about what is not well.

mod facts;
mod findings;
mod slow;

use leptos::prelude::*;
use leptos_meta::Title;
use reprieve::model::RedisReport;

use crate::api::redis::get_redis;
use crate::components::error_panel::ErrorPanel;
use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::error::ApiError;
use crate::light::{RefreshedEvery, suspended};
use crate::t;

/// How often Redis is looked at while somebody watches, in seconds: a look costs some fifty small calls.
const PULSE_SECONDS: u32 = 15;

/// What everything rests on.
#[component]
pub fn RedisPage() -> impl IntoView {
    let board = suspended(async {
        view! { <Board report=get_redis().await/> }
    });
    view! {
        <Title text=t!("redis-page-title")/>
        <RefreshedEvery seconds=PULSE_SECONDS/>
        <h1 tabindex="-1">{t!("redis-title")}</h1>
        {board}
    }
}

#[component]
fn Board(report: Result<RedisReport, ApiError>) -> impl IntoView {
    let board = match report {
        Err(error) => view! { <ErrorPanel error/> }.into_any(),
        Ok(report) => view! {
            <findings::Findings findings=report.findings.clone()/>
            <facts::Facts report=report.clone()/>
            <slow::SlowCalls slow=report.slow/>
            <p class="redis-looked">
                <TimedSentence text=t!("redis-looked", at = HERE) at=report.read_at style=TimeStyle::Absolute/>
            </p>
        }
        .into_any(),
    };
    view! {
        <div class="redis">
            {board}
            // A plain link; the script reads the same page again in place.
            <p><a class="button" href="" data-here="">{t!("redis-again")}</a></p>
        </div>
    }
}
