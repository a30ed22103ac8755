//! A job by hand, to see whether the queue works.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Permission, QueueName};

use crate::api::queue::EnqueueJob;
use crate::components::acts::NewIdField;
use crate::components::fields::{BackField, Submit, labelled};
use crate::session::Session;
use crate::t;

/// The form.
#[component]
pub(super) fn TestJob(
    /// Where it goes.
    name: QueueName,
) -> impl IntoView {
    let needs = Session::get().lacks(&[Permission::EnqueueJobs]);
    view! {
        <section class="panel queue-test" aria-labelledby="queue-test">
            <div class="panel-head"><h2 id="queue-test">{t!("queue-test")}</h2></div>
            <div class="panel-body">
                <form method="post" action=EnqueueJob::PATH>
                    <input type="hidden" name="queue" value=name.to_string()/>
                    <NewIdField of=name.to_string()/>
                    <BackField/>
                    {labelled("test-kind", t!("queue-test-kind"), None, view! {
                        <input id="test-kind" name="kind" required maxlength="64" autocomplete="off" spellcheck="false"/>
                    })}
                    {labelled("test-payload", t!("queue-test-payload"), None, view! {
                        <textarea id="test-payload" name="payload" rows="3" spellcheck="false">"{}"</textarea>
                    })}
                    {labelled("test-preset", t!("queue-test-due"), None, view! {
                        <select id="test-preset" name="preset">
                            <option value="+0">{t!("queue-test-now")}</option>
                            <option value="+60">{t!("queue-test-minute")}</option>
                            <option value="+3600">{t!("queue-test-hour")}</option>
                        </select>
                    })}
                    <Submit off=needs>{t!("queue-test-enqueue")}</Submit>
                </form>
            </div>
        </section>
    }
    .into_any()
}
