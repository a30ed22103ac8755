//! Whether the queue runs, who stopped it, and the switch.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{PausedQueue, Permission, QueueName};

use crate::api::queues::{PauseQueue, ResumeQueue};
use crate::components::fields::{BackField, Submit};
use crate::components::icons::{Icon, icon};
use crate::components::time::{HERE, TimedSentence};
use crate::light::Told;
use crate::session::Session;
use crate::{i18n, t};

/// The state in words and the button that changes it.
#[component]
pub(super) fn PauseSwitch(
    name: QueueName,
    /// Who paused it; `None` while it runs.
    paused: Option<PausedQueue>,
) -> impl IntoView {
    let needs = Session::get().lacks(&[Permission::PauseQueues]);
    let button = |path: &'static str, picture: Icon, verb: String| {
        view! {
            <form method="post" action=path>
                <input type="hidden" name="queue" value=name.to_string()/>
                <BackField/>
                <Submit off=needs.clone()>{icon(picture)} {verb}</Submit>
            </form>
        }
    };
    match paused {
        Some(by) => {
            let who = if by.why.is_empty() {
                t!("queue-paused-by", who = by.by, at = HERE)
            } else {
                t!("queue-paused-by-why", who = by.by, why = i18n::why(&by.why), at = HERE)
            };
            view! {
                <div class="queue-state" data-paused="true">
                    <Told of=t!("queue-paused") text=t!("queue-paused")/>
                    <p>{icon(Icon::Pause)} <strong>{t!("queue-paused")}</strong> " " <TimedSentence text=who at=by.at/></p>
                    {button(ResumeQueue::PATH, Icon::Play, t!("queue-resume"))}
                </div>
            }
            .into_any()
        }
        None => view! {
            <div class="queue-state">
                <Told of=t!("queue-running") text=t!("queue-running")/>
                <p>{icon(Icon::Running)} {t!("queue-running")}</p>
                {button(PauseQueue::PATH, Icon::Pause, t!("queue-pause"))}
            </div>
        }
        .into_any(),
    }
}
