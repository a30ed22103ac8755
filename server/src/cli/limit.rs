//! `reprieve limit`: how much of a queue may run at once, and how fast.

use super::exit::Failure;
use super::named::Named;
use super::session::{Run, Session};
use crate::config::read_span;
use clap::Args;
use reprieve::model::{QueueLimits, QueueName, Rate};
use serde_json::json;

/// Sets the limits of a queue; replaces those it had.
#[derive(Debug, Clone, Args)]
pub(crate) struct Limit {
    /// The queue
    #[arg(value_name = "QUEUE")]
    queue: QueueName,
    /// Most jobs active at once over all processes
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    concurrency: Option<u32>,
    /// Most jobs started in a span of time, such as 100/1s
    #[arg(long, value_name = "JOBS/SPAN", value_parser = rate)]
    rate: Option<Rate>,
    /// Most jobs of one concurrency key active at once
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    concurrency_per_key: Option<u32>,
    /// A job that is retried holds back the later ones of its concurrency key
    #[arg(long, requires = "concurrency_per_key")]
    ordered: bool,
    /// Remove all limits
    #[arg(long, required_unless_present_any = ["concurrency", "rate", "concurrency_per_key"], conflicts_with_all = ["concurrency", "rate", "concurrency_per_key"])]
    none: bool,
    #[command(flatten)]
    named: Named,
}

fn rate(text: &str) -> Result<Rate, String> {
    let wanted = || "a rate looks like 100/1s or 5000/1h".to_owned();
    let (jobs, per) = text.split_once('/').ok_or_else(wanted)?;
    Ok(Rate { jobs: jobs.trim().parse().map_err(|_| wanted())?, per: read_span(per.trim())? })
}

impl Run for Limit {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        let Self { queue, concurrency, rate, concurrency_per_key, ordered, named, .. } = self;
        let limits = QueueLimits { concurrency, rate, concurrency_per_key, ordered };
        let changed = named.key.operator(session).limit(&queue, limits, &named.reason.text).await;
        let changed = changed.map_err(|error| named.key.failure(error))?;
        let how = match (changed, limits.is_none()) {
            (false, _) => "was limited so already",
            (true, true) => "has no limits now",
            (true, false) => "is limited from now on; what runs goes on",
        };
        session.out.answer(&json!({ "queue": queue, "changed": changed }), format!("{queue}  {how}"));
        Ok(())
    }
}
