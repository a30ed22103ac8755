//! Redis: what everything rests on, and what to do about what is not well.

mod facts;
mod findings;
mod slow;

use leptos::prelude::*;
use reprieve::model::RedisReport;

use crate::api::redis::get_redis;
use crate::components::error_panel::or_why;
use crate::components::page_head::PageHead;
use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::error::ApiError;
use crate::light::suspended;
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
        <PageHead title=t!("redis-title") every=PULSE_SECONDS/>
        {board}
    }
}

#[component]
fn Board(report: Result<RedisReport, ApiError>) -> impl IntoView {
    let board = or_why(report.map(|report| {
        view! {
            <findings::Findings findings=report.findings.clone()/>
            <facts::Facts report=report.clone()/>
            <slow::SlowCalls slow=report.slow/>
            <p class="redis-looked">
                <TimedSentence text=t!("redis-looked", at = HERE) at=report.read_at style=TimeStyle::Absolute/>
            </p>
        }
    }));
    view! {
        <div class="redis">
            {board}
            // A plain link; the script reads the same page again in place.
            <p><a class="button" href="" data-here="">{t!("redis-again")}</a></p>
        </div>
    }
}
