//! `reprieve jobs`: pages of a list.

use super::exit::Failure;
use super::rows;
use super::search::FilterFlags;
use super::session::{Run, Session};
use app::format::rfc3339;
use clap::Args;
use reprieve::model::filter::{GroupPlace, Pattern, Term, Test};
use reprieve::model::{
    Cursor, Filter, FilteredQuery, JobRow, JobState, Kind, ListQuery, QueueName, StateGroup,
};

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
    #[command(flatten)]
    filter: FilterFlags,
    /// With this text in the latest error, upper or lower case
    #[arg(long, value_name = "TEXT")]
    error: Option<String>,
    /// At most this many
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: usize,
    /// Continue after this place, which the previous list ended with
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
    const LOOKS: bool = true;

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let terms = self.terms()?;
        if !terms.is_empty() {
            return self.filtered(session, terms).await;
        }
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
        rows::print(&session.out, rows, now);
        rows::say_more(&session.out, self.limit, after);
        Ok(())
    }
}

impl Jobs {
    /// What the jobs of the list must be like beside its state and queue.
    fn terms(&self) -> Result<Vec<Term>, Failure> {
        let FilterFlags { kind, tag, due_from, due_to } = &self.filter;
        let exactly = |name: &Kind| vec![Pattern::exactly(name.as_str())];
        let mut terms: Vec<Term> = Vec::new();
        terms.extend(kind.as_ref().map(|kind| Term::new(Test::Kind(exactly(kind)))));
        terms.extend(tag.as_ref().map(|tag| Term::new(Test::Tag(exactly(tag)))));
        terms.extend(self.error.clone().map(|text| Term::new(Test::Error(vec![text]))));
        for (sign, at) in [(">=", due_from), ("<=", due_to)] {
            if let Some(at) = at {
                let written = format!("due:{sign}{}", rfc3339(*at));
                let filter: Filter =
                    written.parse().map_err(|_| Failure::Usage(format!("{written} cannot be asked for")))?;
                terms.extend(filter.terms().iter().cloned());
            }
        }
        Ok(terms)
    }

    /// The same list, of which only those jobs are shown that fit.
    async fn filtered(self, session: &Session, terms: Vec<Term>) -> Result<(), Failure> {
        let (group, only) = self.state;
        let queue = self.queue.map(|queue| Term::new(Test::Queue(vec![Pattern::exactly(queue)])));
        let state = only.map(|state| Term::new(Test::State(vec![state])));
        let filter =
            terms.into_iter().chain(queue).chain(state).fold(Filter::default(), |all, term| all.and(term));
        let mut query = FilteredQuery::new(filter, [group]);
        query.after = self.after.map(|after| GroupPlace::new(group, Some(after)));
        let inspector = session.engine.inspector();
        let mut rows: Vec<JobRow> = Vec::new();
        let now = loop {
            query.size = u16::try_from(self.limit.saturating_sub(rows.len())).unwrap_or(PAGE).min(PAGE);
            let page = inspector.filtered(&query).await?;
            rows.extend(page.rows.into_iter().map(|found| found.row));
            query.after = page.next;
            if query.after.is_none() || rows.len() >= self.limit {
                break page.read_at;
            }
        };
        rows::print(&session.out, rows, now);
        rows::say_more(&session.out, self.limit, query.after.and_then(|place| place.behind));
        Ok(())
    }
}

/// Where a job stands in the one list of which some jobs may be left out: among those that wait for their time.
fn place(row: &JobRow) -> Cursor {
    Cursor { score: row.due.as_millis().unsigned_abs(), id: row.id.clone() }
}
