//! `reprieve bulk`: one verb on many jobs, looked at first.

use super::exit::Failure;
use super::named::Reason;
use super::output::counted;
use super::session::{Run, Session};
use super::when::instant;
use crate::config::read_span;
use app::format::number;
use clap::{Args, Subcommand};
use reprieve::Error;
use reprieve::model::{
    BulkFilter, BulkRun, BulkState, BulkVerb, Delay, JobState, Kind, QueueName, RunId, Shift, Subject,
    Timestamp,
};
use std::time::Duration;

/// Between two looks at a run that is followed.
const LOOK: Duration = Duration::from_millis(500);

/// One act on many jobs.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Act {
    /// Find the jobs and freeze the list; changes none of them
    Freeze(Box<Freeze>),
    /// Start a frozen run, or resume one that stopped itself
    Start {
        /// The run
        run: RunId,
        /// Jobs a second
        #[arg(long, value_name = "N")]
        rate: Option<u32>,
        #[command(flatten)]
        reason: Reason,
        /// Wait until it has ended
        #[arg(long)]
        wait: bool,
    },
    /// Abort a run where it is
    Abort {
        /// The run
        run: RunId,
        #[command(flatten)]
        reason: Reason,
    },
    /// Freeze the run that reinstates what a run cancelled
    Undo {
        /// The run
        run: RunId,
        #[command(flatten)]
        reason: Reason,
    },
    /// Show a run
    Show {
        /// The run
        run: RunId,
    },
    /// List the latest runs
    List,
}

/// What to do to which jobs.
#[derive(Debug, Clone, Args)]
pub(crate) struct Freeze {
    /// cancel, reinstate, retry_now, reschedule, hold, unhold or purge
    verb: BulkVerb,
    /// Only jobs of that queue
    #[arg(long)]
    queue: Option<QueueName>,
    /// Only jobs in that state; may be repeated. A job that starts before its turn is not cancelled, unless
    /// active is given
    #[arg(long)]
    state: Vec<JobState>,
    /// Only jobs of that kind
    #[arg(long)]
    kind: Option<Kind>,
    /// Only jobs about that subject
    #[arg(long)]
    subject: Option<Subject>,
    /// Only jobs with that tag
    #[arg(long)]
    tag: Option<String>,
    /// Only jobs whose latest error holds that text
    #[arg(long, value_name = "TEXT")]
    error: Option<String>,
    /// Only jobs due at that time or later, in RFC 3339
    #[arg(long, value_name = "TIME", value_parser = instant)]
    due_from: Option<Timestamp>,
    /// Only jobs due before that time, in RFC 3339
    #[arg(long, value_name = "TIME", value_parser = instant)]
    due_before: Option<Timestamp>,
    /// reschedule: all to that time, in RFC 3339
    #[arg(long, value_name = "TIME", value_parser = instant, conflicts_with = "shift_ms")]
    to: Option<Timestamp>,
    /// reschedule: spread evenly over that span after the new time
    #[arg(long, value_name = "SPAN", value_parser = read_span)]
    spread: Option<Delay>,
    /// reschedule: each that many ms later; negative is earlier
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    shift_ms: Option<i64>,
    /// Jobs a second
    #[arg(long, value_name = "N")]
    rate: Option<u32>,
    /// retry_now: a few at a time, and stop when most fail again
    #[arg(long)]
    drip: bool,
    #[command(flatten)]
    reason: Reason,
}

impl Run for Act {
    fn only_looks(&self) -> bool {
        matches!(self, Act::Show { .. } | Act::List)
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let operator = session.operator();
        let run = match self {
            Act::Freeze(freeze) => freeze.freeze(session).await?,
            Act::Start { run, rate, reason, wait } => {
                let started = operator.start_bulk(&run, rate, &reason.text).await?;
                if wait {
                    return waited_for(session, &follow(session, started).await?);
                }
                started
            }
            Act::Abort { run, reason } => operator.abort_bulk(&run, &reason.text).await?,
            Act::Undo { run, reason } => operator.undo_bulk(&run, None, &reason.text).await?,
            Act::Show { run } => looked_up(session, &run).await?,
            Act::List => {
                let runs = session.engine.inspector().bulk_runs(50).await?;
                let head =
                    ["RUN", "VERB", "STATE", "JOBS", "PENDING", "CHANGED", "SKIPPED", "FAILED", "BY", "WHY"];
                session.out.list(runs, |run| run, &head, row, "no bulk runs");
                return Ok(());
            }
        };
        session.out.answer(&run, sentence(&run));
        if let Some(until) = run.expires.filter(|_| run.state == BulkState::Frozen && run.total > 0) {
            let until = session.out.time(until, session.engine.now().await?);
            session.out.say(format!("start it with `reprieve bulk start {}` until {until}", run.id));
        }
        Ok(())
    }
}

impl Freeze {
    async fn freeze(self, session: &Session) -> Result<BulkRun, Failure> {
        let operator = session.operator();
        let mut filter = BulkFilter::default();
        (filter.queue, filter.states, filter.kind) = (self.queue, self.state, self.kind);
        (filter.subject, filter.tag, filter.error) = (self.subject, self.tag, self.error);
        (filter.due_from, filter.due_before) = (self.due_from, self.due_before);
        let bulk = if self.drip && self.verb == BulkVerb::RetryNow {
            operator.drip_dead()
        } else if self.drip {
            return Err(Failure::Usage("--drip is for retry_now".to_owned()));
        } else {
            operator.bulk(self.verb)
        };
        let spares = self.verb == BulkVerb::Cancel && !filter.states.contains(&JobState::Active);
        let mut bulk = bulk.filter(filter).because(self.reason.text);
        if spares {
            bulk = bulk.spare_started();
        }
        if let Some(rate) = self.rate {
            bulk = bulk.rate(rate);
        }
        if let Some(shift) = self.to.map(Shift::To).or(self.shift_ms.map(Shift::By)) {
            bulk = bulk.shift(shift);
        }
        if let Some(span) = self.spread {
            bulk = bulk.spread(span);
        }
        Ok(bulk.freeze().await?)
    }
}

/// Tells how a run ended. Only one that changed or skipped all of its jobs is as it was asked for.
fn waited_for(session: &Session, run: &BulkRun) -> Result<(), Failure> {
    let sentence = sentence(run);
    session.out.answer(run, &sentence);
    if run.state == BulkState::Done && run.failed == 0 { Ok(()) } else { Err(Failure::Refused(sentence)) }
}

/// Shows how a run goes until it is over.
async fn follow(session: &Session, mut run: BulkRun) -> Result<BulkRun, Failure> {
    let bar = session.out.progress(run.total, "jobs");
    while !run.state.is_over() {
        bar.set_position(run.total - run.pending);
        tokio::time::sleep(LOOK).await;
        run = looked_up(session, &run.id).await?;
    }
    bar.finish_and_clear();
    Ok(run)
}

async fn looked_up(session: &Session, run: &RunId) -> Result<BulkRun, Failure> {
    let found = session.engine.inspector().bulk_run(run).await?;
    found.ok_or_else(|| Error::NoBulkRun { id: run.clone() }.into())
}

fn row(run: &BulkRun) -> Vec<String> {
    vec![
        run.id.to_string(),
        run.verb.to_string(),
        run.state.to_string(),
        number(run.total),
        number(run.pending),
        number(run.changed),
        number(run.skipped),
        number(run.failed),
        run.by.clone(),
        run.why.clone(),
    ]
}

fn sentence(run: &BulkRun) -> String {
    let words: Vec<_> = run.words.iter().map(|(word, count)| format!("{count} {word}")).collect();
    let split: Vec<_> = run.split.iter().map(|(part, count)| format!("{part} {count}")).collect();
    let detail = if words.is_empty() { split } else { words }.join(", ");
    let detail = if detail.is_empty() { detail } else { format!(" [{detail}]") };
    let why = if run.ended_why.is_empty() { String::new() } else { format!("; {}", run.ended_why) };
    format!(
        "bulk run {} ({} {}) is {}: {} pending, {} changed, {} skipped, {} failed{detail}{why}",
        run.id,
        run.verb,
        counted(run.total, "job", "jobs"),
        run.state,
        run.pending,
        run.changed,
        run.skipped,
        run.failed
    )
}
