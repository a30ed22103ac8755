//! Calling off (level L1): with a reason. A running job is asked to stop.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Job, JobState};

use super::verb::Verb;
use super::{ActFields, why_off_of};
use crate::api::acts::CancelJob;
use crate::clock::Clock;
use crate::components::confirm::Confirm;
use crate::components::fields::ReasonFields;
use crate::components::icons::{Icon, icon};
use crate::session::Session;
use crate::{format, i18n, t};

/// The button that calls one job off, or asks a running one to stop.
#[component]
pub(super) fn CancelAct(job: Job, id: String) -> impl IntoView {
    let session = Session::get();
    let active = job.state == JobState::Active;
    // After a conflict the person decides anew, on what they were told.
    let told = session
        .refused
        .as_ref()
        .is_some_and(|refused| refused.action == CancelJob::PATH && refused.said == "error.conflict");
    let (title, submit) = match (active, told) {
        (true, true) => (t!("acts-ask-title"), t!("acts-ask-it")),
        (true, false) => (t!("acts-ask-title"), t!("acts-ask-to-stop")),
        (false, true) => (t!("acts-cancel-title"), t!("acts-cancel-anyway")),
        (false, false) => (t!("acts-cancel-title"), t!("acts-cancel-job")),
    };
    let why = why_off_of(Verb::Cancel, &job).unwrap_or_default();
    let off = !why.is_empty();
    let word = Verb::Cancel.word(job.state);
    let sentence = consequence(&job);
    let reasons = format!("{id}-why");
    view! {
        <Confirm
            id
            key=Verb::Cancel.key()
            dismiss_first=session.is_production()
            trigger=move || view! { {icon(Icon::SlashedCircle)} <span>{word.clone()}</span> }
            title
            sentence
            dismiss=t!("acts-keep-job")
            disabled_because=why
            tone="danger"
        >
            <form method="post" action=CancelJob::PATH>
                <ActFields id=job.id seen=job.version/>
                <ReasonFields id=reasons destroys=true/>
                <button type="submit" class="button" data-tone="destroy" disabled=off>{submit}</button>
            </form>
        </Confirm>
    }
}

/// What calling it off means for a job as it stands.
fn consequence(job: &Job) -> String {
    let about = i18n::about(job.kind.as_str(), job.subject.as_ref());
    if job.state == JobState::Active {
        return t!("acts-ask-consequence", about = about);
    }
    t!("acts-cancel-consequence", about = about, due = format::exact(job.due, Clock::get().zone()))
}
