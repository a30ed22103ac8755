//! Shadow: what they do, beside what we would have done.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use reprieve::model::Comparison;

use super::look::named;
use super::source::{self, WATCH};
use crate::api::{Wanted, shadow_import};
use crate::components::error_panel::ErrorPanel;
use crate::error::ApiError;
use crate::{format, routes, t};

/// A button that watches for some seconds, and the table of differences. Without scripts it asks for the same page, which
/// then has watched.
#[component]
pub(super) fn Compare(
    wanted: Wanted,
    /// What the page has seen that was asked for without scripts.
    seen: Option<Result<Comparison, ApiError>>,
) -> impl IntoView {
    let watch = Action::new(|wanted: &Wanted| {
        let wanted = wanted.clone();
        async move { shadow_import(wanted).await }
    });
    let pending = watch.pending();
    let result = move || {
        watch.value().get().or_else(|| seen.clone()).map(|answer| match answer {
            Ok(seen) => view! { <Table seen/> }.into_any(),
            Err(error) => view! { <ErrorPanel error/> }.into_any(),
        })
    };
    let kept = source::kept(use_query_map().get_untracked());
    let field = |(name, value)| view! { <input type="hidden" name=name value=value/> };
    let send = move |event: SubmitEvent| {
        event.prevent_default();
        watch.dispatch(wanted.clone());
    };
    view! {
        <section class="panel settings-section" aria-labelledby="import-shadow">
            <div class="panel-head"><h2 id="import-shadow">{t!("import-step-shadow")}</h2></div>
            <div class="panel-body">
                <p class="settings-hint">{t!("import-shadow-hint")}</p>
                <form method="get" action=format!("{}#import-shadow", routes::IMPORT) on:submit=send>
                    {kept.into_iter().map(field).collect_view()}
                    <input type="hidden" name=WATCH value="yes"/>
                    <button type="submit" class="button" disabled=move || pending.get()>
                        {move || if pending.get() { t!("import-watching") } else { t!("import-watch") }}
                    </button>
                </form>
                <div role="status">{result}</div>
            </div>
        </section>
    }
}

#[component]
fn Table(seen: Comparison) -> impl IntoView {
    let ms = |value: Option<u64>| value.map_or_else(|| "–".to_owned(), format::short_ms);
    let rows = [
        (t!("import-seen"), format::number(seen.seen)),
        (t!("import-ours"), format::number(seen.ours_by_now)),
        (t!("import-theirs"), format::number(seen.theirs_by_now)),
        (t!("import-early"), format::number(seen.early)),
        (t!("import-overdue"), format::number(seen.overdue)),
        (t!("import-moved"), format::number(seen.rescheduled)),
        (t!("import-late-p50"), ms(seen.late_ms_p50)),
        (t!("import-late-p99"), ms(seen.late_ms_p99)),
    ];
    let row = |(what, value): (String, String)| {
        view! { <tr><th scope="row">{what}</th><td class="number">{value}</td></tr> }
    };
    view! {
        <table class="table"><tbody>{rows.map(row)}</tbody></table>
        <ul class="import-named">{seen.differences.into_iter().map(named).collect_view()}</ul>
    }
}
