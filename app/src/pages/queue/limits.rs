//! How much of the queue may run at once, and how fast.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Permission, QueueLimits, QueueSummary};

use crate::api::queue::{LimitFields, LimitQueue};
use crate::components::fields::{BackField, ReasonFields, Submit, labelled};
use crate::components::there_now::ThereNow;
use crate::i18n::{self, ReasonsFor};
use crate::session::Session;
use crate::t;

/// The limits that hold and the form that changes them, with what that does to what runs now.
#[component]
pub(super) fn Limits(queue: QueueSummary) -> impl IntoView {
    let now = queue.limits.as_ref().map(|set| set.limits).unwrap_or_default();
    let set = queue.limits.map(|set| match set.why.is_empty() {
        true => t!("queue-limits-by", who = set.by),
        false => t!("queue-limits-by-why", who = set.by, why = i18n::why(&set.why)),
    });
    // What runs beyond a limit of its own is not stopped.
    let effect = (queue.counts.active > 0).then(|| t!("queue-limits-effect", active = queue.counts.active));
    let needs = Session::get().lacks(&[Permission::LimitQueues]);
    let LimitFields { concurrency, rate, seconds, concurrency_per_key, ordered } = LimitFields::of(now);
    let seen = serde_json::to_string(&now).unwrap_or_default();
    view! {
        <section class="panel queue-limits" aria-labelledby="queue-limits">
            <div class="panel-head"><h2 id="queue-limits">{t!("queue-limits")}</h2></div>
            <div class="panel-body">
                <p>{in_words(now)} " " <small>{set}</small></p>
                <form method="post" action=LimitQueue::PATH>
                    <input type="hidden" name="queue" value=queue.name.to_string()/>
                    <input type="hidden" name="seen" value=seen/>
                    <ThereNow words=in_words(now)/>
                    <BackField/>
                    {labelled("limit-concurrency", t!("queue-limit-concurrency"), None, view! {
                        <input id="limit-concurrency" name="limits[concurrency]" type="number" min="0" value=concurrency/>
                    })}
                    <div class="field-row">
                        {labelled("limit-rate", t!("queue-limit-rate"), None, view! {
                            <input id="limit-rate" name="limits[rate]" type="number" min="0" value=rate/>
                        })}
                        {labelled("limit-seconds", t!("queue-limit-seconds"), None, view! {
                            <input id="limit-seconds" name="limits[seconds]" type="number" min="0.001" max="86400" step="0.001" value=seconds/>
                        })}
                    </div>
                    {labelled("limit-per-key", t!("queue-limit-per-key"), None, view! {
                        <input id="limit-per-key" name="limits[concurrency_per_key]" type="number" min="0" value=concurrency_per_key/>
                    })}
                    <label class="choice-tick">
                        <input type="checkbox" name="limits[ordered]" value="true" checked=ordered/> " " {t!("queue-limit-ordered")}
                    </label>
                    <p class="resulting">{effect}</p>
                    <ReasonFields id="limit-why" sort=ReasonsFor::Changing/>
                    <Submit tone="primary" off=needs>{t!("queue-limit-save")}</Submit>
                </form>
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
