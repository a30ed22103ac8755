//! The rights a Redis user needs besides those to its namespace: to the places of sinks and the sources of importers.

use crate::config::{Config, ImportConfig};
use reprieve_import::Layout;
use reprieve_sinks::{Destination, PlaceName, SinkConfig};
use std::collections::BTreeSet;

/// Of asynq's keys many have the name of a queue in them and some do not.
const ASYNQ_KEYS: &str = "~asynq:*";

/// In the words of `ACL SETUSER`, each once.
pub(super) fn rights(config: &Config) -> BTreeSet<String> {
    let mut rights = BTreeSet::new();
    for sink in &config.sinks {
        of_sink(sink, &mut rights);
    }
    // What lies on another Redis is reached as another user.
    for import in config.imports.iter().filter(|import| import.source.url.is_none()) {
        rights.insert(format!("~reprieve-import:{}:*", config.namespace));
        of_import(import, &mut rights);
    }
    rights
}

fn of_sink(sink: &SinkConfig, rights: &mut BTreeSet<String>) {
    match &sink.destination {
        Destination::Stream { stream: name, .. } | Destination::List { list: name } => {
            rights.insert(place(name));
        }
        // It asks asynq's servers to stop a task.
        Destination::Asynq { .. } => {
            rights.extend([ASYNQ_KEYS, "&asynq:cancel", "+publish"].map(str::to_owned));
        }
        _ => {}
    }
    rights.extend(sink.reply.as_ref().map(place));
}

fn of_import(import: &ImportConfig, rights: &mut BTreeSet<String>) {
    let keys = match &import.source.layout {
        Layout::Zset(zset) => vec![format!("~{}", literal(&zset.key))],
        Layout::Delayq(delayq) => vec![format!("~delayq:*:{}", literal(&delayq.topic))],
        Layout::Asynq(_) => vec![ASYNQ_KEYS.to_owned()],
        Layout::Bullmq(bullmq) => {
            let of_queue = |queue: &String| format!("~{}:{}:*", literal(&bullmq.prefix), literal(queue));
            bullmq.queues.iter().map(of_queue).collect()
        }
        Layout::Sidekiq(sidekiq) => {
            let prefix = literal(sidekiq.prefix.as_deref().unwrap_or_default());
            ["schedule", "retry", "dead", "queues", "queue:*"].map(|key| format!("~{prefix}{key}")).into()
        }
        Layout::Rq(_) => vec!["~rq:*".to_owned()],
        Layout::Arq(arq) => {
            let named = arq.queues.iter().map(|queue| format!("~{}", literal(queue)));
            named.chain(["~arq:*".to_owned()]).collect()
        }
        // It tells the workers of Bee-Queue when the next job is due.
        Layout::BeeQueue(bee) => {
            let prefix = literal(bee.prefix.as_deref().unwrap_or("bq"));
            let of_queue = |queue: &String| {
                let queue = literal(queue);
                [format!("~{prefix}:{queue}:*"), format!("&{prefix}:{queue}:earlierDelayed")]
            };
            bee.queues.iter().flat_map(of_queue).chain(["+publish".to_owned()]).collect()
        }
        Layout::Celery(celery) => {
            let prefix = literal(celery.prefix.as_deref().unwrap_or_default());
            let queues =
                if celery.queues.is_empty() { vec!["celery".to_owned()] } else { celery.queues.clone() };
            let lists = queues.iter().map(|queue| format!("~{prefix}{}*", literal(queue)));
            lists.chain([format!("~{prefix}unacked*")]).collect()
        }
        _ => return,
    };
    rights.extend(keys.into_iter().map(quoted));
}

/// The key of a place in whichever shard.
fn place(name: &PlaceName) -> String {
    let parts: Vec<String> = name.as_str().split("{}").map(literal).collect();
    quoted(format!("~{}", parts.join("{*}")))
}

/// A text that a pattern takes for nothing but itself.
fn literal(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if "*?[]\\".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// One word of a line that `redis-cli` reads.
fn quoted(right: String) -> String {
    if !right.contains([' ', '"', '\'']) {
        return right;
    }
    format!("\"{}\"", right.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::Delay;
    use reprieve_import::{BullmqSource, ImportName, Source};

    #[test]
    fn an_importer_of_bullmq_reaches_the_keys_of_its_queues_alone() {
        let mut source = BullmqSource::new(vec!["mail".to_owned(), "a*".to_owned()]);
        source.prefix = "{bull}".to_owned();
        let import = ImportConfig {
            name: ImportName::new("legacy").unwrap(),
            source: Source::here(Layout::Bullmq(source)),
            keep: Delay::days(1),
        };
        let mut rights = BTreeSet::new();
        of_import(&import, &mut rights);
        assert_eq!(Vec::from_iter(rights), ["~{bull}:a\\*:*", "~{bull}:mail:*"]);
    }

    #[test]
    fn a_place_is_itself_in_every_shard_and_one_word() {
        let right = |name: &str| place(&PlaceName::new(name).unwrap());
        assert_eq!(right("orders"), "~orders");
        assert_eq!(right("orders:{}"), "~orders:{*}");
        assert_eq!(right("a*b"), "~a\\*b");
        assert_eq!(right("a b"), "\"~a b\"");
    }
}
