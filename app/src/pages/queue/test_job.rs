//! A job by hand, to see whether the queue works.

use leptos::prelude::*;
use reprieve::model::{Permission, QueueName};

use crate::api::EnqueueJob;
use crate::components::acts::{Made, NewIdField};
use crate::components::fields::BackField;
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::i18n::{self, Said};
use crate::live::Live;
use crate::live::effect::effect;
use crate::notice::Notices;
use crate::session::Session;
use crate::{routes, t};

/// The form.
#[component]
pub(super) fn TestJob(
    /// Where it goes.
    name: QueueName,
) -> impl IntoView {
    let action = FormAction::<EnqueueJob>::new();
    let (notices, live) = (Notices::get(), Live::get());
    let made = RwSignal::new(None);
    let count = Made::get();
    effect(move || match action.value().get() {
        None => {}
        Some(Ok(job)) => {
            if job.existed {
                notices.tell(Said::plain(t!("queue-said-enqueued-before")));
            } else {
                notices.say(Said::good(t!("queue-said-enqueued")));
            }
            made.set(Some(job.id));
            count.grow();
            live.refresh();
        }
        // Said at its field, in the form.
        Some(Err(_)) => {}
    });
    let needs = (!Session::get().may(Permission::EnqueueJobs)).then(|| i18n::needs(Permission::EnqueueJobs));
    let off = needs.is_some();
    let refused = move || action.value().get()?.err().map(|error| refusal::refused(&error));
    let link = move || made.get().map(|id| view! { <a href=routes::job(&id)>{t!("queue-test-open")}</a> });
    view! {
        <section class="panel queue-test" aria-labelledby="queue-test">
            <div class="panel-head"><h2 id="queue-test">{t!("queue-test")}</h2></div>
            <div class="panel-body">
                <PostForm action>
                    <input type="hidden" name="queue" value=name.to_string()/>
                    <NewIdField of=name.to_string() made=count/>
                    <BackField/>
                    <div class="field">
                        <label for="test-kind">{t!("queue-test-kind")}</label>
                        <input id="test-kind" name="kind" required maxlength="64" autocomplete="off" spellcheck="false"/>
                    </div>
                    <div class="field">
                        <label for="test-payload">{t!("queue-test-payload")}</label>
                        <textarea id="test-payload" name="payload" rows="3" spellcheck="false">"{}"</textarea>
                    </div>
                    <div class="field">
                        <label for="test-preset">{t!("queue-test-due")}</label>
                        <select id="test-preset" name="preset">
                            <option value="+0">{t!("queue-test-now")}</option>
                            <option value="+60">{t!("queue-test-minute")}</option>
                            <option value="+3600">{t!("queue-test-hour")}</option>
                        </select>
                    </div>
                    {refused}
                    <button type="submit" class="button" aria-disabled=off.then_some("true") title=needs>{t!("queue-test-enqueue")}</button>
                    " " {link}
                </PostForm>
            </div>
        </section>
    }
    .into_any()
}
