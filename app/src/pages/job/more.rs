//! What else can be done with a job: copy it as a call, enqueue it once more, delete it for good.

use leptos::prelude::*;
use reprieve::model::{Job, JobId, Permission};

use super::recipe;
use crate::api::{DuplicateJob, PurgeJob};
use crate::components::acts::{Acted, Made, NewIdField, OperationField, Target};
use crate::components::confirm::Confirm;
use crate::components::copy::CopyButton;
use crate::components::fields::{BackField, JobFields, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::components::snippet::{TokenNote, token_line};
use crate::i18n::{self, Tell};
use crate::live::Live;
use crate::live::effect::effect;
use crate::notice::Notices;
use crate::session::Session;
use crate::{routes, t};

/// The popover's id.
const MORE: &str = "job-more";

/// The button with the dots, and what it opens.
#[component]
pub(super) fn MoreActs(
    /// The job.
    job: Memo<Job>,
    /// The job as the person sees it when they act.
    target: Signal<Target>,
) -> impl IntoView {
    let session = Session::get();
    let (token, origin) = (token_line(&session), session.origin);
    let curl = Memo::new(move |_| job.with(|job| recipe::curl(job, &origin, &token)));
    let rust = Memo::new(move |_| job.with(recipe::rust));
    let is_there = Memo::new(move |_| curl.with(Option::is_some));
    let copy = |call: Memo<Option<String>>, name: String, what: String| {
        let text = Signal::derive(move || call.get().unwrap_or_default());
        // A payload that is edited may become one that no call has room for.
        let is_call = Memo::new(move |_| call.with(Option::is_some));
        move || {
            let (name, what) = (name.clone(), what.clone());
            is_call
                .get()
                .then(|| view! { <p class="more-copy"><span>{name}</span> <CopyButton text what/></p> })
        }
    };
    view! {
        <button type="button" class="button" popovertarget=MORE aria-label=t!("job-more") title=t!("job-more")>
            {icon(Icon::Dots)}
        </button>
        <div id=MORE class="popover more" popover="auto" role="dialog" aria-label=t!("job-more")>
            {copy(curl, t!("job-as-curl"), t!("job-copy-curl"))}
            {move || is_there.get().then(|| view! { <TokenNote/> })}
            {copy(rust, t!("job-as-rust"), t!("job-copy-rust"))}
            <Duplicate job/>
            <Delete target/>
        </div>
    }
}

/// The same work once more, with an id of its own.
#[component]
fn Duplicate(job: Memo<Job>) -> impl IntoView {
    let action = FormAction::<DuplicateJob>::new();
    let notices = Notices::get();
    let live = Live::get();
    let made = RwSignal::new(None);
    let count = Made::get();
    effect(move || match action.value().get() {
        None => {}
        Some(Ok(copied)) => {
            notices.say(copied.said());
            made.set(Some(copied.id().clone()));
            count.grow();
            live.refresh();
        }
        Some(Err(error)) => notices.fail(&error),
    });
    let id = job.with_untracked(|job| job.id.to_string());
    let needs = (!Session::get().may(Permission::EnqueueJobs)).then(|| i18n::needs(Permission::EnqueueJobs));
    let off = needs.is_some();
    let link = move || made.get().map(|id| view! { <a href=routes::job(&id)>{t!("job-duplicate-open")}</a> });
    view! {
        <PostForm action>
            <NewIdField of=id.clone() made=count/>
            <input type="hidden" name="id" value=id/>
            <BackField/>
            <div class="field">
                <label for="duplicate-preset">{t!("job-duplicate-due")}</label>
                <select id="duplicate-preset" name="preset">
                    <option value="+3600">{t!("job-duplicate-hour")}</option>
                    <option value="+86400">{t!("job-duplicate-day")}</option>
                    <option value="+0">{t!("job-duplicate-now")}</option>
                    <option value=move || job.with(|job| job.due.as_millis().to_string())>{t!("job-duplicate-same")}</option>
                </select>
            </div>
            <button type="submit" class="button" aria-disabled=off.then_some("true") title=needs>{icon(Icon::Copy)} {t!("job-duplicate")}</button>
            {link}
        </PostForm>
    }
}

/// For good, with a tick, in production with its id: only for a job that has ended.
#[component]
fn Delete(target: Signal<Target>) -> impl IntoView {
    let action = FormAction::<PurgeJob>::new();
    let (notices, live, acted) = (Notices::get(), Live::get(), Acted::get());
    let done = RwSignal::new(0);
    effect(move || match action.value().get() {
        None => {}
        Some(Ok(outcome)) => {
            notices.say(outcome.said());
            done.update(|done| *done += 1);
            acted.succeeded(live, Some(outcome.standing()));
        }
        // Said in the form, which stays.
        Some(Err(_)) => {}
    });
    let id = target.with_untracked(|target| target.id.clone());
    let sure = if Session::get().is_production() { typed(&id) } else { ticked() };
    let refused = move || action.value().get()?.err().map(|error| refusal::refused(&error));
    let seen = Signal::derive(move || target.with(|target| target.version));
    let why = Signal::derive(move || {
        if !Session::get().may(Permission::PurgeJobs) {
            return i18n::needs(Permission::PurgeJobs);
        }
        if Session::get().two_people {
            return t!("job-delete-two-people");
        }
        let ended = target.with(|target| target.state.is_final());
        if ended { String::new() } else { t!("job-delete-ended-only") }
    });
    view! {
        <Confirm
            id="job-delete"
            key="D"
            dismiss_first=true
            trigger=move || view! { {icon(Icon::Close)} <span>{t!("job-delete")}</span> }
            title=t!("job-delete-title")
            sentence=t!("job-delete-sentence")
            dismiss=t!("acts-keep-job")
            disabled_because=why
            done
            tone="danger"
        >
            <PostForm action>
                <JobFields id seen/>
                <OperationField seen/>
                <ReasonFields id="job-delete-why" destroys=true/>
                {sure}
                {refused}
                <button type="submit" class="button" data-tone="destroy">{t!("job-delete")}</button>
            </PostForm>
        </Confirm>
    }
}

/// That they are sure, by a tick.
fn ticked() -> AnyView {
    view! {
        <label class="choice-tick">
            <input type="checkbox" name="sure" value="true" required/> " " {t!("job-delete-sure")}
        </label>
    }
    .into_any()
}

/// That they are sure, by its id as they type it.
fn typed(id: &JobId) -> AnyView {
    // The one character of ids that stands for others in a pattern.
    let pattern = format!(" *{} *", id.as_str().replace('.', "\\."));
    view! {
        <input type="hidden" name="sure" value="true"/>
        <div class="field">
            <label for="job-delete-typed">{t!("job-delete-type", id = id.to_string())}</label>
            <input id="job-delete-typed" type="text" name="typed" autocomplete="off" required=true pattern=pattern/>
        </div>
    }
    .into_any()
}
