//! The table of a list, what stands above and below it, and the menu of its rows.

use leptos::prelude::*;
use leptos::task::spawn_local;
use reprieve::model::{Direction, StateGroup};

use super::QueueCounts;
use super::address::Address;
use super::cells;
use super::empty::EmptyList;
use super::row::{MENU, Row};
use super::rows::{LiveRow, Rows};
use crate::clock::Clock;
use crate::components::acts::{Acted, JobActs, Target};
use crate::components::error_panel::ErrorPanel;
use crate::components::icons::{Icon, icon};
use crate::live::Live;
use crate::live::quiet::is_quiet;

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
) -> impl IntoView {
    let group = address.group;
    let menu = RwSignal::new(None::<LiveRow>);
    let resting = RwSignal::new(false);
    keep_true(rows, group, resting);

    let reload = move |_| spawn_local(rows.reload());
    let fresh = move || match rows.fresh() {
        0 => None,
        n if n > FRESH_MAX => Some(format!("{FRESH_MAX}+ new")),
        n => Some(format!("{n} new")),
    };
    let chip = move || {
        fresh().map(|text| {
            view! {
                <button type="button" class="new-chip" data-key="." title="Load them (.)" on:click=reload>
                    {text}
                </button>
            }
        })
    };
    let rest = move || resting.get().then_some("Resting while a menu is open or text is selected");
    let trouble = move || rows.trouble().map(|error| view! { <ErrorPanel error/> });
    let empty_address = address.clone();
    let empty = Memo::new(move |_| rows.is_empty());
    let table_address = StoredValue::new(address.clone());
    let body = move || {
        if empty.get() {
            view! { <EmptyList address=empty_address.clone() counts/> }.into_any()
        } else {
            view! { <Table rows group address=table_address.get_value() menu/> }.into_any()
        }
    };
    view! {
        {trouble}
        <div class="list-bar">
            <span class="list-order"><Order address=address.clone()/></span>
            <span class="list-rest">{rest}</span>
            <span class="list-new" role="status">{chip}</span>
        </div>
        {body}
        <More rows address/>
        <RowMenu menu/>
    }
}

/// Reads the rows again when something changed, unless somebody is in the middle of something.
fn keep_true(rows: Rows, group: StateGroup, resting: RwSignal<bool>) {
    let live = Live::get();
    let clock = Clock::get();
    let acted = Acted::get();
    // What the screen shows: the change of the stream and the act of this page it was read after.
    let read = StoredValue::new((live.revision_untracked(), 0_u64));
    Effect::new(move |_| {
        let (revision, acts) = (live.revision(), acted.count());
        let now_ms = clock.now_ms().unwrap_or_default();
        if live.paused().is_some() {
            return;
        }
        let (read_revision, read_acts) = read.get_value();
        let leases = group == StateGroup::Active && now_ms / 1_000 % ACTIVE_EVERY == 0;
        let changed = revision != read_revision || leases;
        let own = acts != read_acts;
        let rests = changed && !own && is_quiet();
        if resting.get_untracked() != rests {
            resting.set(rests);
        }
        if (changed || own) && !rests {
            read.set_value((revision, acts));
            spawn_local(rows.refresh());
        }
    });
}

/// Which end comes first, and the switch to the other.
#[component]
fn Order(address: Address) -> impl IntoView {
    let ascending = address.direction() == Direction::Ascending;
    let words = match (address.group, ascending) {
        (StateGroup::Delay | StateGroup::Held, true) => "Soonest first",
        (StateGroup::Delay | StateGroup::Held, false) => "Latest first",
        (StateGroup::Ready, true) => "Next to run first",
        (StateGroup::Ready, false) => "Last to run first",
        (StateGroup::Active, true) => "Lease ends soonest first",
        (StateGroup::Active, false) => "Lease ends latest first",
        (_, true) => "Oldest first",
        (_, false) => "Newest first",
    };
    view! {
        <a class="order" href=address.reversed().href() title="The other end first">
            {icon(if ascending { Icon::ArrowUp } else { Icon::ArrowDown })}
            <span>{words}</span>
        </a>
    }
}

#[component]
fn Table(rows: Rows, group: StateGroup, address: Address, menu: RwSignal<Option<LiveRow>>) -> impl IntoView {
    let sorted = if address.direction() == Direction::Ascending { "ascending" } else { "descending" };
    view! {
        <div class="panel">
            <table class="table job-table" role="table" aria-label="Jobs" data-group=group.as_str()>
                <thead role="rowgroup">
                    <tr role="row">
                        <th scope="col" role="columnheader" class="cell-when" aria-sort=sorted>{cells::when_heading(group)}</th>
                        <th scope="col" role="columnheader" class="cell-job">"Job"</th>
                        <th scope="col" role="columnheader" class="cell-queue">"Queue"</th>
                        <th scope="col" role="columnheader" class="cell-own">{cells::own_heading(group)}</th>
                        <th scope="col" role="columnheader" class="cell-acts"><span class="visually-hidden">"Actions"</span></th>
                    </tr>
                </thead>
                <tbody role="rowgroup">
                    <For each=move || rows.list() key=|live| live.id.clone() let:live>
                        <Row group live menu/>
                    </For>
                </tbody>
            </table>
        </div>
    }
}

/// The way to the rest of the list: a link to the next page, which loads below where a script runs.
#[component]
fn More(rows: Rows, address: Address) -> impl IntoView {
    let start = address.after.is_some().then(|| {
        view! { <a class="button" data-tone="quiet" href=address.starting_at(None).href()>"Back to the beginning"</a> }
    });
    let more = move || {
        rows.next().map(|next| {
            let href = address.starting_at(Some(next)).href();
            let load = move |event: leptos::ev::MouseEvent| {
                if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
                    event.prevent_default();
                    spawn_local(rows.load_more());
                }
            };
            view! { <a class="button" href=href on:click=load>{format!("Load {} more", address.size)}</a> }
        })
    };
    view! { <p class="pager">{start} {more}</p> }
}

/// The one menu of all rows. Its buttons are those of the job's own page.
#[component]
fn RowMenu(menu: RwSignal<Option<LiveRow>>) -> impl IntoView {
    let content = move || {
        menu.get().map(|live| {
            let (kind, id) =
                live.shown.with_untracked(|shown| (shown.row.kind.to_string(), live.id.to_string()));
            let target = Signal::derive(move || live.shown.with(|shown| Target::from(&shown.row)));
            view! {
                <h2>{kind}</h2>
                <p class="row-menu-id">{id}</p>
                <JobActs target prefix="row"/>
            }
        })
    };
    view! {
        <div id=MENU class="popover row-menu" popover="auto" role="dialog" aria-label="Actions">
            {content}
        </div>
    }
}
