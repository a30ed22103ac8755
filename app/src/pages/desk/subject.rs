//! Everything about one subject: what is to come, what was called off, what has been.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};
use reprieve::desk::{Desk, DeskPlan, LeftOut, Outcome};
use reprieve::model::{JobState, Subject, Timestamp};

use super::partly::PartlySeen;
use super::plan::DeskPlanView;
use super::receipt::ReceiptView;
use super::trouble::DeskTrouble;
use crate::api::desk::{get_desk, get_desk_receipt};
use crate::clock::Clock;
use crate::components::acts::provide_operations;
use crate::components::empty::Empty;
use crate::components::icons::{Icon, icon};
use crate::components::page_head::PageTitle;
use crate::desk::named;
use crate::error::ApiError;
use crate::light::suspended;
use crate::pages::not_found::answer_not_found;
use crate::{access, format, i18n, routes, t};

/// One subject, or the receipt of what was called off about it.
#[component]
pub fn SubjectPage() -> impl IntoView {
    provide_operations();
    let query = use_query_map().get_untracked();
    let asked = use_params_map().get_untracked().get("subject").unwrap_or_default();
    let receipt = query.get_str("receipt").and_then(|at| Timestamp::from_millis(at.parse().ok()?));
    suspended(async move {
        let shown = match (Subject::new(asked.clone()), receipt) {
            (Err(_), _) => Ok(view! { <Unknown asked/> }.into_any()),
            (Ok(subject), Some(at)) => match get_desk_receipt(subject.clone(), at).await {
                Ok(receipt) => Ok(view! { <ReceiptView receipt/> }.into_any()),
                Err(ApiError::NotFound) => Ok(view! { <NoReceipt subject/> }.into_any()),
                Err(error) => Err(error),
            },
            // The plan that the address asks about is shown, too.
            (Ok(subject), None) => match get_desk(subject, query.get("of")).await {
                Ok(desk) => Ok(view! { <DeskView desk/> }.into_any()),
                Err(ApiError::NotFound) => Ok(view! { <Unknown asked/> }.into_any()),
                Err(error) => Err(error),
            },
        };
        shown.unwrap_or_else(|error| {
            view! {
                <PageTitle title=t!("support-title")/>
                <h1 tabindex="-1">{t!("support-title")}</h1>
                <DeskTrouble error/>
            }
            .into_any()
        })
    })
}

/// Nothing is known of it, or no more.
#[component]
fn Unknown(
    /// What the address names.
    asked: String,
) -> impl IntoView {
    view! {
        <NotThere text=t!("support-unknown", asked = asked) next=t!("support-unknown-next")>
            <PartlySeen/>
        </NotThere>
    }
}

/// Nothing was called off at the time that the address names, or that is kept no more.
#[component]
fn NoReceipt(
    /// Whose receipt it would be.
    subject: Subject,
) -> impl IntoView {
    view! {
        <NotThere text=t!("support-no-receipt") next=t!("support-no-receipt-next")>
            <a class="button" href=routes::desk(&subject)>{t!("support-to-subject")}</a>
        </NotThere>
    }
}

/// What the address names is not there. With the status 404.
#[component]
fn NotThere(
    /// What is missing.
    text: String,
    /// What to do about it.
    next: String,
    /// What stands before the way to another search.
    children: Children,
) -> impl IntoView {
    answer_not_found();
    view! {
        <PageTitle title=t!("support-title")/>
        <section class="desk">
            <h1 tabindex="-1">{t!("support-title")}</h1>
            <Empty text>
                <p>{next}</p>
                {children()}
                <a class="button" href=routes::DESK>{t!("support-find-another")}</a>
            </Empty>
        </section>
    }
}

/// The subject as it was read.
#[component]
fn DeskView(desk: Desk) -> impl IntoView {
    let Desk { subject, plans, outcomes, read_at } = desk;
    let label = access::vocabulary().label(&subject);
    let nothing = plans
        .is_empty()
        .then(|| view! { <Empty text=t!("support-nothing-planned", label = label.clone())/> });
    let plan =
        |plan: DeskPlan| view! { <DeskPlanView subject=subject.clone() label=label.clone() plan read_at/> };
    let plans = plans.into_iter().map(plan).collect_view();
    view! {
        <Title text=t!("support-subject-title", label = label.clone())/>
        <article class="desk">
            <header class="desk-head">
                <h1 tabindex="-1" translate="no">{label}</h1>
                <p translate="no"><code>{subject.to_string()}</code></p>
                <span class="desk-ways">
                    <a class="button" href=routes::forecast_of(&subject)>{t!("support-forecast")}</a>
                    <a class="button" href=routes::DESK>{t!("support-find-another")}</a>
                </span>
            </header>
            <PartlySeen/>
            {plans}
            {nothing}
            <Outcomes outcomes/>
        </article>
    }
}

/// What has been, the latest first.
#[component]
fn Outcomes(outcomes: Vec<Outcome>) -> impl IntoView {
    (!outcomes.is_empty()).then(|| {
        let line = |outcome: Outcome| view! { <OutcomeLine outcome/> };
        view! {
            <section class="panel desk-outcomes" aria-label=t!("support-outcomes")>
                <div class="panel-head"><h2>{t!("support-outcomes")}</h2></div>
                <ul>{outcomes.into_iter().map(line).collect_view()}</ul>
            </section>
        }
    })
}

/// One thing that has been: what, how it ended and when.
#[component]
fn OutcomeLine(outcome: Outcome) -> impl IntoView {
    let clock = Clock::get();
    let Outcome { kind, state, at, by, why, left_out } = outcome;
    let at = format::date_minute(at, clock.zone(), Some(clock.now_ms()));
    let text = match (left_out, state) {
        (Some(LeftOut::Made), _) => t!("support-outcome-left-out"),
        (Some(LeftOut::Later), _) => t!("support-outcome-left-out-at", at = at),
        (Some(LeftOut::Waited), _) => t!("support-outcome-waited", at = at),
        (None, JobState::Done) => t!("support-outcome-done", at = at),
        (None, JobState::Cancelled) => t!("support-outcome-called-off", at = at, by = by),
        (None, _) => t!("support-outcome-failed", at = at),
    };
    // The sentence says it already of what was left out.
    let why = (!why.is_empty() && left_out.is_none()).then(|| view! { <small>{i18n::why(&why)}</small> });
    view! {
        <li data-state=state.as_str()>
            {icon(Icon::of_state(state))}
            <span><strong translate="no">{named(&kind)}</strong> " " <span>{text}</span> " " {why}</span>
        </li>
    }
}
