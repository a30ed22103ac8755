//! What a person does to a schedule: pause, resume, run now, delete.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Permission, Version};

use crate::api::schedules::{PauseSchedule, RemoveSchedule, ResumeSchedule, RunSchedule};
use crate::clock::Clock;
use crate::components::acts::operation;
use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::i18n::ReasonsFor;
use crate::schedule::Schedule;
use crate::session::Session;
use crate::{format, routes, t};

/// The hidden fields of an act on the version on screen, but for where it leads.
fn act_fields(schedule: &Schedule) -> impl IntoView + use<> {
    let seen = schedule.state.version;
    view! {
        <input type="hidden" name="name" value=schedule.state.entry.name.to_string()/>
        <input type="hidden" name="seen" value=seen.to_string()/>
        <input type="hidden" name="operation" value=operation(Version(seen))/>
    }
}

/// Why nothing can be changed by this person; empty when they may.
fn refusal() -> String {
    Session::get().lacks(&[Permission::ManageCron]).unwrap_or_default()
}

/// Pauses a running schedule and resumes a paused one.
#[component]
pub(super) fn Switch(schedule: Schedule) -> impl IntoView {
    let stays = format!("switch-{}", schedule.state.entry.name);
    view! { <div data-stays=stays>{switch(&schedule)}</div> }
}

fn switch(schedule: &Schedule) -> AnyView {
    let name = schedule.state.entry.name.to_string();
    let fields = act_fields(schedule);
    let why = refusal();
    let off = !why.is_empty();
    if schedule.state.paused.is_some() {
        let label = t!("schedules-resume-named", name = name);
        return view! {
            <form method="post" action=ResumeSchedule::PATH>
                {fields}
                <BackField/>
                <button type="submit" class="button" aria-disabled=off.then_some("true")
                    title=off.then_some(why) aria-label=label>
                    {icon(Icon::Play)} {t!("schedules-resume")}
                </button>
            </form>
        }
        .into_any();
    }
    let id = format!("pause-{name}");
    let reasons = format!("{id}-why");
    let title = t!("schedules-pause-named", name = name);
    view! {
        <Confirm
            id
            trigger=move || view! { {icon(Icon::Pause)} <span>{t!("schedules-pause")}</span> }
            title=title.clone()
            sentence=t!("schedules-pause-what")
            dismiss=t!("schedules-pause-keep")
            disabled_because=why
        >
            <form method="post" action=PauseSchedule::PATH>
                {fields}
                <BackField/>
                <ReasonFields id=reasons sort=ReasonsFor::Changing/>
                <button type="submit" class="button" data-tone="primary">{title}</button>
            </form>
        </Confirm>
    }
    .into_any()
}

/// Enqueues its job once, out of turn.
#[component]
pub(super) fn RunNow(schedule: Schedule) -> impl IntoView {
    let entry = &schedule.state.entry;
    let sentence = t!("schedules-run-what", kind = entry.kind.to_string(), queue = entry.queue.to_string());
    view! {
        <Confirm
            id="schedule-run"
            trigger=move || view! { {icon(Icon::Play)} <span>{t!("schedules-run")}</span> }
            title=t!("schedules-run-named", name = entry.name.to_string())
            sentence
            dismiss=t!("schedules-close")
            disabled_because=refusal()
        >
            <form method="post" action=RunSchedule::PATH>
                {act_fields(&schedule)}
                <BackField/>
                <ReasonFields id="schedule-run-why" sort=ReasonsFor::Running/>
                <button type="submit" class="button" data-tone="primary">{t!("schedules-run")}</button>
            </form>
        </Confirm>
    }
}

/// Removes it for good (level L2).
#[component]
pub(super) fn Remove(schedule: Schedule) -> impl IntoView {
    let sentence = match schedule.state.declared {
        None => t!("schedules-remove-what"),
        Some(at) => {
            let clock = Clock::get();
            let time = format::date_time(at, clock.zone(), Some(clock.now_ms()));
            t!("schedules-remove-declared", at = format!("{time} {}", clock.zone().label_at(at)))
        }
    };
    let title = t!("schedules-remove-named", name = schedule.state.entry.name.to_string());
    view! {
        <Confirm
            id="schedule-remove"
            trigger=move || view! { {icon(Icon::Close)} <span>{t!("schedules-remove")}</span> }
            title=title.clone()
            sentence
            dismiss=t!("schedules-remove-keep")
            disabled_because=refusal()
            tone="danger"
            dismiss_first=true
        >
            <form method="post" action=RemoveSchedule::PATH>
                {act_fields(&schedule)}
                <input type="hidden" name="back" value=routes::SCHEDULES/>
                <ReasonFields id="schedule-remove-why"/>
                <button type="submit" class="button" data-tone="destroy">{title}</button>
            </form>
        </Confirm>
    }
}
