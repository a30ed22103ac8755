//! What is due in the next minutes, hour, day or month.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;
use reprieve::model::QueueName;

use crate::api::overview::get_due_ahead;
use crate::components::chart::BarChart;
use crate::components::error_panel::ErrorPanel;
use crate::error::ApiError;
use crate::{format, i18n, routes, t};

use super::address_with;

reprieve::words! {
    /// How far ahead the bars look; in the address as `ahead`.
    pub(crate) enum Ahead or "one of " {
        /// Two minutes.
        Minutes = "2m",
        /// An hour.
        Hour = "1h",
        /// A day.
        Day = "24h",
        /// Thirty days.
        Month = "30d",
    }
}

impl Ahead {
    fn sentence(self, count: u64) -> String {
        i18n::counted("overview-due", self.as_str(), count)
    }

    /// Seconds of a bar, and how many bars.
    const fn bars(self) -> (u32, u16) {
        match self {
            Self::Minutes => (2, 60),
            Self::Hour => (60, 60),
            Self::Day => (30 * 60, 48),
            Self::Month => (24 * 3_600, 30),
        }
    }

    /// What the address wishes for, if anything.
    pub(crate) fn of(query: &ParamsMap) -> Option<Self> {
        query.get_str("ahead")?.parse().ok()
    }

    /// When a bar is, from now.
    fn when(self, bar: usize) -> String {
        let seconds = i64::from(self.bars().0);
        let bar = i64::try_from(bar).unwrap_or_default();
        let span = |n: i64| format::span(n * seconds * 1_000);
        if bar == 0 {
            t!("overview-bar-first", span = span(1))
        } else {
            t!("overview-bar", from = span(bar), to = span(bar + 1))
        }
    }

    /// Words along the bottom, evenly spread.
    fn bottom(self) -> Vec<String> {
        let (seconds, bars) = self.bars();
        let quarter = i64::from(seconds) * i64::from(bars) * 1_000 / 4;
        let ahead = |quarters: i64| format!("+{}", format::span(quarter * quarters));
        vec![t!("overview-now"), ahead(1), ahead(2), ahead(3), ahead(4)]
    }
}

/// The bars as read, and how far they look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Due {
    ahead: Ahead,
    bars: Vec<u64>,
}

impl Due {
    async fn read(queue: Option<QueueName>, ahead: Ahead) -> Result<Self, ApiError> {
        let (seconds, count) = ahead.bars();
        Ok(Self { ahead, bars: get_due_ahead(queue, seconds, count).await? })
    }

    /// What was asked for, of one queue or of all; without a wish the hour, or the next two minutes if most of the hour is in its first bar.
    ///
    /// # Errors
    /// Those of `get_due_ahead`.
    pub(crate) async fn choose(queue: Option<QueueName>, wish: Option<Ahead>) -> Result<Self, ApiError> {
        let due = Self::read(queue.clone(), wish.unwrap_or(Ahead::Hour)).await?;
        let first = due.bars.first().copied().unwrap_or_default();
        if wish.is_none() && first > 0 && first.saturating_mul(2) > due.sum() {
            return Self::read(queue, Ahead::Minutes).await;
        }
        Ok(due)
    }

    fn sum(&self) -> u64 {
        self.bars.iter().fold(0, |sum, n| sum.saturating_add(*n))
    }

    fn lead(&self) -> String {
        self.ahead.sentence(self.sum())
    }
}

/// Bars of what is to come, or why there are none.
#[component]
pub(crate) fn DueAhead(due: Result<Due, ApiError>) -> impl IntoView {
    let (ahead, chart) = match due {
        Err(error) => (None, view! { <ErrorPanel error/> }.into_any()),
        Ok(due) => {
            let lead = due.lead();
            let Due { ahead, bars } = due;
            let bars = bars.into_iter().enumerate().map(|(bar, number)| (ahead.when(bar), number)).collect();
            let chart = view! { <BarChart lead bars bottom=ahead.bottom() label=t!("overview-due-label")/> };
            (Some(ahead), chart.into_any())
        }
    };
    view! {
        <section class="panel" aria-labelledby="due-title">
            <div class="panel-head">
                <h2 id="due-title">{t!("overview-due-ahead")}</h2>
                <AheadLinks ahead/>
            </div>
            <div class="panel-body">{chart}</div>
            <p class="panel-foot"><a href=routes::FORECAST>{t!("overview-to-forecast")}</a></p>
        </section>
    }
}

/// Links, so that they work without script and live in the address.
#[component]
fn AheadLinks(ahead: Option<Ahead>) -> impl IntoView {
    let query = use_query_map().get_untracked();
    let links = Ahead::ALL.map(|choice| {
        let href = address_with(&query, "ahead", choice.as_str());
        view! { <a href=href data-here="" aria-current=(ahead == Some(choice)).then_some("true")>{i18n::word("overview-range", choice.as_str())}</a> }
    });
    view! { <span class="segments" role="group" aria-label=t!("overview-how-far")>{links}</span> }
}
