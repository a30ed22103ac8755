//! The form of a schedule, new or changed: tried out while somebody types, every mistake at its field.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_router::hooks::{use_navigate, use_query_map};
use reprieve::model::{CronChanged, CronEntry, Missed, Overlap, Permission, Version};

use super::preview::{Shown, Tried};
use super::rules;
use crate::api::PutSchedule;
use crate::components::acts::operation;
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::live::effect::effect;
use crate::notice::Notices;
use crate::schedule::{Fault, FormField, Saved, Schedule, code, deed, said};
use crate::session::Session;
use crate::written::in_field;
use crate::{i18n, routes, t};

/// Zones offered while typing; every IANA name is taken.
const ZONES: [&str; 16] = [
    "UTC",
    "Africa/Johannesburg",
    "America/Chicago",
    "America/Los_Angeles",
    "America/New_York",
    "America/Sao_Paulo",
    "Asia/Dubai",
    "Asia/Hong_Kong",
    "Asia/Kolkata",
    "Asia/Shanghai",
    "Asia/Singapore",
    "Asia/Tokyo",
    "Australia/Sydney",
    "Europe/Berlin",
    "Europe/London",
    "Europe/Paris",
];
/// Attempts of a new schedule's jobs.
const ATTEMPTS: &str = "25";
/// The rules for missed ticks and their words in the form.
const MISSED: [(&str, Missed); 3] = [("skip", Missed::Skip), ("once", Missed::Once), ("all", Missed::All)];
/// The rules for overlaps and their words in the form.
const OVERLAP: [(&str, Overlap); 2] = [("allow", Overlap::Allow), ("skip", Overlap::Skip)];

/// What is wrong, field by field.
type Faults = Memo<Vec<(FormField, String)>>;

/// The form.
#[component]
pub(super) fn ScheduleForm(
    /// The schedule to change; `None` for a new one.
    before: Option<Schedule>,
) -> impl IntoView {
    let action = FormAction::<PutSchedule>::new();
    leave_when_saved(action);
    let query = use_query_map();
    // What was typed, where the form has come back without scripts.
    let asked = |key| query.with_untracked(|query| query.get_str(key).map(ToOwned::to_owned));
    let came_back = asked("kind").is_some();
    let entry = before.as_ref().map(|before| before.state.entry.clone());
    let tried = Tried::new(
        asked("schedule").or_else(|| entry.as_ref().map(|e| e.schedule.clone())).unwrap_or_default(),
        asked("zone").or_else(|| entry.as_ref().map(|e| e.zone.clone())).unwrap_or_else(|| "UTC".to_owned()),
    );
    // What came back was made from the version that was on screen then; by now there may be another.
    let made_from = asked("seen").and_then(|seen| seen.parse::<u64>().ok());
    let seen = RwSignal::new(before.as_ref().map_or(0, |before| made_from.unwrap_or(before.state.version)));
    let fixed = entry.is_some();
    effect(move || {
        // Whoever was told may save what they typed all the same.
        if let Some(Ok(Saved::Put { changed: CronChanged::Conflict { version } })) = action.value().get() {
            seen.set(version);
        }
    });
    let back =
        entry.as_ref().map_or_else(|| routes::SCHEDULES.to_owned(), |entry| routes::schedule(&entry.name));
    let faults = faults_of(action);
    effect(move || {
        if let Some(first) = faults.with(|faults| faults.first().map(|(field, _)| *field)) {
            refusal::lead_to(&format!("schedule-{}", first.as_str()));
        }
    });
    let why = if before.as_ref().is_some_and(Schedule::is_declared) {
        t!("schedules-declared-long")
    } else if Session::get().may(Permission::ManageCron) {
        String::new()
    } else {
        i18n::needs(Permission::ManageCron)
    };
    let text = |field: FormField, read: fn(&CronEntry) -> String| {
        asked(field.as_str()).or_else(|| entry.as_ref().map(read)).unwrap_or_default()
    };
    let attempts = entry.as_ref().map_or_else(
        || ATTEMPTS.to_owned(),
        |entry| entry.max_attempts.map(|most| most.to_string()).unwrap_or_default(),
    );
    let attempts = asked(FormField::MaxAttempts.as_str()).unwrap_or(attempts);
    let name = match &entry {
        Some(entry) => entry.name.to_string(),
        None => asked(FormField::Name.as_str()).unwrap_or_default(),
    };
    let kind = text(FormField::Kind, |entry| entry.kind.to_string());
    let queue = text(FormField::Queue, |entry| entry.queue.to_string());
    let subject =
        text(FormField::Subject, |entry| entry.subject.as_ref().map(ToString::to_string).unwrap_or_default());
    let payload = entry.as_ref().map(|entry| entry.payload.clone()).unwrap_or_default();
    let (missed, overlap) = entry.as_ref().map(|entry| (entry.missed, entry.overlap)).unwrap_or_default();
    let missed = chosen(&MISSED, asked("missed").as_deref()).unwrap_or(missed);
    let overlap = chosen(&OVERLAP, asked("overlap").as_deref()).unwrap_or(overlap);
    let reason = asked("reason");
    let off = !why.is_empty();
    let submit = if entry.is_some() { t!("schedules-save") } else { t!("schedules-create") };
    view! {
        <div class="schedule-columns">
            <div class="panel schedule-form">
                <PostForm action>
                    <input type="hidden" name="seen" value=move || seen.get().to_string()/>
                    <input type="hidden" name="operation" value=move || operation(Version(seen.get()))/>
                    <input type="hidden" name="back" value=back.clone()/>
                    <NameField name faults fixed/>
                    <TriedField field=FormField::Schedule text=tried.schedule tried faults hint=t!("schedules-hint-schedule")/>
                    <TriedField field=FormField::Zone text=tried.zone tried faults hint=t!("schedules-hint-zone")/>
                    <TextField field=FormField::Kind value=kind faults required=true/>
                    <TextField field=FormField::Queue value=queue faults/>
                    <TextField field=FormField::Subject value=subject faults/>
                    <PayloadField payload faults came_back/>
                    <TextField field=FormField::MaxAttempts value=attempts faults hint=t!("schedules-hint-attempts")/>
                    <Rules missed overlap/>
                    <div class="field">
                        <label for="schedule-reason">{t!("schedules-field-reason")}</label>
                        <input id="schedule-reason" type="text" name="reason" value=reason maxlength="200" autocomplete="off"/>
                    </div>
                    {move || action.value().get().and_then(|answer| refused(&answer))}
                    <div class="acts">
                        <button type="submit" class="button" data-tone="primary" aria-disabled=off.then_some("true") title=off.then_some(why)>
                            {submit}
                        </button>
                        // Behind the other: Enter in a field sends the first.
                        <button type="submit" class="button only-plain" name="only_try" value="1" formnovalidate="">
                            {t!("schedules-try")}
                        </button>
                        <a class="button" data-tone="quiet" href=back>{t!("schedules-leave")}</a>
                    </div>
                </PostForm>
            </div>
            <div class="schedule-side">
                <Shown tried/>
            </div>
        </div>
        <datalist id="zones">{ZONES.map(|zone| view! { <option value=zone></option> })}</datalist>
    }
}

/// Goes to the schedule once it is saved, and says so.
fn leave_when_saved(action: FormAction<PutSchedule>) {
    let notices = Notices::get();
    let navigate = use_navigate();
    let sent = StoredValue::new(String::new());
    effect(move || {
        if let Some(name) = action.sent("name") {
            sent.set_value(name.trim().to_owned());
        }
    });
    effect(move || {
        let Some(Ok(Saved::Put { changed })) = action.value().get() else { return };
        let kept = matches!(
            changed,
            CronChanged::Created { .. } | CronChanged::Changed { .. } | CronChanged::Unchanged { .. }
        );
        if kept {
            notices.say(deed("put", &changed));
            let name = reprieve::model::CronName::new(sent.get_value());
            let to = name.map_or_else(|_| routes::SCHEDULES.to_owned(), |name| routes::schedule(&name));
            navigate(&to, leptos_router::NavigateOptions::default());
        }
    });
}

/// Why nothing was saved, apart from what is said at the fields.
fn refused(answer: &Result<Saved, crate::error::ApiError>) -> Option<AnyView> {
    let text = match answer {
        Ok(Saved::Faults { faults }) => {
            let declared = faults.iter().any(|fault| fault.fault == Fault::Declared);
            if declared { Fault::Declared.sentence() } else { t!("schedules-faults", count = faults.len()) }
        }
        Ok(Saved::Put { changed }) => match changed {
            CronChanged::Conflict { .. } => t!("schedules-form-conflict"),
            CronChanged::Missing | CronChanged::Full => said(&code("put", changed))?.text,
            _ => return None,
        },
        Ok(Saved::Tried) => return None,
        Err(error) => format!("{} {}", error.sentence(), error.next_step()),
    };
    Some(view! { <p class="refusal" role="alert">{text}</p> }.into_any())
}

/// What is wrong by the answer to the form: the one that came here, or the one that was left for a form sent without scripts.
fn faults_of(action: FormAction<PutSchedule>) -> Faults {
    let said = use_query_map().with_untracked(|query| query.get("said"));
    let left = Session::get()
        .refused
        .filter(|left| left.action == <PutSchedule as ServerFn>::PATH && Some(&left.said) == said.as_ref())
        .and_then(|left| Some((FormField::from_name(&left.field?)?, left.text)));
    Memo::new(move |_| match action.value().get() {
        Some(Ok(Saved::Faults { faults })) => {
            faults.into_iter().map(|fault| (fault.field, fault.fault.sentence())).collect()
        }
        Some(_) => Vec::new(),
        None => left.clone().into_iter().collect(),
    })
}

/// What is wrong with a field, by the answer to the form.
fn fault_of(faults: Faults, field: FormField) -> Option<String> {
    faults.with(|faults| faults.iter().find(|(of, _)| *of == field).map(|(_, sentence)| sentence.clone()))
}

/// The rule of a word.
fn chosen<T: Copy>(rules: &[(&str, T)], word: Option<&str>) -> Option<T> {
    rules.iter().find(|(known, _)| Some(*known) == word).map(|(_, rule)| *rule)
}

/// The label, the field and what is wrong with it.
#[component]
fn Field(
    field: FormField,
    #[prop(optional, into)] hint: String,
    fault: Signal<Option<String>>,
    children: Children,
) -> impl IntoView {
    let id = format!("schedule-{}", field.as_str());
    let (hint_id, fault_id) = (format!("{id}-hint"), format!("{id}-fault"));
    let hint = (!hint.is_empty()).then(|| view! { <p class="field-hint" id=hint_id>{hint}</p> });
    view! {
        <div class="field">
            <label for=id>{field.label()}</label>
            {children()}
            {hint}
            <p class="field-fault" id=fault_id hidden=move || fault.with(Option::is_none)>{move || fault.get()}</p>
        </div>
    }
}

#[component]
fn TextField(
    field: FormField,
    value: String,
    faults: Faults,
    #[prop(optional, into)] hint: String,
    #[prop(optional)] required: bool,
) -> impl IntoView {
    let fault = Signal::derive(move || fault_of(faults, field));
    let id = format!("schedule-{}", field.as_str());
    let about = format!("{id}-hint {id}-fault");
    view! {
        <Field field hint fault>
            <input
                id=id type="text" name=field.as_str() value=value required=required autocomplete="off" spellcheck="false"
                aria-invalid=move || fault.with(Option::is_some).then_some("true") aria-describedby=about
            />
        </Field>
    }
}

/// The name; of a schedule there is it cannot change.
#[component]
fn NameField(name: String, faults: Faults, fixed: bool) -> impl IntoView {
    if fixed {
        return view! { <input type="hidden" name="name" value=name/> }.into_any();
    }
    view! { <TextField field=FormField::Name value=name faults required=true hint=t!("schedules-hint-name")/> }.into_any()
}

/// A field whose text is tried out while somebody types.
#[component]
fn TriedField(
    field: FormField,
    text: RwSignal<String>,
    tried: Tried,
    faults: Faults,
    hint: String,
) -> impl IntoView {
    // What the form was told holds until something else is typed.
    let answered = RwSignal::new(text.get_untracked());
    effect(move || {
        faults.track();
        answered.set(text.get_untracked());
    });
    let told = move || (text.get() == answered.get()).then(|| fault_of(faults, field)).flatten();
    let fault = Signal::derive(move || tried.fault(field).or_else(told));
    let fault = Signal::from(Memo::new(move |_| fault.get()));
    let id = format!("schedule-{}", field.as_str());
    let about = format!("{id}-hint {id}-fault");
    let list = (field == FormField::Zone).then_some("zones");
    let first = text.get_untracked();
    view! {
        <Field field hint fault>
            <input
                id=id type="text" name=field.as_str() value=first required=true autocomplete="off" spellcheck="false" list=list
                aria-invalid=move || fault.with(Option::is_some).then_some("true") aria-describedby=about
                on:input=move |event| text.set(event_target_value(&event))
            />
        </Field>
    }
}

/// The payload; bytes that no form can show stay as they are.
#[component]
fn PayloadField(payload: Vec<u8>, faults: Faults, came_back: bool) -> impl IntoView {
    let fault = Signal::derive(move || fault_of(faults, FormField::Payload));
    let Ok(text) = String::from_utf8(payload) else {
        return view! { <p class="field-hint">{t!("schedules-payload-bytes")}</p> }.into_any();
    };
    view! {
        <Field field=FormField::Payload fault hint=t!("schedules-hint-payload")>
            <textarea
                id="schedule-payload" name="payload" rows="4" spellcheck="false"
                aria-invalid=move || fault.with(Option::is_some).then_some("true")
                aria-describedby="schedule-payload-hint schedule-payload-fault"
            >
                {in_field(text)}
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
                {MISSED.map(|(word, rule)| view! { <option value=word selected={rule == missed}>{rules::missed(rule)}</option> })}
            </select>
        </div>
        <div class="field">
            <label for="schedule-overlap">{t!("schedules-field-overlap")}</label>
            <select id="schedule-overlap" name="overlap">
                {OVERLAP.map(|(word, rule)| view! { <option value=word selected={rule == overlap}>{rules::overlap(rule)}</option> })}
            </select>
        </div>
    }
}
