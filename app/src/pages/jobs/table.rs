//! The table of a list, what stands above and below it, and the menu of its rows.

use leptos::prelude::*;
use reprieve::model::{Direction, JobId, StateGroup};

use super::QueueCounts;
use super::bulk_bar::{BULK, BulkBar};
use super::empty::EmptyList;
use super::facets::FacetSwitch;
use super::heading::heading;
use super::reading::{Counting, Listed, Shown, read_rows};
use super::row::{MENU, Row};
use super::status::Status;
use super::when::{self, When};
use crate::components::error_panel::ErrorPanel;
use crate::components::icons::{Icon, icon};
use crate::list::{Address, Column, also_in};
use crate::print::print;
use crate::{i18n, t};

/// One list on screen.
#[component]
pub(crate) fn JobTable(
    listed: Listed,
    /// How far an exact count is, where one was asked for.
    counting: Option<Counting>,
    /// Where it is.
    address: Address,
    counts: QueueCounts,
    /// What narrows the list down is unfolded where it has no place beside it.
    #[prop(optional)]
    unfolded: bool,
) -> impl IntoView {
    let filtered = !address.q.is_empty();
    let status = filtered
        .then(|| view! { <Status listed=listed.clone() counting=counting.clone() address=address.clone()/> });
    let also = also_in(&address);
    let also = (!also.is_empty()).then(|| {
        let link = |group| view! { " " <a href=address.of_group(group).href()>{i18n::group(group)}</a> };
        view! { <span class="list-also">{t!("filter-also-in")} {also.into_iter().map(link).collect_view()}</span> }
    });
    let is_scan = (!listed.indexed).then_some("");
    let (list, more) = (name(&address), view! { <More listed=listed.clone() address=address.clone()/> });
    let bar = view! { <BulkBar address=address.clone() listed=listed.clone() counting/> };
    let body = if listed.rows.is_empty() {
        let partly = listed.next.is_some();
        view! { <EmptyList address=address.clone() counts ways=listed.ways partly/> }.into_any()
    } else {
        view! { <Table rows=listed.rows address=address.clone()/> }.into_any()
    };
    view! {
        <div class="jobs-list" data-list=list data-scan=is_scan>
            <div class="list-bar">
                {(!unfolded).then(|| view! { <FacetSwitch address=address.clone() unfolded/> })}
                <span class="list-order"><Order address/></span>
                {status}
                {also}
                <span class="list-rest"></span>
                <span class="list-new">
                    <button type="button" class="new-chip" data-key="." title=t!("jobs-load-new") hidden></button>
                </span>
            </div>
            {bar}
            <div class="job-form">{body}</div>
            {more}
            <div id=MENU class="popover row-menu" popover="auto" role="dialog" aria-label=t!("jobs-actions")></div>
        </div>
    }
}

/// The script keeps the rows of a page only where the next one is of the same list.
pub(super) fn name(address: &Address) -> String {
    print(&address.href())
}

/// Which end comes first, and the switch to the other.
#[component]
fn Order(address: Address) -> impl IntoView {
    let ascending = address.direction() == Direction::Ascending;
    let words = match (address.group, ascending) {
        (StateGroup::Delay | StateGroup::Held, true) => t!("jobs-order-soonest"),
        (StateGroup::Delay | StateGroup::Held, false) => t!("jobs-order-latest"),
        (StateGroup::Ready, true) => t!("jobs-order-next"),
        (StateGroup::Ready, false) => t!("jobs-order-last"),
        (StateGroup::Active, true) => t!("jobs-order-lease-soonest"),
        (StateGroup::Active, false) => t!("jobs-order-lease-latest"),
        (_, true) => t!("jobs-order-oldest"),
        (_, false) => t!("jobs-order-newest"),
    };
    view! {
        <a class="order" href=address.reversed().href() data-here="" title=t!("jobs-other-end")>
            {icon(if ascending { Icon::ArrowUp } else { Icon::ArrowDown })}
            <span>{words}</span>
        </a>
    }
}

/// The rows with their headings.
#[component]
fn Table(rows: Vec<Shown>, address: Address) -> impl IntoView {
    let names = address.column_names();
    // With columns of its own a list may be wider than its place.
    let wide = !names.is_empty();
    let scroll = wide.then_some("table-scroll");
    let (region, place) = (wide.then_some("region"), wide.then_some("0"));
    let label = wide.then(|| t!("jobs-table"));
    let heading =
        |path| view! { <th scope="col" role="columnheader" class="cell-column"><code>{path}</code></th> };
    let columns = names.into_iter().map(heading).collect_view();
    let always = address.always();
    let headings = always
        .iter()
        .map(|&column| view! { <Heading column group=address.group ascending=address.direction() == Direction::Ascending/> })
        .collect_view();
    let (group, compact) = (address.group, address.is_compact().to_string());
    let rows =
        rows.into_iter().map(|shown| view! { <Row group shown columns=always.clone()/> }).collect_view();
    view! {
        <div class="panel">
            <div class=scroll role=region tabindex=place aria-label=label>
            <table class="table job-table" role="table" aria-label=t!("jobs-table") data-group=group.as_str() data-compact=compact>
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader" class="cell-tick">
                            <input type="checkbox" class="tick-all" form=BULK autocomplete="off" aria-label=t!("bulk-tick-all") title=t!("bulk-tick-all")/>
                        </th>
                        {headings}
                        {columns}
                        <th scope="col" role="columnheader" class="cell-main"><span class="visually-hidden">{t!("jobs-main-act")}</span></th>
                        <th scope="col" role="columnheader" class="cell-acts"><span class="visually-hidden">{t!("jobs-actions")}</span></th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
            </div>
        </div>
    }
}

/// The head of a column that is always there; the first one says which way the list goes.
#[component]
fn Heading(column: Column, group: StateGroup, ascending: bool) -> impl IntoView {
    let sorted = (column == Column::When).then_some(if ascending { "ascending" } else { "descending" });
    view! {
        <th scope="col" role="columnheader" class=column.class() aria-sort=sorted>{heading(column, group)}</th>
    }
}

/// The way to the rest of the list: a link to the next page, which loads below where a script runs.
#[component]
fn More(listed: Listed, address: Address) -> impl IntoView {
    let start = address.after.is_some().then(|| {
        view! { <a class="button" data-tone="quiet" href=address.starting_at(None).href()>{t!("jobs-to-beginning")}</a> }
    });
    let href = listed.next_href(&address);
    let more = href.map(|href| view! { <a class="button" data-more="" href=href>{t!("jobs-load-more", count = address.size)}</a> });
    view! { <p class="pager">{start} {more}</p> }
}

/// Rows that a page shows already, as their jobs are now: wherever those went.
pub(super) async fn rows_now(address: Address, ids: Vec<JobId>) -> AnyView {
    let rows = match read_rows(&ids).await {
        Ok(rows) => rows,
        Err(error) => return view! { <ErrorPanel error/> }.into_any(),
    };
    let (mut now, mut gone) = (Vec::new(), Vec::new());
    for (id, row) in ids.into_iter().zip(rows) {
        match row {
            Some(row) => now.push(Shown { row, cells: Vec::new() }),
            None => gone.push(id),
        }
    }
    let gone = gone
        .iter()
        .map(|id| view! { <li data-id=id.to_string()>{when::cell(address.group, When::Removed)}</li> });
    let gone = view! { <ul class="rows-gone">{gone.collect_view()}</ul> };
    view! { <div class="jobs-list"><Table rows=now address/> {gone}</div> }.into_any()
}
