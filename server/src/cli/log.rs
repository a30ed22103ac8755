//! `reprieve log`: what a job wrote while it ran; `receipts` and `erase` of a subject.

use super::exit::Failure;
use super::named::Reason;
use super::output::{counted, in_one_line};
use super::session::{Run, Session};
use clap::Args;
use reprieve::Error;
use reprieve::model::{Erased, JobId, Receipt, Subject};

/// What a job wrote.
#[derive(Debug, Clone, Args)]
pub(crate) struct Log {
    /// The job
    #[arg(value_name = "ID")]
    id: JobId,
}

/// What became of a subject's jobs that are gone.
#[derive(Debug, Clone, Args)]
pub(crate) struct Receipts {
    /// The subject
    #[arg(value_name = "SUBJECT")]
    subject: Subject,
}

/// Erases what is kept about a subject.
#[derive(Debug, Clone, Args)]
pub(crate) struct Erase {
    /// The subject
    #[arg(value_name = "SUBJECT")]
    subject: Subject,
    /// Cancel what waits first
    #[arg(long)]
    cancel_first: bool,
    #[command(flatten)]
    reason: Reason,
}

impl Run for Log {
    const LOOKS: bool = true;

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let log = session.engine.inspector().log(&self.id, 0, 1_000).await?;
        let log = log.ok_or_else(|| Failure::from(Error::NotFound { id: self.id.clone() }))?;
        let now = session.engine.now().await?;
        for line in &log.lines {
            if session.out.json {
                session.out.value(line);
            } else {
                let text = in_one_line(&line.text);
                session.out.say(format!("{} {} {text}", session.out.time(line.at, now), line.level));
            }
        }
        if log.lines.is_empty() {
            session.out.say("it wrote nothing");
        }
        Ok(())
    }
}

impl Run for Receipts {
    const LOOKS: bool = true;

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let receipts = session.engine.inspector().receipts(&self.subject).await?;
        let now = session.engine.now().await?;
        let row = |receipt: &Receipt| {
            vec![
                receipt.id.to_string(),
                receipt.kind.to_string(),
                receipt.queue.to_string(),
                session.out.state(receipt.state),
                session.out.time(receipt.at, now),
                receipt.by.clone(),
                receipt.why.clone(),
            ]
        };
        let head = ["ID", "KIND", "QUEUE", "STATE", "ENDED", "BY", "WHY"];
        session.out.list(receipts, |receipt| receipt, &head, row, "no receipts");
        Ok(())
    }
}

impl Run for Erase {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        let erased =
            session.operator().erase_subject(&self.subject, self.cancel_first, &self.reason.text).await?;
        match &erased {
            Erased::Erased { jobs, receipts, token } => {
                let sentence = format!(
                    "{} and {} erased; what is left is under {token}",
                    counted(*jobs, "job", "jobs"),
                    counted(*receipts, "receipt", "receipts")
                );
                session.out.answer(&erased, sentence);
                Ok(())
            }
            Erased::TooMany { live } => Err(Failure::Refused(format!(
                "{} live, one step may cancel 1,000; nothing was cancelled or erased",
                counted(*live, "job is", "jobs are")
            ))),
            Erased::Live { live, jobs: 0 } => Err(Failure::Refused(format!(
                "{} or run; nothing was erased: --cancel-first cancels them",
                counted(*live, "job still waits", "jobs still wait")
            ))),
            Erased::Live { live, jobs } => Err(Failure::Refused(format!(
                "{} enqueued meanwhile and not ended yet; {} erased",
                counted(*live, "job was", "jobs were"),
                counted(*jobs, "that had ended was", "that had ended were")
            ))),
            _ => Ok(()),
        }
    }
}
