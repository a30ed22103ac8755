//! All runs, the latest first.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use reprieve::model::{BulkRun, BulkRuns};

use super::which::Which;
use crate::api::bulk::list_bulk_runs;
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::page_head::PageHead;
use crate::components::table::{Table, head, number};
use crate::components::time::TimePair;
use crate::light::suspended;
use crate::{format, i18n, routes, t};

/// How often the list is read again, in seconds.
const PULSE_SECONDS: u32 = 5;

/// The list of bulk runs.
#[component]
pub fn BulkPage() -> impl IntoView {
    let after = use_query_map().get_untracked().get("after").filter(|text| !text.is_empty());
    let list = suspended(async move {
        let is_behind = after.is_some();
        match list_bulk_runs(after).await {
            Ok(runs) if runs.items.is_empty() && !is_behind => view! {
                <Empty text=t!("bulk-no-runs")>
                    <a class="button" href=routes::JOBS>{t!("bulk-to-lists")}</a>
                </Empty>
            }
            .into_any(),
            Ok(runs) => view! { <Runs runs is_behind/> }.into_any(),
            Err(error) => view! { <ErrorPanel error/> }.into_any(),
        }
    });
    view! {
        <PageHead title=t!("bulk-title") every=PULSE_SECONDS/>
        {list}
    }
}

#[component]
fn Runs(
    runs: BulkRuns,
    /// Whether there are later ones.
    is_behind: bool,
) -> impl IntoView {
    let BulkRuns { items, next, .. } = runs;
    let latest =
        is_behind.then(|| view! { <a class="button" href=routes::BULK>{t!("bulk-latest-runs")}</a> });
    let earlier = next.map(|next| {
        let href = format!("{}?after={next}", routes::BULK);
        view! { <a class="button" href=href>{t!("bulk-earlier-runs")}</a> }
    });
    let rows = items.into_iter().map(|run: BulkRun| {
        let href = routes::bulk_run(&run.id);
        let counts = format!(
            "{} / {} / {}",
            format::number(run.changed),
            format::number(run.skipped),
            format::number(run.failed)
        );
        view! {
            <tr>
                <th scope="row" class="cell-what"><a href=href>{i18n::bulk_act(&run)}</a></th>
                <td class="cell-which cell-whole"><Which run=run.clone()/></td>
                <td data-label=t!("bulk-how")><span class="run-state" data-state=run.state.as_str()>{i18n::bulk_state(run.state)}</span></td>
                <td class="number" data-label=t!("bulk-counts")>{counts}</td>
                <td data-label=t!("bulk-who-why")><span class="two-lines"><span>{run.by.clone()}</span> <small>{i18n::why(&run.why)}</small></span></td>
                <td data-label=t!("bulk-when")><TimePair at=run.created/></td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div class="panel">
            <Table label=t!("bulk-title") class="cards runs-table" heads=vec![
                head(t!("bulk-what")), head(t!("bulk-which")), head(t!("bulk-how")), number(t!("bulk-counts")),
                head(t!("bulk-who-why")), head(t!("bulk-when")),
            ]>
                {rows}
            </Table>
            <p class="pager">{latest} " " {earlier}</p>
        </div>
    }
}
