//! Which queues are handed to consumers outside.

use super::document::Section;
use super::inlet::InletConfig;
use super::mistake::{Given, Mistakes};
use super::webhook::WebhookConfig;
use reprieve::inlet::Layout;
use reprieve::model::{Delay, Namespace, QueueName, Way};
use reprieve::{Destination, OutletConfig, PlaceName};
use std::collections::{HashMap, HashSet};

/// Keys that belong to one way only.
const STREAM_KEYS: [&str; 2] = ["stream", "group"];
const LIST_KEYS: [&str; 1] = ["list"];
const ASYNQ_KEYS: [&str; 2] = ["asynq_queue", "max_retry"];
/// Keys of every outlet.
const KEYS: [&str; 6] = ["name", "type", "queues", "timeout_ms", "outstanding", "reply"];

/// Reads one `[[outlet]]`.
pub(super) fn from_section(section: &Section<'_>, mistakes: &mut Mistakes) -> Option<Given<OutletConfig>> {
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

    let mut config = OutletConfig::new(name?, queues, destination?);
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
        mistakes.note(&section.origin(), format!("this outlet has no {key}"));
    }
    given
}

/// Notes what two outlets, or an outlet and a webhook or an inlet, would take from each other. Names of keys are held against
/// each other as they are in this namespace, of one cell where nothing is said.
pub(super) fn settle(
    outlets: Vec<Given<OutletConfig>>,
    (namespace, cells): (&Namespace, Option<u16>),
    webhooks: &[WebhookConfig],
    inlets: &[InletConfig],
    mistakes: &mut Mistakes,
) -> Vec<OutletConfig> {
    let (mut names, mut queues) = (HashSet::new(), HashMap::new());
    for outlet in &outlets {
        let (name, origin) = (&outlet.value.name, &outlet.origin);
        if !names.insert(name) {
            mistakes.note(origin, format!("there are two outlets named {name}"));
        }
        if let Destination::Asynq { queue, .. } = &outlet.value.destination
            && let Some(inlet) = inlets.iter().find(|inlet| takes_from(inlet, queue))
        {
            mistakes.note(
                origin,
                format!(
                    "outlet {name} hands out to asynq's queue {queue}, from which inlet {} takes",
                    inlet.name
                ),
            );
        }
        if let Some(reply) = &outlet.value.reply
            && let Some(other) =
                outlets.iter().find(|other| other.value.is_place(reply, namespace, cells.unwrap_or(1)))
        {
            let other = &other.value.name;
            mistakes.note(
                origin,
                format!("outlet {name} reads reports from {reply}, to which outlet {other} hands out"),
            );
        }
        for queue in &outlet.value.queues {
            if let Some(other) = queues.insert(queue, name) {
                mistakes
                    .note(origin, format!("outlet {name} takes from queue {queue}, as outlet {other} does"));
            }
            let rival = webhooks.iter().find(|hook| hook.queue.as_ref().is_none_or(|of| of == queue));
            if let Some(hook) = rival {
                let hint = if hook.queue.is_some() { "another queue" } else { "a queue of its own" };
                mistakes.note(
                    origin,
                    format!(
                        "outlet {name} takes from queue {queue}, as the webhook for kind {} does; \
                         give one of them {hint}",
                        hook.kind
                    ),
                );
            }
        }
    }
    outlets.into_iter().map(|outlet| outlet.value).collect()
}

/// Whether an inlet names that queue of asynq, on our Redis.
fn takes_from(inlet: &InletConfig, queue: &str) -> bool {
    match &inlet.source.layout {
        Layout::Asynq(asynq) => inlet.source.url.is_none() && asynq.queues.iter().any(|name| name == queue),
        _ => false,
    }
}
