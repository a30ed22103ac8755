//! What became of each job of a run.

use leptos::prelude::*;

use crate::api::bulk::RunView;
use crate::{i18n, routes, t};

/// A page of outcomes, in the order they came.
#[component]
pub(super) fn Outcomes(view: RunView) -> impl IntoView {
    let RunView { run, outcomes, next, .. } = view;
    if outcomes.is_empty() {
        return ().into_any();
    }
    let reached = run.total.saturating_sub(run.pending);
    let more = next.filter(|next| next.read() < reached).map(|next| {
        let href = format!("{}?after={next}", routes::bulk_run(&run.id));
        view! { <a class="button" href=href>{t!("bulk-more-outcomes")}</a> }
    });
    let download = format!("/export/outcomes.csv?run={}", run.id);
    let rows = outcomes.into_iter().map(|outcome| {
        view! {
            <tr>
                <th scope="row"><a href=routes::job(&outcome.id)>{outcome.id.to_string()}</a></th>
                <td data-label=t!("bulk-outcome-from")>{outcome.from.map(i18n::state)}</td>
                <td data-label=t!("bulk-outcome")>{i18n::bulk_word(&outcome.word)}</td>
            </tr>
        }
    });
    view! {
        <section class="panel">
            <div class="panel-head">
                <h2>{t!("bulk-outcomes")}</h2>
                <a href=download rel="external" download="">{t!("bulk-download")}</a>
            </div>
            <div class="table-scroll" tabindex="0" role="region" aria-label=t!("bulk-outcomes")>
                <table class="table cards">
                    <thead>
                        <tr>
                            <th scope="col">{t!("bulk-sample-job")}</th>
                            <th scope="col">{t!("bulk-outcome-from")}</th>
                            <th scope="col">{t!("bulk-outcome")}</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
            <p class="pager">{more}</p>
        </section>
    }
    .into_any()
}
