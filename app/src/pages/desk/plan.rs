//! One plan in plain sentences, with what can be done about it.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use reprieve::desk::{DeskPlan, DeskVerb, STEPS_SHOWN};
use reprieve::model::{Subject, Timestamp};

use super::acts::{CallOff, Hold, Postpone, PutBack, Release};
use super::past::PastQuestion;
use super::step::{Minute, StepLine};
use crate::components::icons::{Icon, icon};
use crate::desk::named;
use crate::{i18n, routes, t};

/// A plan of the subject on screen.
#[component]
pub(super) fn DeskPlanView(
    subject: Subject,
    /// What it is called, for the titles of dialogs.
    label: String,
    plan: DeskPlan,
    read_at: Timestamp,
) -> impl IntoView {
    let id = format!("plan-{}", plan.key().replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
    let heading = plan.name.as_ref().map(|name| view! { <span translate="no">{named(name)}</span> " · " });
    let off = plan.off.clone().map(|off| {
        let link = plan.has_receipt.then(|| {
            view! { <a href=routes::desk_receipt(&subject, off.at)>{t!("support-receipt-link")}</a> }
        });
        view! {
            <Told by=off.by why=off.why at=off.at/>
            {link}
        }
    });
    let held = plan.held.clone().map(|held| view! { <Told by=held.by why=held.why/> });
    let step = |step| view! { <StepLine step read_at/> };
    let shown = plan.steps.iter().take(STEPS_SHOWN).cloned().map(step).collect_view();
    let beyond = plan.steps.len().saturating_sub(STEPS_SHOWN);
    let beyond = (beyond > 0).then(|| {
        let more = t!("support-more-steps", count = beyond);
        view! { <p>{t!("support-and-more-steps", more = more)}</p> }
    });
    let question = asked(&plan).map(|verb| {
        view! { <PastQuestion subject=subject.clone() plan=plan.clone() verb read_at/> }
    });
    let is_off = plan.off.is_some();
    view! {
        <section class="panel plan" id=id data-off=is_off.to_string()>
            <div class="panel-head">
                <h2>{heading} {t!("support-begun")} " " <Minute at=plan.since/></h2>
            </div>
            <div class="panel-body">
                {off}
                {held}
                <ol class="plan-steps">{shown}</ol>
                {beyond}
                {question}
                <div class="plan-acts" role="group" aria-label=t!("support-acts")>{acts(&subject, &label, &plan, &id)}</div>
            </div>
        </section>
    }
}

/// What the address asks about this plan.
fn asked(plan: &DeskPlan) -> Option<DeskVerb> {
    let query = use_query_map().get_untracked();
    let is_this = query.get_str("of") == Some(plan.key().as_str());
    match query.get_str("ask").filter(|_| is_this)? {
        "put_back" => Some(DeskVerb::PutBack),
        "release" => Some(DeskVerb::Release),
        _ => None,
    }
}

/// The buttons.
fn acts(subject: &Subject, label: &str, plan: &DeskPlan, id: &str) -> AnyView {
    let (subject, label, plan) = (subject.clone(), label.to_owned(), plan.clone());
    if plan.off.is_some() {
        return view! { <PutBack subject plan id=format!("{id}-back")/> }.into_any();
    }
    let release = plan.held.is_some().then(|| view! { <Release subject=subject.clone() plan=plan.clone()/> });
    let hold = plan.can_be_held().then(|| {
        view! { <Hold subject=subject.clone() label=label.clone() plan=plan.clone() id=format!("{id}-hold")/> }
    });
    view! {
        <CallOff subject=subject.clone() label=label.clone() plan=plan.clone() id=format!("{id}-off")/>
        <Postpone subject label plan id=format!("{id}-later")/>
        {release}
        {hold}
    }
    .into_any()
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
