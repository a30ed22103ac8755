//! A worker that stops gracefully: SIGTERM or Ctrl-C, and no job is lost or pays for it with an attempt.
//!
//! Three jobs run when the signal comes. One ends within the grace period; one hears that it should stop and
//! says where to go on; one hears nothing and is given back as it is.
//!
//! ```text
//! cargo run --example graceful_stop -- redis://127.0.0.1:6379
//! ```

mod connect;

use anyhow::Result;
use reprieve::model::{Delay, Kind, QueueName};
use reprieve::{Failure, JobContext};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// How long handlers may go on after the signal.
const GRACE: Duration = Duration::from_secs(3);

/// Takes two seconds, less than the grace period.
async fn short(context: JobContext) -> Result<(), Failure> {
    tokio::time::sleep(Duration::from_secs(2)).await;
    println!("short {}: ended well", context.id());
    // Again in a moment, so that one is always under way.
    Err(Failure::snooze(Delay::millis(100), "again"))
}

/// Takes an hour, and stops between two pages when it is asked to.
async fn attentive(context: JobContext) -> Result<(), Failure> {
    for page in 1..3_600 {
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
            () = context.cancelled() => {
                println!("attentive {}: stops at page {page}", context.id());
                // Neither a snooze nor an error costs an attempt here, and the snooze keeps its reason and waits.
                return Err(Failure::snooze(Delay::minutes(1), format!("stopped at page {page}")));
            }
        }
    }
    Ok(())
}

/// Takes an hour and does not listen.
async fn stubborn(_: JobContext) -> Result<(), Failure> {
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let engine = connect::connect().await?;
    let queue = QueueName::new("graceful")?;
    // Asked for before anything starts, so that no early signal is missed.
    let mut terminate = signal(SignalKind::terminate())?;

    let maintenance = engine.maintenance().start();
    let worker = engine
        .worker()
        .queue(queue.clone(), 3)
        .handler("short", short)
        .handler("attentive", attentive)
        .handler("stubborn", stubborn)
        .grace(GRACE)
        .start()
        .await?;
    let mut ids = Vec::new();
    for kind in ["short", "attentive", "stubborn"] {
        let job = engine.client().enqueue_raw(Kind::new(kind)?, "{}").queue(queue.clone()).send().await?;
        ids.push(job.id().clone());
    }

    println!("three jobs run; press Ctrl-C, or: kill -TERM {}", std::process::id());
    tokio::select! {
        _ = terminate.recv() => println!("SIGTERM: stopping"),
        interrupted = tokio::signal::ctrl_c() => { interrupted?; println!("Ctrl-C: stopping"); }
    }
    // Takes nothing new, waits for the grace period, asks handlers to stop, gives back what is left.
    worker.shutdown().await;
    maintenance.shutdown().await;

    for row in engine.inspector().rows(&ids).await?.into_iter().flatten() {
        println!("{}: {}, attempts used {}, because {:?}", row.kind, row.state, row.attempt, row.why);
        engine.client().cancel(&row.id).because("the example has ended").await?;
    }
    Ok(())
}
