//! All runs, the latest first.

use leptos::prelude::*;
use leptos_meta::Title;
use reprieve::model::BulkRun;

use super::which::Which;
use crate::api::list_bulk_runs;
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::loading::{Loading, Shape};
use crate::components::time::TimePair;
use crate::live::Live;
use crate::live::reading::Reading;
use crate::{format, i18n, routes, t};

/// The list of bulk runs.
#[component]
pub fn BulkPage() -> impl IntoView {
    let live = Live::get();
    let pulse = live.pulse(5);
    let runs = Reading::new(move || pulse.get(), |_| list_bulk_runs());
    let list = move || {
        Suspend::new(async move {
            match runs.await {
                Ok(runs) if runs.is_empty() => view! {
                    <Empty text=t!("bulk-no-runs")>
                        <a class="button" href=routes::JOBS>{t!("bulk-to-lists")}</a>
                    </Empty>
                }
                .into_any(),
                Ok(runs) => view! { <Runs runs/> }.into_any(),
                Err(error) => view! { <ErrorPanel error/> }.into_any(),
            }
        })
    };
    view! {
        <Title text=t!("bulk-page-title")/>
        <h1 tabindex="-1">{t!("bulk-title")}</h1>
        <Loading shape=Shape::Table>{list}</Loading>
    }
}

#[component]
fn Runs(runs: Vec<BulkRun>) -> impl IntoView {
    let rows = runs.into_iter().map(|run| {
        let href = routes::bulk_run(&run.id);
        let counts = format!(
            "{} / {} / {}",
            format::number(run.changed),
            format::number(run.skipped),
            format::number(run.failed)
        );
        view! {
            <tr>
                <th scope="row" class="cell-what"><a href=href>{i18n::bulk_act(run.verb, run.total)}</a></th>
                <td class="cell-which cell-whole"><Which run=run.clone()/></td>
                <td data-label=t!("bulk-how")><span class="run-state" data-state=run.state.as_str()>{i18n::bulk_state(run.state)}</span></td>
                <td class="number" data-label=t!("bulk-counts")>{counts}</td>
                <td data-label=t!("bulk-who-why")><span class="two-lines"><span>{run.by.clone()}</span> <small>{i18n::why(&run.why)}</small></span></td>
                <td data-label=t!("bulk-when")><TimePair at=run.created/></td>
            </tr>
        }
    });
    view! {
        <div class="panel">
            <div class="table-scroll" tabindex="0" role="region" aria-label=t!("bulk-title")>
                <table class="table cards runs-table">
                    <thead>
                        <tr>
                            <th scope="col">{t!("bulk-what")}</th>
                            <th scope="col">{t!("bulk-which")}</th>
                            <th scope="col">{t!("bulk-how")}</th>
                            <th scope="col" class="number">{t!("bulk-counts")}</th>
                            <th scope="col">{t!("bulk-who-why")}</th>
                            <th scope="col">{t!("bulk-when")}</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </div>
    }
}
