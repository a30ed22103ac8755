//! What can be done about a matter, in the customer's words.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_query_map};
use reprieve::model::{Permission, Subject, Timestamp};

use super::fields::MatterFields;
use crate::api::ActOnDesk;
use crate::clock::Clock;
use crate::components::acts::Acted;
use crate::components::acts::MomentField;
use crate::components::confirm::Confirm;
use crate::components::fields::ReasonFields;
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::desk::{DeskOutcome, DeskVerb, Matter, STEPS_SHOWN, Since, Step};
use crate::error::ApiError;
use crate::i18n::ReasonsFor;
use crate::live::Live;
use crate::live::effect::effect;
use crate::notice::Notices;
use crate::session::Session;
use crate::{format, i18n, routes, t};

/// How much later: as the form sends it, in seconds from the time it has, and in days.
const PRESETS: [(&str, i64); 3] = [("+86400", 1), ("+604800", 7), ("+2592000", 30)];
/// A day in ms.
const DAY_MS: i64 = 86_400_000;

/// The one act of a matter: its buttons send it, and what comes of it is told in one place.
#[derive(Clone, Copy)]
pub(super) struct DeskAction {
    /// The call to the server.
    pub(super) act: FormAction<ActOnDesk>,
    /// The verb whose steps have passed: somebody has to choose.
    pub(super) asked: RwSignal<Option<DeskVerb>>,
    /// Grows with each success, which closes the popovers.
    done: RwSignal<u64>,
    /// What was refused at last, and why. The verb is not known of a form that was sent without scripts.
    failed: RwSignal<Option<(Option<DeskVerb>, ApiError)>>,
}

/// Sends, and hears the answer: to the receipt of what was called off, else a notice. `since` learns where it left what it was
/// done to.
pub(super) fn use_desk_action(
    subject: Subject,
    asked: Option<DeskVerb>,
    since: RwSignal<Since>,
) -> DeskAction {
    let act = FormAction::<ActOnDesk>::new();
    let failed = act.value().get_untracked().and_then(Result::err).map(|error| (None, error));
    let (asked, done, failed) = (RwSignal::new(asked), RwSignal::new(0), RwSignal::new(failed));
    let action = DeskAction { act, asked, done, failed };
    let sent = StoredValue::new(None::<DeskVerb>);
    effect(move || {
        if let Some(verb) = action.act.sent("verb") {
            let _ = sent.try_set_value(DeskVerb::from_word(&verb));
        }
    });
    let (notices, live, acted, navigate) = (Notices::get(), Live::get(), Acted::get(), use_navigate());
    let query = use_query_map();
    effect(move || match action.act.value().get() {
        None => {}
        Some(Err(error)) => {
            action.failed.set(Some((sent.try_get_value().flatten(), error)));
            live.refresh();
        }
        Some(Ok(answer)) => {
            let _ = since.try_update(|since| since.note(answer.left.clone()));
            action.failed.set(None);
            action.asked.set((answer.outcome == DeskOutcome::Past).then_some(answer.verb));
            if answer.outcome == DeskOutcome::Done && answer.verb == DeskVerb::CallOff {
                navigate(&routes::desk_receipt(&subject, answer.at), NavigateOptions::default());
                return;
            }
            if let Some(said) = i18n::said_at_desk(&answer) {
                notices.say(said);
            }
            // A question that was answered is not asked again by loading the page once more.
            if answer.outcome != DeskOutcome::Past
                && query.with_untracked(|query| query.get_str("ask").is_some())
            {
                let here = NavigateOptions { replace: true, scroll: false, ..NavigateOptions::default() };
                navigate(&routes::desk(&subject), here);
            }
            action.done.update(|done| *done += 1);
            acted.succeeded(live, None);
        }
    });
    action
}

/// Why a button is off for this person; empty while it is on.
fn off_because(permission: Permission) -> String {
    if Session::get().may(permission) { String::new() } else { i18n::needs(permission) }
}

/// Why this was not done; the popover stays open with what was typed.
fn refused(action: DeskAction, verb: DeskVerb) -> impl IntoView {
    move || {
        let (sent, error) = action.failed.get()?;
        let is_ours = sent.is_none_or(|sent| sent == verb);
        is_ours.then(|| refusal::refused_saying(&error, i18n::refused_at_desk(&error)))
    }
}

/// `Notice by e-mail, Tue 9 Sep 10:00`.
fn with_time(step: &Step, clock: Clock) -> String {
    t!(
        "support-step-at",
        step = step.label.clone(),
        at = format::date_minute(step.due, clock.zone(), clock.now_ms())
    )
}

/// Nothing of it shall happen.
#[component]
pub(super) fn CallOff(
    subject: Subject,
    matter: Memo<Matter>,
    action: DeskAction,
    /// Unique on the page.
    id: String,
) -> impl IntoView {
    let clock = Clock::get();
    let noun = Memo::new(move |_| matter.with(|matter| matter.noun.clone()));
    let verb = move || match noun.get() {
        noun if noun.is_empty() => t!("support-call-off-plan"),
        noun => t!("support-call-off", noun = noun),
    };
    let sentence = Signal::derive(move || {
        matter.with(|matter| {
            let (now, ahead): (Vec<&Step>, Vec<&Step>) =
                matter.ahead().partition(|step| step.state == reprieve::model::JobState::Active);
            let beyond = ahead.len().saturating_sub(STEPS_SHOWN);
            let more = (beyond > 0).then(|| t!("support-more-steps", count = beyond));
            let shown = ahead.iter().take(STEPS_SHOWN).map(|step| with_time(step, clock));
            let list = format::list(shown.chain(more));
            match now.first() {
                None => t!("support-stops", count = ahead.len(), list = list),
                Some(step) if ahead.is_empty() => t!("support-stops-late", step = step.label.clone()),
                Some(step) => {
                    t!("support-stops-partly", count = ahead.len(), list = list, step = step.label.clone())
                }
            }
        })
    });
    let keep = match noun.get_untracked() {
        noun if noun.is_empty() => t!("support-keep-plan"),
        noun => t!("support-keep", noun = noun),
    };
    let why = format!("{id}-why");
    view! {
        <span data-key="C">
            <Confirm
                id
                trigger=move || view! { {icon(Icon::SlashedCircle)} <span>{verb}</span> }
                title=Signal::derive(verb)
                sentence
                dismiss=keep
                disabled_because=off_because(Permission::CancelJobs)
                done=action.done
                tone="primary"
            >
                <PostForm action=action.act>
                    <MatterFields subject matter verb=DeskVerb::CallOff/>
                    <ReasonFields id=why/>
                    {refused(action, DeskVerb::CallOff)}
                    <button type="submit" class="button" data-tone="primary">{verb}</button>
                </PostForm>
            </Confirm>
        </span>
    }
}

/// It shall happen after all.
#[component]
pub(super) fn PutBack(
    subject: Subject,
    #[prop(into)] matter: Signal<Matter>,
    action: DeskAction,
    /// Unique on the page.
    id: String,
) -> impl IntoView {
    view! {
        <span data-key="u">
            <Confirm
                id
                trigger=move || view! { {icon(Icon::Undo)} <span>{t!("support-put-back")}</span> }
                title=t!("support-put-back")
                sentence=t!("support-put-back-sentence")
                dismiss=t!("support-put-back-keep")
                disabled_because=off_because(Permission::ReinstateJobs)
                done=action.done
            >
                <PostForm action=action.act>
                    <MatterFields subject matter verb=DeskVerb::PutBack/>
                    {refused(action, DeskVerb::PutBack)}
                    <button type="submit" class="button" data-tone="primary">{t!("support-put-back-now")}</button>
                </PostForm>
            </Confirm>
        </span>
    }
}

/// It need not wait any more.
#[component]
pub(super) fn Release(subject: Subject, matter: Memo<Matter>, action: DeskAction) -> impl IntoView {
    let off = off_because(Permission::HoldJobs);
    let title = off.clone();
    view! {
        <PostForm action=action.act>
            <MatterFields subject matter verb=DeskVerb::Release/>
            <button type="submit" class="button" data-key="h" aria-disabled=(!off.is_empty()).then_some("true") title=title>
                {icon(Icon::Play)}
                <span>{t!("support-release")}</span>
            </button>
        </PostForm>
        {refused(action, DeskVerb::Release)}
    }
}

/// It shall wait until somebody lets it go.
#[component]
pub(super) fn Hold(
    subject: Subject,
    matter: Memo<Matter>,
    action: DeskAction,
    /// The key on the keyboard; empty where another button has it.
    key: &'static str,
    /// Unique on the page.
    id: String,
) -> impl IntoView {
    let why = format!("{id}-why");
    let sentence = Signal::derive(move || {
        let others: Vec<String> =
            matter.with(|matter| matter.beyond_hold().map(|step| step.label.clone()).collect());
        match others.is_empty() {
            true => t!("support-hold-sentence"),
            false => t!("support-hold-sentence-partly", list = format::list(others)),
        }
    });
    view! {
        <span data-key=(!key.is_empty()).then_some(key)>
            <Confirm
                id
                trigger=move || view! { {icon(Icon::PausedCircle)} <span>{t!("support-hold-more")}</span> }
                title=t!("support-hold")
                sentence
                dismiss=t!("support-close")
                disabled_because=off_because(Permission::HoldJobs)
                done=action.done
            >
                <PostForm action=action.act>
                    <MatterFields subject matter verb=DeskVerb::Hold/>
                    <ReasonFields id=why/>
                    {refused(action, DeskVerb::Hold)}
                    <button type="submit" class="button" data-tone="primary">{t!("support-hold")}</button>
                </PostForm>
            </Confirm>
        </span>
    }
}

/// It shall happen later.
#[component]
pub(super) fn Postpone(
    subject: Subject,
    matter: Memo<Matter>,
    action: DeskAction,
    /// Unique on the page.
    id: String,
) -> impl IntoView {
    let clock = Clock::get();
    let from =
        Memo::new(move |_| matter.with(|matter| matter.main().map_or(Timestamp::EPOCH, |step| step.due)));
    let sentence = Signal::derive(move || {
        matter.with(|matter| match matter.main() {
            Some(step) => t!(
                "support-postpone-sentence",
                step = step.label.clone(),
                at = format::date_minute(step.due, clock.zone(), clock.now_ms())
            ),
            None => String::new(),
        })
    });
    let choice = move |(value, days): (&'static str, i64)| {
        let then = move || {
            let at = from.get().as_millis().saturating_add(days.saturating_mul(DAY_MS));
            format::date_minute(Timestamp::saturating_from_millis(at), clock.zone(), clock.now_ms())
        };
        view! {
            <label class="choice">
                <input type="radio" name="later" value=value checked=value == PRESETS[0].0/>
                <span>{t!("support-later-by", count = days)}</span>
                <small>{then}</small>
            </label>
        }
    };
    let due = format!("{id}-due");
    let why = format!("{id}-why");
    let at = NodeRef::<leptos::html::Input>::new();
    let picked = Callback::new(move |()| {
        if let Some(at) = at.get_untracked() {
            at.set_checked(true);
        }
    });
    view! {
        <span data-key="e">
            <Confirm
                id
                trigger=move || view! { {icon(Icon::Calendar)} <span>{t!("support-postpone-more")}</span> }
                title=t!("support-postpone")
                sentence
                dismiss=t!("support-close")
                disabled_because=off_because(Permission::RescheduleJobs)
                done=action.done
            >
                <PostForm action=action.act>
                    <MatterFields subject matter verb=DeskVerb::Postpone/>
                    <input type="hidden" name="from" value=move || from.get().as_millis().to_string()/>
                    <fieldset class="choices">
                        <legend class="visually-hidden">{t!("support-postpone-how-much")}</legend>
                        {PRESETS.map(choice)}
                        <label class="choice">
                            <input type="radio" name="later" value="at" node_ref=at/>
                            <span>{t!("support-later-at")}</span>
                        </label>
                        <MomentField id=due name="due" label=t!("acts-date-and-time") picked/>
                    </fieldset>
                    <ReasonFields id=why sort=ReasonsFor::Changing/>
                    {refused(action, DeskVerb::Postpone)}
                    <button type="submit" class="button" data-tone="primary">{t!("support-postpone")}</button>
                </PostForm>
            </Confirm>
        </span>
    }
}
