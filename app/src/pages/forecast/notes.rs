//! What the picture says beside the bars, in words.

use leptos::prelude::*;

use super::month::clocks;
use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::forecast::Outlook;
use crate::{format, routes, t};

/// An hour, ms.
const HOUR_MS: u64 = 3_600_000;

/// Capacity, quiet hours, changes of the clocks, and how the numbers came about.
#[component]
pub(super) fn Notes(outlook: Outlook) -> impl IntoView {
    let is_of_all = outlook.asked.subject.is_none();
    let capacity = match outlook.capacity {
        Some(capacity) => t!(
            "forecast-capacity",
            count = capacity.within_ms(HOUR_MS),
            slots = capacity.slots,
            span = format::short_ms(capacity.run_ms)
        ),
        None if outlook.has_claimants => t!("forecast-claimed-capacity"),
        None => t!("forecast-no-capacity"),
    };
    let over = outlook.capacity.and_then(|capacity| {
        let bars = outlook.bars.iter().filter(|bar| {
            let ms = u64::try_from(bar.span.to.millis_since(bar.span.from)).unwrap_or(0);
            bar.span.due.saturating_add(bar.ticks) > capacity.within_ms(ms)
        });
        let count = bars.count();
        (count > 0).then(|| view! { <li class="forecast-over">{t!("forecast-over", count = count)}</li> })
    });
    let mut quiet: Vec<String> =
        outlook.bars.iter().flat_map(|bar| &bar.quiet).map(ToString::to_string).collect();
    quiet.sort();
    quiet.dedup();
    let quiet =
        (!quiet.is_empty()).then(|| view! { <li>{t!("forecast-quiet", kinds = quiet.join(", "))}</li> });
    let changes = outlook.bars.iter().filter_map(|bar| {
        let minutes = bar.clock_change?;
        Some(view! { <li>{t!("forecast-clocks", date = bar.date.clone(), change = clocks(minutes))}</li> })
    });
    let changes = changes.collect_view();
    let kinds = if outlook.exact_by_kind { t!("forecast-kinds-exact") } else { t!("forecast-kinds-sample") };
    let ticks = (!outlook.exact_ticks).then(|| view! { <li>{t!("forecast-ticks-about")}</li> });
    let between = outlook.is_between_hours.then(|| view! { <li>{t!("forecast-between-hours")}</li> });
    let next = outlook.next.map(|at| {
        let text = t!("forecast-behind", at = HERE);
        view! { <li><TimedSentence text at style=TimeStyle::Absolute/></li> }
    });
    view! {
        <ul class="forecast-notes">
            {is_of_all.then(|| view! { <li>{capacity}</li> })}
            {over}
            {quiet}
            {changes}
            <li>{t!("forecast-counts-exact")} " " {kinds}</li>
            {ticks}
            {between}
            {next}
            {is_of_all.then(|| view! { <li><a href=routes::SCHEDULES>{t!("forecast-to-schedules")}</a></li> })}
        </ul>
    }
}
