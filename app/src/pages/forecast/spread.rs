//! Spreading a peak over a window (level L3): freezes its jobs; what happens to them is shown before anything does.

use leptos::prelude::*;
use reprieve::model::Permission;

use super::chart::when;
use crate::api::SpreadPeak;
use crate::components::fields::BackField;
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::forecast::Outlook;
use crate::live::effect::effect;
use crate::session::Session;
use crate::{format, i18n, routes, t};

/// Peaks offered: the fullest bars to come.
const PEAKS: usize = 5;
/// Windows offered, minutes.
const MINUTES: [u32; 6] = [15, 60, 240, 720, 1_440, 4_320];
const MINUTE_MS: i64 = 60_000;

/// What spreads a peak, and goes on to its run once that is there.
pub(super) fn spreading() -> FormAction<SpreadPeak> {
    let action = FormAction::<SpreadPeak>::new();
    let navigate = leptos_router::hooks::use_navigate();
    effect(move || {
        if let Some(Ok(run)) = action.value().get() {
            navigate(&format!("{}/{}", routes::BULK, run.id), leptos_router::NavigateOptions::default());
        }
    });
    action
}

/// The fullest bars, each with the window to spread it over.
#[component]
pub(super) fn Spread(
    /// What is due.
    outlook: Outlook,
    /// What spreads one of them.
    action: FormAction<SpreadPeak>,
) -> impl IntoView {
    let refused = move || match action.value().get()? {
        Ok(_) => None,
        Err(error) => Some(refusal::refused(&error)),
    };
    let session = Session::get();
    let lacking =
        [Permission::RunBulk, Permission::RescheduleJobs].into_iter().find(|right| !session.may(*right));
    let why = lacking.map(i18n::needs);
    let off = why.is_some();
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
                <PostForm action>
                    <input type="hidden" name="from" value=from/>
                    <input type="hidden" name="to" value=to/>
                    {(!queue.is_empty()).then(|| view! { <input type="hidden" name="queue" value=queue/> })}
                    <BackField/>
                    <label for=id.clone()>{t!("forecast-spread-over")}</label>
                    <select id=id name="minutes">
                        {MINUTES.map(|minutes| view! { <option value=minutes.to_string()>{format::span(i64::from(minutes) * MINUTE_MS)}</option> })}
                    </select>
                    <button type="submit" class="button" data-size="small" aria-disabled=off.then_some("true") title=why>{t!("forecast-spread")}</button>
                </PostForm>
            </li>
        }
    });
    let forms = forms.collect_view();
    (!forms.is_empty()).then(|| {
        view! {
            <details class="forecast-spread">
                <summary>{t!("forecast-spread-title")}</summary>
                <p class="quiet">{t!("forecast-spread-what")}</p>
                {refused}
                <ul>{forms}</ul>
            </details>
        }
    })
}
