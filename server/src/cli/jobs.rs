//! `reprieve jobs`: pages of a list.

use super::exit::Failure;
use super::output::Output;
use super::session::Session;
use super::verb::Run;
use crate::http_api::RowView;
use app::format::distance;
use clap::Args;
use reprieve::model::{Cursor, JobRow, JobState, ListQuery, QueueName, StateGroup, Timestamp};
use serde_json::json;

/// Jobs that one page asks Redis for.
const PAGE: u16 = 200;

/// Lists jobs: what is to come soonest first, what has ended newest first.
#[derive(Debug, Clone, Args)]
pub(crate) struct Jobs {
    /// delay (delayed and retrying), delayed, retrying, held, ready, active, done, dead or cancelled
    #[arg(default_value = "delay", value_name = "STATE", value_parser = listed)]
    state: Listed,
    /// Only this queue
    #[arg(long, value_name = "NAME")]
    queue: Option<QueueName>,
    /// At most this many
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: usize,
    /// Go on behind this place, with which the list before ended
    #[arg(long, value_name = "CURSOR")]
    after: Option<Cursor>,
}

/// A list, and the one state of it that is wanted.
type Listed = (StateGroup, Option<JobState>);

fn listed(word: &str) -> Result<Listed, String> {
    if let Ok(group) = word.parse::<StateGroup>() {
        return Ok((group, None));
    }
    let state: JobState = word.parse().map_err(|why| format!("{why}; or delay for delayed and retrying"))?;
    Ok((StateGroup::of(state), Some(state)))
}

impl Run for Jobs {
    fn only_looks(&self) -> bool {
        true
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let (group, only) = self.state;
        let inspector = session.engine.inspector();
        let (mut rows, mut after): (Vec<JobRow>, _) = (Vec::new(), self.after);
        let now = loop {
            // No further than the last row that is shown; where some are left out nobody knows how far that is.
            let wanted = u16::try_from(self.limit.saturating_sub(rows.len())).unwrap_or(PAGE).min(PAGE);
            let size = if only.is_some() { PAGE } else { wanted };
            let query = ListQuery::group(group).queue(self.queue.clone()).after(after).size(size);
            let page = inspector.list(&query).await?;
            rows.extend(page.rows.into_iter().filter(|row| only.is_none_or(|state| row.state == state)));
            after = page.next;
            if after.is_none() || rows.len() >= self.limit {
                break page.read_at;
            }
        };
        if rows.len() > self.limit {
            rows.truncate(self.limit);
            after = rows.last().map(place);
        }
        print(&session.out, rows, now);
        if let Some(after) = after {
            let more = self.limit.saturating_mul(2);
            session.out.say(format!("\nthere are more; --limit {more} shows them, --after {after} goes on"));
            session.out.note(&json!({
                "code": "more",
                "detail": format!("more follow: --after {after}"),
                "after": after.to_string(),
            }));
        }
        Ok(())
    }
}

/// Where a job stands in the one list of which some jobs may be left out: among those that wait for their time.
fn place(row: &JobRow) -> Cursor {
    Cursor { score: row.due.as_millis().unsigned_abs(), id: row.id.clone() }
}

/// Jobs as a table, or one JSON object a line.
pub(super) fn print(out: &Output, rows: Vec<JobRow>, now: Timestamp) {
    if out.json {
        return rows.into_iter().map(RowView::from).for_each(|row| out.value(&row));
    }
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
    out.table(&head, rows.iter().map(cells).collect(), "no jobs");
}
