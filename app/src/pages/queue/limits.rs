//! How much of the queue may run at once, and how fast.

use leptos::prelude::*;
use reprieve::model::{Permission, QueueLimits, QueueName, QueueSummary};

use crate::api::{LimitFields, LimitQueue};
use crate::components::fields::{BackField, ReasonFields};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::error::ApiError;
use crate::i18n::ReasonsFor;
use crate::i18n::{self, Said};
use crate::live::Live;
use crate::live::effect::effect;
use crate::notice::Notices;
use crate::session::Session;
use crate::t;

/// The limits that hold and the form that changes them, with what that does to what runs now.
#[component]
pub(super) fn Limits(
    /// Which queue.
    name: QueueName,
    /// The queue, kept true.
    summary: Memo<QueueSummary>,
) -> impl IntoView {
    let action = FormAction::<LimitQueue>::new();
    let (notices, live) = (Notices::get(), Live::get());
    effect(move || match action.value().get() {
        None => {}
        Some(Ok(saved)) => {
            notices.say(if saved.changed {
                Said::good(t!("queue-said-limited"))
            } else {
                Said::plain(t!("queue-said-limits-same"))
            });
            live.refresh();
        }
        // Whoever was told that there are others is shown them, and may save what they typed all the same.
        Some(Err(ApiError::SettingChanged)) => live.refresh(),
        // Said at its field, in the form.
        Some(Err(_)) => {}
    });
    let now = Memo::new(move |_| {
        summary.with(|queue| queue.limits.as_ref().map(|set| set.limits).unwrap_or_default())
    });
    let set = move || {
        summary.with(|queue| queue.limits.clone()).map(|set| {
            if set.why.is_empty() {
                t!("queue-limits-by", who = set.by)
            } else {
                t!("queue-limits-by-why", who = set.by, why = i18n::why(&set.why))
            }
        })
    };
    let wanted = RwSignal::new(None::<u32>);
    let active = move || summary.with(|queue| queue.counts.active);
    let effect = move || {
        let over = active().saturating_sub(wanted.get()?.into());
        (over > 0).then(|| t!("queue-limits-effect", active = active(), over = over))
    };
    let typed =
        move |event| wanted.set(event_target_value(&event).trim().parse().ok().filter(|limit| *limit > 0));
    let needs = (!Session::get().may(Permission::LimitQueues)).then(|| i18n::needs(Permission::LimitQueues));
    let off = needs.is_some();
    let refused = move || action.value().get()?.err().map(|error| refusal::refused(&error));
    // The fields are filled once; what somebody types stays when the queue is read again.
    let first = now.get_untracked();
    let LimitFields { concurrency, rate, seconds, concurrency_per_key, ordered } = LimitFields::of(first);
    let in_json = |limits: QueueLimits| serde_json::to_string(&limits).unwrap_or_default();
    let seen = Memo::new(move |before: Option<&String>| match action.value().get() {
        Some(Ok(saved)) => saved.seen,
        Some(Err(ApiError::SettingChanged)) => in_json(now.get()),
        _ => before.cloned().unwrap_or_else(|| in_json(first)),
    });
    view! {
        <section class="panel queue-limits" aria-labelledby="queue-limits">
            <div class="panel-head"><h2 id="queue-limits">{t!("queue-limits")}</h2></div>
            <div class="panel-body">
                <p>{move || in_words(now.get())} " " <small>{set}</small></p>
                <PostForm action>
                    <input type="hidden" name="queue" value=name.to_string()/>
                    <input type="hidden" name="seen" value=move || seen.get()/>
                    <BackField/>
                    <div class="field">
                        <label for="limit-concurrency">{t!("queue-limit-concurrency")}</label>
                        <input id="limit-concurrency" name="limits[concurrency]" type="number" min="0" value=concurrency on:input=typed/>
                    </div>
                    <div class="field-row">
                        <div class="field">
                            <label for="limit-rate">{t!("queue-limit-rate")}</label>
                            <input id="limit-rate" name="limits[rate]" type="number" min="0" value=rate/>
                        </div>
                        <div class="field">
                            <label for="limit-seconds">{t!("queue-limit-seconds")}</label>
                            <input id="limit-seconds" name="limits[seconds]" type="number" min="0.001" max="86400" step="0.001" value=seconds/>
                        </div>
                    </div>
                    <div class="field">
                        <label for="limit-per-key">{t!("queue-limit-per-key")}</label>
                        <input id="limit-per-key" name="limits[concurrency_per_key]" type="number" min="0" value=concurrency_per_key/>
                    </div>
                    <label class="choice-tick">
                        <input type="checkbox" name="limits[ordered]" value="true" checked=ordered/> " " {t!("queue-limit-ordered")}
                    </label>
                    <p class="resulting" role="status">{effect}</p>
                    <ReasonFields id="limit-why" sort=ReasonsFor::Changing/>
                    {refused}
                    <button type="submit" class="button" data-tone="primary" aria-disabled=off.then_some("true") title=needs>{t!("queue-limit-save")}</button>
                </PostForm>
            </div>
        </section>
    }
    .into_any()
}

/// The limits as a sentence each.
fn in_words(limits: QueueLimits) -> String {
    if limits.is_none() {
        return t!("queue-limits-none");
    }
    let mut words = Vec::new();
    if let Some(limit) = limits.concurrency {
        words.push(t!("queue-limited-concurrency", count = limit));
    }
    if let Some(rate) = limits.rate {
        words.push(t!(
            "queue-limited-rate",
            count = rate.jobs,
            span = crate::format::span(rate.per.as_millis())
        ));
    }
    if let Some(limit) = limits.concurrency_per_key {
        words.push(t!("queue-limited-per-key", count = limit));
    }
    if limits.ordered {
        words.push(t!("queue-limited-ordered"));
    }
    words.join(" ")
}
