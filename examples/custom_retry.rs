//! A retry policy of one's own, and an error that knows better than any policy.
//!
//! Ends by itself once the job has used up its attempts.
//!
//! ```text
//! cargo run --example custom_retry -- redis://127.0.0.1:6379
//! ```

mod connect;

use anyhow::{Context, Result};
use reprieve::model::{Delay, JobState, Kind, QueueName};
use reprieve::{Failure, JobContext, RetryPolicy};
use std::time::Duration;

/// Waits 100, 100, 200, 300, 500 … milliseconds: slower to grow than doubling.
struct Fibonacci;

impl RetryPolicy for Fibonacci {
    fn wait(&self, attempt: u32) -> Delay {
        let (mut this, mut next) = (100_i64, 100_i64);
        // Beyond a minute it makes no difference any more.
        for _ in 1..attempt.min(20) {
            (this, next) = (next, this + next);
        }
        Delay::millis(this.min(60_000))
    }
}

async fn fail(context: JobContext) -> Result<(), Failure> {
    println!("attempt {}", context.attempt());
    if context.attempt() == 3 {
        // The other side said how long it needs: the policy is not asked.
        return Err(Failure::RetryIn {
            error: "back in a quarter of a second".to_owned(),
            wait: Delay::millis(250),
        });
    }
    Err(Failure::retry("not yet"))
}

#[tokio::main]
async fn main() -> Result<()> {
    let engine = connect::connect().await?;
    let queue = QueueName::new("retries")?;
    let maintenance = engine.maintenance().start();
    let worker =
        engine.worker().queue(queue.clone(), 1).handler("fail", fail).retry_policy(Fibonacci).start().await?;

    let job =
        engine.client().enqueue_raw(Kind::new("fail")?, "{}").queue(queue).max_attempts(6).send().await?;
    let detail = loop {
        let detail = engine.inspector().job(job.id()).await?.context("it is kept")?;
        if detail.job.state == JobState::Dead {
            break detail;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    println!("dead: {}", detail.job.why);
    for pair in detail.attempts.windows(2) {
        if let [later, earlier] = pair {
            let wait_ms = later.started.millis_since(earlier.ended);
            println!("attempt {} began {wait_ms} ms after the one before", later.number);
        }
    }

    worker.shutdown().await;
    maintenance.shutdown().await;
    Ok(())
}
