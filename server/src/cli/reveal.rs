//! `reprieve reveal`: a look at one hidden part of a payload.

use super::exit::Failure;
use super::session::{Run, Session};
use crate::http_api::PartView;
use clap::Args;
use reprieve::model::{JobId, PartPath, Revealed};
use serde_json::Value;

/// Shows one hidden part of a job's payload; the audit says that you looked, and why.
#[derive(Debug, Clone, Args)]
pub(crate) struct Reveal {
    /// The job
    #[arg(value_name = "ID")]
    id: JobId,
    /// Which part, as a JSON pointer: /customer/phone, or '' for the whole payload
    #[arg(value_name = "PART")]
    part: PartPath,
    /// Why; stands in the audit
    #[arg(long, value_name = "TEXT", required = true)]
    reason: String,
}

impl Run for Reveal {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        let part = self.part.to_string();
        match session.operator().reveal(&self.id, self.part).because(self.reason).await? {
            Revealed::Part { id, part, value, at } => {
                session.out.answer(&PartView::new(id, part, &value, at), plain(&value));
                Ok(())
            }
            Revealed::Within { part: around } => {
                Err(Failure::Refused(format!("{part} is hidden as a part of '{around}'; look at that")))
            }
            Revealed::NoSuchPart => {
                Err(Failure::NotFound(format!("the payload of {} has no part {part}", self.id)))
            }
            _ => Err(Failure::Refused(format!("nothing is hidden at '{part}'; `reprieve job` shows it"))),
        }
    }
}

/// A text as it reads, other JSON on one line; bytes only as far as they are text.
fn plain(value: &[u8]) -> String {
    match serde_json::from_slice(value) {
        Ok(Value::String(text)) => text,
        _ => String::from_utf8_lossy(value).into_owned(),
    }
}
