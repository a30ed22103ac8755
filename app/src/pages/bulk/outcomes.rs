//! What became of each job of a run.

use leptos::prelude::*;

use crate::api::bulk::RunView;
use crate::components::table::{Table, head};
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
    let rows = rows.collect_view();
    view! {
        <section class="panel">
            <div class="panel-head">
                <h2>{t!("bulk-outcomes")}</h2>
                <a href=download rel="external" download="">{t!("bulk-download")}</a>
            </div>
            <Table label=t!("bulk-outcomes") class="cards" heads=vec![
                head(t!("bulk-sample-job")), head(t!("bulk-outcome-from")), head(t!("bulk-outcome")),
            ]>
                {rows}
            </Table>
            <p class="pager">{more}</p>
        </section>
    }
    .into_any()
}
