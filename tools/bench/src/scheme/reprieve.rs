//! Reprieve as a service uses it: a client, a worker, and the duties in the same process.

use super::{Job, Run, Scheme};
use anyhow::Result;
use reprieve::model::{Cancelled, Enqueued, Kind, QueueName, Subject, SubjectCancelled, Timestamp};
use reprieve::{Client, Due, Engine, EngineConfig, NewJob};
use std::time::Duration;

const KIND: &str = "bench";
/// A held job is not waited for at the end of a run.
const GRACE: Duration = Duration::from_millis(100);

pub(crate) struct Reprieve {
    engine: Engine,
}

impl Scheme for Reprieve {
    async fn open(url: &str) -> Result<Self> {
        Ok(Self { engine: Engine::connect(EngineConfig::new(url)).await? })
    }

    async fn put(&self, jobs: &[Job]) -> Result<()> {
        let client = self.engine.client();
        let answers = match jobs {
            [job] => vec![send(&client, job).await?],
            jobs => client.enqueue_batch(jobs.iter().map(new_job).collect::<Result<_>>()?).await?,
        };
        let taken = |answer| matches!(answer, &Enqueued::Ready(_) | &Enqueued::Delayed(_));
        anyhow::ensure!(answers.iter().all(taken), "a job was not taken in");
        Ok(())
    }

    async fn work(&self, run: Run) -> Result<()> {
        let duties = self.engine.maintenance().start();
        let record = run.record;
        let worker = self
            .engine
            .worker()
            .queue(QueueName::default(), u32::try_from(run.concurrency)?)
            .handler(KIND, move |context| {
                let record = record.clone();
                async move {
                    record.handle(context.payload()).await;
                    Ok(())
                }
            })
            .grace(GRACE)
            .start()
            .await?;
        run.stop.cancelled().await;
        worker.shutdown().await;
        duties.shutdown().await;
        Ok(())
    }

    async fn cancel(&self, job: &Job) -> Result<Option<bool>> {
        let outcome = self.engine.client().cancel(&job.id.parse()?).await?;
        Ok(Some(matches!(outcome, Cancelled::Now { .. })))
    }

    async fn cancel_subject(&self, subject: &str) -> Result<Option<usize>> {
        match self.engine.client().cancel_subject(&Subject::new(subject)?).await? {
            SubjectCancelled::Cancelled { jobs } => Ok(Some(jobs.len())),
            other => anyhow::bail!("the subject was not cancelled: {other:?}"),
        }
    }
}

async fn send(client: &Client, job: &Job) -> Result<Enqueued> {
    let mut call = client.enqueue_raw(Kind::new(KIND)?, job.payload.as_str()).id(job.id.parse()?);
    if let Some(subject) = &job.subject {
        call = call.subject(subject.parse()?);
    }
    if let Some(due_us) = job.due_us {
        call = call.at(due(due_us));
    }
    Ok(call.send().await?)
}

fn new_job(job: &Job) -> Result<NewJob> {
    let mut new = NewJob::new(Kind::new(KIND)?, job.payload.as_str());
    new.id = Some(job.id.parse()?);
    new.subject = job.subject.as_ref().map(|subject| Subject::new(subject.as_str())).transpose()?;
    if let Some(due_us) = job.due_us {
        new.due = Due::At(due(due_us));
    }
    Ok(new)
}

fn due(due_us: i64) -> Timestamp {
    Timestamp::saturating_from_millis(due_us / 1_000)
}
