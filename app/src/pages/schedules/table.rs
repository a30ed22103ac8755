//! The list of schedules, one row each.

use leptos::prelude::*;

use super::acts::Switch;
use super::rules;
use crate::components::badge::Badge;
use crate::components::table::{Table, head, hidden};
use crate::components::time::{Time, TimePair};
use crate::schedule::Schedule;
use crate::{routes, t};

/// All schedules.
#[component]
pub(super) fn ScheduleTable(schedules: Vec<Schedule>) -> impl IntoView {
    view! {
        <section class="panel">
            <Table label=t!("schedules-title") class="cards schedules" still="schedule-rows" heads=vec![
                head(t!("schedules-col-name")), head(t!("schedules-col-when")), head(t!("schedules-col-next")),
                head(t!("schedules-col-last")), head(t!("schedules-col-rules")), hidden(t!("schedules-col-switch")),
            ]>
                {schedules.into_iter().map(|schedule| view! { <Row schedule/> }).collect_view()}
            </Table>
        </section>
    }
}

/// One schedule.
#[component]
fn Row(schedule: Schedule) -> impl IntoView {
    let (state, entry) = (&schedule.state, &schedule.state.entry);
    let next = match (&state.paused, state.next) {
        (Some(paused), _) => view! {
            <span class="schedule-off">{t!("schedules-off")}</span> " " <small><Time at=paused.at/> " · " {paused.by.clone()}</small>
        }
        .into_any(),
        (None, Some(at)) => view! { <TimePair at/> }.into_any(),
        (None, None) => t!("schedules-no-next").into_any(),
    };
    let last = match (state.last, &state.last_job, schedule.last_state) {
        (Some(at), Some(id), Some(state)) => {
            view! { <a class="schedule-last" href=routes::job(id)><Badge state/> <Time at/></a> }.into_any()
        }
        (Some(at), ..) => view! { <Time at/> }.into_any(),
        (None, ..) => view! { <span class="quiet">{t!("schedules-never")}</span> }.into_any(),
    };
    let declared = schedule
        .is_declared()
        .then(|| view! { <small class="schedule-declared">{t!("schedules-declared")}</small> });
    view! {
        <tr id=format!("schedule-row-{}", entry.name)>
            <th scope="row">
                <a class="schedule-name" data-row-link="" href=routes::schedule(&entry.name)>{entry.name.to_string()}</a>
                <small>{entry.kind.to_string()}</small>
                {declared}
            </th>
            <td data-label=t!("schedules-col-when")>
                <span class="schedule-words">{schedule.words.clone()}</span>
                <small><code>{entry.schedule.clone()}</code> " · " {entry.zone.clone()}</small>
            </td>
            <td data-label=t!("schedules-col-next")>{next}</td>
            <td data-label=t!("schedules-col-last")>{last}</td>
            <td class="schedule-rules" data-label=t!("schedules-col-rules")>
                <small>{rules::missed(entry.missed)}</small>
                <small>{rules::overlap(entry.overlap)}</small>
            </td>
            <td class="schedule-switch"><Switch schedule=schedule.clone()/></td>
        </tr>
    }
}
