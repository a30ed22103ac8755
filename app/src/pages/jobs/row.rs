//! One row: a job in a list.

use leptos::prelude::*;
use reprieve::model::{JobId, JobRow, JobState, StateGroup};

use super::bulk_bar::BULK;
use super::heading::heading;
use super::own;
use super::reading::Shown;
use super::when::{self, When};
use crate::components::acts::verb::Verb;
use crate::components::acts::why_off;
use crate::components::badge::Badge;
use crate::components::copy::CopyButton;
use crate::components::icons::{Icon, icon};
use crate::list::Column;
use crate::{routes, t};

/// The popover that every row's menu button opens.
pub(crate) const MENU: &str = "row-menu";

/// A row. The script of the page keeps it in its place while its job changes, by the id of the element.
#[component]
pub(crate) fn Row(
    /// Which list it stands in.
    group: StateGroup,
    shown: Shown,
    columns: Vec<Column>,
) -> impl IntoView {
    let Shown { row, cells } = shown;
    let (id, kind) = (row.id.to_string(), row.kind.to_string());
    let when = When::of(group, &row);
    let (tick_name, menu_name) = (
        t!("bulk-tick", kind = kind.clone(), id = id.clone()),
        t!("jobs-actions-for", kind = kind, id = id.clone()),
    );
    let value = format!("{id}~{}", row.version);
    let card = card(&row);
    let cell = |&column: &Column| {
        let (class, label) = (column.class(), heading(column, group));
        match column {
            Column::When => {
                view! { <td role="cell" class=class data-label=label>{when::cell(group, when)}</td> }
                    .into_any()
            }
            Column::Job => job(&row).into_any(),
            Column::Queue => {
                view! { <td role="cell" class=class data-label=label>{row.queue.to_string()}</td> }.into_any()
            }
            Column::Own => {
                view! { <td role="cell" class=class data-label=label>{own::cell(group, &row)}</td> }
                    .into_any()
            }
        }
    };
    let always = columns.iter().map(cell).collect_view();
    let path = |text: String| {
        let title = text.clone();
        view! { <td role="cell" class="cell-column" title=title>{text}</td> }
    };
    let cells = cells.into_iter().map(path).collect_view();
    view! {
        <tr role="row" id=element_id(&row.id) data-id=id data-version=row.version.to_string() data-left=when.has_left().to_string()>
            <td role="cell" class="cell-tick">
                <input type="checkbox" name="jobs[]" form=BULK autocomplete="off" value=value aria-label=tick_name/>
            </td>
            {always}
            {cells}
            <td role="cell" class="cell-main">{card}</td>
            <td role="cell" class="cell-acts">
                <button type="button" class="row-more" popovertarget=MENU aria-label=menu_name title=t!("jobs-actions")>
                    {icon(Icon::Dots)}
                </button>
            </td>
        </tr>
    }
}

/// No id of a job has a blank.
fn element_id(id: &JobId) -> String {
    format!("job:{id}")
}

/// What it is and what it is about, with what of its payload is shown beside it.
fn job(row: &JobRow) -> impl IntoView + use<> {
    let subject = row.subject.as_ref().map(ToString::to_string).map(
        |text| view! { <span class="subject">{text.clone()}</span> <CopyButton text what=t!("jobs-subject")/> },
    );
    let (preview, id) = (row.preview.clone(), row.id.to_string());
    // A job about nothing, with nothing in it, is told from others by its id.
    let preview =
        if subject.is_none() && matches!(preview.as_str(), "" | "null") { id.clone() } else { preview };
    let preview = (!preview.is_empty())
        .then(|| view! { <code class="preview" title=preview.clone()>{preview.clone()}</code> });
    view! {
        <td role="cell" class="cell-job">
            <span class="job-first">
                <a href=routes::job(&row.id) data-row-link="">{row.kind.to_string()}</a>
                {marks(row)}
                <CopyButton text=id what=t!("job-copy-id")/>
            </span>
            <span class="job-second">{subject} {preview}</span>
        </td>
    }
}

/// The one act of a card, on a phone; what its list has no act for has none. The script does what its key does.
fn card(row: &JobRow) -> Option<impl IntoView + use<>> {
    let verb = Verb::on_card(row.state)?;
    let word = verb.word(row.state);
    let why = why_off(verb, row.state, row.cancel_requested.is_some());
    let name = t!("jobs-act-on", act = word.clone(), kind = row.kind.to_string(), id = row.id.to_string());
    Some(view! {
        <button
            type="button"
            class="button row-main"
            data-size="small"
            data-act=verb.key()
            aria-label=name
            aria-disabled=why.is_some().then_some("true")
            title=why
        >
            {word}
        </button>
    })
}

/// Attempt and retrying mark beside the kind; nothing before the first attempt.
fn marks(row: &JobRow) -> Option<AnyView> {
    let is_retrying = row.state == JobState::Retrying;
    if !is_retrying && row.attempt == 0 {
        return None;
    }
    let allowed = row.max_attempts.map_or_else(|| "∞".to_owned(), |max| max.to_string());
    let count = format!("{}/{allowed}", row.attempt);
    Some(if is_retrying {
        view! { <Badge state=JobState::Retrying detail=count/> }.into_any()
    } else {
        view! { <small class="attempts-mark" title=t!("jobs-attempts-title")>{count}</small> }.into_any()
    })
}
