//! Layers around handlers.

use super::scene::{Scene, id, job};
use reprieve::model::JobState;
use reprieve::{Failure, HandlerError, HandlerService, JobContext, TraceParent};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tower_layer::{Layer, layer_fn};
use tower_service::Service;

/// Writes down its name before and after each call.
#[derive(Clone)]
struct Tell<S> {
    name: &'static str,
    told: Arc<Mutex<Vec<String>>>,
    inner: S,
}

impl<S> Service<JobContext> for Tell<S>
where
    S: Service<JobContext, Response = (), Error = HandlerError>,
    S::Future: Send + 'static,
{
    type Response = ();
    type Error = HandlerError;
    type Future = Pin<Box<dyn Future<Output = Result<(), HandlerError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HandlerError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, context: JobContext) -> Self::Future {
        let (name, told) = (self.name, Arc::clone(&self.told));
        told.lock().unwrap().push(format!("{name} sees {}", context.id()));
        let run = self.inner.call(context);
        Box::pin(async move {
            let ended = run.await;
            told.lock()
                .unwrap()
                .push(format!("{name} saw {}", if ended.is_ok() { "success" } else { "failure" }));
            ended
        })
    }
}

fn tell(
    name: &'static str,
    told: &Arc<Mutex<Vec<String>>>,
) -> impl Layer<HandlerService, Service = Tell<HandlerService>> + use<> {
    let told = Arc::clone(told);
    layer_fn(move |inner| Tell { name, told: Arc::clone(&told), inner })
}

#[tokio::test]
async fn the_first_layer_added_is_the_outermost_and_a_failure_keeps_its_meaning() {
    let mut scene = Scene::new().await;
    let told = Arc::default();
    let worker = scene
        .worker()
        .layer(tell("outer", &told))
        .layer(tell("inner", &told))
        .handler("k", |_| async { Err(Failure::fatal("no such resource")) })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Dead).await;
    assert_eq!(scene.job("a").await.last_error, "no such resource");
    assert_eq!(
        *told.lock().unwrap(),
        ["outer sees a", "inner sees a", "inner saw failure", "outer saw failure"]
    );
    worker.shutdown().await;
}

/// Refuses every job with an error of its own.
#[derive(Clone)]
struct Closed;

impl Service<JobContext> for Closed {
    type Response = ();
    type Error = std::io::Error;
    type Future = std::future::Ready<Result<(), std::io::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), std::io::Error>> {
        Poll::Ready(Err(std::io::Error::other("the circuit is open")))
    }

    fn call(&mut self, _: JobContext) -> Self::Future {
        unreachable!("it is never ready")
    }
}

#[tokio::test]
async fn a_layers_own_error_is_a_failure_that_may_be_retried() {
    let mut scene = Scene::new().await;
    let worker = scene
        .worker()
        .retry_policy(|_: u32| reprieve::model::Delay::hours(1))
        .layer(layer_fn(|_: HandlerService| Closed))
        .handler_for_all(|_| async { Ok(()) })
        .start()
        .await
        .unwrap();
    scene.enqueue(vec![job("a", "k")]).await;
    scene.until("a", JobState::Retrying).await;
    assert_eq!(scene.job("a").await.last_error, "the circuit is open");
    worker.shutdown().await;
}

#[tokio::test]
async fn the_trace_a_job_was_enqueued_under_reaches_its_handler() {
    let scene = Scene::new().await;
    let worker = scene
        .worker()
        .handler_returning("k", |context: JobContext| async move {
            Ok(context.trace_parent().map(|parent| parent.to_string()))
        })
        .start()
        .await
        .unwrap();
    let parent: TraceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse().unwrap();
    let kind = reprieve::model::Kind::new("k").unwrap();
    let client = scene.engine.client();
    client.enqueue_raw(kind.clone(), "{}").id(id("a")).trace_parent(parent).send().await.unwrap();
    client.enqueue_raw(kind, "{}").id(id("b")).header("traceparent", "00-nonsense").send().await.unwrap();
    for name in ["a", "b"] {
        // They may end in either order.
        scene.until_read(name, JobState::Done).await;
    }
    assert_eq!(scene.job("a").await.result, format!("\"{parent}\"").into_bytes());
    assert_eq!(scene.job("b").await.result, b"null");
    worker.shutdown().await;
}
