//! One row: a job in a list.

use leptos::prelude::*;
use reprieve::model::{JobRow, JobState, StateGroup};

use super::cells;
use super::columns::Column;
use super::row_acts::RowActs;
use super::rows::{LiveRow, Shown};
use super::ticks::Ticks;
use crate::components::acts::Target;
use crate::components::acts::verb::Verb;
use crate::components::badge::Badge;
use crate::components::copy::CopyButton;
use crate::components::icons::{Icon, icon};
use crate::{routes, t};

/// The popover that every row's menu button opens.
pub(crate) const MENU: &str = "row-menu";

/// A row. What never changes of a job (link and queue) is written once, and the rest in its place, so that focus stays.
/// Even its kind and subject may be others: whoever enqueues a job may put another one in its place.
#[component]
pub(crate) fn Row(
    /// Which list it stands in.
    group: StateGroup,
    /// The job, kept true.
    live: LiveRow,
    /// The row whose menu is open.
    menu: RwSignal<Option<LiveRow>>,
    /// Which rows are ticked.
    ticks: Ticks,
    /// Does what its card is asked for.
    acts: RowActs,
    /// Its columns, in their order.
    columns: StoredValue<Vec<Column>>,
) -> impl IntoView {
    let shown = live.shown.clone();
    let (id, queue) = shown.with_untracked(|shown| (shown.row.id.clone(), shown.row.queue.clone()));
    let left = memo(&shown, move |shown| shown.has_left(group));
    let kind = memo(&shown, |shown| shown.row.kind.to_string());
    let subject = memo(&shown, |shown| shown.row.subject.as_ref().map(ToString::to_string));
    let preview = memo(&shown, |shown| shown.row.preview.clone());
    let when = with_row(&shown, when, group);
    let marks = with_row(&shown, |_, shown| marks(&shown.row).into_any(), group);
    let own = with_row(&shown, |group, shown| cells::own(group, &shown.row), group);
    let href = routes::job(&id);
    let subject = move || {
        subject.get().map(
            |text| view! { <span class="subject">{text.clone()}</span> <CopyButton text what=t!("jobs-subject")/> },
        )
    };
    let preview = move || {
        let preview = preview.get();
        (!preview.is_empty())
            .then(|| view! { <code class="preview" title=preview.clone()>{preview.clone()}</code> })
    };
    let cells = {
        let cells = memo(&shown, |shown| shown.cells.clone());
        move || {
            let cell = |text: String| {
                let title = text.clone();
                view! { <td role="cell" class="cell-column" title=title>{text}</td> }
            };
            cells.get().into_iter().map(cell).collect_view()
        }
    };
    let named = id.to_string();
    let tick_name = move || t!("bulk-tick", kind = kind.get(), id = named.clone());
    let named = id.to_string();
    let menu_name = move || t!("jobs-actions-for", kind = kind.get(), id = named.clone());
    let value = {
        let (id, shown) = (id.clone(), live.shown.clone());
        move || {
            let now = shown.with(|shown| shown.row.version);
            format!("{id}~{}", ticks.seen(&id).unwrap_or(now))
        }
    };
    let (ticked, pressed, row_id, copied) = (id.clone(), id.clone(), id.to_string(), id.to_string());
    let press = move |event: leptos::ev::MouseEvent| ticks.press(&pressed, event.shift_key());
    let is_ticked = move || ticks.has(&ticked);
    let card = view! { <CardAct live=live.clone() acts/> };
    let open = move |_| menu.set(Some(live.clone()));
    // Each is taken once: a column stands in a row once.
    let (when_label, own_label) = (Column::When.heading(group), Column::Own.heading(group));
    let mut when =
        Some(view! { <td role="cell" class="cell-when" data-label=when_label>{when}</td> }.into_any());
    let mut own = Some(view! { <td role="cell" class="cell-own" data-label=own_label>{own}</td> }.into_any());
    let mut queue = Some(view! { <td role="cell" class="cell-queue">{queue.to_string()}</td> }.into_any());
    let job = view! {
        <td role="cell" class="cell-job">
            <span class="job-first">
                <a href=href data-row-link="">{move || kind.get()}</a>
                {marks}
                <CopyButton text=copied what=t!("job-copy-id")/>
            </span>
            <span class="job-second">{subject} {preview}</span>
        </td>
    };
    let mut job = Some(job.into_any());
    let always = columns.with_value(|columns| {
        let cell = |column: &Column| match column {
            Column::When => when.take(),
            Column::Job => job.take(),
            Column::Queue => queue.take(),
            Column::Own => own.take(),
        };
        columns.iter().map(cell).collect_view()
    });
    view! {
        <tr role="row" data-id=row_id data-left=move || left.get().to_string()>
            <td role="cell" class="cell-tick">
                <input type="checkbox" name="jobs[]" value=value aria-label=tick_name prop:checked=is_ticked on:click=press/>
            </td>
            {always}
            {cells}
            {card}
            <td role="cell" class="cell-acts">
                <button
                    type="button"
                    class="row-more"
                    popovertarget=MENU
                    aria-label=menu_name
                    title=t!("jobs-actions")
                    on:click=open
                >
                    {icon(Icon::Dots)}
                </button>
            </td>
        </tr>
    }
}

/// The one act of a card, on a phone; what its list has no act for has none.
#[component]
fn CardAct(live: LiveRow, acts: RowActs) -> impl IntoView {
    let shown = live.shown.clone();
    let target = Memo::new(move |_| shown.with(|shown| (!shown.gone).then(|| Target::from(&shown.row))));
    let button = move || {
        let target = target.get()?;
        let verb = Verb::on_card(target.state)?;
        let word = verb.word(target.state);
        let why = target.off_because(verb);
        let (name, live) = (
            t!("jobs-act-on", act = word.clone(), kind = target.kind, id = target.id.to_string()),
            live.clone(),
        );
        Some(view! {
            <button
                type="button"
                class="button row-main"
                data-size="small"
                aria-label=name
                aria-disabled=why.is_some().then_some("true")
                title=why
                on:click=move |_| acts.act(verb, &live)
            >
                {word}
            </button>
        })
    };
    view! { <td role="cell" class="cell-main">{button}</td> }
}

/// What the row says of the job, and wakes nobody while it stays.
fn memo<T: PartialEq + Send + Sync + 'static>(
    shown: &ArcRwSignal<Shown>,
    said: impl Fn(&Shown) -> T + Send + Sync + 'static,
) -> Memo<T> {
    let shown = shown.clone();
    Memo::new(move |_| shown.with(&said))
}

/// A part of the row that is written again when the job changes.
fn with_row(
    shown: &ArcRwSignal<Shown>,
    part: fn(StateGroup, &Shown) -> AnyView,
    group: StateGroup,
) -> impl Fn() -> AnyView + Send + use<> {
    let shown = shown.clone();
    move || shown.with(|shown| part(group, shown))
}

/// The first cell; says where the job went once it has left the list.
fn when(group: StateGroup, shown: &Shown) -> AnyView {
    if shown.has_left(group) { cells::left(&shown.row, shown.gone) } else { cells::when(group, &shown.row) }
}

/// Attempt and retrying mark beside the kind.
fn marks(row: &JobRow) -> impl IntoView + use<> {
    let allowed = row.max_attempts.map_or_else(|| "∞".to_owned(), |max| max.to_string());
    let count = format!("{}/{allowed}", row.attempt);
    let retrying = (row.state == JobState::Retrying)
        .then(|| view! { <Badge state=JobState::Retrying detail=count.clone()/> });
    let attempts = (row.attempt > 0 && row.state != JobState::Retrying)
        .then(|| view! { <small class="attempts-mark" title=t!("jobs-attempts-title")>{count}</small> });
    view! { {retrying} {attempts} }
}
