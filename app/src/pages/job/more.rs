//! What else can be done with a job: copy it as a call, enqueue it once more, delete it for good.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Job, JobId, Permission};

use super::recipe;
use crate::api::detail::{DuplicateJob, PurgeJob};
use crate::components::acts::{ActFields, NewIdField};
use crate::components::confirm::Confirm;
use crate::components::copy::CopyButton;
use crate::components::fields::{BackField, ReasonFields, Submit, labelled};
use crate::components::icons::{Icon, icon};
use crate::components::snippet::{TokenNote, token_line};
use crate::session::Session;
use crate::{i18n, t};

/// The popover's id.
const MORE: &str = "job-more";

/// The button with the dots, and what it opens.
#[component]
pub(super) fn MoreActs(job: Job) -> impl IntoView {
    let session = Session::get();
    let curl = recipe::curl(&job, &session.address, &token_line(&session));
    let token = curl.is_some().then(|| view! { <TokenNote/> });
    let copy = |call: Option<String>, name: String, what: String| {
        call.map(|text| view! { <p class="more-copy"><span>{name}</span> <CopyButton text what/></p> })
    };
    view! {
        <button type="button" class="button" popovertarget=MORE aria-label=t!("job-more") title=t!("job-more")>
            {icon(Icon::Dots)}
        </button>
        <div id=MORE class="popover more" popover="auto" role="dialog" aria-label=t!("job-more")>
            {copy(curl, t!("job-as-curl"), t!("job-copy-curl"))}
            {token}
            {copy(recipe::rust(&job), t!("job-as-rust"), t!("job-copy-rust"))}
            <Duplicate job=job.clone()/>
            <Delete job/>
        </div>
    }
}

/// The same work once more, with an id of its own.
#[component]
fn Duplicate(job: Job) -> impl IntoView {
    let id = job.id.to_string();
    let needs = Session::get().lacks(&[Permission::EnqueueJobs]);
    view! {
        <form method="post" action=DuplicateJob::PATH>
            <NewIdField of=id.clone()/>
            <input type="hidden" name="id" value=id/>
            <BackField/>
            {labelled("duplicate-preset", t!("job-duplicate-due"), None, view! {
                <select id="duplicate-preset" name="preset">
                    <option value="+3600">{t!("job-duplicate-hour")}</option>
                    <option value="+86400">{t!("job-duplicate-day")}</option>
                    <option value="+0">{t!("job-duplicate-now")}</option>
                    <option value=job.due.as_millis().to_string()>{t!("job-duplicate-same")}</option>
                </select>
            })}
            <Submit off=needs>{icon(Icon::Copy)} {t!("job-duplicate")}</Submit>
        </form>
    }
}

/// For good, with a tick, in production with its id: only for a job that has ended.
#[component]
fn Delete(job: Job) -> impl IntoView {
    let session = Session::get();
    let sure = if session.is_production() { typed(&job.id) } else { ticked() };
    let why = if !session.may(Permission::PurgeJobs) {
        i18n::needs(Permission::PurgeJobs)
    } else if session.two_people {
        t!("job-delete-two-people")
    } else if !job.state.is_final() {
        t!("job-delete-ended-only")
    } else {
        String::new()
    };
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
            tone="danger"
        >
            <form method="post" action=PurgeJob::PATH>
                <ActFields id=job.id seen=job.version/>
                <ReasonFields id="job-delete-why" destroys=true/>
                {sure}
                <button type="submit" class="button" data-tone="destroy">{t!("job-delete")}</button>
            </form>
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
        {labelled("job-delete-typed", t!("job-delete-type", id = id.to_string()), None, view! {
            <input id="job-delete-typed" type="text" name="typed" autocomplete="off" required=true pattern=pattern/>
        })}
    }
    .into_any()
}
