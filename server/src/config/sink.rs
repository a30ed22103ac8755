//! Which queues are handed to consumers outside.

use super::document::Section;
use super::import::ImportConfig;
use super::mistake::Given;
use super::webhook::WebhookConfig;
use reprieve::model::{Delay, Namespace, QueueName, SinkKind};
use reprieve_import::Layout;
use reprieve_sinks::{Destination, PlaceName, SinkConfig};
use std::collections::HashMap;

/// Reads one `[[sink]]`.
fn from_section(section: &Section<'_>) -> Option<Given<SinkConfig>> {
    let before = section.notes.count();
    let kind = section.read_required("type", str::parse::<SinkKind>);
    let name = section.read_required("name", str::parse::<QueueName>);
    let queues = section.read_texts("queues", str::parse::<QueueName>);
    let timeout = section.number("timeout_ms");
    let outstanding = section.number("outstanding");
    let reply = section.read("reply", str::parse::<PlaceName>);
    let destination = match kind {
        Some(kind) => destination(kind, section),
        None => {
            // An unknown type must not make mistakes of all that belongs to it.
            section.know(&["stream", "group", "list", "asynq_queue", "max_retry"]);
            None
        }
    };
    if section.notes.count() > before {
        return None;
    }

    let mut config = SinkConfig::new(name?, queues, destination?);
    config.reply = reply;
    if let Some(timeout) = timeout {
        config.timeout = Delay::millis(i64::try_from(timeout.value).unwrap_or(i64::MAX));
    }
    if let Some(outstanding) = outstanding {
        config.outstanding = u32::try_from(outstanding.value).unwrap_or(u32::MAX);
    }
    config.check().map_err(|why| section.note(why.to_string())).ok()?;
    Some(Given { value: config, origin: section.origin() })
}

fn destination(kind: SinkKind, section: &Section<'_>) -> Option<Destination> {
    let place = |key| section.read_required(key, str::parse::<PlaceName>);
    match kind {
        SinkKind::List => Some(Destination::List { list: place("list")? }),
        SinkKind::Asynq => {
            let queue = section.required("asynq_queue");
            let max_retry = section.number_in("max_retry", 0..=u16::MAX).unwrap_or_default();
            Some(Destination::Asynq { queue: queue?.value, max_retry })
        }
        _ => {
            let (stream, group) = (place("stream"), section.required("group"));
            Some(Destination::Stream { stream: stream?, group: group?.value })
        }
    }
}

/// Reads every `[[sink]]`, and notes what two sinks, or a sink and a webhook or an importer, would take from each other. Names of keys are held against
/// each other as they are in this namespace, of one shard where nothing is said.
pub(super) fn read(
    root: &Section<'_>,
    (namespace, shards): (&Namespace, Option<u16>),
    webhooks: &[WebhookConfig],
    imports: &[ImportConfig],
) -> Vec<SinkConfig> {
    let notes = root.notes;
    let sinks = root.tables_by_name("sink", from_section, |sink| sink.value.name.as_str());
    let mut queues = HashMap::new();
    for sink in &sinks {
        let (name, origin) = (&sink.value.name, &sink.origin);
        if let Destination::Asynq { queue, .. } = &sink.value.destination
            && let Some(import) = imports.iter().find(|import| takes_from(import, queue))
        {
            notes.add(
                origin,
                format!(
                    "sink {name} publishes to asynq's queue {queue}, from which importer {} takes",
                    import.name
                ),
            );
        }
        if let Some(reply) = &sink.value.reply
            && let Some(other) =
                sinks.iter().find(|other| other.value.is_place(reply, namespace, shards.unwrap_or(1)))
        {
            let other = &other.value.name;
            notes.add(
                origin,
                format!("sink {name} reads reports from {reply}, to which sink {other} publishes"),
            );
        }
        for queue in &sink.value.queues {
            if let Some(other) = queues.insert(queue, name) {
                notes.add(origin, format!("sink {name} takes from queue {queue}, as sink {other} does"));
            }
            let rival = webhooks.iter().find(|hook| hook.queue.as_ref().is_none_or(|of| of == queue));
            if let Some(hook) = rival {
                let hint = if hook.queue.is_some() { "another queue" } else { "a queue of its own" };
                notes.add(
                    origin,
                    format!(
                        "sink {name} takes from queue {queue}, as the webhook for kind {} does; \
                         give one of them {hint}",
                        hook.kind
                    ),
                );
            }
        }
    }
    sinks.into_iter().map(|sink| sink.value).collect()
}

/// Whether an importer names that queue of asynq, on our Redis.
fn takes_from(import: &ImportConfig, queue: &str) -> bool {
    match &import.source.layout {
        Layout::Asynq(asynq) => import.source.url.is_none() && asynq.queues.iter().any(|name| name == queue),
        _ => false,
    }
}
