//! Another due time: a few usual ones, or any; with what would come of it.

use leptos::prelude::*;
use reprieve::model::{Permission, Rescheduled, Timestamp};

use super::moment::MomentField;
use super::plain::take_back;
use super::verb::Verb;
use super::{Acted, OperationField, Target, off_because};
use crate::api::when::{self, When};
use crate::api::{RescheduleJob, reschedule_job};
use crate::clock::Clock;
use crate::components::confirm::Confirm;
use crate::components::fields::JobFields;
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::error::ApiError;
use crate::i18n::{Said, Tell};
use crate::live::Live;
use crate::live::effect::effect;
use crate::notice::Notices;
use crate::session::Session;
use crate::zone::Zone;
use crate::{format, t};

/// The usual choices, as the form sends them: seconds from now.
const PRESETS: [&str; 3] = ["+900", "+3600", "+86400"];
/// The choice of any other moment.
const AT: &str = "at";

/// The button that asks for another due time.
#[component]
pub(super) fn RescheduleAct(
    /// The job as the person sees it.
    target: Signal<Target>,
    /// Unique on the page.
    id: String,
) -> impl IntoView {
    let clock = Clock::get();
    let action = FormAction::<RescheduleJob>::new();
    let done = hear(action, target);
    let job = target.with_untracked(|target| target.id.clone());
    let seen = Signal::derive(move || target.with(|target| target.version));
    let why =
        Signal::derive(move || off_because(Verb::Reschedule, target.with(|t| t.state)).unwrap_or_default());
    let sentence = Signal::derive(move || {
        t!("acts-due-now", due = format::exact(target.with(|target| target.due), clock.zone()))
    });
    // Outlives a failed attempt: the form keeps what was chosen.
    let preset = RwSignal::new(PRESETS[1].to_owned());
    let due = RwSignal::new(String::new());
    let name = format!("{id}-preset");
    let at_field = format!("{id}-due");
    let choice = move |value: String, label: String, note: Signal<String>| {
        let (here, chosen, compared) = (value.clone(), value.clone(), value.clone());
        let _ = &name;
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name="preset"
                    value=value
                    checked=here == PRESETS[1]
                    prop:checked=move || preset.with(|preset| *preset == compared)
                    on:change=move |_| preset.set(chosen.clone())
                />
                <span>{label}</span>
                <small>{note}</small>
            </label>
        }
    };
    let in_ms = move |text: &'static str| {
        Signal::derive(move || match (clock.now_ms(), when::parse(text)) {
            (Some(now_ms), Some(When::In(delay))) => {
                let at = Timestamp::saturating_from_millis(now_ms.saturating_add(delay.as_millis()));
                with_zone(at, clock)
            }
            _ => String::new(),
        })
    };
    let presets = PRESETS.map(|value| choice(value.to_owned(), later_by(value), in_ms(value)));
    // Tomorrow is known only where the zone is: after hydration.
    let tomorrow =
        Memo::new(move |_| clock.now_ms().and_then(|now_ms| tomorrow_at_nine(now_ms, clock.zone())));
    let tomorrow_choice = {
        let choice = choice.clone();
        move || {
            tomorrow.get().map(|at| {
                let note = Signal::derive(move || with_zone(at, clock));
                choice(at.as_millis().to_string(), t!("acts-tomorrow-nine"), note)
            })
        }
    };
    let other = choice(AT.to_owned(), t!("acts-at"), Signal::derive(String::new));
    let result = move || resulting(&preset.get(), &due.get(), clock);
    view! {
        <Confirm
            id
            key=Verb::Reschedule.key()
            trigger=move || view! { {icon(Icon::Calendar)} <span>{t!("acts-reschedule")}</span> }
            title=t!("acts-reschedule-title")
            sentence
            dismiss=t!("acts-keep-time")
            disabled_because=why
            done
        >
            <PostForm action>
                <JobFields id=job seen/>
                <OperationField seen/>
                <fieldset class="choices">
                    <legend class="visually-hidden">{t!("acts-new-due")}</legend>
                    {presets.collect_view()}
                    {tomorrow_choice}
                    <div class="choice-at">
                        {other}
                        <MomentField
                            id=at_field
                            name="due"
                            label=t!("acts-date-and-time")
                            text=due
                            picked=Callback::new(move |()| preset.set(AT.to_owned()))
                        />
                    </div>
                </fieldset>
                {move || result().map(|(text, past)| view! { <p class="resulting" data-past=past.to_string()>{text}</p> })}
                {move || refused(action.value().get())}
                <button type="submit" class="button" data-tone="primary">{t!("acts-reschedule")}</button>
            </PostForm>
        </Confirm>
    }
}

/// What a person reads for one of [`PRESETS`].
fn later_by(preset: &str) -> String {
    let seconds: i64 = preset.parse().unwrap_or_default();
    t!("acts-later-by", span = format::span(seconds * 1_000))
}

/// Nine in the morning of the next day, by the clock on the reader's wall.
pub(crate) fn tomorrow_at_nine(now_ms: i64, zone: Zone) -> Option<Timestamp> {
    let today = zone.civil(Timestamp::saturating_from_millis(now_ms)).date();
    zone.find(today.tomorrow().ok()?.at(9, 0, 0, 0)).map(|wall| wall.at)
}

/// What the choice comes to: when that is and how far away; true if it has passed.
fn resulting(preset: &str, due: &str, clock: Clock) -> Option<(String, bool)> {
    let now_ms = clock.now_ms()?;
    let at = match when::parse(if preset == AT { due } else { preset })? {
        When::At(at) => at,
        When::In(delay) => Timestamp::saturating_from_millis(now_ms.saturating_add(delay.as_millis())),
    };
    let due = with_zone(at, clock);
    if at.as_millis() <= now_ms {
        return Some((t!("acts-due-passed", due = due), true));
    }
    Some((t!("acts-due-then", due = due, distance = format::distance(at, now_ms)), false))
}

/// An instant on the reader's clock, with the zone as it is then.
fn with_zone(at: Timestamp, clock: Clock) -> String {
    let zone = clock.zone();
    format!("{} {}", format::date_time(at, zone, clock.now_ms_untracked()), zone.label_at(at))
}

/// Why it was not rescheduled; the popover stays open with the choice.
fn refused(answer: Option<Result<Rescheduled, ApiError>>) -> Option<AnyView> {
    match answer? {
        Ok(outcome @ Rescheduled::Refused(_)) => Some(refusal::refusal(outcome.said().text, None)),
        Ok(_) => None,
        Err(error) => Some(refusal::refused(&error)),
    }
}

/// Says what came of it, with the way back to the old time. The counter grows with each success.
fn hear(action: FormAction<RescheduleJob>, target: Signal<Target>) -> Signal<u64> {
    let (notices, live, clock, acted) = (Notices::get(), Live::get(), Clock::get(), Acted::get());
    let done = RwSignal::new(0);
    let hastens = Session::get().may(Permission::RunJobs);
    // The old time, from before the page learns of the new one.
    let old_due = StoredValue::new(target.with_untracked(|target| target.due));
    effect(move || {
        if action.pending().get() {
            old_due.set_value(target.with_untracked(|target| target.due));
        }
    });
    effect(move || match action.value().get() {
        None => {}
        Some(Ok(Rescheduled::Refused(_)) | Err(_)) => live.refresh(),
        Some(Ok(outcome)) => {
            let standing = outcome.standing().clone();
            let said =
                Said::good(t!("acts-said-rescheduled-to", due = format::exact(standing.due, clock.zone())));
            let old = old_due.get_value();
            if has_way_back(old, standing.due, clock.now_ms_untracked(), hastens) {
                notices.say_with_undo(
                    said,
                    take_back(standing.id.clone(), move || {
                        let standing = standing.clone();
                        let due = Some(old.as_millis().to_string());
                        reschedule_job(standing.id, Some(standing.version), None, due, None, None, None, None)
                    }),
                );
            } else {
                notices.say(said);
            }
            done.update(|done| *done += 1);
            acted.succeeded(live, Some(outcome.standing()));
        }
    });
    done.into()
}

/// Whether a job can have its old time again: one that is still to come, and that no right is lacking for. To put a job back
/// before its new time takes the right to run jobs before theirs.
fn has_way_back(old: Timestamp, new: Timestamp, now_ms: Option<i64>, hastens: bool) -> bool {
    now_ms.is_some_and(|now_ms| old.as_millis() > now_ms) && (hastens || old >= new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_may_only_postpone_is_offered_no_earlier_time() {
        let at = Timestamp::saturating_from_millis;
        let (now, old, new) = (Some(1_000), at(2_000), at(3_000));
        assert!(has_way_back(old, new, now, true));
        assert!(!has_way_back(old, new, now, false));
        assert!(has_way_back(new, old, now, false), "it was put off before, and is put off again");
        assert!(!has_way_back(at(500), new, now, true), "that has passed");
        assert!(!has_way_back(old, new, None, true));
    }

    #[test]
    fn tomorrow_begins_at_the_readers_own_midnight() {
        // 2026-08-12T20:00:00Z is already the 13th in +08.
        let at = |now_ms, zone| format::rfc3339(tomorrow_at_nine(now_ms, zone).unwrap());
        assert_eq!(at(1_786_564_800_000, Zone::UTC), "2026-08-13T09:00:00.000Z");
        assert_eq!(at(1_786_564_800_000, Zone::fixed(480)), "2026-08-14T01:00:00.000Z");
        // The day before the clocks go back: nine is an hour later by the sun.
        let berlin = Zone::named(&[(0, 120), (1_792_890_000_000, 60)], 1_786_564_800_000);
        assert_eq!(at(1_792_832_400_000, berlin), "2026-10-25T08:00:00.000Z");
    }
}
