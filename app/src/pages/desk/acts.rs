//! What can be done about a plan, in the customer's words.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::desk::{DeskPlan, DeskVerb, STEPS_SHOWN, Step};
use reprieve::model::{JobState, Permission, Subject, Timestamp};

use super::fields::plan_fields;
use crate::api::desk::ActOnDesk;
use crate::clock::Clock;
use crate::components::acts::{MomentInput, ZoneField};
use crate::components::confirm::Confirm;
use crate::components::fields::ReasonFields;
use crate::components::icons::{Icon, icon};
use crate::desk::named;
use crate::i18n::ReasonsFor;
use crate::session::Session;
use crate::{access, format, t};

/// How much later: as the form sends it, in seconds from the time it has, and in days.
const PRESETS: [(&str, i64); 3] = [("+86400", 1), ("+604800", 7), ("+2592000", 30)];
/// A day in ms.
const DAY_MS: i64 = 86_400_000;

/// Why a button is off for this person; empty while it is on.
fn off_because(permission: Permission) -> String {
    Session::get().lacks(&[permission]).unwrap_or_default()
}

/// `Tue 9 Sep 10:00`.
fn minute(at: Timestamp) -> String {
    let clock = Clock::get();
    format::date_minute(at, clock.zone(), Some(clock.now_ms()))
}

/// `Notice by e-mail, Tue 9 Sep 10:00`.
pub(super) fn with_time(step: &Step) -> String {
    t!("support-step-at", step = named(&step.kind), at = minute(step.due))
}

/// What a dialog is called: the verb of its button, and what that is done to.
fn act_of(act: String, label: String) -> String {
    t!("support-act-of", act = act, label = label)
}

/// Nothing of it shall happen.
#[component]
pub(super) fn CallOff(subject: Subject, label: String, plan: DeskPlan, id: String) -> impl IntoView {
    let noun = plan.comes_to.as_ref().map(|kind| access::vocabulary().noun(kind)).unwrap_or_default();
    let (verb, keep) = match noun {
        noun if noun.is_empty() && Session::get().is_bound => {
            (t!("support-call-off-seen"), t!("support-keep-plan"))
        }
        noun if noun.is_empty() => (t!("support-call-off-plan"), t!("support-keep-plan")),
        noun => (t!("support-call-off", noun = noun.clone()), t!("support-keep", noun = noun)),
    };
    let (now, ahead): (Vec<&Step>, Vec<&Step>) =
        plan.ahead().partition(|step| step.state == JobState::Active);
    let beyond = ahead.len().saturating_sub(STEPS_SHOWN);
    let more = (beyond > 0).then(|| t!("support-more-steps", count = beyond));
    let list = format::list(ahead.iter().take(STEPS_SHOWN).map(|step| with_time(step)).chain(more));
    let sentence = match now.first() {
        None => t!("support-stops", count = ahead.len(), list = list),
        Some(step) if ahead.is_empty() => t!("support-stops-late", step = named(&step.kind)),
        Some(step) => {
            t!("support-stops-partly", count = ahead.len(), list = list, step = named(&step.kind))
        }
    };
    let why = format!("{id}-why");
    let (trigger, title) = (verb.clone(), act_of(verb.clone(), label));
    view! {
        <span data-key="C">
            <Confirm
                id
                trigger=move || view! { {icon(Icon::SlashedCircle)} <span>{trigger.clone()}</span> }
                title
                sentence
                dismiss=keep
                disabled_because=off_because(Permission::CancelJobs)
                tone="primary"
            >
                <form method="post" action=ActOnDesk::PATH>
                    {plan_fields(&subject, &plan, DeskVerb::CallOff)}
                    <ReasonFields id=why/>
                    <button type="submit" class="button" data-tone="primary">{verb}</button>
                </form>
            </Confirm>
        </span>
    }
}

/// It shall happen after all.
#[component]
pub(super) fn PutBack(subject: Subject, plan: DeskPlan, id: String) -> impl IntoView {
    view! {
        <span data-key="u">
            <Confirm
                id
                trigger=move || view! { {icon(Icon::Undo)} <span>{t!("support-put-back")}</span> }
                title=t!("support-put-back")
                sentence=t!("support-put-back-sentence")
                dismiss=t!("support-put-back-keep")
                disabled_because=off_because(Permission::ReinstateJobs)
            >
                <form method="post" action=ActOnDesk::PATH>
                    {plan_fields(&subject, &plan, DeskVerb::PutBack)}
                    <button type="submit" class="button" data-tone="primary">{t!("support-put-back-now")}</button>
                </form>
            </Confirm>
        </span>
    }
}

/// It need not wait any more.
#[component]
pub(super) fn Release(subject: Subject, plan: DeskPlan) -> impl IntoView {
    let off = Session::get().lacks(&[Permission::HoldJobs]);
    let is_off = off.is_some().then_some("true");
    view! {
        <form method="post" action=ActOnDesk::PATH>
            {plan_fields(&subject, &plan, DeskVerb::Release)}
            <button type="submit" class="button" data-key="h" aria-disabled=is_off title=off>
                {icon(Icon::Play)}
                <span>{t!("support-release")}</span>
            </button>
        </form>
    }
}

/// It shall wait until somebody lets it go.
#[component]
pub(super) fn Hold(subject: Subject, label: String, plan: DeskPlan, id: String) -> impl IntoView {
    // Of what is held already the other button has the key.
    let key = plan.held.is_none().then_some("h");
    let others: Vec<String> = plan.beyond_hold().map(|step| named(&step.kind)).collect();
    let sentence = match others.is_empty() {
        true => t!("support-hold-sentence"),
        false => t!("support-hold-sentence-partly", list = format::list(others)),
    };
    let why = format!("{id}-why");
    view! {
        <span data-key=key>
            <Confirm
                id
                trigger=move || view! { {icon(Icon::PausedCircle)} <span>{t!("support-hold-more")}</span> }
                title=act_of(t!("support-hold"), label)
                sentence
                dismiss=t!("support-close")
                disabled_because=off_because(Permission::HoldJobs)
            >
                <form method="post" action=ActOnDesk::PATH>
                    {plan_fields(&subject, &plan, DeskVerb::Hold)}
                    <ReasonFields id=why/>
                    <button type="submit" class="button" data-tone="primary">{t!("support-hold")}</button>
                </form>
            </Confirm>
        </span>
    }
}

/// It shall happen later. The field for another day is there once that is chosen.
#[component]
pub(super) fn Postpone(subject: Subject, label: String, plan: DeskPlan, id: String) -> impl IntoView {
    let main = plan.main().map(|step| (named(&step.kind), step.due));
    let from = main.as_ref().map_or(Timestamp::EPOCH, |(_, due)| *due);
    let sentence = main.map(|(step, due)| t!("support-postpone-sentence", step = step, at = minute(due)));
    let choice = move |(value, days): (&'static str, i64)| {
        let then = from.as_millis().saturating_add(days.saturating_mul(DAY_MS));
        view! {
            <label class="choice">
                <input type="radio" name="later" value=value checked=value == PRESETS[0].0/>
                <span>{t!("support-later-by", count = days)}</span>
                <small>{minute(Timestamp::saturating_from_millis(then))}</small>
            </label>
        }
    };
    let due = format!("{id}-due");
    let why = format!("{id}-why");
    view! {
        <span data-key="e">
            <Confirm
                id
                trigger=move || view! { {icon(Icon::Calendar)} <span>{t!("support-postpone-more")}</span> }
                title=act_of(t!("support-postpone"), label)
                sentence=sentence.unwrap_or_default()
                dismiss=t!("support-close")
                disabled_because=off_because(Permission::RescheduleJobs)
            >
                <form method="post" action=ActOnDesk::PATH>
                    {plan_fields(&subject, &plan, DeskVerb::Postpone)}
                    <input type="hidden" name="from" value=from.as_millis().to_string()/>
                    <fieldset class="choices">
                        <legend class="visually-hidden">{t!("support-postpone-how-much")}</legend>
                        {PRESETS.map(choice)}
                        <label class="choice">
                            <input type="radio" name="later" value="at"/>
                            <span>{t!("support-later-at")}</span>
                        </label>
                        <MomentInput id=due name="due" label=t!("acts-date-and-time") first=Some(from)/>
                        <ZoneField/>
                    </fieldset>
                    <ReasonFields id=why sort=ReasonsFor::Changing/>
                    <button type="submit" class="button" data-tone="primary">{t!("support-postpone")}</button>
                </form>
            </Confirm>
        </span>
    }
}
