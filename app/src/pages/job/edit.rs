//! Another payload for a job that is not under way.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Job, JobState, Permission};

use crate::api::detail::EditJob;
use crate::components::acts::ActFields;
use crate::components::fields::{ReasonFields, labelled};
use crate::i18n::{self, ReasonsFor};
use crate::print::print;
use crate::session::Session;
use crate::t;
use crate::written::in_field;

/// The form below the payload. Sends which payload its text began from: one that somebody else changed while it was typed is
/// not overwritten, and the script says so before. Nothing at all for bytes that are no text.
#[component]
pub(super) fn EditPayload(job: Job) -> impl IntoView {
    let text = String::from_utf8(job.payload).ok()?;
    let began = print(text.as_bytes());
    if let Some(why) = off_because(job.state) {
        return Some(view! { <p class="quiet">{why}</p> }.into_any());
    }
    let form = view! {
        <details class="edit">
            <summary>{t!("job-edit")}</summary>
            <form method="post" action=EditJob::PATH>
                <ActFields id=job.id seen=job.version/>
                <input type="hidden" name="began" value=began.clone()/>
                {labelled("edit-payload", t!("job-edit-new"), None, view! {
                    <textarea id="edit-payload" name="payload" rows="8" spellcheck="false">{in_field(&text)}</textarea>
                })}
                <template data-there=began>
                    <div class="there-now" role="status">
                        <p class="resulting" data-past="true">{t!("job-edit-changed")}</p>
                        <pre class="payload" tabindex="0">{text}</pre>
                        <button type="reset" class="button">{t!("job-edit-take")}</button>
                    </div>
                </template>
                // With scripts it is there once the server has refused what is no JSON.
                <label class="choice-tick">
                    <input type="checkbox" name="as_is" value="true"/> " " {t!("job-edit-as-is")}
                </label>
                <ReasonFields id="edit-why" sort=ReasonsFor::Changing/>
                <button type="submit" class="button" data-tone="primary">{t!("job-edit-save")}</button>
            </form>
        </details>
    };
    Some(form.into_any())
}

/// Why it cannot be edited; `None` where it can.
fn off_because(state: JobState) -> Option<String> {
    if !Session::get().may(Permission::EditJobs) {
        return Some(i18n::needs(Permission::EditJobs));
    }
    let editable = matches!(state, JobState::Delayed | JobState::Held | JobState::Retrying | JobState::Dead);
    (!editable).then(|| t!("job-edit-not-now"))
}
