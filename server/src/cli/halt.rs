//! `reprieve halt`: whether jobs start, and letting them start again.

use super::exit::Failure;
use super::named::Named;
use super::session::{Run, Session};
use crate::http_api::HaltView;
use clap::Subcommand;
use reprieve::model::{Halt, HaltReason};
use serde_json::json;

/// Whether jobs start, and what ends a halt.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Act {
    /// Show whether jobs start, and if not, why
    Status,
    /// Let jobs start again
    Clear(Named),
}

impl Run for Act {
    fn only_looks(&self) -> bool {
        matches!(self, Act::Status)
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        match self {
            Act::Status => {
                let found = session.engine.inspector().halt().await?;
                let text = found.as_ref().map_or_else(|| "jobs start".to_owned(), in_words);
                session.out.answer(&json!({ "halt": found.map(HaltView::from) }), text);
            }
            Act::Clear(named) => {
                let changed = named.key.operator(session).clear_halt(&named.reason.text).await;
                let changed = changed.map_err(|error| named.key.failure(error))?;
                let text = if changed { "jobs start again" } else { "there is no halt" };
                session.out.answer(&json!({ "changed": changed }), text);
            }
        }
        Ok(())
    }
}

/// Why nothing starts, and what ends that.
fn in_words(standing: &Halt) -> String {
    let by = app::format::span(i64::try_from(standing.by_ms).unwrap_or(i64::MAX));
    let why = match standing.why {
        HaltReason::ClockAhead => format!("redis's clock jumped ahead by {by}"),
        HaltReason::ClockBack => format!("redis's clock jumped back by {by}"),
        HaltReason::ClockApart => {
            format!("redis's clock is {by} from where it was against those of the processes")
        }
        HaltReason::WentBack => format!("redis's data is as it was {by} before it was last seen"),
        HaltReason::TookOver => "redis was started again, or another server has its data now".to_owned(),
        HaltReason::Restored => {
            "this data was restored from a backup, which has no cancel, hold or new time made since"
                .to_owned()
        }
        HaltReason::Replaced => "redis's data is gone, or other data is there".to_owned(),
        _ => standing.why.to_string(),
    };
    let then = if standing.until.is_some() { "it ends by itself" } else { "reprieve halt clear ends it" };
    format!("nothing starts: {why}; {then}")
}
