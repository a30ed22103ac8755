//! `reprieve edit`: another payload for a job that does not run.

use super::act::Terms;
use super::enqueue::checked;
use super::exit::Failure;
use super::session::{Run, Session};
use clap::Args;
use reprieve::model::{JobId, Version};

/// Gives a waiting or dead job another payload.
#[derive(Debug, Clone, Args)]
pub(crate) struct Edit {
    /// The job
    #[arg(value_name = "ID")]
    id: JobId,
    /// The new payload, any JSON
    #[arg(value_name = "JSON")]
    payload: String,
    #[command(flatten)]
    terms: Terms,
}

impl Run for Edit {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        checked(&self.payload)?;
        let operator = session.operator();
        let Terms { named, seen } = self.terms;
        let act = operator.edit(&self.id, self.payload.trim()).seen_if(seen.map(Version));
        let act = act.because(named.reason.text).operation(named.key.operation.as_str());
        let outcome = act.await.map_err(|error| named.key.failure(error))?;
        let standing = outcome.standing();
        let sentence = if outcome.word() == "wrong_state" {
            format!(
                "{}  is {}; edit takes jobs that are delayed, held, retrying or dead",
                standing.id, standing.state
            )
        } else {
            format!("{}  has that payload, version {}", standing.id, standing.version)
        };
        session.out.answer(&outcome, &sentence);
        if outcome.word() == "wrong_state" { Err(Failure::Refused(sentence)) } else { Ok(()) }
    }
}
