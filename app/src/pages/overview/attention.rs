//! What a person should look at: one line each, with the one thing to do.

use leptos::prelude::*;
use reprieve::model::{Attention, JobId, Overview, QueueName, StateGroup, Timestamp};

use crate::components::icons::{Icon, icon};
use crate::components::time::Time;
use crate::{format, routes};

/// The list; one quiet line when it is empty.
#[component]
pub fn AttentionList(
    /// The overview as last read.
    overview: Signal<Option<Overview>>,
) -> impl IntoView {
    let items = Memo::new(move |_| {
        overview.with(|overview| overview.as_ref().map(|o| o.attention.clone()).unwrap_or_default())
    });
    move || {
        let items = items.get();
        if items.is_empty() {
            return view! { <p class="attention-quiet">{icon(Icon::Check)} "Nothing needs attention."</p> }
                .into_any();
        }
        view! {
            <section class="panel attention" aria-labelledby="attention-title">
                <div class="panel-head">
                    <h2 id="attention-title">"Needs attention"</h2>
                </div>
                <ul>{items.into_iter().map(|item| view! { <Line item/> }).collect_view()}</ul>
            </section>
        }
        .into_any()
    }
}

/// What is wrong, and the way to set it right.
#[component]
fn Line(item: Attention) -> impl IntoView {
    let grave = is_grave(&item);
    view! {
        <li data-grave=grave.then_some("")>
            {icon(if matches!(item, Attention::Paused { .. }) { Icon::Pause } else { Icon::Warning })}
            <span>{sentence(&item)}</span>
            {step(&item)}
        </li>
    }
}

/// Whether jobs run late or may get lost, as against merely being worth a look.
const fn is_grave(item: &Attention) -> bool {
    !matches!(item, Attention::Paused { .. } | Attention::Dying { .. } | Attention::Parked { .. })
}

fn sentence(item: &Attention) -> AnyView {
    let since = |at: &Timestamp| view! { <Time at=*at/> };
    match item {
        Attention::Overdue { queue, since: at } => view! {
            "Jobs of " <strong>{queue.to_string()}</strong> " are overdue; the first was due " {since(at)}
            ". The forwarder is behind."
        }
        .into_any(),
        Attention::ForwarderSilent { since: Some(at) } => {
            view! { "No forwarder has ticked since " {since(at)} ": nothing moves from Delay to Ready." }.into_any()
        }
        Attention::ForwarderSilent { since: None } => {
            "No forwarder has ever run here: nothing moves from Delay to Ready.".into_any()
        }
        Attention::NoWorkers { queue, ready } => view! {
            "No worker serves " <strong>{queue.to_string()}</strong> ": "
            {format::counted(*ready, "ready job waits", "ready jobs wait")} "."
        }
        .into_any(),
        Attention::Paused { queue, paused } => view! {
            <strong>{queue.to_string()}</strong> " was paused " {since(&paused.at)} " by " {paused.by.clone()}
            {if paused.why.is_empty() { ".".to_owned() } else { format!(": {}", paused.why) }}
        }
        .into_any(),
        Attention::Dying { queue, last_hour } => view! {
            {format::counted(*last_hour, "job", "jobs")} " of " <strong>{queue.to_string()}</strong>
            " died in the last hour."
        }
        .into_any(),
        Attention::SilentWorker { worker, since: at } => view! {
            "Worker " <code>{worker.clone()}</code> " was last heard " {since(at)}
            "; its jobs return when their leases end."
        }
        .into_any(),
        Attention::Parked { jobs } => view! {
            {format::counted(*jobs, "job was", "jobs were")} " parked in the last hour: no worker knows their kind."
        }
        .into_any(),
        Attention::Quarantined { ids, sample } => view! {
            {format::counted(*ids, "damaged entry was", "damaged entries were")} " set aside, among them "
            <code>{sample.to_string()}</code> "."
        }
        .into_any(),
        Attention::EvictionPolicy { policy } => view! {
            "Redis may throw jobs away when it is full: its maxmemory-policy is " <code>{policy.clone()}</code>
            ". Set it to noeviction."
        }
        .into_any(),
        Attention::Memory { bytes, bytes_max } => view! {
            "Redis uses " {format::bytes(*bytes)} " of " {format::bytes(*bytes_max)} ". Give it more before it is full."
        }
        .into_any(),
        _ => "Something this page does not know yet; a newer version of it does.".into_any(),
    }
}

/// Where to look or what to press.
fn step(item: &Attention) -> Option<AnyView> {
    let list = |group: StateGroup, queue: Option<&QueueName>, word: &'static str| {
        Some(view! { <a href=routes::jobs(group, queue)>{word}</a> }.into_any())
    };
    let job = |id: &JobId| Some(view! { <a href=routes::job(id)>"Look at it"</a> }.into_any());
    match item {
        Attention::Overdue { queue, .. } => list(StateGroup::Delay, Some(queue), "See them"),
        Attention::NoWorkers { queue, .. } => list(StateGroup::Ready, Some(queue), "See them"),
        Attention::Dying { queue, .. } => list(StateGroup::Dead, Some(queue), "See them"),
        Attention::Parked { .. } => list(StateGroup::Delay, None, "See the queue"),
        Attention::SilentWorker { .. } => list(StateGroup::Active, None, "See its jobs"),
        Attention::Quarantined { sample, .. } => job(sample),
        Attention::Paused { .. } => Some(view! { <a href="#queues">"To the queue"</a> }.into_any()),
        _ => None,
    }
}
