//! Spreading a peak over a window (level L3): freezes its jobs; what happens to them is shown before anything does.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::Permission;

use super::chart::when;
use crate::api::forecast::SpreadPeak;
use crate::components::fields::BackField;
use crate::forecast::Outlook;
use crate::session::Session;
use crate::{format, t};

/// Peaks offered: the fullest bars to come.
const PEAKS: usize = 5;
/// Windows offered, minutes.
const MINUTES: [u32; 6] = [15, 60, 240, 720, 1_440, 4_320];
const MINUTE_MS: i64 = 60_000;

/// The fullest bars, each with the window to spread it over.
#[component]
pub(super) fn Spread(outlook: Outlook) -> impl IntoView {
    let session = Session::get();
    let why = session.lacks(&[Permission::RunBulk, Permission::RescheduleJobs]);
    let mut peaks: Vec<_> =
        outlook.bars.iter().filter(|bar| bar.span.due > 1 && bar.span.to > outlook.read_at).collect();
    peaks.sort_by_key(|bar| std::cmp::Reverse(bar.span.due));
    let view = outlook.asked.view;
    let queue = outlook.asked.queue.as_ref().map(ToString::to_string).unwrap_or_default();
    let forms = peaks.into_iter().take(PEAKS).enumerate().map(|(place, bar)| {
        let id = format!("spread-{place}");
        let (from, to) = (bar.span.from.as_millis().to_string(), bar.span.to.as_millis().to_string());
        let what = t!("forecast-peak", when = when(bar, view), count = bar.span.due);
        let (why, queue) = (why.clone(), queue.clone());
        view! {
            <li>
                <span>{what}</span>
                <form method="post" action=SpreadPeak::PATH>
                    <input type="hidden" name="from" value=from/>
                    <input type="hidden" name="to" value=to/>
                    {(!queue.is_empty()).then(|| view! { <input type="hidden" name="queue" value=queue/> })}
                    <BackField/>
                    <label for=id.clone()>{t!("forecast-spread-over")}</label>
                    <select id=id name="minutes">
                        {MINUTES.map(|minutes| view! { <option value=minutes.to_string()>{format::span(i64::from(minutes) * MINUTE_MS)}</option> })}
                    </select>
                    <button type="submit" class="button" data-size="small" aria-disabled=why.is_some().then_some("true") title=why>{t!("forecast-spread")}</button>
                </form>
            </li>
        }
    });
    let forms = forms.collect_view();
    (!forms.is_empty()).then(|| {
        view! {
            <details class="forecast-spread">
                <summary>{t!("forecast-spread-title")}</summary>
                <p class="quiet">{t!("forecast-spread-what")}</p>
                <ul>{forms}</ul>
            </details>
        }
    })
}
