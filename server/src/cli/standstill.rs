//! `reprieve standstill` and `go-on`.

use super::exit::Failure;
use super::session::Session;
use super::verb::Run;
use crate::http_api::StandstillView;
use clap::Args;
use reprieve::model::{Standstill, StandstillReason};
use serde_json::json;

/// Says whether jobs start.
#[derive(Debug, Clone, Args)]
pub(crate) struct Standing {}

/// Lets jobs start again.
#[derive(Debug, Clone, Args)]
pub(crate) struct GoOn {
    /// Why; it stands in the audit
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
}

impl Run for Standing {
    fn only_looks(&self) -> bool {
        true
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let found = session.engine.inspector().standstill().await?;
        let text = found.as_ref().map_or_else(|| "jobs start".to_owned(), in_words);
        session.out.answer(&json!({ "standstill": found.map(StandstillView::from) }), text);
        Ok(())
    }
}

impl Run for GoOn {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        let changed = session.operator().go_on(&self.reason).await?;
        let text = if changed { "jobs start again" } else { "nothing stood still" };
        session.out.answer(&json!({ "changed": changed }), text);
        Ok(())
    }
}

/// Why nothing starts, and what ends that.
fn in_words(standing: &Standstill) -> String {
    let by = app::format::span(i64::try_from(standing.by_ms).unwrap_or(i64::MAX));
    let why = match standing.why {
        StandstillReason::ClockAhead => format!("redis's clock jumped ahead by {by}"),
        StandstillReason::ClockBack => format!("redis's clock jumped back by {by}"),
        StandstillReason::ClockApart => {
            format!("redis's clock is {by} from where it was against those of the processes")
        }
        StandstillReason::WentBack => format!("redis's data is as it was {by} before it was last seen"),
        StandstillReason::TookOver => "another server has redis's data now".to_owned(),
        StandstillReason::Replaced => "redis's data is gone, or other data is there".to_owned(),
        _ => standing.why.to_string(),
    };
    let then = if standing.until.is_some() { "it ends by itself" } else { "reprieve go-on ends it" };
    format!("nothing starts: {why}; {then}")
}
