//! A rented resource expires: notices on day 23, 28 and 29, deletion on day 30, unless the customer renews.
//!
//! All four jobs of a resource share a subject, so that a renewal calls them off together, in one step.
//! Here a day lasts a tenth of a second, and the example ends after three.
//!
//! ```text
//! cargo run --example resource_expiry -- redis://127.0.0.1:6379
//! ```

mod connect;

use anyhow::{Result, bail};
use reprieve::model::{Delay, JobId, QueueName, Subject, SubjectCancelled};
use reprieve::{Client, Failure, Job, JobContext};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a day of the story lasts.
const DAY: Delay = Delay::millis(100);

/// Tells the customer that a resource will be deleted.
#[derive(Serialize, Deserialize)]
struct SendNotice {
    resource: u64,
    days_left: u8,
}

impl Job for SendNotice {
    const KIND: &'static str = "send_notice";

    async fn run(self, _: JobContext) -> Result<(), Failure> {
        println!("  mail: days until resource {} is deleted: {}", self.resource, self.days_left);
        Ok(())
    }
}

/// Deletes a resource.
#[derive(Serialize, Deserialize)]
struct DeleteResource {
    resource: u64,
}

impl Job for DeleteResource {
    const KIND: &'static str = "delete_resource";

    async fn run(self, context: JobContext) -> Result<(), Failure> {
        // A job may run twice. Deleting twice is harmless; where it is not, let the token decide.
        println!("  resource {} is deleted, under token {}", self.resource, context.token());
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let engine = connect::connect().await?;
    let client = engine.client();
    // Numbers nobody has used, so that the example can run twice on one Redis.
    let renewed = engine.now().await?.as_millis().unsigned_abs();
    let forgotten = renewed + 1;

    let maintenance = engine.maintenance().start();
    let worker = engine
        .worker()
        .queue(QueueName::default(), 8)
        .job::<SendNotice>()
        .job::<DeleteResource>()
        .start()
        .await?;

    for resource in [renewed, forgotten] {
        rent(&client, resource).await?;
        println!("resource {resource} is rented for thirty days: three notices and a deletion wait");
    }

    tokio::time::sleep(days(10)).await;
    println!("day 10: the customer of {renewed} renews");
    renew(&client, renewed).await?;

    tokio::time::sleep(days(22)).await;
    let left = engine.inspector().subject(&subject(forgotten)?).await?;
    println!("day 32: of {forgotten}, {} jobs are done", left.jobs.len());

    worker.shutdown().await;
    maintenance.shutdown().await;
    Ok(())
}

/// Plans the four jobs of a resource.
///
/// The ids are chosen here, so that a repeat after a lost reply is recognised and changes nothing.
async fn rent(client: &Client, resource: u64) -> Result<()> {
    for day in [23_u8, 28, 29] {
        client
            .enqueue(&SendNotice { resource, days_left: 30 - day })?
            .id(JobId::new(format!("resource:{resource}:notice-{day}"))?)
            .subject(subject(resource)?)
            .in_(on_day(day))
            .send()
            .await?;
    }
    client
        .enqueue(&DeleteResource { resource })?
        .id(JobId::new(format!("resource:{resource}:delete"))?)
        .subject(subject(resource)?)
        .in_(on_day(30))
        .send()
        .await?;
    Ok(())
}

/// Calls everything off that is planned for a resource. All of it or nothing, and the answer says which.
async fn renew(client: &Client, resource: u64) -> Result<()> {
    match client.cancel_subject(&subject(resource)?).because("the customer renewed").await? {
        SubjectCancelled::Cancelled { jobs } => {
            for job in jobs {
                let standing = job.cancelled.standing();
                println!("  {}: {}", job.cancelled.word(), standing.id);
            }
            Ok(())
        }
        SubjectCancelled::TooMany { live } => bail!("{live} live jobs are more than one step may touch"),
        _ => bail!("an answer this example does not know"),
    }
}

fn subject(resource: u64) -> Result<Subject> {
    Ok(Subject::new(format!("resource:{resource}"))?)
}

fn on_day(day: u8) -> Delay {
    Delay::millis(DAY.as_millis() * i64::from(day))
}

fn days(count: u32) -> Duration {
    DAY.as_duration() * count
}
