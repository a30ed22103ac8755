//! `reprieve subject`: everything about one subject, shown or cancelled.

use super::exit::Failure;
use super::named::Named;
use super::output::counted;
use super::rows;
use super::session::{Run, Session};
use clap::{Args, Subcommand};
use reprieve::model::{Cancelled, Subject, SubjectCancelled};

/// One subject.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = false)]
pub(crate) struct About {
    /// The subject, such as resource:4711
    #[arg(value_name = "SUBJECT")]
    subject: Subject,
    #[command(subcommand)]
    act: Option<Act>,
}

/// What to do to it.
#[derive(Debug, Clone, Subcommand)]
enum Act {
    /// Cancel every live job of the subject in one step
    Cancel(Named),
}

impl Run for About {
    fn only_looks(&self) -> bool {
        self.act.is_none()
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        match &self.act {
            None => self.show(session).await,
            Some(Act::Cancel(named)) => self.cancel(session, named).await,
        }
    }
}

impl About {
    async fn show(&self, session: &Session) -> Result<(), Failure> {
        let found = session.engine.inspector().subject(&self.subject).await?;
        rows::print(&session.out, found.jobs, found.read_at);
        Ok(())
    }

    async fn cancel(&self, session: &Session, named: &Named) -> Result<(), Failure> {
        let act = session.operator().cancel_subject(&self.subject).because(&named.reason.text);
        let outcome = act.operation(&named.key.operation).await;
        let outcome = outcome.map_err(|error| named.key.failure(error))?;
        let sentence = match &outcome {
            SubjectCancelled::TooMany { live } => {
                return Err(Failure::Refused(format!(
                    "{} live, one step may touch 1,000; nothing was changed",
                    counted(*live, "job is", "jobs are")
                )));
            }
            SubjectCancelled::Cancelled { jobs } => {
                let asked =
                    jobs.iter().filter(|job| matches!(job.cancelled, Cancelled::Requested(_))).count();
                format!("{} cancelled, {asked} running and asked to stop", jobs.len() - asked)
            }
            _ => "done".to_owned(),
        };
        session.out.answer(&outcome, sentence);
        Ok(())
    }
}
