//! How jobs are run, and where they are handed on to.

use reprieve::model::{Colour, RunMode, SinkKind};

use super::words::word;
use crate::t;

/// A place outside, such as `stream orders, group mailers`.
pub fn place(kind: SinkKind, place: &str, group: Option<&str>) -> String {
    match (kind, group) {
        (SinkKind::Stream, Some(group)) => t!("job-place-stream", place = place, group = group),
        (SinkKind::Asynq, _) => t!("job-place-asynq", place = place),
        _ => format!("{kind} {place}"),
    }
}

/// How the jobs of a queue are run.
pub fn run_mode(mode: &RunMode) -> String {
    match mode {
        RunMode::Posted(origin) => t!("queue-mode-posted", origin = origin.as_str()),
        RunMode::Published(on, _) => {
            t!("queue-mode-handed", place = place(on.kind, &on.place, on.group.as_deref()))
        }
        RunMode::Claimed => t!("queue-mode-claimed"),
        _ => t!("queue-mode-handlers"),
    }
}

/// What a colour is called.
pub fn colour(colour: Colour) -> String {
    word("settings-colour", colour.as_str())
}
