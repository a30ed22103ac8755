//! A shard that does not answer costs nobody the jobs of the others.

use crate::shards::scene::{SHARDS, Scene, about, id, subject_of};
use reprieve::model::{
    BatchId, Delay, Enqueued, JobState, Kind, Offset, PlanId, PlanWord, QueueName, WorkerOrder,
};
use reprieve::store::{ClaimedJob, LeaseWord, ReleaseWord};
use reprieve::testing::RedisServer;
use reprieve::{Due, Engine, EngineConfig, Error, JobContext, NewBatch, NewJob, NewPlan, NewStep};
use std::collections::BTreeSet;
use std::time::Duration;

/// The shard that does not answer: not the first, which keeps what belongs to the namespace as a whole.
const SILENT: u16 = 1;
/// Far longer than anything here takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);
const LEASE: Delay = Delay::minutes(1);

fn queues() -> [QueueName; 1] {
    [QueueName::default()]
}

fn due(mut job: NewJob) -> NewJob {
    job.due = Due::Now;
    job
}

/// A namespace on a Redis of its own, whose user can be denied the keys of a shard.
struct Silence {
    server: RedisServer,
    engine: Engine,
}

impl Silence {
    async fn to_come() -> Self {
        let server = RedisServer::start().unwrap();
        let engine = Engine::connect(EngineConfig::new(server.url()).shards(SHARDS)).await.unwrap();
        // The scripts are there before a shard falls silent.
        engine.inspector().counts(None).await.unwrap();
        Self { server, engine }
    }

    /// From now on that shard answers nothing.
    fn begins(&self) {
        let mut command = redis::cmd("ACL");
        command.arg("SETUSER").arg("default").arg("resetkeys");
        for shard in (0..SHARDS).filter(|&shard| shard != SILENT) {
            command.arg(format!("~reprieve:{{default.{shard}}}:*"));
        }
        let client = redis::Client::open(self.server.url()).unwrap();
        command.query::<()>(&mut client.get_connection().unwrap()).unwrap();
    }

    async fn claim(&self) -> Vec<ClaimedJob> {
        self.engine.claimant("elsewhere").claim(&queues(), 100, LEASE).await.unwrap()
    }
}

#[tokio::test]
async fn what_a_claim_has_taken_is_claimed_although_another_shard_fails() {
    let scene = Scene::new().await;
    for number in 0..3 {
        for shard in 0..SHARDS {
            scene.enqueue(due(about(&subject_of(shard), &format!("job{shard}.{number}")))).await;
        }
    }
    // A key that every change of the shard needs.
    let events = format!("{}events", scene.redis.prefix().replace(".0}", &format!(".{SILENT}}}")));
    scene.redis.command(&["DEL", &events]).await.unwrap();
    scene.redis.command(&["SET", &events, "of another type"]).await.unwrap();

    let claimant = scene.engine.claimant("elsewhere");
    let mut claimed = BTreeSet::new();
    // Each begins at a random shard and ends at the broken one, so that no single call has all.
    while claimed.len() < 9 {
        let jobs = claimant.claim(&queues(), 2, LEASE).await.unwrap();
        assert!(!jobs.is_empty(), "shards that answer have jobs left");
        claimed.extend(jobs.into_iter().map(|job| job.id.to_string()));
    }

    // With nothing to claim it is told.
    assert!(claimant.claim(&queues(), 2, LEASE).await.is_err());
}

#[tokio::test]
async fn reports_reach_a_job_while_another_shard_does_not_answer() {
    let scene = Silence::to_come().await;
    let there = [due(about(&subject_of(0), "there")), due(about(&subject_of(SILENT), "silent"))];
    scene.engine.client().enqueue_batch(there.to_vec()).await.unwrap();
    let claimed = scene.claim().await;
    let token = |name: &str| claimed.iter().find(|job| job.id == id(name)).unwrap().token;
    scene.begins();

    let claimant = scene.engine.claimant("elsewhere");
    let (there, silent, nowhere) = (id("there"), id("silent"), id("nowhere"));
    assert_eq!(claimant.extend(&there, token("there"), LEASE).await, Ok(LeaseWord::Held));
    let rows = scene.engine.inspector().rows(std::slice::from_ref(&there)).await.unwrap();
    assert_eq!(rows[0].as_ref().map(|row| row.state), Some(JobState::Active));
    assert_eq!(claimant.complete(&there, token("there")).await, Ok(ReleaseWord::Done));
    // Nobody says that a job is missing that may be where no answer comes from.
    for unknown in [&silent, &nowhere] {
        let answer = claimant.complete(unknown, token("silent")).await;
        assert!(matches!(answer, Err(Error::Unavailable { .. })), "{answer:?}");
    }
}

#[tokio::test]
async fn a_plan_and_a_batch_are_called_off_while_another_shard_does_not_answer() {
    let scene = Silence::to_come().await;
    let new = |kind: &str| NewJob::new(Kind::new(kind).unwrap(), "{}");
    let subject = subject_of(SILENT + 1);
    let step = NewStep::new("a".parse().unwrap(), Offset::millis(3_600_000), new("notice"));
    let plan = NewPlan::new(PlanId::new("pl").unwrap(), subject.clone()).step(step);
    let client = scene.engine.client();
    client.make_plan(&plan).await.unwrap();
    let mut report = new("report");
    report.subject = Some(subject.clone());
    let batch = NewBatch::new(BatchId::new("im").unwrap(), report).jobs(vec![about(&subject, "row")]);
    client.make_batch(&batch).await.unwrap();
    scene.begins();

    let operator = scene.engine.operator("ann");
    let answer = operator.plan(&plan.id).cancel().await;
    assert!(answer.as_ref().is_ok_and(|answer| answer.outcome == PlanWord::Cancelled), "{answer:?}");
    let answer = operator.batch(&batch.id).cancel().await;
    assert!(answer.is_ok(), "{answer:?}");
    // Of what none of the others has nobody says that it is missing.
    let answer = operator.plan(&PlanId::new("nowhere").unwrap()).cancel().await;
    assert!(matches!(answer, Err(Error::Unavailable { .. })), "{answer:?}");
}

#[tokio::test]
async fn a_worker_is_heard_and_hears_while_the_shard_of_one_of_its_jobs_does_not_answer() {
    let scene = Silence::to_come().await;
    let (began, mut begins) = tokio::sync::mpsc::channel(1);
    let handler = move |_: JobContext| {
        let began = began.clone();
        async move {
            began.send(()).await.unwrap();
            std::future::pending::<()>().await;
            Ok(())
        }
    };
    let worker = scene.engine.worker().queue(QueueName::default(), 1).handler("notice", handler);
    let worker = worker.start().await.unwrap();
    scene.engine.client().enqueue_batch(vec![due(about(&subject_of(SILENT), "silent"))]).await.unwrap();
    tokio::time::timeout(TIMEOUT, begins.recv()).await.unwrap().unwrap();
    scene.begins();

    scene.engine.operator("ann").order_worker(worker.id(), WorkerOrder::Quiet, "").await.unwrap();

    let quiet = async {
        while !scene.engine.inspector().workers().await.unwrap()[0].quiet {
            // Heartbeats come every four seconds; nothing tells when.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, quiet).await.expect("it heartbeats");
}

#[tokio::test]
async fn everyone_who_sends_a_job_hears_of_the_shard_of_that_job() {
    let scene = Silence::to_come().await;
    scene.begins();
    let client = scene.engine.client();
    let send = |shard: u16| {
        let kind = Kind::new("notice").unwrap();
        client.enqueue_raw(kind, "{}").subject(subject_of(shard)).in_(Delay::hours(1))
    };

    // The first of a shard goes alone; the others gather meanwhile.
    let (first, lost, good, named, last) = tokio::join!(
        send(0).send(),
        send(SILENT).send(),
        send(0).send(),
        send(0).id(id("named")).send(),
        send(0).send(),
    );

    for answer in [first, good, last] {
        assert!(matches!(answer, Ok(Enqueued::Delayed(_))), "{answer:?}");
    }
    assert!(matches!(lost, Err(Error::Unavailable { .. })), "{lost:?}");
    // Nobody knows whether the silent shard has a job of that id.
    assert!(matches!(named, Err(Error::Unavailable { .. })), "{named:?}");
    let jobs = scene.engine.inspector().subject(&subject_of(0)).await.unwrap().jobs;
    assert_eq!(jobs.len(), 3, "each is in once, and the one that was refused is not");
}
