//! Taking a cancel back: at the original due time, or with a question if that has passed. What was held is held again.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::ActFields;
use super::verb::Verb;
use super::{MomentInput, Target, ZoneField};
use crate::api::acts::{ReinstateJob, RetryJob};
use crate::clock::Clock;
use crate::components::confirm::Confirm;
use crate::components::icons::{Icon, icon};
use crate::{format, t};

/// The undo of a cancelled job.
#[component]
pub(super) fn UndoAct(target: Target, id: String) -> impl IntoView {
    let now_ms = Clock::get().now_ms();
    if !target.was_held && target.due.as_millis() <= now_ms {
        view! { <Overdue target id/> }.into_any()
    } else {
        view! { <Original target/> }.into_any()
    }
}

/// One press: back to its original time.
#[component]
fn Original(target: Target) -> impl IntoView {
    let why = target.off_because(Verb::Undo);
    let off = why.is_some();
    let title = why.unwrap_or_else(|| t!("acts-undo-name", key = Verb::Undo.key()));
    view! {
        <div class="act">
            <form method="post" action=ReinstateJob::PATH>
                <ActFields id=target.id seen=target.version/>
                <button
                    type="submit" class="button" data-tone="primary" data-key=Verb::Undo.key()
                    aria-disabled=off.then_some("true") title=title
                >
                    {icon(Icon::Undo)}
                    <span>{t!("acts-undo")}</span>
                </button>
            </form>
        </div>
    }
}

/// Its time has passed: run it now, at another time, or not at all.
#[component]
fn Overdue(target: Target, id: String) -> impl IntoView {
    let why = target.off_because(Verb::Undo).unwrap_or_default();
    let sentence = t!("acts-undo-overdue", due = format::exact(target.due, Clock::get().zone()));
    let field = format!("{id}-at");
    view! {
        <span data-key=Verb::Undo.key()>
            <Confirm
                id
                trigger=move || view! { {icon(Icon::Undo)} <span>{t!("acts-undo")}</span> }
                title=t!("acts-undo-overdue-title")
                sentence
                dismiss=t!("acts-keep-off")
                disabled_because=why
                tone="primary"
            >
                <form method="post" action=RetryJob::PATH>
                    <ActFields id=target.id.clone() seen=target.version/>
                    <button type="submit" class="button" data-tone="primary">{icon(Icon::Play)} {t!("acts-run-now")}</button>
                </form>
                <form method="post" action=ReinstateJob::PATH>
                    <ActFields id=target.id seen=target.version/>
                    <ZoneField/>
                    <MomentInput id=field name="at" label=t!("acts-at-another-time") first=None/>
                    <button type="submit" class="button">{t!("acts-put-back-at")}</button>
                </form>
            </Confirm>
        </span>
    }
}
