//! `reprieve subject`: everything about one subject, shown or cancelled.

use super::exit::{Failure, fresh_operation, under};
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
    Cancel {
        /// Why; stands in each job's history
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
        /// A key of your own for this act: running it again with the same key returns the first answer
        #[arg(long = "idempotency-key", value_name = "NAME", default_value_t = fresh_operation(), hide_default_value = true)]
        operation: String,
    },
}

impl Run for About {
    fn only_looks(&self) -> bool {
        self.act.is_none()
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        match &self.act {
            None => self.show(session).await,
            Some(Act::Cancel { reason, operation }) => self.cancel(session, reason, operation).await,
        }
    }
}

impl About {
    async fn show(&self, session: &Session) -> Result<(), Failure> {
        let found = session.engine.inspector().subject(&self.subject).await?;
        rows::print(&session.out, found.jobs, found.read_at);
        Ok(())
    }

    async fn cancel(&self, session: &Session, reason: &str, operation: &str) -> Result<(), Failure> {
        let act = session.operator().cancel_subject(&self.subject).because(reason).operation(operation);
        let outcome = act.await.map_err(|error| under(operation, error))?;
        let sentence = match &outcome {
            SubjectCancelled::TooMany { live } => {
                return Err(Failure::Refused(format!(
                    "{live} jobs are live, one step may touch 1,000; nothing was changed"
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
