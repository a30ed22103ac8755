//! What is due in the next minutes, hour, day or month.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use reprieve::model::QueueName;
use serde::{Deserialize, Serialize};

use crate::api::get_due_ahead;
use crate::components::chart::BarChart;
use crate::components::error_panel::ErrorPanel;
use crate::error::ApiError;
use crate::format;
use crate::live::latest::Latest;

use super::address_with;

/// How far ahead the bars look; in the address as `ahead`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ahead {
    /// Two minutes.
    Minutes,
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// Thirty days.
    Month,
}

impl Ahead {
    const ALL: [Self; 4] = [Self::Minutes, Self::Hour, Self::Day, Self::Month];

    const fn word(self) -> &'static str {
        match self {
            Self::Minutes => "2m",
            Self::Hour => "1h",
            Self::Day => "24h",
            Self::Month => "30d",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Minutes => "2 m",
            Self::Hour => "1 h",
            Self::Day => "24 h",
            Self::Month => "30 d",
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::Minutes => "due in the next two minutes",
            Self::Hour => "due in the next hour",
            Self::Day => "due in the next 24 hours",
            Self::Month => "due in the next 30 days",
        }
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
    #[must_use]
    pub fn of_address() -> Memo<Option<Self>> {
        let query = use_query_map();
        Memo::new(move |_| {
            query.with(|query| {
                let word = query.get_str("ahead")?;
                Self::ALL.into_iter().find(|ahead| ahead.word() == word)
            })
        })
    }

    /// When a bar is, from now.
    fn when(self, bar: usize) -> String {
        let seconds = i64::from(self.bars().0);
        let bar = i64::try_from(bar).unwrap_or_default();
        let span = |n: i64| format::span(n * seconds * 1_000);
        if bar == 0 {
            format!("in less than {}, or overdue", span(1))
        } else {
            format!("in {} to {}", span(bar), span(bar + 1))
        }
    }

    /// Words along the bottom, evenly spread.
    fn bottom(self) -> Vec<String> {
        let words = match self {
            Self::Minutes => ["now", "+30 s", "+1 m", "+1 m 30 s", "+2 m"],
            Self::Hour => ["now", "+15 m", "+30 m", "+45 m", "+1 h"],
            Self::Day => ["now", "+6 h", "+12 h", "+18 h", "+24 h"],
            Self::Month => ["now", "+7.5 d", "+15 d", "+22.5 d", "+30 d"],
        };
        words.map(ToOwned::to_owned).to_vec()
    }
}

/// The bars as read, and how far they look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
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
    pub async fn choose(queue: Option<QueueName>, wish: Option<Ahead>) -> Result<Self, ApiError> {
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
        format!("{} {}", format::jobs(self.sum()), self.ahead.sentence())
    }
}

/// Bars of what is to come.
#[component]
pub fn DueAhead(
    /// The bars.
    latest: Latest<Due>,
) -> impl IntoView {
    let ahead = Memo::new(move |_| latest.data.with(|due| due.as_ref().map(|due| due.ahead)));
    let failed =
        Memo::new(move |_| if latest.data.with(Option::is_none) { latest.error.get() } else { None });
    let shown = move || ahead.get().unwrap_or(Ahead::Hour);
    let chart = move || {
        match failed.get() {
        Some(error) => view! { <ErrorPanel error/> }.into_any(),
        None => view! {
            <BarChart
                lead=Signal::derive(move || latest.data.with(|due| due.as_ref().map(Due::lead)).unwrap_or_default())
                bars=Signal::derive(move || latest.data.get().map(|due| due.bars).unwrap_or_default())
                word=move |bar| shown().when(bar)
                bottom=Signal::derive(move || shown().bottom())
                label="Jobs due ahead"
                write=format::jobs
            />
        }
        .into_any(),
    }
    };
    view! {
        <section class="panel" aria-labelledby="due-title">
            <div class="panel-head">
                <h2 id="due-title">"Due ahead"</h2>
                <AheadLinks ahead/>
            </div>
            <div class="panel-body">{chart}</div>
        </section>
    }
}

/// Links, so that they work without script and live in the address.
#[component]
fn AheadLinks(ahead: Memo<Option<Ahead>>) -> impl IntoView {
    let query = use_query_map();
    let links = Ahead::ALL.map(|choice| {
        let current = move || (ahead.get() == Some(choice)).then_some("true");
        view! { <a href=move || address_with(query, "ahead", choice.word()) data-noscroll="" aria-current=current>{choice.name()}</a> }
    });
    view! { <span class="segments" role="group" aria-label="How far ahead">{links}</span> }
}
