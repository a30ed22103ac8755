//! Another due time: a few usual ones, or any.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Job, Timestamp};

use super::verb::Verb;
use super::{ActFields, why_off_of};
use super::{MomentInput, ZoneField, tomorrow_at_nine};
use crate::api::acts::RescheduleJob;
use crate::clock::Clock;
use crate::components::confirm::Confirm;
use crate::components::icons::{Icon, icon};
use crate::{format, i18n, t};

/// The usual choices, in seconds from now.
const PRESETS: [i64; 3] = [900, 3_600, 86_400];
/// Those that may be chosen first, the likeliest before.
const FIRST: [i64; 2] = [3_600, 86_400];
/// The choice of any other moment.
const AT: &str = "at";

/// The button that asks for another due time.
#[component]
pub(super) fn RescheduleAct(job: Job, id: String) -> impl IntoView {
    let clock = Clock::get();
    let (zone, now_ms) = (clock.zone(), clock.now_ms());
    let why = why_off_of(Verb::Reschedule, &job).unwrap_or_default();
    let sentence = t!(
        "acts-due-now",
        about = i18n::about(job.kind.as_str(), job.subject.as_ref()),
        due = format::exact(job.due, zone)
    );
    let due = job.due;
    let written = |at: Timestamp| {
        view! {
            {format::date_minute(at, zone, Some(now_ms))} " " {zone.label_at(at)} " "
            <span data-earlier=(at < due).to_string()>{against(due, at)}</span>
        }
        .into_any()
    };
    let first = first_choice(due, now_ms);
    let presets = PRESETS.map(|seconds| {
        let at = later(now_ms, seconds);
        let label = t!("acts-in", span = format::span(seconds * 1_000));
        choice(&format!("+{seconds}"), label, Some(written(at)), first == Some(seconds))
    });
    let tomorrow = tomorrow_at_nine(now_ms, zone)
        .map(|at| choice(&at.as_millis().to_string(), t!("acts-tomorrow-nine"), Some(written(at)), false));
    let field = format!("{id}-due");
    view! {
        <Confirm
            id
            key=Verb::Reschedule.key()
            trigger=move || view! { {icon(Icon::Calendar)} <span>{t!("acts-reschedule")}</span> }
            title=t!("acts-reschedule-title")
            sentence
            dismiss=t!("acts-keep-time")
            disabled_because=why
        >
            <form method="post" action=RescheduleJob::PATH>
                <ActFields id=job.id seen=job.version/>
                <ZoneField/>
                <fieldset class="choices">
                    <legend class="visually-hidden">{t!("acts-new-due")}</legend>
                    {presets.collect_view()}
                    {tomorrow}
                    <div class="choice-at" data-chooses="preset at">
                        {choice(AT, t!("acts-at"), None, first.is_none())}
                        <MomentInput id=field name="due" label=t!("acts-date-and-time") first=first.is_none().then_some(due) not_before=Timestamp::saturating_from_millis(now_ms)/>
                    </div>
                </fieldset>
                <button type="submit" class="button" data-tone="primary">{t!("acts-reschedule")}</button>
            </form>
        </Confirm>
    }
}

fn later(now_ms: i64, seconds: i64) -> Timestamp {
    Timestamp::saturating_from_millis(now_ms.saturating_add(seconds * 1_000))
}

/// The choice that a person finds made: none that brings the job forward. `None` where all of them would, for a moment that
/// begins with the present one.
fn first_choice(due: Timestamp, now_ms: i64) -> Option<i64> {
    FIRST.into_iter().find(|seconds| later(now_ms, *seconds) >= due)
}

/// What a new due time means for a job that was due then.
fn against(due: Timestamp, at: Timestamp) -> String {
    let later_ms = at.millis_since(due);
    let span = format::span(later_ms.saturating_abs());
    if later_ms < 0 {
        t!("acts-earlier-than-now", span = span)
    } else {
        t!("acts-later-than-now", span = span)
    }
}

/// A choice, with when that is.
fn choice(value: &str, label: String, note: Option<AnyView>, is_first: bool) -> impl IntoView + use<> {
    view! {
        <label class="choice">
            <input type="radio" name="preset" value=value.to_owned() checked=is_first/>
            <span>{label}</span>
            <small>{note}</small>
        </label>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_says_whether_it_brings_the_job_forward() {
        let at = |hours: i64| Timestamp::saturating_from_millis(hours * 3_600_000);
        assert_eq!(against(at(15), at(14)), "1 h earlier than now planned");
        assert_eq!(against(at(15), at(17)), "2 h later");
    }

    #[test]
    fn no_choice_that_is_made_beforehand_brings_the_job_forward() {
        let due_in = |hours: i64| first_choice(Timestamp::saturating_from_millis(hours * 3_600_000), 0);
        assert_eq!(
            [due_in(-1), due_in(1), due_in(2), due_in(24)].map(Option::unwrap),
            [3_600, 3_600, 86_400, 86_400]
        );
        assert_eq!(due_in(25), None);
    }
}
