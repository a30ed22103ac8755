//! What a person should look at: one line each, with the one thing to do.

use leptos::prelude::*;
use reprieve::model::{Attention, QueueName, StateGroup, Timestamp};

use super::halt::{ClearHaltButton, halt};
use crate::components::icons::{Icon, icon};
use crate::components::time::{HERE, TimedSentence};
use crate::light::Told;
use crate::{format, i18n, routes, t};

/// The list; one quiet line when it is empty.
#[component]
pub(crate) fn AttentionList(items: Vec<Attention>) -> impl IntoView {
    if items.is_empty() {
        let quiet = t!("overview-quiet");
        return view! { <p class="attention-quiet">{icon(Icon::Check)} {quiet.clone()}</p> <Told of=quiet.clone() text=quiet/> }
            .into_any();
    }
    let told = t!("overview-said-attention", count = items.len());
    view! {
        <section class="panel attention" aria-labelledby="attention-title">
            <Told of=told.clone() text=told/>
            <div class="panel-head">
                <h2 id="attention-title">{t!("overview-attention")}</h2>
            </div>
            <ul>{items.into_iter().map(|item| view! { <Line item/> }).collect_view()}</ul>
        </section>
    }
    .into_any()
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
    !matches!(
        item,
        Attention::Paused { .. }
            | Attention::Dying { .. }
            | Attention::Parked { .. }
            | Attention::Asked { .. }
    )
}

fn sentence(item: &Attention) -> AnyView {
    let since = |text: String, at: &Timestamp| view! { <TimedSentence text at=*at/> }.into_any();
    match item {
        Attention::Halt(standing) => halt(standing),
        Attention::Overdue { queue, since: at } => {
            since(t!("overview-overdue", queue = queue.to_string(), at = HERE), at)
        }
        Attention::ForwarderSilent { since: Some(at) } => {
            since(t!("overview-forwarder-silent", at = HERE), at)
        }
        Attention::ForwarderSilent { since: None } => t!("overview-forwarder-never").into_any(),
        Attention::NoWorkers { queue, ready } => {
            t!("overview-no-workers", queue = queue.to_string(), count = *ready).into_any()
        }
        Attention::Paused { queue, paused } => {
            let (queue, by) = (queue.to_string(), paused.by.clone());
            let text = if paused.why.is_empty() {
                t!("overview-queue-paused", queue = queue, name = by, at = HERE)
            } else {
                t!(
                    "overview-queue-paused-why",
                    queue = queue,
                    name = by,
                    at = HERE,
                    why = i18n::why(&paused.why)
                )
            };
            since(text, &paused.at)
        }
        Attention::Dying { queue, example, last_hour, or_more, .. } => {
            let (queue, count) = (queue.to_string(), *last_hour);
            let said = match (or_more, example.is_empty()) {
                (false, true) => t!("overview-dying", queue = queue, count = count),
                (false, false) => {
                    t!("overview-dying-of", queue = queue, count = count, error = example.clone())
                }
                (true, true) => t!("overview-dying-many", queue = queue, count = count),
                (true, false) => {
                    t!("overview-dying-many-of", queue = queue, count = count, error = example.clone())
                }
            };
            said.into_any()
        }
        Attention::SilentWorker { worker, since: at } => {
            since(t!("overview-silent-worker", worker = worker.clone(), at = HERE), at)
        }
        Attention::Parked { jobs } => t!("overview-parked", count = *jobs).into_any(),
        Attention::Quarantined { ids, sample } => {
            t!("overview-quarantined", count = *ids, sample = sample.to_string()).into_any()
        }
        Attention::DamagedKeys { keys, key } => {
            t!("overview-damaged-keys", count = *keys, key = key.clone()).into_any()
        }
        Attention::Asked { by, jobs, since: at, .. } => {
            since(t!("overview-asked", name = by.clone(), count = *jobs, at = HERE), at)
        }
        Attention::EvictionPolicy { policy } => t!("overview-eviction", policy = policy.clone()).into_any(),
        Attention::Memory { bytes, bytes_max } => {
            t!("overview-memory-near", used = format::bytes(*bytes), most = format::bytes(*bytes_max))
                .into_any()
        }
        _ => t!("overview-unknown").into_any(),
    }
}

/// Where to look or what to press.
fn step(item: &Attention) -> Option<AnyView> {
    let list =
        |group: StateGroup, queue: Option<&QueueName>| (routes::jobs(group, queue), t!("overview-see-them"));
    let (href, words) = match item {
        Attention::Halt(_) => return Some(view! { <ClearHaltButton/> }.into_any()),
        Attention::Overdue { queue, .. } => list(StateGroup::Delay, Some(queue)),
        Attention::NoWorkers { queue, .. } => list(StateGroup::Ready, Some(queue)),
        Attention::Dying { queue, error, .. } => {
            (routes::dead_of(Some(queue), error), t!("overview-by-error"))
        }
        Attention::Parked { .. } => list(StateGroup::Delay, None),
        Attention::SilentWorker { .. } => list(StateGroup::Active, None),
        Attention::Quarantined { sample, .. } => (routes::job(sample), t!("overview-look-at-it")),
        Attention::Asked { run, .. } => (routes::bulk_run(run), t!("overview-look-at-it")),
        Attention::Paused { queue, .. } => (routes::queue(queue), t!("overview-to-queue")),
        Attention::ForwarderSilent { .. } => (routes::WORKERS.to_owned(), t!("overview-to-forwarders")),
        Attention::EvictionPolicy { .. } | Attention::Memory { .. } => {
            (routes::REDIS.to_owned(), t!("overview-to-redis"))
        }
        _ => return None,
    };
    Some(view! { <a href=href>{words}</a> }.into_any())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_died_of_one_failure_are_told_with_an_error_that_reads_and_lead_to_all_of_it() {
        let item = Attention::Dying {
            queue: QueueName::new("mail").unwrap(),
            error: "timeout after # ms".to_owned(),
            example: "timeout after 40 ms".to_owned(),
            last_hour: 3,
            or_more: false,
        };
        let said = sentence(&item).to_html();
        assert!(said.contains("timeout after 40 ms") && !said.contains('#'), "{said}");
        assert!(!said.contains("At least"), "{said}");
        let Attention::Dying { queue, error, example, last_hour, .. } = item.clone() else { panic!("dying") };
        let more = Attention::Dying { queue, error, example, last_hour, or_more: true };
        assert!(sentence(&more).to_html().contains("At least 3 jobs"));
        let html = step(&item).map(|step| step.to_html()).unwrap_or_default();
        assert!(html.contains("%23"), "{html}");
    }
}
