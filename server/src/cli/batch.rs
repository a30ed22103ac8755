//! `reprieve batch`: jobs that are counted together, and one that runs when all of them have ended.

use super::exit::Failure;
use super::file;
use super::named::Reason;
use super::output::counted;
use super::session::{Run, Session};
use super::tally::Tally;
use crate::http_api::{BatchAnswerView, BatchView, batch_from_text, batch_jobs_from_text};
use clap::{Args, Subcommand};
use reprieve::model::{BatchAnswer, BatchId, BatchWord, JobBatch};
use reprieve::{BatchClose, BrokenOff, ENQUEUE_BATCH_MAX, Error};
use std::path::PathBuf;

/// Batches that a list shows.
const LISTED: u32 = 100;

/// How to go on where a batch was made in part: jobs without ids have those of their places in it.
const MAKE_AGAIN: &str = "the same command again goes on, and counts none twice";
/// How to go on where jobs were added in part.
const ADD_AGAIN: &str = "the same command again counts none twice that has an id of its own; of the others leave out those \
                         before that job";

/// Batches.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Act {
    /// Make a batch from a file of JSON, as the HTTP API takes it
    Make {
        /// The file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Add jobs to an open batch
    Add {
        /// Its id
        #[arg(value_name = "BATCH")]
        id: BatchId,
        /// A file with a JSON array of jobs
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Close the batch: no more jobs will be added
        #[arg(long)]
        close: bool,
    },
    /// Close a batch: it ends with the last of its jobs
    Close(Said),
    /// Close a batch and cancel its live jobs
    Cancel(Said),
    /// Show one batch and the counts of its jobs
    Show {
        /// Its id
        #[arg(value_name = "BATCH")]
        id: BatchId,
    },
    /// List the latest batches
    List,
}

/// A batch, and why somebody acts on it.
#[derive(Debug, Clone, Args)]
pub(crate) struct Said {
    /// Its id
    #[arg(value_name = "BATCH")]
    id: BatchId,
    #[command(flatten)]
    reason: Reason,
}

impl Run for Act {
    fn only_looks(&self) -> bool {
        matches!(self, Act::Show { .. } | Act::List)
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let batch = |said: &Said| session.operator().batch(&said.id).because(said.reason.text.as_str());
        match &self {
            Act::Make { file } => {
                let new = batch_from_text(&file::read(file)?).map_err(Failure::Usage)?;
                let made = session.operator().make_batch_in_part(&new).await;
                tell(session, made.map_err(|broken| end_of(broken, MAKE_AGAIN))?)
            }
            Act::Add { id, file, close } => {
                let jobs = batch_jobs_from_text(&file::read(file)?).map_err(Failure::Usage)?;
                let close = if *close { BatchClose::Now } else { BatchClose::Later };
                let added = session.operator().batch(id).add_in_part(jobs, close).await;
                tell(session, added.map_err(|broken| end_of(broken, ADD_AGAIN))?)
            }
            Act::Close(said) => tell(session, batch(said).close().await?),
            Act::Cancel(said) => tell(session, batch(said).cancel().await?),
            Act::Show { id } => {
                let found = session.engine.inspector().batch(id).await?;
                show(session, found.ok_or_else(|| Error::NoBatch { id: id.clone() })?);
                Ok(())
            }
            Act::List => {
                let batches = session.engine.inspector().batches(LISTED).await?;
                list(session, batches).await
            }
        }
    }
}

/// What a batch ends with that broke off, and how to go on.
fn end_of(broken: BrokenOff, again: &str) -> Failure {
    let BrokenOff { error, told, .. } = broken;
    if told.is_empty() {
        return error.into();
    }
    let is_unknown = matches!(error, Error::OutcomeUnknown { .. });
    // Steps are told of as a whole, but for those of a batch that is closed: what of it is gone is not told.
    let place = told.len().is_multiple_of(ENQUEUE_BATCH_MAX).then_some(told.len() + 1);
    let known =
        place.map_or_else(String::new, |at| format!("nothing from job {at} on is known to be taken in; "));
    let why = format!("{error}; {known}{again}");
    Tally::of(&told).broken(&why, place.map(|at| ("job", at)), is_unknown)
}

fn tell(session: &Session, answer: BatchAnswer) -> Result<(), Failure> {
    let BatchAnswer { outcome, batch, jobs, total, live, done, dead, cancelled, .. } = &answer;
    if *outcome == BatchWord::Refused {
        let tally = Tally::of(jobs);
        if tally.taken == 0 {
            return Err(Failure::Refused(format!("batch {batch} is closed; nothing was changed")));
        }
        let at = jobs.len() + 1;
        let why =
            format!("batch {batch} was closed meanwhile, and takes no more: none from job {at} on is in it");
        return Err(tally.broken(&why, Some(("job", at)), false));
    }
    let word = outcome.as_str();
    let sentence = format!(
        "batch {batch}: {word}; {}, {live} live, {done} done, {dead} dead, {cancelled} cancelled",
        counted(*total, "job", "jobs")
    );
    session.out.answer(&BatchAnswerView::from(answer), sentence);
    Ok(())
}

fn show(session: &Session, batch: JobBatch) {
    let open = if batch.closed.is_some() { "closed" } else { "open" };
    let completion = batch.completion_job.as_ref().map_or_else(
        || "gone".to_owned(),
        |job| format!("{}{}{}", job.state, if job.why.is_empty() { "" } else { ": " }, job.why),
    );
    session.out.say(format!(
        "{}, {open}: {}, {} live, {} done, {} dead, {} cancelled",
        batch.id,
        counted(batch.total, "job", "jobs"),
        batch.live,
        batch.done,
        batch.dead,
        batch.cancelled
    ));
    session.out.say(format!("{} is {completion}", batch.completion));
    let rows = |what: &'static str, ids: &[reprieve::model::JobId]| -> Vec<Vec<String>> {
        ids.iter().map(|id| vec![what.to_owned(), id.to_string()]).collect()
    };
    let mut named = rows("not done", &batch.unmet_jobs);
    named.extend(rows("live", &batch.live_jobs));
    session.out.table(&["WHICH", "JOB"], named, "every job of it is done");
    if session.out.json {
        session.out.value(&BatchView::from(batch));
    }
}

async fn list(session: &Session, batches: Vec<JobBatch>) -> Result<(), Failure> {
    let now = session.engine.now().await?;
    let row = |batch: &JobBatch| {
        vec![
            batch.id.to_string(),
            session.out.time(batch.created, now),
            if batch.closed.is_some() { "closed" } else { "open" }.to_owned(),
            batch.total.to_string(),
            batch.live.to_string(),
            batch.done.to_string(),
            batch.dead.to_string(),
            batch.cancelled.to_string(),
        ]
    };
    let head = ["BATCH", "MADE", "STATE", "JOBS", "LIVE", "DONE", "DEAD", "CANCELLED"];
    session.out.list(batches, BatchView::from, &head, row, "no batches");
    Ok(())
}
