//! One plan in plain sentences, with what can be done about it.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use reprieve::model::Timestamp;

use super::acts::{CallOff, Hold, Postpone, PutBack, Release, use_desk_action};
use super::past::PastQuestion;
use super::step::{Minute, StepLine};
use crate::components::icons::{Icon, icon};
use crate::desk::{Desk, DeskVerb, Doing, Matter, STEPS_SHOWN, Since};
use crate::{i18n, routes, t};

/// A matter of the subject on screen.
#[component]
pub(super) fn MatterView(
    /// The subject, kept true.
    desk: RwSignal<Desk>,
    /// Where the acts of the page left it since.
    since: RwSignal<Since>,
    /// Which matter.
    key: String,
) -> impl IntoView {
    let subject = desk.with_untracked(|desk| desk.subject.clone());
    let wanted = key.clone();
    let found = Memo::new(move |_| {
        let read = desk.with(|desk| desk.matters.iter().find(|matter| matter.key() == wanted).cloned());
        read.map(|matter| since.with(|since| matter.brought(since)))
    });
    // It may be gone from the list an instant before this view is.
    let first = found.get_untracked()?;
    let matter = Memo::new(move |before: Option<&Matter>| {
        found.get().or_else(|| before.cloned()).unwrap_or_else(|| first.clone())
    });
    let read_at = desk.with_untracked(|desk| desk.read_at);
    let read_now = Signal::derive(move || desk.with(|desk| desk.read_at));
    let query = use_query_map();
    // Of which matter it is asked, the address says too.
    let asked = query.with_untracked(|query| match query.get_str("ask") {
        _ if query.get_str("of") != Some(key.as_str()) => None,
        Some("put_back") => Some(DeskVerb::PutBack),
        Some("release") => Some(DeskVerb::Release),
        _ => None,
    });
    let action = use_desk_action(subject.clone(), asked, since);
    let is_off = Memo::new(move |_| matter.with(|matter| matter.off.is_some()));
    // What can be called off changes its name once the main step is done: the buttons are made anew.
    let noun = Memo::new(move |_| matter.with(|matter| matter.noun.clone()));
    let is_held = Memo::new(move |_| matter.with(|matter| matter.held.is_some()));
    let can_be_held = Memo::new(move |_| matter.with(Matter::can_be_held));
    let id = format!("matter-{}", key.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
    let name = matter.with_untracked(|matter| matter.name.clone());
    let since = matter.with_untracked(|matter| matter.since);
    let heading = (!name.is_empty()).then(|| view! { <span translate="no">{name}</span> " · " });
    let for_acts = subject.clone();
    let acts = move || {
        let subject = for_acts.clone();
        noun.track();
        if is_off.get() {
            view! { <PutBack subject matter action id=format!("{id}-back")/> }.into_any()
        } else {
            let (first, second, third) = (format!("{id}-off"), format!("{id}-later"), format!("{id}-hold"));
            let hold = {
                let subject = subject.clone();
                move || {
                    let (is_held, hold) = (is_held.get(), subject.clone());
                    let release = is_held.then(|| view! { <Release subject=subject.clone() matter action/> });
                    let hold = can_be_held.get().then(|| {
                        let key = if is_held { "" } else { "h" };
                        view! { <Hold subject=hold matter action key id=third.clone()/> }
                    });
                    view! { {release} {hold} }
                }
            };
            view! {
                <CallOff subject=subject.clone() matter action id=first/>
                <Postpone subject matter action id=second/>
                {hold}
            }
            .into_any()
        }
    };
    let receipt = {
        let subject = subject.clone();
        move |off: &Doing| routes::desk_receipt(&subject, off.at)
    };
    let off = move || {
        matter.with(|matter| matter.off.clone()).map(|off| {
            let href = matter.with(|matter| matter.has_receipt).then(|| receipt(&off));
            let link = href.map(|href| view! { <a href=href>{t!("support-receipt-link")}</a> });
            view! {
                <Told by=off.by why=off.why at=off.at/>
                {link}
            }
        })
    };
    let held = move || {
        matter.with(|matter| matter.held.clone()).map(|held| view! { <Told by=held.by why=held.why/> })
    };
    let shown =
        move || matter.with(|matter| matter.steps.iter().take(STEPS_SHOWN).cloned().collect::<Vec<_>>());
    let beyond = move || {
        let count = matter.with(|matter| matter.steps.len().saturating_sub(STEPS_SHOWN));
        (count > 0).then(|| {
            let more = t!("support-more-steps", count = count);
            view! { <p>{t!("support-and-more-steps", more = more)}</p> }
        })
    };
    Some(view! {
        <section class="panel plan" data-off=move || is_off.get().to_string()>
            <div class="panel-head">
                <h2>{heading} {t!("support-begun")} " " <Minute at=since/></h2>
            </div>
            <div class="panel-body">
                {off}
                {held}
                <ol class="plan-steps">
                    <For
                        each=shown
                        key=|step| (step.id.clone(), step.state, step.due, step.asked_to_stop, step.gate)
                        let:step
                    >
                        <StepLine step read_at/>
                    </For>
                </ol>
                {beyond}
                <PastQuestion subject matter read_at=read_now action/>
                <div class="plan-acts" role="group" aria-label=t!("support-acts")>{acts}</div>
            </div>
        </section>
    })
}

/// Who called it off, when and why; without a time, who holds it.
#[component]
fn Told(by: String, why: String, #[prop(optional)] at: Option<Timestamp>) -> impl IntoView {
    let (picture, text) = match at {
        Some(_) => (Icon::SlashedCircle, t!("support-called-off-by", by = by)),
        None => (Icon::PausedCircle, t!("support-held-by", by = by)),
    };
    let when = at.map(|at| view! { <Minute at/> });
    let why =
        (!why.is_empty()).then(|| view! { <span>{t!("support-because", why = i18n::why(&why))}</span> });
    view! { <p class="plan-told">{icon(picture)} <span>{text} " " {when} " " {why}</span></p> }
}
