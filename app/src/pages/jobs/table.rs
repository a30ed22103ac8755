//! The table of a list, what stands above and below it, and the menu of its rows.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use reprieve::model::{Direction, StateGroup};

use super::QueueCounts;
use super::address::Address;
use super::bar::also_in;
use super::bulk_bar::BulkBar;
use super::columns::Column;
use super::empty::EmptyList;
use super::exact::Exact;
use super::facets::{FacetSwitch, Narrowing};
use super::recall::{Left, Recall, keep_place};
use super::row::{MENU, Row};
use super::row_acts::RowActs;
use super::rows::{LiveRow, Rows};
use super::status::Status;
use super::ticks::Ticks;
use crate::api::FreezeBulk;
use crate::clock::Clock;
use crate::components::acts::{Acted, JobActs, Target};
use crate::components::confirm::hide;
use crate::components::error_panel::ErrorPanel;
use crate::components::focus::lead_to_row;
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::turn;
use crate::live::effect::effect;
use crate::live::quiet::{is_engaged, is_quiet};
use crate::live::reading::is_time_to_ask_again;
use crate::live::voice::Voice;
use crate::live::{Link, Live};
use crate::{i18n, t};

/// The chip counts no further.
const FRESH_MAX: usize = 99;
/// Leases are extended without an event: the Active list is read again this often, in seconds.
const ACTIVE_EVERY: i64 = 3;

/// One list on screen.
#[component]
pub(crate) fn JobTable(
    /// Its rows.
    rows: Rows,
    /// Where it is.
    address: Address,
    /// How many jobs each queue holds.
    counts: QueueCounts,
    /// What its jobs are like.
    narrowing: Narrowing,
) -> impl IntoView {
    let group = address.group;
    let menu = RwSignal::new(None::<LiveRow>);
    let recall = Recall::get();
    let ticks = Ticks::of(rows, &recall.ticked(&address));
    let top = StoredValue::new(None);
    keep_place(recall, &address, top);
    let left = address.clone();
    on_cleanup(move || {
        let (ticked, rows) = (ticks.ids(), rows.list_untracked().len());
        recall.leave(Left { address: left, ticked, rows, top: top.try_get_value().flatten() });
    });
    let resting = RwSignal::new(false);
    keep_true(rows, group, resting);
    // Its cells judge by when it was read.
    provide_context(rows);

    let reload = move |_| {
        spawn_local(async move {
            rows.reload().await;
            rows.settled().await;
            // The chip is gone.
            lead_to_row(0);
        });
    };
    let fresh = move || match rows.fresh() {
        0 => None,
        n if n > FRESH_MAX => Some(t!("jobs-new-many", count = FRESH_MAX)),
        n => Some(t!("jobs-new", count = n)),
    };
    Voice::get().follow(fresh);
    let chip = move || {
        fresh().map(|text| {
            view! {
                <button type="button" class="new-chip" data-key="." title=t!("jobs-load-new") on:click=reload>
                    {text}
                </button>
            }
        })
    };
    let rest = move || resting.get().then(|| t!("jobs-resting"));
    let trouble = move || rows.trouble().map(|error| view! { <ErrorPanel error/> });
    let empty_address = address.clone();
    let empty = Memo::new(move |_| rows.is_empty());
    let table_address = StoredValue::new(address.clone());
    let body = move || {
        if empty.get() {
            let partly = Signal::derive(move || rows.next().is_some());
            view! { <EmptyList address=empty_address.clone() counts ways=rows.ways() partly/> }.into_any()
        } else {
            view! { <Table rows group address=table_address.get_value() menu ticks/> }.into_any()
        }
    };
    let freeze = FormAction::<FreezeBulk>::new();
    let refused = move || {
        let error = freeze.value().get()?.err()?;
        Some(view! { <ErrorPanel error/> })
    };
    let exact = Exact::of(address.clone());
    let status = (!address.q.is_empty()).then(|| view! { <Status rows exact/> });
    let also = also_in(&address);
    let also = (!also.is_empty()).then(|| {
        let link = |group| view! { " " <a href=address.of_group(group).href()>{i18n::group(group)}</a> };
        view! { <span class="list-also">{t!("filter-also-in")} {also.into_iter().map(link).collect_view()}</span> }
    });
    let bar_address = address.clone();
    view! {
        {trouble}
        <div class="list-bar">
            <FacetSwitch address=address.clone() narrowing/>
            <span class="list-order"><Order address=address.clone()/></span>
            {status}
            {also}
            <span class="list-rest">{rest}</span>
            <span class="list-new">{chip}</span>
        </div>
        {refused}
        <PostForm action=freeze attr:class="job-form">
            <BulkBar address=bar_address rows ticks exact/>
            {body}
        </PostForm>
        <More rows address/>
        <RowMenu menu/>
    }
}

/// Reads the rows again when something changed, and until that has succeeded, unless somebody is in the middle of something.
fn keep_true(rows: Rows, group: StateGroup, resting: RwSignal<bool>) {
    let live = Live::get();
    let clock = Clock::get();
    let acted = Acted::get();
    // What the screen shows: the change of the stream and the act of this page it was read after.
    let read = StoredValue::new((live.revision_untracked(), untrack(|| acted.count())));
    let counted = StoredValue::new(live.revision_untracked());
    effect(move || {
        let (revision, acts) = (live.revision(), acted.count());
        let (now_ms, is_open) = (clock.now_ms(), live.link() == Link::Open);
        if live.paused().is_some() {
            return;
        }
        let (read_revision, read_acts) = read.get_value();
        let leases = group == StateGroup::Active && now_ms.unwrap_or_default() / 1_000 % ACTIVE_EVERY == 0;
        // What could not be read may have changed as well; the stream need not say it twice.
        let failed = rows.are_to_be_read_again();
        let again = failed && is_time_to_ask_again(now_ms.unwrap_or_default());
        let changed = revision != read_revision || leases || again;
        let own = acts != read_acts;
        let rests = (changed || failed) && !own && is_quiet();
        if resting.get_untracked() != rests {
            resting.set(rests);
        }
        if (changed || own) && !rests {
            read.set_value((revision, acts));
            counted.set_value(revision);
            spawn_local(rows.refresh());
        } else if rests && !is_engaged() && revision != counted.get_value() {
            // Ticks keep rows from changing under them; the chip still tells what is new.
            counted.set_value(revision);
            spawn_local(rows.count_new());
        } else if let (Some(now_ms), false, true) = (now_ms, changed, is_open) {
            rows.are_true_until(now_ms);
        }
    });
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
        <a class="order" href=address.reversed().href() title=t!("jobs-other-end")>
            {icon(if ascending { Icon::ArrowUp } else { Icon::ArrowDown })}
            <span>{words}</span>
        </a>
    }
}

#[component]
fn Table(
    rows: Rows,
    group: StateGroup,
    address: Address,
    menu: RwSignal<Option<LiveRow>>,
    ticks: Ticks,
) -> impl IntoView {
    let columns: Vec<_> = address
        .column_names()
        .into_iter()
        .map(
            |path| view! { <th scope="col" role="columnheader" class="cell-column"><code>{path}</code></th> },
        )
        .collect();
    // With columns of its own a list may be wider than its place.
    let wide = !columns.is_empty();
    let scroll = wide.then_some("table-scroll");
    let (region, place) = (wide.then_some("region"), wide.then_some("0"));
    let label = wide.then(|| t!("jobs-table"));
    let acts = RowActs::of(rows, ticks, menu);
    let always = StoredValue::new(address.always());
    let headings = always.with_value(|always| {
        let heading = |&column: &Column| view! { <Heading column group address=address.clone()/> };
        always.iter().map(heading).collect_view()
    });
    view! {
        <div class="panel">
            <div class=scroll role=region tabindex=place aria-label=label>
            <table class="table job-table" role="table" aria-label=t!("jobs-table") data-group=group.as_str() data-compact=address.is_compact().to_string()>
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader" class="cell-tick">
                            <input type="checkbox" class="tick-all" aria-label=t!("bulk-tick-all") title=t!("bulk-tick-all") prop:checked=move || ticks.is_full() on:click=move |_| ticks.all()/>
                        </th>
                        {headings}
                        {columns}
                        <th scope="col" role="columnheader" class="cell-main"><span class="visually-hidden">{t!("jobs-main-act")}</span></th>
                        <th scope="col" role="columnheader" class="cell-acts"><span class="visually-hidden">{t!("jobs-actions")}</span></th>
                    </tr>
                </thead>
                <tbody role="rowgroup" on:keydown=move |event| acts.pressed(&event) on:click=move |event| acts.clicked(&event)>
                    <For each=move || rows.list() key=|live| live.id.clone() let:live>
                        <Row group live ticks columns=always/>
                    </For>
                </tbody>
            </table>
            </div>
        </div>
    }
}

/// The head of a column that is always there; the first one says which way the list goes.
#[component]
fn Heading(column: Column, group: StateGroup, address: Address) -> impl IntoView {
    let ascending = address.direction() == Direction::Ascending;
    let sorted = (column == Column::When).then_some(if ascending { "ascending" } else { "descending" });
    view! {
        <th scope="col" role="columnheader" class=column.class() aria-sort=sorted>{column.heading(group)}</th>
    }
}

/// The way to the rest of the list: a link to the next page, which loads below where a script runs.
#[component]
fn More(rows: Rows, address: Address) -> impl IntoView {
    let start = address.after.is_some().then(|| {
        view! { <a class="button" data-tone="quiet" href=address.starting_at(None).href()>{t!("jobs-to-beginning")}</a> }
    });
    let voice = Voice::get();
    let load_more = move || async move {
        let before = rows.list_untracked().len();
        rows.load_more().await;
        rows.settled().await;
        let more = rows.list_untracked().len().saturating_sub(before);
        if more > 0 {
            voice.answer(t!("jobs-said-more", count = more));
            // The link is gone where the list is at its end.
            lead_to_row(before);
        }
    };
    let more = move || {
        rows.next().map(|next| {
            let href = address.starting_at(Some(next)).href();
            let load = move |event: leptos::ev::MouseEvent| {
                if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
                    event.prevent_default();
                    spawn_local(load_more());
                }
            };
            view! { <a class="button" href=href on:click=load>{t!("jobs-load-more", count = address.size)}</a> }
        })
    };
    view! { <p class="pager">{start} {more}</p> }
}

/// The one menu of all rows. Its buttons are those of the job's own page.
#[component]
fn RowMenu(menu: RwSignal<Option<LiveRow>>) -> impl IntoView {
    let popover = NodeRef::<html::Div>::new();
    let acted = Acted::get();
    // What was done is done: the way back to the row, where the next key is meant for. Unless it was done to another row
    // before this menu was opened, and the answer came only now.
    let is_other =
        move || menu.with_untracked(|open| open.as_ref().is_some_and(|live| acted.was_on_other(&live.id)));
    // What was on its way when the menu was opened is no answer to what is asked in it, and what waits in it is answered there.
    let is_begun = StoredValue::new(false);
    let is_free =
        move || menu.with_untracked(|open| open.as_ref().is_none_or(|live| turn::is_free(&live.id)));
    effect(move || {
        menu.track();
        is_begun.set_value(!is_free());
    });
    Effect::new(move |before: Option<u64>| {
        let now = acted.count();
        if before.is_some_and(|before| before != now) && !is_other() && is_free() {
            let was_begun = is_begun.try_update_value(std::mem::take).unwrap_or_default();
            if !was_begun {
                hide(popover);
            }
        }
        now
    });
    let content = move || {
        menu.get().map(|live| {
            let (id, shown) = (live.id.to_string(), live.shown.clone());
            let kind = move || shown.with(|shown| shown.row.kind.to_string());
            let target =
                Signal::derive(move || acted.brought(live.shown.with(|shown| Target::from(&shown.row))));
            view! {
                <h2>{kind}</h2>
                <p class="row-menu-id">{id}</p>
                <JobActs target prefix="row"/>
            }
        })
    };
    view! {
        <div id=MENU class="popover row-menu" popover="auto" role="dialog" aria-label=t!("jobs-actions") node_ref=popover>
            {content}
        </div>
    }
}
