//! What is due in the next hour, day or month.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::api::get_due_ahead;
use crate::components::chart::BarChart;
use crate::components::error_panel::ErrorPanel;
use crate::format;
use crate::live::Live;
use crate::live::latest::Latest;

use super::PULSE_SECONDS;

/// How far ahead the bars look; in the address as `ahead`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ahead {
    Hour,
    Day,
    Month,
}

impl Ahead {
    const ALL: [Self; 3] = [Self::Hour, Self::Day, Self::Month];

    const fn word(self) -> &'static str {
        match self {
            Self::Hour => "1h",
            Self::Day => "24h",
            Self::Month => "30d",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Hour => "1 h",
            Self::Day => "24 h",
            Self::Month => "30 d",
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::Hour => "due in the next hour",
            Self::Day => "due in the next 24 hours",
            Self::Month => "due in the next 30 days",
        }
    }

    /// Seconds of a bar, and how many bars.
    const fn bars(self) -> (u32, u16) {
        match self {
            Self::Hour => (60, 60),
            Self::Day => (30 * 60, 48),
            Self::Month => (24 * 3_600, 30),
        }
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
            Self::Hour => ["now", "+15 m", "+30 m", "+45 m", "+1 h"],
            Self::Day => ["now", "+6 h", "+12 h", "+18 h", "+24 h"],
            Self::Month => ["now", "+7.5 d", "+15 d", "+22.5 d", "+30 d"],
        };
        words.map(ToOwned::to_owned).to_vec()
    }
}

/// Bars of what is to come.
#[component]
pub fn DueAhead() -> impl IntoView {
    let query = use_query_map();
    let ahead = Memo::new(move |_| {
        query.with(|query| {
            let word = query.get_str("ahead").unwrap_or_default();
            Ahead::ALL.into_iter().find(|ahead| ahead.word() == word).unwrap_or(Ahead::Hour)
        })
    });
    let pulse = Live::get().pulse(PULSE_SECONDS);
    let due = Resource::new(
        move || (ahead.get().bars(), pulse.get()),
        |((seconds, bars), _)| get_due_ahead(None, seconds, bars),
    );
    let chart = Suspend::new(async move {
        let _first = due.await;
        let latest = Latest::of(due);
        let bars = Memo::new(move |_| latest.data.get().unwrap_or_default());
        let sum = move || {
            let sum = bars.with(|bars| bars.iter().fold(0, |sum: u64, n| sum.saturating_add(*n)));
            format!("{} {}", format::counted(sum, "job", "jobs"), ahead.get().sentence())
        };
        move || match (latest.data.with(Option::is_some), latest.error.get()) {
            (false, Some(error)) => view! { <ErrorPanel error/> }.into_any(),
            _ => view! {
                <p class="due-sum">{sum}</p>
                <BarChart
                    bars
                    word=move |bar| ahead.get_untracked().when(bar)
                    bottom=Signal::derive(move || ahead.get().bottom())
                    label="Jobs due ahead"
                    write=|n| format::counted(n, "job", "jobs")
                />
            }
            .into_any(),
        }
    });
    let links = Ahead::ALL.map(|choice| {
        view! {
            <a href=format!("/?ahead={}", choice.word()) data-noscroll="" aria-current=move || (ahead.get() == choice).then_some("true")>
                {choice.name()}
            </a>
        }
    });
    view! {
        <section class="panel" aria-labelledby="due-title">
            <div class="panel-head">
                <h2 id="due-title">"Due ahead"</h2>
                <span class="segments" role="group" aria-label="How far ahead">{links}</span>
            </div>
            <div class="panel-body">
                <Transition>{chart}</Transition>
            </div>
        </section>
    }
}
