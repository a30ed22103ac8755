//! One schedule: what it does, its next ticks, what came of the past ones.

use leptos::prelude::*;
use reprieve::model::{CronFire, CronSource, Permission};

use super::acts::{Remove, RunNow, Switch};
use super::rules;
use super::ticks::Ticks;
use crate::clock::Clock;
use crate::components::badge::Badge;
use crate::components::icons::{Icon, icon};
use crate::components::page_head::PageTitle;
use crate::components::table::{Table, head};
use crate::components::time::{HERE, Time, TimeStyle, TimedSentence};
use crate::light::Told;
use crate::schedule::{Schedule, ScheduleDetail};
use crate::session::Session;
use crate::{format, i18n, routes, t};

/// Everything of one schedule.
#[component]
pub(super) fn Detail(detail: ScheduleDetail) -> impl IntoView {
    let ScheduleDetail { schedule, ahead, behind, .. } = detail;
    let name = schedule.state.entry.name.to_string();
    view! {
        <PageTitle title=name.clone()/>
        <article class="schedule">
            <header class="schedule-head">
                <h1 tabindex="-1">{name}</h1>
                <p class="schedule-sentence">{schedule.words.clone()}</p>
                {standing(&schedule)}
                <div class="acts" role="group" aria-label=t!("schedules-acts")>
                    <Switch schedule=schedule.clone()/>
                    <RunNow schedule=schedule.clone()/>
                    {edit_link(&schedule)}
                    <span class="acts-space"></span>
                    <Remove schedule=schedule.clone()/>
                </div>
            </header>
            <div class="schedule-columns">
                <section class="panel" aria-labelledby="ahead-title">
                    <div class="panel-head"><h2 id="ahead-title">{t!("schedules-ahead")}</h2></div>
                    <div class="panel-body"><Ticks ticks=ahead/></div>
                </section>
                {facts(&schedule)}
            </div>
            <Behind behind/>
        </article>
    }
}

/// Whether it fires, and when next; who paused it.
fn standing(schedule: &Schedule) -> AnyView {
    match (&schedule.state.paused, schedule.state.next) {
        (Some(paused), _) => {
            let zone = Clock::get().zone();
            let told =
                t!("schedules-paused-by", name = paused.by.clone(), at = format::clock(paused.at, zone));
            let text = t!("schedules-paused-by", name = paused.by.clone(), at = HERE);
            let why = (!paused.why.is_empty()).then(|| view! { <q>{i18n::why(&paused.why)}</q> });
            view! {
                <Told of=told.clone() text=told/>
                <p class="schedule-paused">
                    {icon(Icon::Pause)} <TimedSentence text at=paused.at/> " " {why}
                </p>
            }
            .into_any()
        }
        (None, Some(at)) => view! { <p>{t!("schedules-next")} " " <Time at style=TimeStyle::Relative/> " · " <Time at style=TimeStyle::Absolute/></p> }.into_any(),
        (None, None) => view! { <p>{t!("schedules-no-next")}</p> }.into_any(),
    }
}

/// The way to the form; off, with the reason, where a program declares the schedule.
fn edit_link(schedule: &Schedule) -> AnyView {
    let may = Session::get().may(Permission::ManageCron);
    let why = if schedule.is_declared() {
        Some(t!("schedules-declared-long"))
    } else {
        (!may).then(|| i18n::needs(Permission::ManageCron))
    };
    match why {
        Some(why) => view! { <button type="button" class="button" aria-disabled="true" title=why>{t!("schedules-edit")}</button> }.into_any(),
        None => view! { <a class="button" href=routes::edit_schedule(&schedule.state.entry.name)>{t!("schedules-edit")}</a> }.into_any(),
    }
}

/// What it enqueues and by which rules.
fn facts(schedule: &Schedule) -> impl IntoView + use<> {
    let (state, entry) = (&schedule.state, &schedule.state.entry);
    let attempts =
        entry.max_attempts.map_or_else(|| t!("schedules-no-limit"), |most| format::number(most.into()));
    let source = match state.source {
        CronSource::Declared => view! {
            {t!("schedules-declared")} {state.declared.map(|at| view! { " · " <Time at/> })}
        }
        .into_any(),
        _ => view! { {state.by.clone()} " · " <Time at=state.changed/> }.into_any(),
    };
    let payload = String::from_utf8_lossy(&entry.payload).into_owned();
    // Without a payload the API stores JSON's own word for nothing.
    let payload = (!matches!(payload.as_str(), "" | "null"))
        .then(|| view! { <pre class="payload" tabindex="0">{payload}</pre> });
    let subject = entry.subject.as_ref().map(|subject| {
        view! { <div><dt>{t!("schedules-field-subject")}</dt><dd>{subject.to_string()}</dd></div> }
    });
    view! {
        <section class="panel" aria-labelledby="facts-title">
            <div class="panel-head"><h2 id="facts-title">{t!("schedules-facts")}</h2></div>
            <div class="panel-body">
                <dl class="facts">
                    <div><dt>{t!("schedules-field-schedule")}</dt><dd><code>{entry.schedule.clone()}</code></dd></div>
                    <div><dt>{t!("schedules-field-zone")}</dt><dd>{entry.zone.clone()}</dd></div>
                    <div><dt>{t!("schedules-field-kind")}</dt><dd>{entry.kind.to_string()}</dd></div>
                    <div><dt>{t!("schedules-field-queue")}</dt><dd>{entry.queue.to_string()}</dd></div>
                    {subject}
                    <div><dt>{t!("schedules-field-max-attempts")}</dt><dd>{attempts}</dd></div>
                    <div><dt>{t!("schedules-field-missed")}</dt><dd>{rules::missed(entry.missed)}</dd></div>
                    <div><dt>{t!("schedules-field-overlap")}</dt><dd>{rules::overlap(entry.overlap)}</dd></div>
                    <div><dt>{t!("schedules-changed-by")}</dt><dd>{source}</dd></div>
                </dl>
                {payload}
            </div>
        </section>
    }
}

/// What came of the latest ticks.
#[component]
fn Behind(behind: Vec<CronFire>) -> impl IntoView {
    let body = if behind.is_empty() {
        view! { <p class="panel-body quiet">{t!("schedules-behind-none")}</p> }.into_any()
    } else {
        view! {
            <Table named_by="behind-title" class="cards" heads=vec![
                head(t!("schedules-col-tick")), head(t!("schedules-col-outcome")), head(t!("schedules-col-job")),
            ]>
                {behind.into_iter().map(|fire| view! { <Fired fire/> }).collect_view()}
            </Table>
        }
        .into_any()
    };
    view! {
        <section class="panel" aria-labelledby="behind-title">
            <div class="panel-head"><h2 id="behind-title">{t!("schedules-behind")}</h2></div>
            {body}
        </section>
    }
}

/// One tick that was dealt with.
#[component]
fn Fired(fire: CronFire) -> impl IntoView {
    let job = fire.job.map(|id| {
        let text = id.to_string();
        let badge = fire.state.map(|state| view! { <Badge state/> });
        view! { {badge} " " <a href=routes::job(&id)>{text}</a> }
    });
    let by = (!fire.by.is_empty()).then(|| view! { " · " {fire.by} });
    view! {
        <tr>
            <th scope="row"><Time at=fire.tick style=TimeStyle::Absolute/></th>
            <td><span class="outcome" data-outcome=rules::outcome_key(fire.outcome)>{rules::outcome(fire.outcome)}</span> {by}</td>
            <td class="fired-job">{job}</td>
        </tr>
    }
}
