//! A connection that ends in the middle of an answer: what was done is asked for again, or said not to be known.

use super::scene::{id, job, way_to};
use reprieve::model::{Cancelled, Delay, Enqueued, JobState};
use reprieve::testing::RedisServer;
use reprieve::{Due, Engine, EngineConfig, Error, NewJob};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};

/// Passes everything on, but of the next answer the first bytes only, when asked to.
async fn pass(client: TcpStream, server: UnixStream, tears: Arc<AtomicBool>) {
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    let asking = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut answer = [0; 64 * 1024];
    while let Ok(length @ 1..) = from_server.read(&mut answer).await {
        let torn = length > 4 && tears.swap(false, Ordering::SeqCst);
        let told = if torn { &answer[..length - 3] } else { &answer[..length] };
        if to_client.write_all(told).await.is_err() || torn {
            break;
        }
    }
    asking.abort();
}

/// A job that is due in an hour.
fn later(name: Option<&str>) -> NewJob {
    let mut job = job("any");
    (job.id, job.due) = (name.map(id), Due::In(Delay::hours(1)));
    job
}

/// An engine on a Redis of its own, with a job `a` that is due in an hour; and what tears its next answer.
async fn scene() -> (RedisServer, Engine, Arc<AtomicBool>) {
    let server = RedisServer::start().unwrap();
    let tears = Arc::new(AtomicBool::new(false));
    let torn = Arc::clone(&tears);
    let url = way_to(&server, move |client, server| pass(client, server, Arc::clone(&torn))).await;
    let engine = Engine::connect(EngineConfig::new(url)).await.unwrap();
    engine.client().enqueue_batch(vec![later(Some("a"))]).await.unwrap();
    (server, engine, tears)
}

async fn state_of(engine: &Engine) -> JobState {
    engine.inspector().job(&id("a")).await.unwrap().unwrap().job.state
}

#[tokio::test]
async fn half_an_answer_to_a_change_is_no_damage_and_no_refusal() {
    let (_server, engine, tears) = scene().await;

    tears.store(true, Ordering::SeqCst);
    let error = engine.client().enqueue_batch(vec![job("b")]).await.unwrap_err();

    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error:?}");
    // Repeated under its id it tells what became of it.
    let again = engine.client().enqueue_batch(vec![job("b")]).await.unwrap();
    assert!(matches!(again[0], Enqueued::Exists(_)), "{again:?}");
}

#[tokio::test]
async fn half_an_answer_to_a_question_changes_nothing_and_is_an_outage() {
    let (_server, engine, tears) = scene().await;
    tears.store(true, Ordering::SeqCst);
    let error = engine.inspector().job(&id("a")).await.unwrap_err();
    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
}

#[tokio::test]
async fn an_act_under_an_operation_is_asked_again_until_its_outcome_is_known() {
    let (_server, engine, tears) = scene().await;
    let ann = engine.operator("ann");

    tears.store(true, Ordering::SeqCst);
    let outcome = ann.cancel(&id("a")).operation("o1").await.unwrap();

    assert!(
        matches!(outcome, Cancelled::Now(_)),
        "the first answer, not that it was cancelled before: {outcome:?}"
    );
    assert_eq!(ann.cancel(&id("a")).operation("o1").await.unwrap(), outcome);
    let audit = engine.inspector().audit(&Default::default(), None, 9).await.unwrap().items;
    assert_eq!(audit.iter().filter(|entry| entry.verb == "cancel").count(), 1, "{audit:?}");
}

#[tokio::test]
async fn of_an_act_without_an_operation_it_is_said_that_its_outcome_is_not_known() {
    let (_server, engine, tears) = scene().await;

    tears.store(true, Ordering::SeqCst);
    let error = engine.client().cancel(&id("a")).await.unwrap_err();

    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error:?}");
    assert_eq!(state_of(&engine).await, JobState::Cancelled, "it was carried out");
}

#[tokio::test]
async fn a_job_whose_id_we_made_is_taken_in_once_though_the_answer_was_lost() {
    let (_server, engine, tears) = scene().await;

    tears.store(true, Ordering::SeqCst);
    let taken = engine.client().enqueue_batch(vec![later(None)]).await.unwrap();

    assert!(matches!(taken[0], Enqueued::Delayed(_)), "{taken:?}");
    let counts = engine.inspector().counts(None).await.unwrap();
    assert_eq!(counts.delayed, 2, "with a: {counts:?}");
}

#[tokio::test]
async fn a_change_that_never_left_is_said_not_to_have_been_made() {
    let mut server = RedisServer::start().unwrap();
    let engine = Engine::connect(EngineConfig::new(server.url())).await.unwrap();
    server.kill().unwrap();
    // The first call finds the connection broken, which may have happened after it left.
    assert!(engine.client().cancel(&id("a")).await.is_err());

    let error = engine.operator("ann").cancel(&id("a")).operation("o1").await.unwrap_err();

    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
}
