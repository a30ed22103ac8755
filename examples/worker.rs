//! A worker: a typed job, a plain async function, a retry policy, and what becomes of failures.
//!
//! Ends by itself once its four jobs have ended.
//!
//! ```text
//! cargo run --example worker -- redis://127.0.0.1:6379
//! ```

mod connect;

use anyhow::Result;
use reprieve::model::{Delay, JobId, Kind, QueueName};
use reprieve::{Engine, ExponentialBackoff, Failure, Job, JobContext};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// A typed job: its payload is the value itself, as JSON.
#[derive(Serialize, Deserialize)]
struct SendInvoice {
    customer: String,
    cents: u64,
}

impl Job for SendInvoice {
    const KIND: &'static str = "send_invoice";

    async fn run(self, context: JobContext) -> Result<(), Failure> {
        println!("{}: {} owes {} cents", context.id(), self.customer, self.cents);
        Ok(())
    }
}

/// What a plain handler reads from its payload.
#[derive(Deserialize)]
struct Address {
    host: String,
}

/// A plain async function as a handler. It fails twice before it goes well.
async fn call_gateway(context: JobContext) -> Result<(), Failure> {
    let address: Address = context.json()?;
    println!("{}: attempt {} at {}", context.id(), context.attempt(), address.host);
    if context.attempt() < 3 {
        // Any error becomes a retry by `?`; its text is shown to people who look at the job.
        return Err(Failure::retry("the gateway does not answer"));
    }
    Ok(())
}

/// Not every error is worth another attempt.
async fn charge_card(context: JobContext) -> Result<(), Failure> {
    println!("{}: the card is stolen, so the job is dead at once", context.id());
    Err(Failure::fatal("the card is reported stolen"))
}

#[tokio::main]
async fn main() -> Result<()> {
    let engine = connect::connect().await?;
    let queue = QueueName::new("billing")?;

    let maintenance = engine.maintenance().start();
    let worker = engine
        .worker()
        .queue(queue.clone(), 4)
        .job::<SendInvoice>()
        .handler("call_gateway", call_gateway)
        .handler("charge_card", charge_card)
        // Half a second at most before the second attempt, a minute at most before the hundredth.
        .retry_policy(ExponentialBackoff::new(Delay::millis(500), Delay::minutes(1)))
        .timeout(Duration::from_secs(30))
        .start()
        .await?;
    println!("worker {} runs", worker.id());

    let client = engine.client();
    let invoice = SendInvoice { customer: "Amara Okafor".to_owned(), cents: 4_200 };
    let gateway = br#"{"host": "gateway.example"}"#;
    let enqueued = [
        client.enqueue(&invoice)?.queue(queue.clone()).send().await?,
        client.enqueue(&invoice)?.queue(queue.clone()).in_(Delay::seconds(1)).send().await?,
        client.enqueue_raw(Kind::new("call_gateway")?, gateway).queue(queue.clone()).send().await?,
        client.enqueue_raw(Kind::new("charge_card")?, "{}").queue(queue).send().await?,
    ];
    until_ended(&engine, enqueued.iter().map(|job| job.id().clone()).collect()).await?;

    worker.shutdown().await;
    maintenance.shutdown().await;
    Ok(())
}

/// Waits until each of these jobs is done, dead or cancelled.
///
/// Events only say when to look: what counts is what Redis holds, and a missed event costs a second.
async fn until_ended(engine: &Engine, mut waiting: HashSet<JobId>) -> Result<()> {
    let mut events = engine.events().subscribe();
    while !waiting.is_empty() {
        let ids: Vec<JobId> = waiting.iter().cloned().collect();
        for row in engine.inspector().rows(&ids).await?.into_iter().flatten() {
            if row.state.is_final() {
                println!("{} is {} after {} attempts", row.id, row.state, row.attempt);
                waiting.remove(&row.id);
            }
        }
        let next = tokio::time::timeout(Duration::from_secs(1), events.recv()).await;
        if matches!(next, Ok(Err(RecvError::Closed))) {
            break;
        }
    }
    Ok(())
}
