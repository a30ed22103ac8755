//! `reprieve retention`: how long ended jobs are kept, and how many.

use super::exit::Failure;
use super::named::Named;
use super::own::{NONE, Own};
use super::session::{Run, Session};
use crate::config::read_span;
use crate::http_api::RetentionView;
use clap::{Args, Subcommand};
use reprieve::model::retention::KEPT_MOST_MAX;
use reprieve::model::{Delay, QueueName, RetentionChange, RetentionRule};
use serde_json::json;

const HEADS: [&str; 6] = ["QUEUE", "DONE", "DEAD", "CANCELLED", "MOST DONE", "MOST DEAD"];
/// What stands in place of a queue for the rule of all of them.
const ALL: &str = "(namespace)";

/// How long ended jobs are kept.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Act {
    /// Show every rule
    Show,
    /// Change the rule of a queue, or of the namespace; what you leave out stays
    Set(Set),
}

/// What to change of a rule; `none` takes a time or a number away.
#[derive(Debug, Clone, Args)]
#[command(group = clap::ArgGroup::new("changed").required(true).multiple(true))]
pub(crate) struct Set {
    /// The queue; without it the namespace
    #[arg(long, value_name = "QUEUE")]
    queue: Option<QueueName>,
    /// Jobs that were done, such as 7d, or `none` for no time of its own
    #[arg(long, value_name = "SPAN", value_parser = time, group = "changed")]
    done: Option<Own<Delay>>,
    /// Jobs that died
    #[arg(long, value_name = "SPAN", value_parser = time, group = "changed")]
    dead: Option<Own<Delay>>,
    /// Jobs that were cancelled
    #[arg(long, value_name = "SPAN", value_parser = time, group = "changed")]
    cancelled: Option<Own<Delay>>,
    /// How many jobs that were done a queue keeps at most, the latest; or `none`
    #[arg(long, value_name = "NUMBER", value_parser = number, group = "changed")]
    done_most: Option<Own<u64>>,
    /// How many jobs that died a queue keeps at most; or `none`
    #[arg(long, value_name = "NUMBER", value_parser = number, group = "changed")]
    dead_most: Option<Own<u64>>,
    #[command(flatten)]
    named: Named,
}

fn time(text: &str) -> Result<Own<Delay>, String> {
    Own::read(text, |text| read_span(text).map_err(|why| format!("{why}, nor `{NONE}`")))
}

fn number(text: &str) -> Result<Own<u64>, String> {
    Own::read(text, |text| {
        let most = text.parse().ok().filter(|most| (1..=KEPT_MOST_MAX).contains(most));
        most.ok_or_else(|| format!("{text:?} is not a number from 1 to {KEPT_MOST_MAX}, nor `{NONE}`"))
    })
}

impl Run for Act {
    fn only_looks(&self) -> bool {
        matches!(self, Act::Show)
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        match self {
            Act::Show => show(session).await,
            Act::Set(Set { queue, done, dead, cancelled, done_most, dead_most, named }) => {
                let mut change = RetentionChange::default();
                let own = |of: Option<Own<Delay>>| of.map(|Own(kept)| kept);
                (change.done, change.dead, change.cancelled) = (own(done), own(dead), own(cancelled));
                change.done_most = done_most.map(|Own(most)| most);
                change.dead_most = dead_most.map(|Own(most)| most);
                let operator = named.key.operator(session);
                let changed = operator.change_retention(queue.as_ref(), change, &named.reason.text).await;
                changed.map_err(|error| named.key.failure(error))?;
                let rule = operator.retention_of(queue.as_ref()).await?;
                let of = queue.as_ref().map_or("the namespace", |queue| queue.as_str());
                let sentence = format!("{of}  has this rule for jobs that end from now on:");
                session.out.answer(&json!({ "queue": queue, "rule": rule }), sentence);
                let rules = session.engine.inspector().retention().await?;
                let of = queue.as_ref().map_or(ALL, |queue| queue.as_str());
                session.out.table(&HEADS, vec![row(of, &rule, &rules.namespace)], "");
                Ok(())
            }
        }
    }
}

async fn show(session: &Session) -> Result<(), Failure> {
    let rules = session.engine.inspector().retention().await?;
    let all = &rules.namespace;
    let mut rows = vec![row(ALL, all, all)];
    rows.extend(rules.queues.iter().map(|(queue, rule)| row(queue.as_str(), rule, all)));
    session.out.table(&HEADS, rows, "no rules");
    if session.out.json {
        session.out.value(&RetentionView::from(rules));
    }
    Ok(())
}

/// What a queue does not say itself counts as the namespace has it, in brackets.
fn row(of: &str, rule: &RetentionRule, all: &RetentionRule) -> Vec<String> {
    let own = |own: Option<String>, all: Option<String>| {
        own.or_else(|| all.map(|all| format!("({all})"))).unwrap_or_else(|| "-".to_owned())
    };
    let kept = |rule: Option<Delay>, all: Option<Delay>| own(rule.map(span), all.map(span));
    let text = |most: Option<u64>| most.map(|most| most.to_string());
    let most = |rule: Option<u64>, all: Option<u64>| own(text(rule), text(all));
    vec![
        of.to_owned(),
        kept(rule.done, all.done),
        kept(rule.dead, all.dead),
        kept(rule.cancelled, all.cancelled),
        most(rule.done_most, all.done_most),
        most(rule.dead_most, all.dead_most),
    ]
}

/// A span in the largest unit that holds it without a rest, as it can be given back.
fn span(kept: Delay) -> String {
    let ms = kept.as_millis();
    let units = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1)];
    let unit = units.into_iter().find(|(_, size)| ms % size == 0 && ms > 0);
    unit.map_or_else(|| "0ms".to_owned(), |(unit, size)| format!("{}{unit}", ms / size))
}
