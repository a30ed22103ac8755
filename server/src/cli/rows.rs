//! Jobs as lines of a terminal.

use super::output::Output;
use crate::http_api::RowView;
use app::format::distance;
use reprieve::model::{JobRow, Timestamp};
use serde_json::json;
use std::fmt::Display;

/// Jobs as a table, or one JSON object a line.
pub(super) fn print(out: &Output, rows: Vec<JobRow>, now: Timestamp) {
    let cells = |row: &JobRow| {
        let when = match row.ended {
            Some(ended) => format!("ended {}", distance(ended, now.as_millis())),
            None => format!("due {}", distance(row.due, now.as_millis())),
        };
        let most = row.max_attempts.map_or_else(|| "∞".to_owned(), |most| most.to_string());
        vec![
            row.id.to_string(),
            out.state(row.state),
            when,
            row.kind.to_string(),
            row.queue.to_string(),
            row.subject.as_ref().map(ToString::to_string).unwrap_or_default(),
            format!("{}/{most}", row.attempt),
            row.error_line.chars().take(60).collect(),
        ]
    };
    let head = ["ID", "STATE", "WHEN", "KIND", "QUEUE", "SUBJECT", "ATTEMPT", "ERROR"];
    out.list(rows, RowView::from, &head, cells, "no jobs");
}

/// Where a list goes on that ended before its jobs.
pub(super) fn say_more(out: &Output, limit: usize, after: Option<impl Display>) {
    let Some(after) = after else { return };
    out.say(format!("\nthere are more than {limit}; --limit takes a larger number, --after {after} goes on"));
    out.note(&json!({
        "code": "more",
        "detail": format!("more follow: --after {after}"),
        "after": after.to_string(),
    }));
}
