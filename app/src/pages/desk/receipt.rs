//! The proof that something was called off: to keep, to print, and to take back.

use leptos::prelude::*;
use leptos_meta::Title;
use reprieve::desk::{DeskPlan, Doing, Reach, Receipt, Step, StepOutcome, Told, receipt_number};
use reprieve::model::{Delay, JobState, Timestamp};

use super::acts::PutBack;
use super::partly::PartlySeen;
use super::step::Minute;
use crate::clock::Clock;
use crate::components::copy::CopyButton;
use crate::components::icons::{Icon, icon};
use crate::desk::named;
use crate::{access, format, i18n, routes, t};

/// How long the receipt offers to take it back, unless a job is removed before.
const UNDO: Delay = Delay::hours(24);

/// A receipt.
#[component]
pub(super) fn ReceiptView(receipt: Receipt) -> impl IntoView {
    let (plan, reach) = (receipt.plan(), receipt.reach());
    let Receipt { doing, steps, taken_back, desk, .. } = receipt;
    let number = receipt_number(doing.at);
    let (subject, label) = (desk.subject.clone(), access::vocabulary().label(&desk.subject));
    let why = (!doing.why.is_empty()).then(|| {
        view! { <dt>{t!("acts-reason")}</dt> <dd>{i18n::why(&doing.why)}</dd> }
    });
    let text = copied(&label, reach, &number, &doing, &steps);
    let line = |told: Told| {
        let Told { kind, due, outcome } = told;
        let picture = match outcome {
            StepOutcome::Done | StepOutcome::AtOnce | StepOutcome::OffBefore => Icon::SlashedCircle,
            StepOutcome::UnderWay | StepOutcome::FailedBefore => Icon::Warning,
            _ => Icon::Check,
        };
        view! {
            <li class="plan-step">
                {icon(picture)}
                <span class="plan-what" translate="no">{named(&kind)}</span>
                {due.map(|at| view! { <span>{t!("support-receipt-due")} " " <Minute at with_year=true/></span> })}
                <span class="plan-status">{said(outcome)}</span>
            </li>
        }
    };
    view! {
        <Title text=t!("support-receipt-title", number = number.clone())/>
        <article class="desk receipt">
            <h1 tabindex="-1">{icon(if reach == Reach::All { Icon::Check } else { Icon::Warning })} {heading(reach)}</h1>
            <p class="receipt-what" translate="no">{label}</p>
            <PartlySeen/>
            <dl class="receipt-facts">
                <dt>{t!("support-receipt-number")}</dt>
                <dd><strong translate="no">{number}</strong></dd>
                <dt>{t!("support-receipt-time")}</dt>
                <dd><Minute at=doing.at with_year=true/></dd>
                <dt>{t!("support-receipt-who")}</dt>
                <dd translate="no">{doing.by.clone()}</dd>
                {why}
            </dl>
            <ol class="plan-steps">{steps.into_iter().map(line).collect_view()}</ol>
            <div class="plan-acts receipt-acts">
                <CopyButton text what=t!("support-receipt-what")/>
                <button type="button" class="button only-scripted" data-print="">{t!("support-print")}</button>
                <a class="button" href=routes::desk(&subject)>{t!("support-to-subject")}</a>
                <a class="button" href=routes::DESK>{t!("support-find-another")}</a>
            </div>
            <TakeBack subject=subject.clone() plan otherwise=stands(reach, taken_back) at=doing.at read_at=desk.read_at/>
        </article>
    }
}

/// The receipt as a text.
fn copied(label: &str, reach: Reach, number: &str, doing: &Doing, steps: &[Told]) -> String {
    let zone = Clock::get().zone();
    let first = t!("support-receipt-copy", number = number, label = label, heading = heading(reach));
    let why = (!doing.why.is_empty()).then(|| i18n::why(&doing.why));
    let line = |told: &Told| {
        let step = match told.due {
            Some(due) => {
                t!("support-step-at", step = named(&told.kind), at = format::year_minute(due, zone))
            }
            None => named(&told.kind),
        };
        t!("support-receipt-line", step = step, outcome = said(told.outcome))
    };
    let mut lines = vec![first, format::exact(doing.at, zone), doing.by.clone()];
    lines.extend(why);
    lines.extend(steps.iter().map(line));
    lines.join("\n")
}

/// How far it came, in a word or two.
fn heading(reach: Reach) -> String {
    match reach {
        Reach::All => t!("support-receipt-heading"),
        Reach::Partly => t!("support-receipt-partly"),
        Reach::Unsure => t!("support-receipt-unsure"),
        Reach::Nothing => t!("support-receipt-nothing"),
    }
}

/// Why there is nothing to put back.
fn stands(reach: Reach, taken_back: bool) -> String {
    match reach {
        Reach::Unsure | Reach::Nothing => t!("support-undo-nothing"),
        _ if taken_back => t!("support-undone"),
        _ => t!("support-undo-elsewhere"),
    }
}

/// What became of a step when the plan was called off.
fn said(outcome: StepOutcome) -> String {
    match outcome {
        StepOutcome::Done | StepOutcome::AtOnce => t!("support-told-done"),
        StepOutcome::UnderWay => t!("support-told-under-way"),
        StepOutcome::Ended | StepOutcome::Past => t!("support-told-ended"),
        StepOutcome::OffBefore => t!("support-told-off-before"),
        StepOutcome::FailedBefore => t!("support-told-failed-before"),
        StepOutcome::Stays | StepOutcome::GoesOn => t!("support-told-stays"),
    }
}

/// Until when all of it can be taken back.
fn until(steps: &[Step], at: Timestamp) -> Timestamp {
    let day = Timestamp::saturating_from_millis(at.as_millis().saturating_add(UNDO.as_millis()));
    let off = steps.iter().filter(|step| step.state == JobState::Cancelled);
    off.filter_map(|step| step.kept_until).chain([day]).min().unwrap_or(day)
}

/// The way back: a button for a day; afterwards the page of the subject has it.
#[component]
fn TakeBack(
    subject: reprieve::model::Subject,
    plan: Option<DeskPlan>,
    /// What is said where there is nothing to put back.
    otherwise: String,
    at: Timestamp,
    read_at: Timestamp,
) -> impl IntoView {
    let Some(plan) = plan else {
        return view! { <p class="receipt-undo">{otherwise}</p> }.into_any();
    };
    let until = until(&plan.steps, at);
    if read_at > until {
        return view! { <p class="receipt-undo">{t!("support-undo-over")}</p> }.into_any();
    }
    view! {
        <div class="receipt-undo">
            <PutBack subject plan id="receipt-put-back".to_owned()/>
            <p><span>{t!("support-undo-until")}</span> " " <Minute at=until/></p>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given;

    #[test]
    fn a_receipt_promises_a_day_or_as_long_as_its_first_job_is_kept() {
        let at = |hours: i64| Timestamp::saturating_from_millis(hours * 3_600_000);
        let step = |state, kept| Step { kept_until: Some(at(kept)), ..given::step(state, at(0)) };
        assert_eq!(until(&[step(JobState::Cancelled, 90)], at(1)), at(25));
        let steps = [step(JobState::Cancelled, 90), step(JobState::Cancelled, 7), step(JobState::Done, 2)];
        assert_eq!(until(&steps, at(1)), at(7));
    }
}
