//! Shadow: what they do, beside what we would have done.

use leptos::prelude::*;
use reprieve::model::Comparison;

use super::look::named;
use crate::api::{Wanted, shadow_inlet};
use crate::components::error_panel::ErrorPanel;
use crate::{format, t};

/// A button that watches for some seconds, and the table of differences.
#[component]
pub(super) fn Compare(wanted: Wanted) -> impl IntoView {
    let watch = Action::new(|wanted: &Wanted| {
        let wanted = wanted.clone();
        async move { shadow_inlet(wanted).await }
    });
    let pending = watch.pending();
    let result = move || {
        watch.value().get().map(|answer| match answer {
            Ok(seen) => view! { <Table seen/> }.into_any(),
            Err(error) => view! { <ErrorPanel error/> }.into_any(),
        })
    };
    view! {
        <section class="panel settings-section" aria-labelledby="import-shadow">
            <div class="panel-head"><h2 id="import-shadow">{t!("import-step-shadow")}</h2></div>
            <div class="panel-body">
                <p class="settings-hint">{t!("import-shadow-hint")}</p>
                <p>
                    <button
                        type="button"
                        class="button"
                        disabled=move || pending.get()
                        on:click=move |_| {
                            watch.dispatch(wanted.clone());
                        }
                    >
                        {move || if pending.get() { t!("import-watching") } else { t!("import-watch") }}
                    </button>
                </p>
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
