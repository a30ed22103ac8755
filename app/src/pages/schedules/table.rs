//! The list of schedules, one row each; its cells change in place.

use leptos::prelude::*;
use reprieve::model::CronName;

use super::acts::Switch;
use super::rules;
use crate::components::badge::Badge;
use crate::components::time::{Time, TimePair};
use crate::live::latest::Latest;
use crate::schedule::{Schedule, Schedules};
use crate::{routes, t};

/// All schedules.
#[component]
pub(super) fn ScheduleTable(
    /// As last read.
    latest: Latest<Schedules>,
) -> impl IntoView {
    let names = Memo::new(move |_| {
        latest.data.with(|known| {
            known
                .iter()
                .flat_map(|known| &known.items)
                .map(|one| one.state.entry.name.clone())
                .collect::<Vec<_>>()
        })
    });
    let one = move |name: CronName| {
        Memo::new(move |_| {
            latest.data.with(|known| {
                known
                    .as_ref()
                    .and_then(|known| known.items.iter().find(|one| one.state.entry.name == name).cloned())
            })
        })
    };
    view! {
        <section class="panel">
            <div class="table-scroll" tabindex="0" role="region" aria-label=t!("schedules-title")>
                <table class="table cards schedules">
                    <thead>
                        <tr>
                            <th scope="col">{t!("schedules-col-name")}</th>
                            <th scope="col">{t!("schedules-col-when")}</th>
                            <th scope="col">{t!("schedules-col-next")}</th>
                            <th scope="col">{t!("schedules-col-last")}</th>
                            <th scope="col">{t!("schedules-col-rules")}</th>
                            <th scope="col"><span class="visually-hidden">{t!("schedules-col-switch")}</span></th>
                        </tr>
                    </thead>
                    <tbody>
                        <For each=move || names.get() key=Clone::clone let:name>
                            <Row name=name.clone() schedule=one(name)/>
                        </For>
                    </tbody>
                </table>
            </div>
        </section>
    }
}

/// One schedule.
#[component]
fn Row(name: CronName, schedule: Memo<Option<Schedule>>) -> impl IntoView {
    let with = move |read: fn(&Schedule) -> String| move || schedule.with(|one| one.as_ref().map(read));
    let next = move || {
        schedule.get().map(|one| match (one.state.paused, one.state.next) {
            (Some(paused), _) => view! {
                <span class="schedule-off">{t!("schedules-off")}</span> " " <small><Time at=paused.at/> " · " {paused.by}</small>
            }
            .into_any(),
            (None, Some(at)) => view! { <TimePair at/> }.into_any(),
            (None, None) => t!("schedules-no-next").into_any(),
        })
    };
    let last = move || {
        schedule.get().map(|one| match (one.state.last, one.state.last_job, one.last_state) {
            (Some(at), Some(id), Some(state)) => {
                view! { <a class="schedule-last" href=routes::job(&id)><Badge state/> <Time at/></a> }
                    .into_any()
            }
            (Some(at), ..) => view! { <Time at/> }.into_any(),
            (None, ..) => view! { <span class="quiet">{t!("schedules-never")}</span> }.into_any(),
        })
    };
    let declared = move || {
        schedule.with(|one| one.as_ref().is_some_and(Schedule::is_declared)).then(|| {
            view! { <small class="schedule-declared">{t!("schedules-declared")}</small> }
        })
    };
    view! {
        <tr>
            <th scope="row">
                <a class="schedule-name" data-row-link="" href=routes::schedule(&name)>{name.to_string()}</a>
                <small>{with(|one| one.state.entry.kind.to_string())}</small>
                {declared}
            </th>
            <td data-label=t!("schedules-col-when")>
                <span class="schedule-words">{with(|one| one.words.clone())}</span>
                <small><code>{with(|one| one.state.entry.schedule.clone())}</code> " · " {with(|one| one.state.entry.zone.clone())}</small>
            </td>
            <td data-label=t!("schedules-col-next")>{next}</td>
            <td data-label=t!("schedules-col-last")>{last}</td>
            <td class="schedule-rules" data-label=t!("schedules-col-rules")>
                <small>{with(|one| rules::missed(one.state.entry.missed))}</small>
                <small>{with(|one| rules::overlap(one.state.entry.overlap))}</small>
            </td>
            <td class="schedule-switch"><Switch name schedule=Signal::from(schedule)/></td>
        </tr>
    }
}
