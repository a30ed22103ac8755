//! Silence about one failure: for how long, who wanted it, and the end of it.

use leptos::prelude::*;
use reprieve::model::{Mute, Permission, QueueName};

use super::{Acts, group};
use crate::api::{MuteFailure, UnmuteFailure};
use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::i18n::ReasonsFor;
use crate::i18n::{self, Said};
use crate::live::effect::effect;
use crate::notice::Notices;
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
    /// The place of its group in the list, for names on the page.
    place: usize,
    /// Which failure.
    mask: String,
    /// In this queue, or in all.
    queue: Option<QueueName>,
) -> impl IntoView {
    let action = FormAction::<MuteFailure>::new();
    let (notices, acted) = (Notices::get(), Acts::succeeded());
    let done = RwSignal::new(0);
    effect(move || {
        // Why it was refused is said in the form, which stays.
        let Some(Ok(_)) = action.value().get() else { return };
        notices.say(Said::good(t!("dead-said-muted")));
        done.update(|done| *done += 1);
        acted();
    });
    let refused = move || action.value().get()?.err().map(|error| refusal::refused(&error));
    let id = format!("failure-{place}-mute");
    let (span, reasons) = (format!("{id}-span"), format!("{id}-why"));
    let spans = SPANS.map(|hours| {
        let told = format::span(i64::from(hours) * HOUR_MS);
        view! { <option value=hours.to_string() selected=hours == SPAN_FIRST>{told}</option> }
    });
    view! {
        <Confirm
            id
            about=format!("failure-{place}")
            trigger=|| view! { {icon(Icon::Pause)} <span>{t!("dead-mute")}</span> }
            title=t!("dead-mute-title")
            sentence=t!("dead-mute-what")
            dismiss=t!("dead-mute-keep")
            disabled_because=needs().unwrap_or_default()
            done
        >
            <group::Which mask=mask.clone()/>
            <PostForm action>
                <Which mask queue/>
                <div class="field">
                    <label for=span.clone()>{t!("dead-mute-span")}</label>
                    <select id=span name="hours">{spans}</select>
                </div>
                <ReasonFields id=reasons sort=ReasonsFor::Changing/>
                {refused}
                <button type="submit" class="button" data-tone="primary">{t!("dead-mute-title")}</button>
            </PostForm>
        </Confirm>
    }
}

/// Who muted a failure until when, and the button that ends it.
#[component]
pub(super) fn Muted(
    /// What mutes it.
    mute: Mute,
) -> impl IntoView {
    let action = FormAction::<UnmuteFailure>::new();
    let (notices, acted) = (Notices::get(), Acts::succeeded());
    effect(move || {
        let Some(answer) = action.value().get() else { return };
        notices.answer(&answer, |_| Said::good(t!("dead-said-unmuted")));
        acted();
    });
    let needs = needs();
    let said = t!("dead-muted-by", name = mute.by.clone(), at = HERE);
    view! {
        <p class="failure-muted">{icon(Icon::Pause)} " " <TimedSentence text=said at=mute.until style=TimeStyle::Absolute/></p>
        <PostForm action>
            <Which mask=mute.mask queue=mute.queue/>
            <button type="submit" class="button" aria-disabled=needs.is_some().then_some("true") title=needs>{t!("dead-unmute")}</button>
        </PostForm>
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

/// What is missing to mute and unmute; `None` for whoever may.
fn needs() -> Option<String> {
    (!Session::get().may(Permission::PauseQueues)).then(|| i18n::needs(Permission::PauseQueues))
}
