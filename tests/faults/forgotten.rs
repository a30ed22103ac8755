//! Redis forgets: all of it, or the latest seconds. What was acknowledged to a person holds all the same.

use super::scene::{command, connect, halt, id, job, looks, stood_still, until};
use reprieve::model::{BatchId, BulkState, BulkVerb, Delay, HaltReason, JobState, Kind, QueueName, Version};
use reprieve::testing::RedisServer;
use reprieve::{Due, Engine, JobContext, NewBatch, NewJob};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A worker that writes down which jobs it starts.
async fn noting(engine: &Engine) -> (reprieve::Worker, Arc<Mutex<Vec<String>>>) {
    let started: Arc<Mutex<Vec<String>>> = Arc::default();
    let note = Arc::clone(&started);
    let worker = engine
        .worker()
        .queue(QueueName::default(), 4)
        .handler("k", move |context: JobContext| {
            note.lock().unwrap().push(context.id().to_string());
            async { Ok(()) }
        })
        .start()
        .await
        .unwrap();
    (worker, started)
}

fn due_in(name: &str, seconds: i64) -> NewJob {
    let mut job = job(name);
    job.due = Due::In(Delay::seconds(seconds));
    job
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_people_were_told_holds_although_redis_forgot_it() {
    // It keeps what a snapshot has, and forgets the rest when it is killed: as a replica that lagged would.
    let mut server = RedisServer::start_with(&["--save", "", "--appendonly", "no"]).unwrap();
    let engine = connect(&server).await.unwrap();
    let maintenance = engine.maintenance().start();
    let (worker, started) = noting(&engine).await;
    let names = ["cancelled", "held", "postponed", "undone", "released", "runs"];
    engine.client().enqueue_batch(names.map(|name| due_in(name, 15)).to_vec()).await.unwrap();
    let operator = engine.operator("ann");
    operator.cancel(&id("undone")).await.unwrap();
    operator.hold(&id("released")).await.unwrap();
    looks(server.url(), 1).await;
    command(server.url(), &["SAVE"]).unwrap();

    operator.cancel(&id("cancelled")).because("the customer called").await.unwrap();
    operator.hold(&id("held")).await.unwrap();
    operator.reschedule(&id("postponed"), Due::In(Delay::hours(1))).await.unwrap();
    operator.reinstate(&id("undone")).await.unwrap();
    operator.unhold(&id("released")).await.unwrap();
    let postponed = engine.inspector().job(&id("postponed")).await.unwrap().unwrap().job.due;
    // Who has looked since knows that Redis went back.
    looks(server.url(), 1).await;
    server.kill().unwrap();
    server.restart().unwrap();

    let seen = until("the loss to be seen", || async { stood_still(server.url()) == ["went_back"] }).await;
    let went_on = until("it to go on by itself", || async { halt(&engine).await.is_none() }).await;
    println!("seen after {seen:?}, gone on after {went_on:?} more");
    until("the jobs that were to run", || async { started.lock().unwrap().len() >= 3 }).await;
    tokio::time::sleep(Duration::from_millis(500)).await;

    let mut ran = started.lock().unwrap().clone();
    ran.sort();
    assert_eq!(ran, ["released", "runs", "undone"]);
    let of = async |name: &str| engine.inspector().job(&id(name)).await.unwrap().unwrap().job;
    let cancelled = of("cancelled").await;
    assert_eq!((cancelled.state, cancelled.by.as_str()), (JobState::Cancelled, "ann"));
    assert_eq!(cancelled.why, "the customer called (said again: Redis had forgotten it)");
    assert_eq!(of("held").await.state, JobState::Held);
    assert_eq!(of("postponed").await.due, postponed);
    drop(worker);
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_bulk_run_and_a_batch_have_called_off_stays_so_although_redis_forgot_it() {
    let mut server = RedisServer::start_with(&["--save", "", "--appendonly", "no"]).unwrap();
    let engine = connect(&server).await.unwrap();
    let maintenance = engine.maintenance().start();
    let (worker, started) = noting(&engine).await;
    let names = ["run-1", "run-2", "runs"];
    engine.client().enqueue_batch(names.map(|name| due_in(name, 15)).to_vec()).await.unwrap();
    let report = NewJob::new(Kind::new("k").unwrap(), "{}");
    let batch = NewBatch::new(BatchId::new("im").unwrap(), report).jobs([due_in("row", 15)]);
    engine.client().make_batch(&batch).await.unwrap();
    looks(server.url(), 1).await;
    command(server.url(), &["SAVE"]).unwrap();

    let operator = engine.operator("ann");
    let picked = ["run-1", "run-2"].map(|name| (id(name), Version(1))).to_vec();
    let run = operator.bulk(BulkVerb::Cancel).jobs(picked).freeze().await.unwrap().id;
    operator.start_bulk(&run, None, "").await.unwrap();
    let done = async || engine.inspector().bulk_run(&run).await.unwrap().unwrap().state == BulkState::Done;
    until("the run to be done", done).await;
    operator.batch(&batch.id).cancel().await.unwrap();
    looks(server.url(), 1).await;
    server.kill().unwrap();
    server.restart().unwrap();

    until("the loss to be seen", || async { stood_still(server.url()) == ["went_back"] }).await;
    until("it to go on by itself", || async { halt(&engine).await.is_none() }).await;
    let ran = async || started.lock().unwrap().iter().any(|name| name == "runs");
    until("the job that was to run", ran).await;
    tokio::time::sleep(Duration::from_millis(500)).await;

    // The completion of a batch runs when all of its jobs have ended, called off or not.
    let mut ran = started.lock().unwrap().clone();
    ran.retain(|name| name != "im/completion");
    assert_eq!(ran, ["runs"]);
    for name in ["run-1", "run-2", "row"] {
        let job = engine.inspector().job(&id(name)).await.unwrap().unwrap().job;
        assert_eq!((job.state, job.by.as_str()), (JobState::Cancelled, "ann"), "{name}");
    }
    assert_eq!(engine.inspector().bulk_run(&run).await.unwrap(), None, "Redis has forgotten it");
    drop(worker);
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_that_is_gone_is_seen_and_nothing_starts_until_a_person_says_so() {
    let server = RedisServer::start().unwrap();
    let engine = connect(&server).await.unwrap();
    let maintenance = engine.maintenance().start();
    let (worker, started) = noting(&engine).await;
    engine.client().enqueue_batch(vec![job("before")]).await.unwrap();
    until("a job to run", || async { started.lock().unwrap().len() == 1 }).await;
    looks(server.url(), 1).await;

    command(server.url(), &["FLUSHALL"]).unwrap();
    let seen = until("the loss to be seen", || async { halt(&engine).await.is_some() }).await;
    println!("seen after {seen:?}");
    assert_eq!(halt(&engine).await, Some(HaltReason::Replaced));
    engine.client().enqueue_batch(vec![job("after")]).await.unwrap();
    looks(server.url(), 4).await;
    assert_eq!(halt(&engine).await, Some(HaltReason::Replaced), "it does not end by itself");
    assert_eq!(started.lock().unwrap().len(), 1);

    assert!(engine.operator("ann").clear_halt("a test system").await.unwrap());
    until("the new job to run", || async { started.lock().unwrap().len() == 2 }).await;
    looks(server.url(), 2).await;
    assert_eq!(halt(&engine).await, None, "it is not found once more");
    drop(worker);
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_that_redis_forgot_is_said_again_although_somebody_changed_the_job_meanwhile() {
    let mut server = RedisServer::start_with(&["--save", "", "--appendonly", "no"]).unwrap();
    let engine = connect(&server).await.unwrap();
    engine.client().enqueue_batch(vec![due_in("changed", 3_600)]).await.unwrap();
    command(server.url(), &["SAVE"]).unwrap();
    engine.operator("ann").cancel(&id("changed")).because("the customer called").await.unwrap();
    server.kill().unwrap();
    server.restart().unwrap();

    // With as many changes as there were when it was called off, so that its version alone says nothing.
    let other = connect(&server).await.unwrap();
    other.operator("bob").hold(&id("changed")).await.unwrap();
    let maintenance = engine.maintenance().start();

    let of = async || other.inspector().job(&id("changed")).await.unwrap().unwrap().job;
    until("it to be called off again", || async { of().await.state == JobState::Cancelled }).await;
    let job = of().await;
    assert_eq!(job.by, "ann");
    assert_eq!(job.why, "the customer called (said again: Redis had forgotten it)");
    maintenance.shutdown().await;
}
