//! What the shop's workers do. They take their time, fail and recover like any others.

use rand::Rng;
use reprieve::model::{Delay, QueueName};
use reprieve::{Failure, JobContext, WorkerBuilder};
use std::ops::Range;
use std::time::Duration;

/// Jobs of each queue that run at once. Billing has two, so that a run of invoices can be seen to queue up.
const QUEUES: [(&str, u32); 5] =
    [("mail", 4), ("deletions", 4), ("billing", 6), ("backups", 3), ("reports", 2)];

/// Gives a worker the shop's queues and handlers.
pub fn register(mut worker: WorkerBuilder) -> WorkerBuilder {
    for (name, concurrency) in QUEUES {
        if let Ok(queue) = QueueName::new(name) {
            worker = worker.queue(queue, concurrency);
        }
    }
    worker
        .handler("resource.expiry_notice", send_notice)
        .handler("resource.delete", delete)
        .handler("account.close", delete)
        .handler("invoice.send", send_invoice)
        .handler("card.charge", charge)
        .handler("backup.create", back_up)
        .handler("report.monthly", report)
        .handler("crm.sync", sync)
}

/// Works for some time, unless told to stop.
async fn work(job: &JobContext, ms: Range<u64>) -> Result<(), Failure> {
    let took = Duration::from_millis(rand::rng().random_range(ms));
    tokio::select! {
        () = tokio::time::sleep(took) => Ok(()),
        () = job.cancelled() => Err(Failure::retry("stopped half-way, because the job was called off")),
    }
}

fn chance(percent: u32) -> bool {
    rand::rng().random_range(0..100) < percent
}

fn again(seconds: i64, error: &str) -> Failure {
    Failure::RetryIn { error: error.to_owned(), wait: Delay::seconds(seconds) }
}

async fn send_notice(job: JobContext) -> Result<(), Failure> {
    work(&job, 150..600).await?;
    if job.attempt() == 1 && chance(6) {
        return Err(again(5, "the mail server answered 451: greylisted, try again later"));
    }
    Ok(())
}

async fn delete(job: JobContext) -> Result<(), Failure> {
    work(&job, 500..2_000).await?;
    if job.attempt() <= 2 && chance(10) {
        return Err(again(6, "the storage node st-07 did not answer within 1,500 ms"));
    }
    Ok(())
}

async fn send_invoice(job: JobContext) -> Result<(), Failure> {
    work(&job, 400..900).await
}

/// Fails once or twice and recovers.
async fn charge(job: JobContext) -> Result<(), Failure> {
    work(&job, 300..800).await?;
    match job.attempt() {
        1 => Err(again(8, "the payment gateway answered 502: bad gateway")),
        2 if chance(40) => Err(again(15, "the payment gateway answered 429: too many requests")),
        _ => Ok(()),
    }
}

async fn back_up(job: JobContext) -> Result<(), Failure> {
    work(&job, 4_000..11_000).await
}

/// The first attempt waits for a lock that nobody will give back; its time limit ends it.
async fn report(job: JobContext) -> Result<(), Failure> {
    if job.attempt() == 1 {
        work(&job, 3_600_000..3_600_001).await?;
    }
    work(&job, 800..2_500).await
}

/// Never goes well: retrying does not make the other system know the customer.
async fn sync(job: JobContext) -> Result<(), Failure> {
    work(&job, 200..700).await?;
    match job.attempt() {
        1 => Err(again(2, "the CRM answered 404: no customer with this address")),
        _ => Err(Failure::fatal(
            "the CRM answered 404 again: no customer with this address; add them there, then retry",
        )),
    }
}
