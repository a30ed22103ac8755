//! What people test their own programs with: a clock that is given, jobs that run in place, expectations that say what
//! is there instead.

use futures_util::FutureExt;
use reprieve::model::{Delay, JobState, Kind, KindRule, QueueLimits, QueueName, Rate, Subject, Window};
use reprieve::testing::{Expected, RedisServer, Sandbox};
use reprieve::{Client, Failure, Job, JobContext, LatePolicy};
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Serialize, Deserialize)]
struct DeleteResource {
    id: u32,
}

impl Job for DeleteResource {
    const KIND: &'static str = "delete_resource";

    async fn run(self, context: JobContext) -> Result<(), Failure> {
        match self.id {
            0 => Err(Failure::fatal("there is no resource 0")),
            1 if context.attempt() == 1 => Err(Failure::retry("busy")),
            _ => Ok(()),
        }
    }
}

/// What a program of somebody's does: a deletion in thirty days.
async fn expires(client: &Client, id: u32) {
    let subject = Subject::new(format!("resource:{id}")).unwrap();
    client
        .enqueue(&DeleteResource { id })
        .unwrap()
        .in_(Delay::days(30))
        .subject(subject)
        .send()
        .await
        .unwrap();
}

/// The message of a test that fails.
async fn failure(test: impl Future<Output = ()>) -> String {
    let panic = AssertUnwindSafe(test).catch_unwind().await.unwrap_err();
    panic.downcast_ref::<String>().cloned().unwrap()
}

#[tokio::test]
async fn jobs_run_when_the_clock_has_reached_them_and_not_before() {
    let sandbox = Sandbox::new().await;
    expires(&sandbox.client(), 4711).await;
    let worker = || sandbox.worker().job::<DeleteResource>();

    assert_eq!(sandbox.drain(worker()).await, []);
    sandbox.advance(Delay::millis(30 * 86_400_000 - 1));
    assert_eq!(sandbox.drain(worker()).await, []);
    sandbox.advance(Delay::millis(1));
    let ran = sandbox.drain(worker()).await;

    assert_eq!((ran.len(), ran[0].state), (1, JobState::Done));
    assert_eq!(ran[0].started, Some(sandbox.now()));
    assert_eq!(sandbox.enqueued().await.len(), 0);
    assert_eq!(sandbox.jobs(JobState::Done).await[0].payload, br#"{"id":4711}"#);
}

#[tokio::test]
async fn a_drain_over_a_span_runs_retries_and_what_handlers_enqueue() {
    let sandbox = Sandbox::new().await;
    let (client, start) = (sandbox.client(), sandbox.now());
    expires(&client, 0).await;
    expires(&client, 1).await;
    let told = Arc::new(AtomicU32::new(0));
    let (heard, from_handler) = (Arc::clone(&told), client.clone());
    let worker = sandbox
        .worker()
        .job::<DeleteResource>()
        .handler("first", move |_| {
            let client = from_handler.clone();
            async move {
                let next = client.enqueue_raw(Kind::new("second").unwrap(), "{}").in_(Delay::hours(1));
                next.send().await.unwrap();
                Ok(())
            }
        })
        .handler("second", move |_| {
            heard.fetch_add(1, Ordering::SeqCst);
            async { Ok(()) }
        });
    client.enqueue_raw(Kind::new("first").unwrap(), "{}").send().await.unwrap();

    let ran = sandbox.drain_through(worker, Delay::days(31)).await;

    let mut states: Vec<_> = ran.iter().map(|row| (row.kind.as_str(), row.state, row.attempt)).collect();
    states.sort_unstable_by_key(|(kind, _, attempt)| (*kind, *attempt));
    assert_eq!(
        states,
        [
            ("delete_resource", JobState::Dead, 1),
            ("delete_resource", JobState::Done, 2),
            ("first", JobState::Done, 1),
            ("second", JobState::Done, 1),
        ]
    );
    assert_eq!((told.load(Ordering::SeqCst), sandbox.now()), (1, start + Delay::days(31)));
}

#[tokio::test]
async fn expectations_are_of_what_was_said_and_of_nothing_else() {
    let sandbox = Sandbox::new().await;
    expires(&sandbox.client(), 4711).await;

    sandbox.assert_enqueued(Expected::kind("delete_resource")).await;
    sandbox
        .assert_enqueued(
            Expected::job(&DeleteResource { id: 4711 })
                .subject("resource:4711")
                .queue("default")
                .due_in(Delay::days(30))
                .times(1),
        )
        .await;
    sandbox.assert_not_enqueued(Expected::kind("notice")).await;
    sandbox.assert_not_enqueued(Expected::kind("delete_resource").due_in(Delay::days(29))).await;

    sandbox.client().cancel_subject(&Subject::new("resource:4711").unwrap()).await.unwrap();
    sandbox.assert_not_enqueued(Expected::kind("delete_resource")).await;
}

#[tokio::test]
async fn a_failed_expectation_says_what_is_there_and_what_differs() {
    let sandbox = Sandbox::new().await;
    let expected =
        Expected::job(&DeleteResource { id: 4711 }).subject("resource:4711").due_in(Delay::days(30));
    let nothing = failure(sandbox.assert_enqueued(expected.clone())).await;
    assert!(nothing.ends_with("0 such jobs are enqueued; nothing is enqueued"), "{nothing}");

    let (client, queue) = (sandbox.client(), QueueName::new("mail").unwrap());
    client
        .enqueue_raw(Kind::new("notice").unwrap(), "hello")
        .queue(queue)
        .in_(Delay::hours(2))
        .send()
        .await
        .unwrap();
    expires(&client, 4712).await;
    sandbox.advance(Delay::hours(1));
    let message = failure(sandbox.assert_enqueued(expected)).await;

    let ids: Vec<_> = sandbox.enqueued().await.iter().map(|job| job.id.to_string()).collect();
    let place = message.split(": ").next().unwrap();
    assert!(place.starts_with("tests/sandbox.rs:"), "{place}");
    assert_eq!(
        message.strip_prefix(place).unwrap(),
        format!(
            ": expected a job of kind delete_resource, subject resource:4711, due 2030-01-31T01:00:00Z (in 30 d), payload \
             {{\"id\":4711}}\n0 such jobs are enqueued; enqueued are:\n  delete_resource {} in default, subject \
             resource:4712, delayed, due 2030-01-31T00:00:00Z (in 29 d 23 h), payload {{\"id\":4712}}\n    differs in \
             subject, due, payload\n  notice {} in mail, no subject, delayed, due 2030-01-01T02:00:00Z (in 1 h), payload \
             hello\n    differs in kind, subject, due, payload",
            ids[1], ids[0]
        )
    );
    let unwanted = failure(sandbox.assert_not_enqueued(Expected::kind("notice"))).await;
    assert!(unwanted.contains("expected that there is not a job of kind notice"), "{unwanted}");
}

#[tokio::test]
async fn handlers_that_enqueue_each_other_are_left_to_later_when_due_later() {
    let sandbox = Sandbox::new().await;
    let client = sandbox.client();
    let again = client.clone();
    client.enqueue_raw(Kind::new("tick").unwrap(), "{}").send().await.unwrap();
    let worker = sandbox.worker().handler("tick", move |_| {
        let client = again.clone();
        async move {
            client.enqueue_raw(Kind::new("tick").unwrap(), "{}").in_(Delay::minutes(1)).send().await.unwrap();
            Ok(())
        }
    });
    let ran = sandbox.drain_through(worker, Delay::minutes(10)).await;
    assert_eq!(ran.len(), 11);
    sandbox.assert_enqueued(Expected::kind("tick").due_in(Delay::minutes(1)).times(1)).await;
}

/// A worker that does whatever is of the kind of `tick`.
async fn ticks(sandbox: &Sandbox, span: Delay) -> usize {
    sandbox.drain_through(sandbox.worker().handler("tick", |_| async { Ok(()) }), span).await.len()
}

#[tokio::test]
async fn behind_jobs_that_came_too_late_a_drain_goes_on() {
    let sandbox = Sandbox::new().await;
    let client = sandbox.client();
    for number in 0..150 {
        // As many as a worker claims at once, and half as many that may be late.
        let policy = if number < 100 { LatePolicy::Skip } else { LatePolicy::Run };
        let job = client.enqueue_raw(Kind::new("tick").unwrap(), "{}");
        job.at_most_late(Delay::minutes(1), policy).send().await.unwrap();
    }
    sandbox.advance(Delay::minutes(2));

    assert_eq!(ticks(&sandbox, Delay::ZERO).await, 50);
    assert_eq!(sandbox.jobs(JobState::Ready).await.len(), 0);
}

#[tokio::test]
async fn over_a_span_a_drain_runs_what_the_rate_of_a_queue_allows_and_without_one_what_it_allows_at_once() {
    let sandbox = Sandbox::new().await;
    let rate = Rate { jobs: 2, per: Delay::minutes(1) };
    let limits = QueueLimits { rate: Some(rate), ..QueueLimits::default() };
    sandbox.operator("ann").limit(&QueueName::default(), limits, "").await.unwrap();
    for _ in 0..10 {
        sandbox.client().enqueue_raw(Kind::new("tick").unwrap(), "{}").send().await.unwrap();
    }

    assert_eq!(ticks(&sandbox, Delay::ZERO).await, 2);
    assert_eq!(ticks(&sandbox, Delay::minutes(2)).await, 4);
    assert_eq!(ticks(&sandbox, Delay::hours(1)).await, 4);
}

#[tokio::test]
async fn over_a_span_a_drain_runs_what_a_window_put_off_until_it_opens() {
    let sandbox = Sandbox::new().await;
    // The clock of a sandbox starts at midnight.
    let window = Window::daily("UTC", 8 * 60, 21 * 60);
    let kind = Kind::new("tick").unwrap();
    let rule = KindRule::new(kind.clone(), Some(window), None, Vec::new());
    sandbox.operator("ann").set_rule(&rule, "").await.unwrap();
    sandbox.client().enqueue_raw(kind, "{}").send().await.unwrap();

    assert_eq!(ticks(&sandbox, Delay::hours(9)).await, 1);
}

#[tokio::test]
async fn on_somebody_elses_redis_nothing_is_left() {
    let server = RedisServer::start().unwrap();
    let sandbox = Sandbox::on(server.url()).await.unwrap();
    expires(&sandbox.client(), 1).await;
    drop(sandbox);
    let mut connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    assert_eq!(redis::cmd("DBSIZE").query::<u64>(&mut connection).unwrap(), 0);
}
