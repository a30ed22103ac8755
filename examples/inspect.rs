//! Looking at jobs and calling one off without the dashboard: what it shows is public API.
//!
//! Enqueues one job for an hour from now, looks at it, calls it off and puts it back. Ends by itself.
//!
//! ```text
//! cargo run --example inspect -- redis://127.0.0.1:6379
//! ```

mod connect;

use anyhow::{Context, Result};
use reprieve::model::{Delay, Kind, ListQuery, Reinstated, StateGroup, Subject};
use reprieve::{Engine, Error};

#[tokio::main]
async fn main() -> Result<()> {
    let engine = connect::connect().await?;
    let subject = Subject::new("customer:17")?;
    let enqueued = engine
        .client()
        .enqueue_raw(Kind::new("delete_account")?, r#"{"customer": 17}"#)
        .subject(subject)
        .in_(Delay::hours(1))
        .send()
        .await?;
    let before = enqueued.standing().context("it was enqueued")?.clone();

    queues(&engine).await?;
    soonest(&engine).await?;

    // The person who acts is named: in the job's history, in the event and in the audit stream.
    let support = engine.operator("dana@support.example");
    let cancelled = support
        .cancel(&before.id)
        // Only if nobody was quicker.
        .seen(before.version)
        .because("the customer called")
        // A repeat under this id gets the first answer, and changes nothing.
        .operation(format!("call-{}", before.at.as_millis()))
        .await?;
    println!("\ncancel: {}", cancelled.word());

    match support.cancel(&before.id).seen(before.version).await {
        Err(Error::Conflict(standing)) => {
            println!("cancel again with what was seen first: conflict, it is {} now", standing.state);
        }
        other => println!("cancel again: {other:?}"),
    }

    match support.reinstate(&before.id).because("they called again").await? {
        Reinstated::Delayed(after) => {
            println!("undo: it waits again, for the same instant: {}", after.due == before.due);
        }
        other => println!("undo: {}", other.word()),
    }

    history(&engine, &before.id).await?;
    support.cancel(&before.id).because("the example has ended").await?;
    Ok(())
}

/// One line a queue.
async fn queues(engine: &Engine) -> Result<()> {
    println!("{:<12} {:>7} {:>7} {:>7} {:>7}", "queue", "delay", "ready", "active", "dead");
    for queue in engine.inspector().queues().await? {
        let count = |group| queue.counts.group(group);
        println!(
            "{:<12} {:>7} {:>7} {:>7} {:>7}",
            queue.name.as_str(),
            count(StateGroup::Delay),
            count(StateGroup::Ready),
            count(StateGroup::Active),
            count(StateGroup::Dead)
        );
    }
    Ok(())
}

/// The first page of what waits for its time, soonest first.
async fn soonest(engine: &Engine) -> Result<()> {
    let page = engine.inspector().list(&ListQuery::group(StateGroup::Delay).size(5)).await?;
    println!("\n{} of {} jobs that wait for their time:", page.rows.len(), page.total);
    for row in page.rows {
        let seconds = row.due.millis_since(page.read_at) / 1_000;
        println!("  {} {} in {seconds} s, version {}", row.id, row.kind, row.version);
    }
    Ok(())
}

/// What happened to one job, newest first.
async fn history(engine: &Engine, id: &reprieve::model::JobId) -> Result<()> {
    let detail = engine.inspector().job(id).await?.context("it is still kept")?;
    println!("\nhistory of {id}:");
    for entry in detail.history {
        let from = entry.from.map_or("-", |state| state.as_str());
        println!("  version {}: {from} -> {} by {} {}", entry.version, entry.to, entry.by, entry.why);
    }
    Ok(())
}
