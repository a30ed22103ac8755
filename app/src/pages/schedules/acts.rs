//! What a person does to a schedule: pause, resume, run now, delete.

use leptos::prelude::*;
use reprieve::model::{CronChanged, CronName, Permission, Version};

use crate::api::{PauseSchedule, RemoveSchedule, ResumeSchedule, RunSchedule};
use crate::clock::Clock;
use crate::components::acts::operation;
use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::error::ApiError;
use crate::i18n::ReasonsFor;
use crate::live::Live;
use crate::live::effect::effect;
use crate::notice::Notices;
use crate::schedule::{Schedule, Started, code, deed, said};
use crate::session::Session;
use crate::{format, i18n, routes, t};

/// The hidden fields of an act on the version on screen.
#[component]
fn ActFields(
    name: CronName,
    seen: Signal<u64>,
    /// Acts of this form that were answered already: the next one is another operation.
    #[prop(optional, into)]
    done: Signal<u64>,
) -> impl IntoView {
    view! {
        <input type="hidden" name="name" value=name.to_string()/>
        <input type="hidden" name="seen" value=move || seen.get().to_string()/>
        <input type="hidden" name="operation" value=move || format!("{}.{}", operation(Version(seen.get())), done.get())/>
        <BackField/>
    }
}

fn version(schedule: Signal<Option<Schedule>>) -> Signal<u64> {
    Signal::derive(move || schedule.with(|one| one.as_ref().map_or(0, |one| one.state.version)))
}

/// Why nothing can be changed by this person; empty when they may.
fn refusal() -> String {
    if Session::get().may(Permission::ManageCron) {
        String::new()
    } else {
        i18n::needs(Permission::ManageCron)
    }
}

/// Says what a resumption achieved and has the page read again.
fn hear_resumed(action: FormAction<ResumeSchedule>) {
    let (notices, live) = (Notices::get(), Live::get());
    effect(move || {
        let Some(answer) = action.value().get() else { return };
        live.refresh();
        notices.answer(&answer, |changed| deed("resume", changed));
    });
}

/// Says what a pause achieved and has the page read again. The counter grows with each after which the schedule is paused;
/// why one came to nothing is said in its form, unless that goes with the schedule.
fn hear_paused(action: FormAction<PauseSchedule>) -> Signal<u64> {
    let (notices, live) = (Notices::get(), Live::get());
    let done = RwSignal::new(0_u64);
    effect(move || {
        let Some(answer) = action.value().get() else { return };
        live.refresh();
        let Ok(changed) = answer else { return };
        let is_done = is_paused(&changed);
        if is_done || changed == CronChanged::Missing {
            notices.say(deed("pause", &changed));
        }
        if is_done {
            done.update(|done| *done += 1);
        }
    });
    done.into()
}

const fn is_paused(changed: &CronChanged) -> bool {
    matches!(changed, CronChanged::Changed { .. } | CronChanged::Unchanged { .. })
}

/// Why an act came to nothing, within its form.
fn refused(
    answer: Result<CronChanged, ApiError>,
    verb: &str,
    is_done: fn(&CronChanged) -> bool,
) -> Option<AnyView> {
    match answer {
        Ok(changed) if is_done(&changed) => None,
        Ok(changed) => Some(refusal::refusal(said(&code(verb, &changed))?.text, None)),
        Err(error) => Some(refusal::refused(&error)),
    }
}

/// Pauses a running schedule and resumes a paused one.
#[component]
pub(super) fn Switch(
    /// Which.
    name: CronName,
    /// As it is on screen.
    schedule: Signal<Option<Schedule>>,
) -> impl IntoView {
    let pause = FormAction::<PauseSchedule>::new();
    let resume = FormAction::<ResumeSchedule>::new();
    let paused_done = hear_paused(pause);
    hear_resumed(resume);
    let seen = version(schedule);
    let paused =
        Memo::new(move |_| schedule.with(|one| one.as_ref().is_some_and(|one| one.state.paused.is_some())));
    let name = StoredValue::new(name);
    let why = refusal();
    let part = name.with_value(|name| format!("switch-{name}"));
    let switch = move || {
        let (name, why) = (name.get_value(), why.clone());
        let off = !why.is_empty();
        let text = name.to_string();
        if paused.get() {
            let label = t!("schedules-resume-named", name = text);
            view! {
                <PostForm action=resume>
                    <ActFields name seen/>
                    <button type="submit" class="button" aria-disabled=off.then_some("true")
                        title=off.then_some(why) aria-label=label>
                        {icon(Icon::Play)} {t!("schedules-resume")}
                    </button>
                </PostForm>
            }
            .into_any()
        } else {
            let id = format!("pause-{text}");
            let title = t!("schedules-pause-named", name = text);
            view! {
                <Confirm
                    id=id.clone()
                    trigger=move || view! { {icon(Icon::Pause)} <span>{t!("schedules-pause")}</span> }
                    title=title.clone()
                    sentence=t!("schedules-pause-what")
                    dismiss=t!("schedules-pause-keep")
                    disabled_because=why
                    done=paused_done
                >
                    <PostForm action=pause>
                        <ActFields name seen/>
                        <ReasonFields id=format!("{id}-why") sort=ReasonsFor::Changing/>
                        {move || refused(pause.value().get()?, "pause", is_paused)}
                        <button type="submit" class="button" data-tone="primary">{title}</button>
                    </PostForm>
                </Confirm>
            }
            .into_any()
        }
    };
    view! { <div data-stays=part>{switch}</div> }
}

/// Enqueues its job once, out of turn.
#[component]
pub(super) fn RunNow(
    /// Which.
    name: CronName,
    /// As it is on screen.
    schedule: Signal<Option<Schedule>>,
) -> impl IntoView {
    let action = FormAction::<RunSchedule>::new();
    let (notices, live) = (Notices::get(), Live::get());
    let done = RwSignal::new(0_u64);
    // What is answered is kept under its operation: asked for again, it is another one.
    let answered = RwSignal::new(0_u64);
    effect(move || {
        let Some(answer) = action.value().get() else { return };
        live.refresh();
        let Ok(started) = answer else { return };
        answered.update(|answered| *answered += 1);
        if matches!(started, Started::Job { .. }) {
            notices.say(ran(&started));
            done.update(|done| *done += 1);
        }
    });
    let refused = move || match action.value().get()? {
        Ok(Started::Job { .. }) => None,
        Ok(started) => Some(refusal::refusal(ran(&started).text, None)),
        Err(error) => Some(refusal::refused(&error)),
    };
    let seen = version(schedule);
    let sentence = Signal::derive(move || {
        schedule.with(|one| {
            one.as_ref().map_or_else(String::new, |one| {
                let (kind, queue) = (one.state.entry.kind.to_string(), one.state.entry.queue.to_string());
                t!("schedules-run-what", kind = kind, queue = queue)
            })
        })
    });
    view! {
        <Confirm
            id="schedule-run"
            trigger=move || view! { {icon(Icon::Play)} <span>{t!("schedules-run")}</span> }
            title=t!("schedules-run-named", name = name.to_string())
            sentence
            dismiss=t!("schedules-close")
            disabled_because=refusal()
            done
        >
            <PostForm action>
                <ActFields name=name.clone() seen done=answered/>
                <ReasonFields id="schedule-run-why" sort=ReasonsFor::Running/>
                {refused}
                <button type="submit" class="button" data-tone="primary">{t!("schedules-run")}</button>
            </PostForm>
        </Confirm>
    }
}

/// What a run out of turn came to.
fn ran(started: &Started) -> i18n::Said {
    said(&started.code()).unwrap_or_else(|| i18n::Said::plain(started.code()))
}

/// Removes it for good (level L2).
#[component]
pub(super) fn Remove(
    /// Which.
    name: CronName,
    /// As it is on screen.
    schedule: Signal<Option<Schedule>>,
) -> impl IntoView {
    let action = FormAction::<RemoveSchedule>::new();
    let (notices, live) = (Notices::get(), Live::get());
    let navigate = leptos_router::hooks::use_navigate();
    effect(move || match action.value().get() {
        Some(Ok(changed @ CronChanged::Changed { .. })) => {
            notices.say(deed("remove", &changed));
            navigate(routes::SCHEDULES, leptos_router::NavigateOptions::default());
        }
        Some(Ok(_)) => live.refresh(),
        Some(Err(_)) | None => {}
    });
    let refused = move || {
        refused(action.value().get()?, "remove", |changed| matches!(changed, CronChanged::Changed { .. }))
    };
    let seen = version(schedule);
    let clock = Clock::get();
    let sentence = Signal::derive(move || {
        let declared = schedule.with(|one| one.as_ref().and_then(|one| one.state.declared));
        declared.map_or_else(
            || t!("schedules-remove-what"),
            |at| {
                let time = format::date_time(at, clock.zone(), clock.now_ms_untracked());
                t!("schedules-remove-declared", at = format!("{time} {}", clock.zone().label_at(at)))
            },
        )
    });
    let title = t!("schedules-remove-named", name = name.to_string());
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
            <PostForm action>
                <input type="hidden" name="name" value=name.to_string()/>
                <input type="hidden" name="seen" value=move || seen.get().to_string()/>
                <input type="hidden" name="operation" value=move || operation(Version(seen.get()))/>
                <input type="hidden" name="back" value=routes::SCHEDULES/>
                <ReasonFields id="schedule-remove-why"/>
                {refused}
                <button type="submit" class="button" data-tone="destroy">{title}</button>
            </PostForm>
        </Confirm>
    }
}
