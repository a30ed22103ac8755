//! A test of a program that uses Reprieve, as `docs/how-to/testing.md` tells it: a given clock, jobs that run in place.
//!
//! `cargo run --example testing --features testing`

use reprieve::model::{Delay, JobState, Subject};
use reprieve::testing::{Expected, Sandbox};
use reprieve::{Client, Failure, Job, JobContext};

#[derive(serde::Serialize, serde::Deserialize)]
struct DeleteResource {
    id: u32,
}

impl Job for DeleteResource {
    const KIND: &'static str = "delete_resource";

    async fn run(self, _: JobContext) -> Result<(), Failure> {
        Ok(())
    }
}

/// What is to be tested: it takes a client, and knows nothing of tests.
async fn expire(client: &Client, id: u32) -> anyhow::Result<()> {
    let subject = Subject::new(format!("resource:{id}"))?;
    client.enqueue(&DeleteResource { id })?.in_(Delay::days(30)).subject(subject).send().await?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let sandbox = Sandbox::new().await;

    expire(&sandbox.client(), 4711).await?;

    sandbox
        .assert_enqueued(
            Expected::job(&DeleteResource { id: 4711 }).subject("resource:4711").due_in(Delay::days(30)),
        )
        .await;
    sandbox.advance(Delay::days(30));
    let ran = sandbox.drain(sandbox.worker().job::<DeleteResource>()).await;
    assert_eq!(ran[0].state, JobState::Done);
    println!("{} ran at {}", ran[0].id, sandbox.now());
    Ok(())
}
