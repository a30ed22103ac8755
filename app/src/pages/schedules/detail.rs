//! One schedule: what it does, its next ticks, what came of the past ones.

use leptos::prelude::*;
use leptos_meta::Title;
use reprieve::model::{CronFire, CronSource, Permission};

use super::acts::{Remove, RunNow, Switch};
use super::rules;
use super::ticks::Ticks;
use crate::clock::Clock;
use crate::components::badge::Badge;
use crate::components::icons::{Icon, icon};
use crate::components::time::{HERE, Time, TimePair, TimeStyle, TimedSentence};
use crate::live::latest::Latest;
use crate::live::voice::Voice;
use crate::schedule::{Schedule, ScheduleDetail};
use crate::session::Session;
use crate::written::in_pieces;
use crate::{format, i18n, routes, t};

/// Everything of one schedule, kept true in place.
#[component]
pub(super) fn Detail(
    /// As last read.
    latest: Latest<ScheduleDetail>,
) -> impl IntoView {
    let schedule =
        Signal::derive(move || latest.data.with(|known| known.as_ref().map(|known| known.schedule.clone())));
    let name = schedule.with_untracked(|one| one.as_ref().map(|one| one.state.entry.name.clone()));
    let title = name.as_ref().map(|name| format!("{name} · Reprieve")).unwrap_or_default();
    let acts = name.clone().map(|name| {
        view! {
            <div class="acts" role="group" aria-label=t!("schedules-acts")>
                <Switch name=name.clone() schedule/>
                <RunNow name=name.clone() schedule/>
                <EditLink schedule/>
                <span class="acts-space"></span>
                <Remove name schedule/>
            </div>
        }
    });
    let words = move || schedule.with(|one| one.as_ref().map(|one| one.words.clone()));
    let ahead = Signal::derive(move || {
        latest.data.with(|known| known.as_ref().map(|known| known.ahead.clone()).unwrap_or_default())
    });
    let behind = Memo::new(move |_| {
        latest.data.with(|known| known.as_ref().map(|known| known.behind.clone()).unwrap_or_default())
    });
    view! {
        <Title text=title/>
        <article class="schedule">
            <header class="schedule-head">
                <h1 tabindex="-1">{name.map(|name| name.to_string())}</h1>
                <p class="schedule-sentence">{words}</p>
                <Standing schedule/>
                {acts}
            </header>
            <div class="schedule-columns">
                <section class="panel" aria-labelledby="ahead-title">
                    <div class="panel-head"><h2 id="ahead-title">{t!("schedules-ahead")}</h2></div>
                    <div class="panel-body"><Ticks ticks=ahead/></div>
                </section>
                <Facts schedule/>
            </div>
            <Behind behind/>
        </article>
    }
}

/// Whether it fires, and when next; who paused it.
#[component]
fn Standing(schedule: Signal<Option<Schedule>>) -> impl IntoView {
    let clock = Clock::get();
    let paused = Memo::new(move |_| schedule.with(|one| one.as_ref()?.state.paused.clone()));
    Voice::get().follow(move || {
        let paused = paused.get()?;
        Some(t!("schedules-paused-by", name = paused.by, at = format::clock(paused.at, clock.zone())))
    });
    move || {
        schedule.get().map(|one| match (one.state.paused, one.state.next) {
            (Some(paused), _) => {
                let text = t!("schedules-paused-by", name = paused.by, at = HERE);
                let why = (!paused.why.is_empty()).then(|| view! { <q>{i18n::why(&paused.why)}</q> });
                view! {
                    <p class="schedule-paused">
                        {icon(Icon::Pause)} <TimedSentence text at=paused.at/> " " {why}
                    </p>
                }
                .into_any()
            }
            (None, Some(at)) => view! { <p>{t!("schedules-next")} " " <TimePair at/></p> }.into_any(),
            (None, None) => view! { <p>{t!("schedules-no-next")}</p> }.into_any(),
        })
    }
}

/// The way to the form; off, with the reason, where a program declares the schedule.
#[component]
fn EditLink(schedule: Signal<Option<Schedule>>) -> impl IntoView {
    let may = Session::get().may(Permission::ManageCron);
    move || {
        schedule.get().map(|one| {
            let why = if one.is_declared() {
                Some(t!("schedules-declared-long"))
            } else {
                (!may).then(|| i18n::needs(Permission::ManageCron))
            };
            match why {
                Some(why) => view! { <button type="button" class="button" aria-disabled="true" title=why>{t!("schedules-edit")}</button> }.into_any(),
                None => view! { <a class="button" href=routes::edit_schedule(&one.state.entry.name)>{t!("schedules-edit")}</a> }.into_any(),
            }
        })
    }
}

/// What it enqueues and by which rules.
#[component]
fn Facts(schedule: Signal<Option<Schedule>>) -> impl IntoView {
    let facts = move || {
        schedule.get().map(|one| {
            let entry = &one.state.entry;
            let attempts = entry
                .max_attempts
                .map_or_else(|| t!("schedules-no-limit"), |most| format::number(most.into()));
            let source = match one.state.source {
                CronSource::Declared => view! {
                    {t!("schedules-declared")} {one.state.declared.map(|at| view! { " · " <Time at/> })}
                }
                .into_any(),
                _ => view! { {one.state.by.clone()} " · " <Time at=one.state.changed/> }.into_any(),
            };
            let payload = String::from_utf8_lossy(&entry.payload).into_owned();
            // Without a payload the API stores JSON's own word for nothing.
            let payload = (!matches!(payload.as_str(), "" | "null")).then(|| view! { <pre class="payload" tabindex="0">{in_pieces(&payload)}</pre> });
            let subject = entry.subject.as_ref().map(|subject| {
                view! { <div><dt>{t!("schedules-field-subject")}</dt><dd>{subject.to_string()}</dd></div> }
            });
            view! {
                <dl class="facts">
                    <div><dt>{t!("schedules-field-schedule")}</dt><dd><code>{entry.schedule.clone()}</code></dd></div>
                    <div><dt>{t!("schedules-field-zone")}</dt><dd>{entry.zone.clone()}</dd></div>
                    <div><dt>{t!("schedules-field-kind")}</dt><dd>{entry.kind.to_string()}</dd></div>
                    <div><dt>{t!("schedules-field-queue")}</dt><dd>{entry.queue.to_string()}</dd></div>
                    {subject}
                    <div><dt>{t!("schedules-field-attempts")}</dt><dd>{attempts}</dd></div>
                    <div><dt>{t!("schedules-field-missed")}</dt><dd>{rules::missed(entry.missed)}</dd></div>
                    <div><dt>{t!("schedules-field-overlap")}</dt><dd>{rules::overlap(entry.overlap)}</dd></div>
                    <div><dt>{t!("schedules-changed-by")}</dt><dd>{source}</dd></div>
                </dl>
                {payload}
            }
        })
    };
    view! {
        <section class="panel" aria-labelledby="facts-title">
            <div class="panel-head"><h2 id="facts-title">{t!("schedules-facts")}</h2></div>
            <div class="panel-body">{facts}</div>
        </section>
    }
}

/// What came of the latest ticks.
#[component]
fn Behind(behind: Memo<Vec<CronFire>>) -> impl IntoView {
    let lines = move || behind.get().into_iter().map(|fire| view! { <Fired fire/> }).collect_view();
    let body = move || {
        if behind.with(Vec::is_empty) {
            return view! { <p class="panel-body quiet">{t!("schedules-behind-none")}</p> }.into_any();
        }
        view! {
            <div class="table-scroll" tabindex="0" role="group" aria-labelledby="behind-title">
                <table class="table cards">
                    <thead>
                        <tr>
                            <th scope="col">{t!("schedules-col-tick")}</th>
                            <th scope="col">{t!("schedules-col-outcome")}</th>
                            <th scope="col">{t!("schedules-col-job")}</th>
                        </tr>
                    </thead>
                    <tbody>{lines}</tbody>
                </table>
            </div>
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
