//! The form of a schedule, new or changed: tried out while somebody types, every mistake at its field.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;
use reprieve::model::{CronEntry, Missed, Overlap, Permission, Version};

use super::preview::{self, Shown, Tried};
use super::rules;
use crate::api::schedules::PutSchedule;
use crate::components::acts::operation;
use crate::components::fields::Submit;
use crate::schedule::{FormField, Schedule};
use crate::session::Session;
use crate::written::in_field;
use crate::{routes, t, zone};

/// The zone of a new schedule.
const UTC: &str = "UTC";
/// Attempts of a new schedule's jobs.
const ATTEMPTS: &str = "25";

/// Tries out what the form of that schedule holds: what was typed, where the form has come back.
pub(super) async fn tried(before: Option<&CronEntry>, query: &ParamsMap) -> Tried {
    let (schedule, zone) = timing(before, query);
    preview::tried(schedule, zone).await
}

/// The expression and the zone that the form holds.
fn timing(before: Option<&CronEntry>, query: &ParamsMap) -> (String, String) {
    let text = |field: FormField, read: fn(&CronEntry) -> String| {
        query.get(field.as_str()).or_else(|| before.map(read)).unwrap_or_default()
    };
    let zone = text(FormField::Zone, |entry| entry.zone.clone());
    let zone = if zone.is_empty() { UTC.to_owned() } else { zone };
    (text(FormField::Schedule, |entry| entry.schedule.clone()), zone)
}

/// The form.
#[component]
pub(super) fn ScheduleForm(
    /// The schedule to change; `None` for a new one.
    before: Option<Schedule>,
    /// What the form would do.
    tried: Tried,
) -> impl IntoView {
    let query = use_query_map().get_untracked();
    // What was typed, where the form has come back.
    let asked = |field: FormField| query.get(field.as_str());
    let came_back = asked(FormField::Kind).is_some();
    let entry = before.as_ref().map(|before| before.state.entry.clone());
    // What came back was made from the version that was on screen then; by now there may be another.
    let made_from = query.get_str("seen").and_then(|seen| seen.parse::<u64>().ok());
    let seen = before.as_ref().map_or(0, |before| made_from.unwrap_or(before.state.version));
    let back =
        entry.as_ref().map_or_else(|| routes::SCHEDULES.to_owned(), |entry| routes::schedule(&entry.name));
    let why = if before.as_ref().is_some_and(Schedule::is_declared) {
        Some(t!("schedules-declared-long"))
    } else {
        Session::get().lacks(&[Permission::ManageCron])
    };
    let text = |field: FormField, read: fn(&CronEntry) -> String| {
        asked(field).or_else(|| entry.as_ref().map(read)).unwrap_or_default()
    };
    let (schedule, zone) = timing(entry.as_ref(), &query);
    let attempts = entry.as_ref().map_or_else(
        || ATTEMPTS.to_owned(),
        |entry| entry.max_attempts.map(|most| most.to_string()).unwrap_or_default(),
    );
    let attempts = asked(FormField::MaxAttempts).unwrap_or(attempts);
    let kind = text(FormField::Kind, |entry| entry.kind.to_string());
    let queue = text(FormField::Queue, |entry| entry.queue.to_string());
    let subject =
        text(FormField::Subject, |entry| entry.subject.as_ref().map(ToString::to_string).unwrap_or_default());
    let payload = entry.as_ref().map(|entry| entry.payload.clone()).unwrap_or_default();
    let (missed, overlap) = entry.as_ref().map(|entry| (entry.missed, entry.overlap)).unwrap_or_default();
    let missed = chosen(query.get_str("missed")).unwrap_or(missed);
    let overlap = chosen(query.get_str("overlap")).unwrap_or(overlap);
    let left = left_fault(&query);
    let fault = |field: FormField| {
        let left = left.as_ref().filter(|(of, _)| *of == field).map(|(_, text)| text.clone());
        preview::fault(&tried, field).or(left)
    };
    let faults = FormField::ALL.map(|field| (field, fault(field)));
    let text_field = |field: FormField, value: String, hint: String| {
        let fault = faults.iter().find(|(of, _)| *of == field).and_then(|(_, fault)| fault.clone());
        view! { <TextField field value hint fault/> }
    };
    let name = match &entry {
        // The name of a schedule that there is cannot change.
        Some(entry) => view! { <input type="hidden" name="name" value=entry.name.to_string()/> }.into_any(),
        None => {
            let typed = asked(FormField::Name).unwrap_or_default();
            text_field(FormField::Name, typed, t!("schedules-hint-name")).into_any()
        }
    };
    let submit = if entry.is_some() { t!("schedules-save") } else { t!("schedules-create") };
    let leave = back.clone();
    view! {
        <div class="schedule-columns">
            <div class="panel schedule-form">
                <form method="post" action=PutSchedule::PATH data-try="schedule zone">
                    <input type="hidden" name="seen" value=seen.to_string()/>
                    <input type="hidden" name="operation" value=operation(Version(seen))/>
                    <input type="hidden" name="back" value=back/>
                    // What was typed stays where somebody else was faster, who can be looked at beside it.
                    <template data-there></template>
                    {name}
                    {text_field(FormField::Schedule, schedule, t!("schedules-hint-schedule"))}
                    {text_field(FormField::Zone, zone, t!("schedules-hint-zone"))}
                    {text_field(FormField::Kind, kind, String::new())}
                    {text_field(FormField::Queue, queue, String::new())}
                    {text_field(FormField::Subject, subject, String::new())}
                    <PayloadField payload fault=fault(FormField::Payload) came_back/>
                    {text_field(FormField::MaxAttempts, attempts, t!("schedules-hint-attempts"))}
                    <Rules missed overlap/>
                    <div class="field">
                        <label for="schedule-reason">{t!("schedules-field-reason")}</label>
                        <input id="schedule-reason" type="text" name="reason" value=query.get("reason") maxlength="200" autocomplete="off"/>
                    </div>
                    <div class="acts">
                        <Submit tone="primary" off=why>{submit}</Submit>
                        // Behind the other: Enter in a field sends the first.
                        <button type="submit" class="button only-plain" name="only_try" value="1" formnovalidate="">
                            {t!("schedules-try")}
                        </button>
                        <a class="button" data-tone="quiet" href=leave>{t!("schedules-leave")}</a>
                    </div>
                </form>
            </div>
            <div class="schedule-side">
                <Shown tried=tried.clone()/>
            </div>
        </div>
        <datalist id="zones">{zone::names().into_iter().map(|zone| view! { <option value=zone></option> }).collect_view()}</datalist>
    }
}

/// What was wrong with the form that was sent to come here.
fn left_fault(query: &ParamsMap) -> Option<(FormField, String)> {
    let said = query.get_str("said");
    let left = Session::get().refused?;
    let is_ours = left.action == PutSchedule::PATH && Some(left.said.as_str()) == said;
    is_ours.then_some(())?;
    Some((left.field?.parse().ok()?, left.text))
}

/// The rule of a word.
fn chosen<T: serde::de::DeserializeOwned>(word: Option<&str>) -> Option<T> {
    serde_json::from_value(word?.into()).ok()
}

const fn is_required(field: FormField) -> bool {
    matches!(field, FormField::Name | FormField::Schedule | FormField::Zone | FormField::Kind)
}

/// The label, the field and what is wrong with it.
#[component]
fn Field(field: FormField, hint: String, fault: Option<String>, children: Children) -> impl IntoView {
    let id = format!("schedule-{}", field.as_str());
    let (hint_id, fault_id) = (format!("{id}-hint"), format!("{id}-fault"));
    let hint = (!hint.is_empty()).then(|| view! { <p class="field-hint" id=hint_id>{hint}</p> });
    let is_right = fault.is_none();
    view! {
        <div class="field">
            <label for=id>{field.label()} {(!is_required(field)).then(|| view! { " " <small>{t!("acts-optional")}</small> })}</label>
            {children()}
            {hint}
            <p class="field-fault" id=fault_id data-tried="" hidden=is_right>{fault}</p>
        </div>
    }
}

#[component]
fn TextField(field: FormField, value: String, hint: String, fault: Option<String>) -> impl IntoView {
    let id = format!("schedule-{}", field.as_str());
    let about = format!("{id}-hint {id}-fault");
    let list = (field == FormField::Zone).then_some("zones");
    let is_wrong = fault.is_some();
    view! {
        <Field field hint fault>
            <input
                id=id type="text" name=field.as_str() value=value required=is_required(field) autocomplete="off" spellcheck="false" list=list
                aria-invalid=is_wrong.then_some("true") aria-describedby=about
            />
        </Field>
    }
}

/// The payload; bytes that no form can show stay as they are.
#[component]
fn PayloadField(payload: Vec<u8>, fault: Option<String>, came_back: bool) -> impl IntoView {
    let Ok(text) = String::from_utf8(payload) else {
        return view! { <p class="field-hint">{t!("schedules-payload-bytes")}</p> }.into_any();
    };
    let is_wrong = fault.is_some();
    view! {
        <Field field=FormField::Payload fault hint=t!("schedules-hint-payload")>
            <textarea
                id="schedule-payload" name="payload" rows="4" spellcheck="false"
                aria-invalid=is_wrong.then_some("true")
                aria-describedby="schedule-payload-hint schedule-payload-fault"
            >
                {in_field(&text)}
            </textarea>
            {came_back.then(|| view! { <p class="field-hint">{t!("schedules-payload-again")}</p> })}
        </Field>
    }
    .into_any()
}

/// What happens to missed ticks, and while an earlier job is live.
#[component]
fn Rules(missed: Missed, overlap: Overlap) -> impl IntoView {
    view! {
        <div class="field">
            <label for="schedule-missed">{t!("schedules-field-missed")}</label>
            <select id="schedule-missed" name="missed">
                {Missed::ALL.map(|rule| view! { <option value=rule.as_str() selected={rule == missed}>{rules::missed(rule)}</option> })}
            </select>
        </div>
        <div class="field">
            <label for="schedule-overlap">{t!("schedules-field-overlap")}</label>
            <select id="schedule-overlap" name="overlap">
                {Overlap::ALL.map(|rule| view! { <option value=rule.as_str() selected={rule == overlap}>{rules::overlap(rule)}</option> })}
            </select>
        </div>
    }
}
