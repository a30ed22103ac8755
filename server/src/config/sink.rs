//! Which queues are handed to consumers outside.

use super::document::Section;
use super::import::ImportConfig;
use super::mistake::{Given, Mistakes};
use super::webhook::WebhookConfig;
use reprieve::model::{Delay, Namespace, QueueName, Way};
use reprieve_import::Layout;
use reprieve_sinks::{Destination, PlaceName, SinkConfig};
use std::collections::{HashMap, HashSet};

/// Keys that belong to one way only.
const STREAM_KEYS: [&str; 2] = ["stream", "group"];
const LIST_KEYS: [&str; 1] = ["list"];
const ASYNQ_KEYS: [&str; 2] = ["asynq_queue", "max_retry"];
/// Keys of every sink.
const KEYS: [&str; 6] = ["name", "type", "queues", "timeout_ms", "outstanding", "reply"];

/// Reads one `[[sink]]`.
pub(super) fn from_section(section: &Section<'_>, mistakes: &mut Mistakes) -> Option<Given<SinkConfig>> {
    let before = mistakes.all().len();
    let way = required(section, "type", mistakes);
    let way = mistakes.read(way.as_ref(), |text| text.parse::<Way>());
    section.refuse_unknown(&known(way), mistakes);
    let name = required(section, "name", mistakes);
    let name = mistakes.read(name.as_ref(), |text| text.parse::<QueueName>());
    let queues = section.texts("queues", mistakes);
    let queues: Vec<QueueName> =
        queues.iter().filter_map(|given| mistakes.read(Some(given), |text| text.parse())).collect();
    let destination = way.and_then(|way| destination(way, section, mistakes));
    let timeout = section.number("timeout_ms", mistakes);
    let outstanding = section.number("outstanding", mistakes);
    let reply = section.text("reply", mistakes);
    let reply = mistakes.read(reply.as_ref(), |text| text.parse::<PlaceName>());
    if mistakes.all().len() > before {
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
    match config.check() {
        Ok(()) => Some(Given { value: config, origin: section.origin() }),
        Err(why) => {
            mistakes.note(&section.origin(), why.to_string());
            None
        }
    }
}

fn known(way: Option<Way>) -> Vec<&'static str> {
    let mut known = KEYS.to_vec();
    for (of, keys) in
        [(Way::Stream, &STREAM_KEYS[..]), (Way::List, &LIST_KEYS[..]), (Way::Asynq, &ASYNQ_KEYS[..])]
    {
        // An unknown type must not make mistakes of all that belongs to it.
        if way.is_none_or(|way| way == of) {
            known.extend(keys);
        }
    }
    known
}

fn destination(way: Way, section: &Section<'_>, mistakes: &mut Mistakes) -> Option<Destination> {
    let place = |key: &str, mistakes: &mut Mistakes| {
        let given = required(section, key, mistakes);
        mistakes.read(given.as_ref(), |text| text.parse::<PlaceName>())
    };
    match way {
        Way::List => Some(Destination::List { list: place("list", mistakes)? }),
        Way::Asynq => {
            let queue = required(section, "asynq_queue", mistakes);
            let max_retry = section.number("max_retry", mistakes).map_or(0, |given| given.value);
            let Ok(max_retry) = u16::try_from(max_retry) else {
                mistakes
                    .note(&section.origin(), format!("max_retry is {max_retry}, at most 65535 are allowed"));
                return None;
            };
            Some(Destination::Asynq { queue: queue?.value, max_retry })
        }
        _ => {
            let (stream, group) = (place("stream", mistakes), required(section, "group", mistakes));
            Some(Destination::Stream { stream: stream?, group: group?.value })
        }
    }
}

fn required(section: &Section<'_>, key: &str, mistakes: &mut Mistakes) -> Option<Given<String>> {
    let before = mistakes.all().len();
    let given = section.text(key, mistakes);
    if given.is_none() && mistakes.all().len() == before {
        mistakes.note(&section.origin(), format!("this sink has no {key}"));
    }
    given
}

/// Notes what two sinks, or a sink and a webhook or an importer, would take from each other. Names of keys are held against
/// each other as they are in this namespace, of one shard where nothing is said.
pub(super) fn settle(
    sinks: Vec<Given<SinkConfig>>,
    (namespace, shards): (&Namespace, Option<u16>),
    webhooks: &[WebhookConfig],
    imports: &[ImportConfig],
    mistakes: &mut Mistakes,
) -> Vec<SinkConfig> {
    let (mut names, mut queues) = (HashSet::new(), HashMap::new());
    for sink in &sinks {
        let (name, origin) = (&sink.value.name, &sink.origin);
        if !names.insert(name) {
            mistakes.note(origin, format!("there are two sinks named {name}"));
        }
        if let Destination::Asynq { queue, .. } = &sink.value.destination
            && let Some(import) = imports.iter().find(|import| takes_from(import, queue))
        {
            mistakes.note(
                origin,
                format!(
                    "sink {name} hands out to asynq's queue {queue}, from which importer {} takes",
                    import.name
                ),
            );
        }
        if let Some(reply) = &sink.value.reply
            && let Some(other) =
                sinks.iter().find(|other| other.value.is_place(reply, namespace, shards.unwrap_or(1)))
        {
            let other = &other.value.name;
            mistakes.note(
                origin,
                format!("sink {name} reads reports from {reply}, to which sink {other} hands out"),
            );
        }
        for queue in &sink.value.queues {
            if let Some(other) = queues.insert(queue, name) {
                mistakes.note(origin, format!("sink {name} takes from queue {queue}, as sink {other} does"));
            }
            let rival = webhooks.iter().find(|hook| hook.queue.as_ref().is_none_or(|of| of == queue));
            if let Some(hook) = rival {
                let hint = if hook.queue.is_some() { "another queue" } else { "a queue of its own" };
                mistakes.note(
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
