//! Quiet, resume, stop: what a person tells a worker.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use reprieve::model::{Permission, WorkerAtWork, WorkerOrder, WorkerOrdered, WorkerStanding};

use crate::api::{OrderWorker, order_worker};
use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::i18n::ReasonsFor;
use crate::i18n::{self, Said};
use crate::live::Live;
use crate::live::effect::effect;
use crate::notice::Notices;
use crate::session::Session;
use crate::t;

/// The acts of the page, once for all cards.
#[derive(Clone, Copy)]
pub(super) struct Orders {
    /// Quiet and resume.
    switch: FormAction<OrderWorker>,
    /// Stop.
    stop: FormAction<OrderWorker>,
    /// Whom and what the page told last.
    last: StoredValue<Option<(String, WorkerOrder)>>,
    /// Whom the page told to stop last: why that came to nothing is said in that dialog.
    stopping: StoredValue<Option<String>>,
    /// Grows with each stop that holds: closes its dialog.
    stopped: RwSignal<u64>,
}

impl Orders {
    pub(super) fn new() -> Self {
        let orders = Self {
            switch: FormAction::new(),
            stop: FormAction::new(),
            last: StoredValue::new(None),
            stopping: StoredValue::new(None),
            stopped: RwSignal::new(0),
        };
        orders.tell();
        orders
    }

    /// Says what came of it, with the way back where there is one.
    fn tell(self) {
        let (notices, live) = (Notices::get(), Live::get());
        effect(move || {
            let Some(answer) = self.switch.value().get() else { return };
            live.refresh();
            let Some((worker, order)) = self.last.get_value() else { return };
            match answer {
                Ok(WorkerOrdered::Ordered) => {
                    notices.say_with_undo(said(WorkerOrdered::Ordered, order), opposite(worker, order, live));
                }
                other => notices.answer(&other, |&outcome| said(outcome, order)),
            }
        });
        effect(move || {
            let Some(answer) = self.stop.value().get() else { return };
            live.refresh();
            let Ok(outcome) = answer else { return };
            let is_done = is_stopped(outcome);
            // Of a worker that is gone the card goes, and the dialog with it.
            if is_done || outcome == WorkerOrdered::Missing {
                notices.say(said(outcome, WorkerOrder::Stop));
            }
            if is_done {
                self.stopped.update(|count| *count += 1);
            }
        });
    }

    /// Why a worker was not told to stop, within its form.
    fn refused(self, worker: &str) -> Option<AnyView> {
        let answer = self.stop.value().get()?;
        if self.stopping.with_value(|stopping| stopping.as_deref() != Some(worker)) {
            return None;
        }
        match answer {
            Ok(outcome) if is_stopped(outcome) => None,
            Ok(outcome) => Some(refusal::refusal(said(outcome, WorkerOrder::Stop).text, None)),
            Err(error) => Some(refusal::refused(&error)),
        }
    }
}

/// Takes a quiet or a resume back. Nothing of the page is used: it may have been left by then.
fn opposite(worker: String, order: WorkerOrder, live: Live) -> crate::notice::Undo {
    let back = if order == WorkerOrder::Quiet { WorkerOrder::Resume } else { WorkerOrder::Quiet };
    Arc::new(move |attempt| {
        let worker = worker.clone();
        spawn_local(async move {
            let answer = order_worker(worker, back, None, None, None, None, None).await;
            attempt.answer(&answer, |&outcome| said(outcome, back));
            live.refresh();
        });
    })
}

/// Whether a worker that was told to stop does.
const fn is_stopped(outcome: WorkerOrdered) -> bool {
    matches!(outcome, WorkerOrdered::Ordered | WorkerOrdered::Unchanged | WorkerOrdered::Stopping)
}

/// What became of an order.
fn said(outcome: WorkerOrdered, order: WorkerOrder) -> Said {
    let word = if outcome == WorkerOrdered::Ordered { order.as_str() } else { outcome.word() };
    i18n::said(&format!("worker.{word}")).unwrap_or_else(|| Said::plain(outcome.word()))
}

/// The buttons of one worker.
#[component]
pub(super) fn WorkerActs(
    /// Which worker.
    id: String,
    /// How it stands.
    at: Memo<Option<WorkerAtWork>>,
    /// The acts of the page.
    orders: Orders,
) -> impl IntoView {
    let refusal = Session::get().off_everywhere(Permission::ManageWorkers);
    let standing =
        Memo::new(move |_| at.with(|at| at.as_ref().map_or(WorkerStanding::Gone, |at| at.standing)));
    let order = Memo::new(move |_| at.with(|at| at.as_ref().map(|at| at.info.order).unwrap_or_default()));
    let busy = Memo::new(move |_| at.with(|at| at.as_ref().map_or(0, |at| at.info.busy)));
    let why_off = Memo::new(move |_| {
        refusal.clone().or_else(|| match (standing.get(), order.get()) {
            (WorkerStanding::Gone, _) => Some(t!("workers-off-gone")),
            (WorkerStanding::Stopping, _) | (_, WorkerOrder::Stop) => Some(t!("workers-off-stopping")),
            _ => None,
        })
    });
    let claims = Memo::new(move |_| at.with(|at| at.as_ref().is_some_and(|at| at.info.claims)));
    let why_no_stop = Signal::derive(move || {
        let own = || claims.get().then(|| t!("workers-off-claims"));
        why_off.get().or_else(own).unwrap_or_default()
    });
    let quieted = Memo::new(move |_| order.get() == WorkerOrder::Quiet);
    let (for_switch, for_stop) = (id.clone(), id.clone());
    let switch = move || {
        let (next, word, picture) = if quieted.get() {
            (WorkerOrder::Resume, t!("workers-resume"), Icon::Play)
        } else {
            (WorkerOrder::Quiet, t!("workers-quiet"), Icon::Pause)
        };
        let worker = for_switch.clone();
        let remembered = worker.clone();
        let name = format!("{word} {worker}");
        view! {
            <PostForm action=orders.switch>
                <input type="hidden" name="worker" value=worker/>
                <input type="hidden" name="order" value=next.as_str()/>
                <BackField/>
                <button
                    type="submit"
                    class="button"
                    data-size="small"
                    aria-label=name
                    aria-disabled=move || why_off.get().is_some().then_some("true")
                    title=move || why_off.get()
                    on:click=move |_| orders.last.set_value(Some((remembered.clone(), next)))
                >
                    {icon(picture)}
                    {word}
                </button>
            </PostForm>
        }
    };
    let dialog = format!("stop-{id}");
    let fields = dialog.clone();
    let (stopped, told) = (for_stop.clone(), for_stop.clone());
    let stop = move |_| orders.stopping.set_value(Some(told.clone()));
    view! {
        <div class="worker-acts">
            {switch}
            <Confirm
                id=dialog
                trigger=move || view! { {icon(Icon::Close)} {t!("workers-stop")} }
                title=Signal::derive(|| t!("workers-stop-title"))
                sentence=Signal::derive(move || t!("workers-stop-sentence", count = busy.get()))
                dismiss=t!("workers-stop-keep")
                disabled_because=why_no_stop
                done=orders.stopped
                tone="danger"
                dismiss_first=true
            >
                <StopPreview at/>
                <PostForm action=orders.stop>
                    <input type="hidden" name="worker" value=for_stop/>
                    <input type="hidden" name="order" value=WorkerOrder::Stop.as_str()/>
                    <BackField/>
                    <ReasonFields id=fields sort=ReasonsFor::Changing/>
                    {move || orders.refused(&stopped)}
                    <button type="submit" class="button" data-tone="destroy" on:click=stop>
                        {t!("workers-stop")}
                    </button>
                </PostForm>
            </Confirm>
        </div>
    }
}

/// The first jobs a stop may give back.
#[component]
fn StopPreview(at: Memo<Option<WorkerAtWork>>) -> impl IntoView {
    /// As many as dialogs show before they act.
    const SHOWN: usize = 5;
    let jobs = Memo::new(move |_| {
        at.with(|at| {
            let rows = at.iter().flat_map(|at| &at.jobs).take(SHOWN);
            rows.map(|row| match &row.subject {
                Some(subject) => format!("{} · {subject}", row.kind),
                None => format!("{} · {}", row.kind, row.id),
            })
            .collect::<Vec<_>>()
        })
    });
    move || {
        let jobs = jobs.get();
        (!jobs.is_empty()).then(|| {
            let line = |text: String| view! { <li>{text}</li> };
            view! { <ul class="confirm-jobs">{jobs.into_iter().map(line).collect_view()}</ul> }
        })
    }
}
