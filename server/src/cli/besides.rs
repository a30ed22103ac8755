//! The rights a Redis user needs besides those to its namespace: to the places of outlets and the sources of inlets.

use crate::config::{Config, InletConfig};
use reprieve::inlet::Layout;
use reprieve::{Destination, OutletConfig, PlaceName};
use std::collections::BTreeSet;

/// Of asynq's keys many have the name of a queue in them and some do not.
const ASYNQ_KEYS: &str = "~asynq:*";

/// In the words of `ACL SETUSER`, each once.
pub(super) fn rights(config: &Config) -> BTreeSet<String> {
    let mut rights = BTreeSet::new();
    for outlet in &config.outlets {
        of_outlet(outlet, &mut rights);
    }
    // What lies on another Redis is reached as another user.
    for inlet in config.inlets.iter().filter(|inlet| inlet.source.url.is_none()) {
        rights.insert(format!("~reprieve-inlet:{}:*", config.namespace));
        of_inlet(inlet, &mut rights);
    }
    rights
}

fn of_outlet(outlet: &OutletConfig, rights: &mut BTreeSet<String>) {
    match &outlet.destination {
        Destination::Stream { stream: name, .. } | Destination::List { list: name } => {
            rights.insert(place(name));
        }
        // It asks asynq's servers to stop a task.
        Destination::Asynq { .. } => {
            rights.extend([ASYNQ_KEYS, "&asynq:cancel", "+publish"].map(str::to_owned));
        }
        _ => {}
    }
    rights.extend(outlet.reply.as_ref().map(place));
}

fn of_inlet(inlet: &InletConfig, rights: &mut BTreeSet<String>) {
    let right = match &inlet.source.layout {
        Layout::Zset(zset) => format!("~{}", literal(&zset.key)),
        Layout::Delayq(delayq) => format!("~delayq:*:{}", literal(&delayq.topic)),
        Layout::Asynq(_) => ASYNQ_KEYS.to_owned(),
        _ => return,
    };
    rights.insert(quoted(right));
}

/// The key of a place in whichever cell.
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

    #[test]
    fn a_place_is_itself_in_every_cell_and_one_word() {
        let right = |name: &str| place(&PlaceName::new(name).unwrap());
        assert_eq!(right("orders"), "~orders");
        assert_eq!(right("orders:{}"), "~orders:{*}");
        assert_eq!(right("a*b"), "~a\\*b");
        assert_eq!(right("a b"), "\"~a b\"");
    }
}
