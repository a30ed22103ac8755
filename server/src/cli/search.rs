//! `reprieve search`: jobs that fit, looked up or looked through.

use super::exit::Failure;
use super::rows;
use super::session::{Run, Session};
use clap::Args;
use indicatif::ProgressBar;
use reprieve::model::filter::{GroupPlace, Pattern, Test};
use reprieve::model::{Filter, FilteredQuery, JobRow, JobState, Kind, QueueName, StateGroup, Timestamp};

/// Finds jobs. Everything given must hold.
#[derive(Debug, Clone, Args)]
pub(crate) struct Find {
    /// With this text in the latest error, upper or lower case; for jobs of a subject use `reprieve subject`
    #[arg(value_name = "TEXT")]
    error: Option<String>,
    /// In that queue
    #[arg(long, value_name = "NAME")]
    queue: Option<QueueName>,
    /// In that state; may be repeated
    #[arg(long, value_name = "STATE")]
    state: Vec<JobState>,
    #[command(flatten)]
    filter: FilterFlags,
    /// At most this many
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: usize,
    /// Continue after this place, which the previous search ended with
    #[arg(long, value_name = "PLACE")]
    after: Option<GroupPlace>,
}

/// What jobs must be like, beside their queue and state.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct FilterFlags {
    /// Of that kind
    #[arg(long, value_name = "KIND")]
    pub(super) kind: Option<Kind>,
    /// With that tag
    #[arg(long, value_name = "TAG")]
    pub(super) tag: Option<Kind>,
    /// Due at that time or later, in RFC 3339
    #[arg(long, value_name = "TIME", value_parser = super::when::instant)]
    pub(super) due_from: Option<Timestamp>,
    /// Due at that time or earlier
    #[arg(long, value_name = "TIME", value_parser = super::when::instant)]
    pub(super) due_to: Option<Timestamp>,
}

/// Rows of one step.
const PAGE: u16 = 200;

impl Run for Find {
    const LOOKS: bool = true;

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let FilterFlags { kind, tag, due_from, due_to } = self.filter;
        let counts = session.engine.inspector().counts(self.queue.as_ref()).await?;
        let tests = [
            self.queue.map(|queue| Test::Queue(Pattern::only(queue.as_str()))),
            Some(self.state).filter(|states| !states.is_empty()).map(Test::State),
            kind.map(|kind| Test::Kind(Pattern::only(kind.as_str()))),
            tag.map(|tag| Test::Tag(Pattern::only(tag.as_str()))),
            self.error.map(|text| Test::Error(vec![text])),
            Test::due(due_from, due_to),
        ];
        let filter: Filter = tests.into_iter().flatten().collect();
        let all = filter.states().into_iter().map(|state| counts.of(state)).sum();
        let bar = session.out.progress(all, "search");
        let mut query = FilteredQuery::new(filter, StateGroup::ALL);
        query.after = self.after;
        let (rows, now, after) = through(session, query, self.limit, &bar).await?;
        bar.finish_and_clear();
        rows::print(&session.out, rows, now);
        rows::say_more(&session.out, self.limit, after);
        Ok(())
    }
}

/// Goes on until enough is found or everything was looked at. Where it goes on then comes with it.
async fn through(
    session: &Session,
    mut query: FilteredQuery,
    limit: usize,
    bar: &ProgressBar,
) -> Result<(Vec<JobRow>, Timestamp, Option<GroupPlace>), Failure> {
    let inspector = session.engine.inspector();
    let mut rows = Vec::new();
    loop {
        // No further than the last row that is shown.
        query.size = u16::try_from(limit.saturating_sub(rows.len())).unwrap_or(PAGE).min(PAGE);
        let found = inspector.filtered(&query).await?;
        bar.inc(found.looked_at);
        rows.extend(found.rows.into_iter().map(|found| found.row));
        query.after = found.next;
        if query.after.is_none() || rows.len() >= limit {
            rows.truncate(limit);
            let after = query.after.clone();
            let more = any_more(session, query, bar).await?;
            return Ok((rows, found.read_at, after.filter(|_| more)));
        }
    }
}

/// Whether a job fits behind that place: there are further lists, and all of them may have none.
async fn any_more(session: &Session, mut query: FilteredQuery, bar: &ProgressBar) -> Result<bool, Failure> {
    query.size = 1;
    while query.after.is_some() {
        let found = session.engine.inspector().filtered(&query).await?;
        bar.inc(found.looked_at);
        if !found.rows.is_empty() {
            return Ok(true);
        }
        query.after = found.next;
    }
    Ok(false)
}
