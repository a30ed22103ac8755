//! Quiet, resume, stop: what a person tells a worker.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{JobRow, Permission, WorkerAtWork, WorkerOrder, WorkerStanding};

use crate::api::workers::OrderWorker;
use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::i18n::ReasonsFor;
use crate::session::Session;
use crate::t;

/// The buttons of one worker.
#[component]
pub(super) fn WorkerActs(at: WorkerAtWork) -> impl IntoView {
    let WorkerAtWork { info, standing, jobs, .. } = at;
    let lacking = Session::get().off_everywhere(Permission::ManageWorkers);
    let why_off = lacking.or_else(|| match (standing, info.order) {
        (WorkerStanding::Gone, _) => Some(t!("workers-off-gone")),
        (WorkerStanding::Stopping, _) | (_, WorkerOrder::Stop) => Some(t!("workers-off-stopping")),
        _ => None,
    });
    let why_no_stop = why_off.clone().or_else(|| info.claims.then(|| t!("workers-off-claims")));
    let (next, word, picture) = if info.order == WorkerOrder::Quiet {
        (WorkerOrder::Resume, t!("workers-resume"), Icon::Play)
    } else {
        (WorkerOrder::Quiet, t!("workers-quiet"), Icon::Pause)
    };
    let name = format!("{word} {}", info.id);
    let dialog = format!("stop-{}", info.id);
    view! {
        <div class="worker-acts">
            <form method="post" action=OrderWorker::PATH>
                <OrderFields worker=info.id.clone() order=next/>
                <button
                    type="submit"
                    class="button"
                    data-size="small"
                    aria-label=name
                    aria-disabled=why_off.is_some().then_some("true")
                    title=why_off
                >
                    {icon(picture)}
                    {word}
                </button>
            </form>
            <Confirm
                id=dialog.clone()
                trigger=|| view! { {icon(Icon::Close)} {t!("workers-stop")} }
                title=t!("workers-stop-title")
                sentence=t!("workers-stop-sentence", count = info.busy)
                dismiss=t!("workers-stop-keep")
                disabled_because=why_no_stop.unwrap_or_default()
                tone="danger"
                dismiss_first=true
            >
                <StopPreview jobs/>
                <form method="post" action=OrderWorker::PATH>
                    <OrderFields worker=info.id order=WorkerOrder::Stop/>
                    <ReasonFields id=dialog sort=ReasonsFor::Changing/>
                    <button type="submit" class="button" data-tone="destroy">{t!("workers-stop")}</button>
                </form>
            </Confirm>
        </div>
    }
}

/// Who is told what.
#[component]
fn OrderFields(worker: String, order: WorkerOrder) -> impl IntoView {
    view! {
        <input type="hidden" name="worker" value=worker/>
        <input type="hidden" name="order" value=order.as_str()/>
        <BackField/>
    }
}

/// The first jobs a stop may give back.
#[component]
fn StopPreview(jobs: Vec<JobRow>) -> impl IntoView {
    /// As many as dialogs show before they act.
    const SHOWN: usize = 5;
    let line = |row: &JobRow| {
        let about = row.subject.as_ref().map_or_else(|| row.id.to_string(), ToString::to_string);
        view! { <li>{format!("{} · {about}", row.kind)}</li> }
    };
    (!jobs.is_empty())
        .then(|| view! { <ul class="confirm-jobs">{jobs.iter().take(SHOWN).map(line).collect_view()}</ul> })
}
