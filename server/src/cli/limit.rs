//! `reprieve limit`: how much of a queue may run at once, and how fast.

use super::exit::Failure;
use super::named::Named;
use super::own::{NONE, Own};
use super::session::{Run, Session};
use crate::config::read_span;
use clap::{ArgAction, Args};
use reprieve::model::{QueueLimits, QueueName, Rate};
use serde_json::json;

/// Sets limits of a queue; what you leave out stays. Without any it shows them.
#[derive(Debug, Clone, Args)]
pub(crate) struct Limit {
    /// The queue
    #[arg(value_name = "QUEUE")]
    queue: QueueName,
    /// Most jobs active at once over all processes, or `none`
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    concurrency: Option<Own<u32>>,
    /// Most jobs started in a span of time, such as 100/1s, or `none`
    #[arg(long, value_name = "JOBS/SPAN", value_parser = rate)]
    rate: Option<Own<Rate>>,
    /// Most jobs of one concurrency key active at once, or `none`
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    concurrency_per_key: Option<Own<u32>>,
    /// Whether a job that is retried holds back the later ones of its concurrency key
    #[arg(long, action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    ordered: Option<bool>,
    /// Remove all limits
    #[arg(long, conflicts_with_all = ["concurrency", "rate", "concurrency_per_key", "ordered"])]
    none: bool,
    #[command(flatten)]
    named: Named,
}

fn number(text: &str) -> Result<Own<u32>, String> {
    Own::read(text, |text| {
        let most = text.parse().ok().filter(|most| *most > 0);
        most.ok_or_else(|| format!("{text:?} is not a number from 1 on, nor `{NONE}`"))
    })
}

fn rate(text: &str) -> Result<Own<Rate>, String> {
    Own::read(text, |text| {
        let wanted = || format!("a rate looks like 100/1s or 5000/1h, or is `{NONE}`");
        let (jobs, per) = text.split_once('/').ok_or_else(wanted)?;
        // A second is `1s` or `s`.
        let per = match per.trim() {
            unit if unit.starts_with(char::is_alphabetic) => read_span(&format!("1{unit}")),
            span => read_span(span),
        };
        Ok(Rate { jobs: jobs.trim().parse().map_err(|_| wanted())?, per: per? })
    })
}

impl Limit {
    /// The limits that a queue has then.
    fn on(&self, limits: QueueLimits) -> QueueLimits {
        if self.none {
            return QueueLimits::default();
        }
        let concurrency_per_key = self.concurrency_per_key.map_or(limits.concurrency_per_key, |Own(own)| own);
        QueueLimits {
            concurrency: self.concurrency.map_or(limits.concurrency, |Own(own)| own),
            rate: self.rate.map_or(limits.rate, |Own(own)| own),
            concurrency_per_key,
            // Without a limit for each key there is no order to keep.
            ordered: self.ordered.unwrap_or(limits.ordered && concurrency_per_key.is_some()),
        }
    }

    const fn changes_nothing(&self) -> bool {
        self.concurrency.is_none()
            && self.rate.is_none()
            && self.concurrency_per_key.is_none()
            && self.ordered.is_none()
            && !self.none
    }
}

impl Run for Limit {
    fn only_looks(&self) -> bool {
        self.changes_nothing()
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let queues = session.engine.inspector().queues().await?;
        let known = queues.into_iter().find(|queue| queue.name == self.queue);
        let unknown = if known.is_none() { "; no queue of that name is known yet" } else { "" };
        let there = known.and_then(|queue| queue.limits).map(|set| set.limits).unwrap_or_default();
        let (limits, queue) = (self.on(there), &self.queue);
        let (changed, how) = if self.changes_nothing() {
            (false, "has")
        } else {
            let operator = self.named.key.operator(session);
            let changed = operator.limit_having_seen(queue, limits, there, &self.named.reason.text).await;
            let changed = changed.map_err(|error| self.named.key.failure(error))?;
            (changed, if changed { "has from now on" } else { "had already" })
        };
        let sentence = format!("{queue}  {how} {}{unknown}", told(&limits));
        session.out.answer(&json!({ "queue": queue, "changed": changed, "limits": limits }), sentence);
        Ok(())
    }
}

/// Limits in words: those that are set.
fn told(limits: &QueueLimits) -> String {
    let QueueLimits { concurrency, rate, concurrency_per_key, ordered } = limits;
    let number = |most: &Option<u32>, of| most.map(|most| format!("{of} {most}"));
    let parts = [
        number(concurrency, "concurrency"),
        rate.map(|rate| format!("rate {} in {}", rate.jobs, app::format::span(rate.per.as_millis()))),
        number(concurrency_per_key, "concurrency per key"),
        ordered.then(|| "ordered".to_owned()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "no limits".to_owned() } else { parts.join(", ") }
}
