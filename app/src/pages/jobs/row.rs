//! One row: a job in a list. Each part of it watches what it says itself, and stays as it is while that does: where two
//! hundred change at once, most of each does not.

use leptos::prelude::*;
use reprieve::model::{JobRow, JobState, StateGroup};

use super::columns::Column;
use super::own::{self, Own};
use super::rows::{LiveRow, Shown};
use super::ticks::Ticks;
use super::when::{self, When};
use crate::components::acts::verb::Verb;
use crate::components::acts::why_off;
use crate::components::badge::Badge;
use crate::components::copy::CopyButton;
use crate::components::icons::{Icon, icon};
use crate::{routes, t};

/// The popover that every row's menu button opens.
pub(crate) const MENU: &str = "row-menu";

/// A row. What never changes of a job (link and queue) is written once, and the rest in its place, so that focus stays.
/// Even its kind and subject may be others: whoever enqueues a job may put another one in its place.
///
/// Clicks on its tick and its buttons are heard by its table ([`RowActs`](super::row_acts::RowActs)).
#[component]
pub(crate) fn Row(
    /// Which list it stands in.
    group: StateGroup,
    /// The job, kept true.
    live: LiveRow,
    /// Which rows are ticked.
    ticks: Ticks,
    /// Its columns, in their order.
    columns: StoredValue<Vec<Column>>,
) -> impl IntoView {
    let shown = live.shown.clone();
    let (id, queue) = shown.with_untracked(|shown| (shown.row.id.clone(), shown.row.queue.clone()));
    let when = memo(&shown, move |shown| When::of(group, shown));
    let own = memo(&shown, move |shown| Own::of(group, &shown.row));
    let marks = memo(&shown, |shown| Marks::of(&shown.row));
    let card = memo(&shown, Card::of);
    let when_cell = when::cell(group, when);
    let own_cell = own::cell(own);
    let marks = move || marks.get().map(Marks::view);
    let kind = live.named(|shown| shown.row.kind.to_string());
    let second = live.named(second);
    // A table has columns of one's own in all its rows or in none.
    let has_cells = shown.with_untracked(|shown| !shown.cells.is_empty());
    let cells = has_cells.then(|| live.named(cells));
    let href = routes::job(&id);
    let (tick_name, menu_name) = (
        named(&live, |kind, id| t!("bulk-tick", kind = kind, id = id)),
        named(&live, |kind, id| t!("jobs-actions-for", kind = kind, id = id)),
    );
    let card = {
        let name = live.named(|shown| (shown.row.kind.to_string(), shown.row.id.to_string()));
        move || card.get().map(|card| card.view(name()))
    };
    let value = {
        let id = id.clone();
        move || {
            let now = shown.with(|shown| shown.row.version);
            format!("{id}~{}", ticks.seen(&id).unwrap_or(now))
        }
    };
    let (ticked, row_id, copied) = (id.clone(), id.to_string(), id.to_string());
    let is_ticked = move || ticks.has(&ticked);
    // Each is taken once: a column stands in a row once.
    let (when_label, own_label) = (Column::When.heading(group), Column::Own.heading(group));
    let mut when_cell =
        Some(view! { <td role="cell" class="cell-when" data-label=when_label>{when_cell}</td> }.into_any());
    let mut own_cell =
        Some(view! { <td role="cell" class="cell-own" data-label=own_label>{own_cell}</td> }.into_any());
    let mut queue = Some(view! { <td role="cell" class="cell-queue">{queue.to_string()}</td> }.into_any());
    let job = view! {
        <td role="cell" class="cell-job">
            <span class="job-first">
                <a href=href data-row-link="">{kind}</a>
                {marks}
                <CopyButton text=copied what=t!("job-copy-id")/>
            </span>
            <span class="job-second">{second}</span>
        </td>
    };
    let mut job = Some(job.into_any());
    let always = columns.with_value(|columns| {
        let cell = |column: &Column| match column {
            Column::When => when_cell.take(),
            Column::Job => job.take(),
            Column::Queue => queue.take(),
            Column::Own => own_cell.take(),
        };
        columns.iter().map(cell).collect_view()
    });
    view! {
        <tr role="row" data-id=row_id data-left=move || when.get().has_left().to_string()>
            <td role="cell" class="cell-tick">
                <input type="checkbox" name="jobs[]" value=value aria-label=tick_name prop:checked=is_ticked/>
            </td>
            {always}
            {cells}
            <td role="cell" class="cell-main">{card}</td>
            <td role="cell" class="cell-acts">
                <button
                    type="button"
                    class="row-more"
                    popovertarget=MENU
                    aria-label=menu_name
                    title=t!("jobs-actions")
                >
                    {icon(Icon::Dots)}
                </button>
            </td>
        </tr>
    }
}

/// What the row says of the job, and wakes nobody while it stays.
fn memo<T: PartialEq + Send + Sync + 'static>(
    shown: &ArcRwSignal<Shown>,
    said: impl Fn(&Shown) -> T + Send + Sync + 'static,
) -> Memo<T> {
    let shown = shown.clone();
    Memo::new(move |_| shown.with(&said))
}

/// What one of its controls is called, after the job's kind and id.
fn named(
    live: &LiveRow,
    said: fn(String, String) -> String,
) -> impl Fn() -> String + Clone + Send + Sync + 'static {
    live.named(move |shown| said(shown.row.kind.to_string(), shown.row.id.to_string()))
}

/// What it is about, and what of its payload is shown beside it.
fn second(shown: &Shown) -> impl IntoView + use<> {
    let subject = shown.row.subject.as_ref().map(ToString::to_string).map(
        |text| view! { <span class="subject">{text.clone()}</span> <CopyButton text what=t!("jobs-subject")/> },
    );
    let preview = shown.row.preview.clone();
    let preview = (!preview.is_empty())
        .then(|| view! { <code class="preview" title=preview.clone()>{preview.clone()}</code> });
    view! { {subject} {preview} }
}

/// What its payload has in the columns of one's own.
fn cells(shown: &Shown) -> impl IntoView + use<> {
    let cell =
        |text: &String| view! { <td role="cell" class="cell-column" title=text.clone()>{text.clone()}</td> };
    shown.cells.iter().map(cell).collect_view()
}

/// The one act of a card, on a phone; what its list has no act for has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Card {
    verb: Verb,
    state: JobState,
    asked_to_stop: bool,
}

impl Card {
    fn of(shown: &Shown) -> Option<Self> {
        let row = &shown.row;
        let verb = Verb::on_card(row.state).filter(|_| !shown.gone)?;
        Some(Self { verb, state: row.state, asked_to_stop: row.cancel_requested.is_some() })
    }

    fn view(self, (kind, id): (String, String)) -> impl IntoView + use<> {
        let word = self.verb.word(self.state);
        let why = why_off(self.verb, self.state, self.asked_to_stop);
        let name = t!("jobs-act-on", act = word.clone(), kind = kind, id = id);
        view! {
            <button
                type="button"
                class="button row-main"
                data-size="small"
                aria-label=name
                aria-disabled=why.is_some().then_some("true")
                title=why
            >
                {word}
            </button>
        }
    }
}

/// Attempt and retrying mark beside the kind; nothing before the first attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Marks {
    is_retrying: bool,
    attempt: u32,
    max_attempts: Option<u32>,
}

impl Marks {
    fn of(row: &JobRow) -> Option<Self> {
        let is_retrying = row.state == JobState::Retrying;
        (is_retrying || row.attempt > 0).then_some(Self {
            is_retrying,
            attempt: row.attempt,
            max_attempts: row.max_attempts,
        })
    }

    fn view(self) -> AnyView {
        let allowed = self.max_attempts.map_or_else(|| "∞".to_owned(), |max| max.to_string());
        let count = format!("{}/{allowed}", self.attempt);
        if self.is_retrying {
            view! { <Badge state=JobState::Retrying detail=count/> }.into_any()
        } else {
            view! { <small class="attempts-mark" title=t!("jobs-attempts-title")>{count}</small> }.into_any()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::shown;
    use super::*;

    #[test]
    fn a_card_has_one_act_until_nothing_is_left_to_do() {
        let verb = |job: &Shown| Card::of(job).map(|card| card.verb);
        assert_eq!(verb(&shown(JobState::Cancelled)), Some(Verb::Undo));
        assert_eq!(verb(&shown(JobState::Active)), Some(Verb::Cancel));
        assert_eq!(verb(&shown(JobState::Done)), None);

        let mut gone = shown(JobState::Cancelled);
        gone.gone = true;
        assert_eq!(verb(&gone), None);
    }

    #[test]
    fn attempts_are_told_of_from_the_first_one_on_and_where_it_is_tried_again() {
        let mut row = shown(JobState::Delayed).row;
        assert_eq!(Marks::of(&row), None);
        (row.attempt, row.max_attempts) = (2, Some(5));
        let marks = |is_retrying| Marks { is_retrying, attempt: 2, max_attempts: Some(5) };
        assert_eq!(Marks::of(&row), Some(marks(false)));
        row.state = JobState::Retrying;
        assert_eq!(Marks::of(&row), Some(marks(true)));
    }
}
