//! `reprieve retention`: how long ended jobs are kept, and how many.

use super::exit::Failure;
use super::session::Session;
use super::verb::Run;
use crate::config::read_span;
use crate::http_api::RetentionView;
use clap::{Args, Subcommand, value_parser};
use reprieve::model::retention::KEPT_MOST_MAX;
use reprieve::model::{Delay, QueueName, RetentionRule};
use serde_json::json;

/// How long ended jobs are kept.
#[derive(Debug, Clone, Args)]
pub(crate) struct Retentions {
    #[command(subcommand)]
    act: Act,
}

/// What to do.
#[derive(Debug, Clone, Subcommand)]
enum Act {
    /// Show every rule
    Show,
    /// Set the rule of a queue, or of the namespace, in place of the one it had
    Set(Set),
}

/// A rule as it is to be; what is left out has none.
#[derive(Debug, Clone, Args)]
struct Set {
    /// Of that queue; of the namespace without it
    #[arg(long, value_name = "QUEUE")]
    queue: Option<QueueName>,
    /// Jobs that were done, such as 7d
    #[arg(long, value_name = "SPAN", value_parser = read_span)]
    done: Option<Delay>,
    /// Jobs that died
    #[arg(long, value_name = "SPAN", value_parser = read_span)]
    dead: Option<Delay>,
    /// Jobs that were called off
    #[arg(long, value_name = "SPAN", value_parser = read_span)]
    cancelled: Option<Delay>,
    /// How many jobs that were done a queue keeps at most, the latest
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u64).range(1..=KEPT_MOST_MAX))]
    done_most: Option<u64>,
    /// How many jobs that died a queue keeps at most
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u64).range(1..=KEPT_MOST_MAX))]
    dead_most: Option<u64>,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
}

impl Run for Retentions {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        match self.act {
            Act::Show => show(session).await,
            Act::Set(Set { queue, done, dead, cancelled, done_most, dead_most, reason }) => {
                let mut rule = RetentionRule::default();
                (rule.done, rule.dead, rule.cancelled) = (done, dead, cancelled);
                (rule.done_most, rule.dead_most) = (done_most, dead_most);
                session.operator().set_retention(queue.as_ref(), rule, &reason).await?;
                let of = queue.as_ref().map_or("the namespace", |queue| queue.as_str());
                let sentence = format!("{of}  has that rule for jobs that end from now on");
                session.out.answer(&json!({ "queue": queue, "rule": rule }), sentence);
                Ok(())
            }
        }
    }
}

async fn show(session: &Session) -> Result<(), Failure> {
    let rules = session.engine.inspector().retention().await?;
    let row = |of: &str, rule: &RetentionRule| {
        let kept = |kept: Option<Delay>| kept.map_or_else(|| "-".to_owned(), span);
        let most = |most: Option<u64>| most.map_or_else(|| "-".to_owned(), |most| most.to_string());
        vec![
            of.to_owned(),
            kept(rule.done),
            kept(rule.dead),
            kept(rule.cancelled),
            most(rule.done_most),
            most(rule.dead_most),
        ]
    };
    let mut rows = vec![row("(namespace)", &rules.namespace)];
    rows.extend(rules.queues.iter().map(|(queue, rule)| row(queue.as_str(), rule)));
    let heads = ["QUEUE", "DONE", "DEAD", "CANCELLED", "MOST DONE", "MOST DEAD"];
    session.out.table(&heads, rows, "no rules");
    if session.out.json {
        session.out.value(&RetentionView::from(rules));
    }
    Ok(())
}

/// A span in the largest unit that holds it without a rest, as it can be given back.
fn span(kept: Delay) -> String {
    let ms = kept.as_millis();
    let units = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1)];
    let unit = units.into_iter().find(|(_, size)| ms % size == 0 && ms > 0);
    unit.map_or_else(|| "0ms".to_owned(), |(unit, size)| format!("{}{unit}", ms / size))
}
