//! What a person does to a schedule: pause, resume, run now, delete.

use leptos::prelude::*;
use reprieve::model::{CronChanged, CronName, Permission, Version};

use crate::api::{PauseSchedule, RemoveSchedule, ResumeSchedule, RunSchedule};
use crate::clock::Clock;
use crate::components::acts::operation;
use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields};
use crate::components::focus::stay;
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::error::ApiError;
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
    /// Acts of this form that were done already: the next one is another operation.
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

/// Says what an act achieved and has the page read again. The counter grows with each that succeeded.
fn hear<S>(action: FormAction<S>, verb: &'static str) -> Signal<u64>
where
    S: server_fn::ServerFn<Output = CronChanged, Error = ApiError> + 'static,
{
    let (notices, live) = (Notices::get(), Live::get());
    let done = RwSignal::new(0_u64);
    effect(move || {
        let Some(answer) = action.value().get() else { return };
        live.refresh();
        notices.answer(&answer, |changed| deed(verb, changed));
        if answer.is_ok() {
            done.update(|done| *done += 1);
        }
    });
    done.into()
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
    let paused_done = hear(pause, "pause");
    hear(resume, "resume");
    let seen = version(schedule);
    let paused =
        Memo::new(move |_| schedule.with(|one| one.as_ref().is_some_and(|one| one.state.paused.is_some())));
    let name = StoredValue::new(name);
    let why = refusal();
    let part = name.with_value(|name| format!("switch-{name}"));
    let stays = part.clone();
    let switch = move || {
        stay(&stays);
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
                        <ReasonFields id=format!("{id}-why")/>
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
    effect(move || {
        let Some(answer) = action.value().get() else { return };
        live.refresh();
        notices.answer(&answer, |started: &Started| {
            said(&started.code()).unwrap_or_else(|| i18n::Said::plain(started.code()))
        });
        if answer.is_ok() {
            done.update(|done| *done += 1);
        }
    });
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
                <ActFields name=name.clone() seen done/>
                <ReasonFields id="schedule-run-why"/>
                <button type="submit" class="button" data-tone="primary">{t!("schedules-run")}</button>
            </PostForm>
        </Confirm>
    }
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
        let text = match action.value().get()? {
            Ok(CronChanged::Changed { .. }) => return None,
            Ok(changed) => said(&code("remove", &changed))?.text,
            Err(error) => return Some(refusal::refused(&error)),
        };
        Some(refusal::refusal(text, None))
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
