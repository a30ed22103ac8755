//! Silence about one failure: for how long, who wanted it, and the end of it.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Mute, Permission, QueueName};

use super::mask::Mask;
use crate::api::failures::{MuteFailure, UnmuteFailure};
use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields, Submit, labelled};
use crate::components::icons::{Icon, icon};
use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::i18n::ReasonsFor;
use crate::session::Session;
use crate::{format, t};

/// For how long a failure may be muted, in hours.
const SPANS: [u16; 4] = [1, 24, 168, 720];
/// What is chosen at first: until tomorrow.
const SPAN_FIRST: u16 = 24;
/// An hour, in ms.
const HOUR_MS: i64 = 3_600_000;

/// The button that mutes a failure, with the span to choose.
#[component]
pub(super) fn MuteButton(
    /// The name of its group on the page.
    id: String,
    /// The id of the heading that names it.
    about: String,
    mask: String,
    /// In this queue, or in all.
    queue: Option<QueueName>,
) -> impl IntoView {
    let id = format!("{id}-mute");
    let (span, reasons) = (format!("{id}-span"), format!("{id}-why"));
    let spans = SPANS.map(|hours| {
        let told = format::span(i64::from(hours) * HOUR_MS);
        view! { <option value=hours.to_string() selected=hours == SPAN_FIRST>{told}</option> }
    });
    view! {
        <Confirm
            id
            about
            trigger=|| view! { {icon(Icon::Pause)} <span>{t!("dead-mute")}</span> }
            title=t!("dead-mute-title")
            sentence=t!("dead-mute-what")
            dismiss=t!("dead-mute-keep")
            disabled_because=needs().unwrap_or_default()
        >
            <Mask mask=mask.clone()/>
            <form method="post" action=MuteFailure::PATH>
                <Which mask queue/>
                {labelled(span.clone(), t!("dead-mute-span"), None, view! { <select id=span name="hours">{spans}</select> })}
                <ReasonFields id=reasons sort=ReasonsFor::Changing/>
                <button type="submit" class="button" data-tone="primary">{t!("dead-mute-title")}</button>
            </form>
        </Confirm>
    }
}

/// Who muted a failure until when, and the button that ends it.
#[component]
pub(super) fn Muted(mute: Mute) -> impl IntoView {
    let needs = needs();
    let said = t!("dead-muted-by", name = mute.by.clone(), at = HERE);
    view! {
        <p class="failure-muted">{icon(Icon::Pause)} " " <TimedSentence text=said at=mute.until style=TimeStyle::Absolute/></p>
        <form method="post" action=UnmuteFailure::PATH>
            <Which mask=mute.mask queue=mute.queue/>
            <Submit off=needs>{t!("dead-unmute")}</Submit>
        </form>
    }
}

/// The hidden fields that say which failure.
#[component]
fn Which(mask: String, queue: Option<QueueName>) -> impl IntoView {
    view! {
        <input type="hidden" name="mask" value=mask/>
        <input type="hidden" name="queue" value=queue.map(|queue| queue.to_string()).unwrap_or_default()/>
        <BackField/>
    }
}

/// What is missing to mute and unmute; `None` for a person who may.
fn needs() -> Option<String> {
    Session::get().lacks(&[Permission::PauseQueues])
}
