//! Payloads that only programs with a key can read.

use super::scene::{Scene, id, job, within};
use reprieve::model::JobState;
use reprieve::{Failure, JobContext, NewJob, PayloadKeys};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

const SECRET: &str = r#"{"to":"ann@example.org"}"#;

fn keys(name: &str, byte: u8) -> PayloadKeys {
    PayloadKeys::new(name, &[byte; 32]).unwrap()
}

fn letter(name: &str) -> NewJob {
    let mut job = job(name, "letter");
    job.payload = SECRET.into();
    job
}

/// A handler that hands on what payloads it sees.
fn hand_on(
    to: UnboundedSender<String>,
) -> impl Fn(JobContext) -> std::future::Ready<Result<(), Failure>> + Send + Sync + 'static {
    move |context| {
        to.send(String::from_utf8_lossy(context.payload()).into_owned()).unwrap();
        std::future::ready(Ok(()))
    }
}

async fn next(seen: &mut UnboundedReceiver<String>) -> String {
    within("a payload", seen.recv()).await.unwrap()
}

#[tokio::test]
async fn a_sealed_payload_is_read_by_its_handler_and_by_nobody_on_the_way() {
    let mut scene = Scene::new().await;
    let keys = keys("2026", 1);
    scene.enqueue(vec![letter("sealed").sealed(&keys).unwrap(), letter("plain")]).await;
    let kept = scene.job("sealed").await;
    assert!(!String::from_utf8_lossy(&kept.payload).contains("ann"), "{kept:?}");
    let all = format!("{:?}", scene.redis.snapshot().await);
    assert_eq!(all.matches("ann@example.org").count(), 1, "that of the plain job");

    let (to, mut seen) = unbounded_channel();
    let worker = scene.worker().payload_keys(keys).handler("letter", hand_on(to)).start().await.unwrap();
    assert_eq!([next(&mut seen).await, next(&mut seen).await], [SECRET, SECRET]);
    scene.until("sealed", JobState::Done).await;
    // As it was taken in, for a copy of it.
    assert_eq!(scene.job("sealed").await.payload, kept.payload);
    worker.shutdown().await;
}

#[tokio::test]
async fn without_its_key_a_job_is_put_off_at_no_cost_until_a_worker_has_it() {
    let mut scene = Scene::new().await;
    let (old, new) = (keys("2026", 1), keys("2027", 2));
    scene.enqueue(vec![letter("letter").sealed(&new).unwrap()]).await;
    let (to, mut seen) = unbounded_channel();
    let worker =
        scene.worker().payload_keys(old).handler("letter", hand_on(to.clone())).start().await.unwrap();
    scene.until("letter", JobState::Delayed).await;
    worker.shutdown().await;
    let put_off = scene.job("letter").await;
    assert_eq!(put_off.attempt, 0, "{put_off:?}");
    let detail = scene.engine.inspector().job(&id("letter")).await.unwrap().unwrap();
    assert!(format!("{detail:?}").contains("the key \\\"2027\\\", which is not here"), "{detail:?}");

    scene.engine.operator("ann").retry_now(&id("letter")).await.unwrap();
    let worker = scene.worker().payload_keys(new).handler("letter", hand_on(to)).start().await.unwrap();
    assert_eq!(next(&mut seen).await, SECRET);
    scene.until("letter", JobState::Done).await;
    worker.shutdown().await;
}

#[tokio::test]
async fn what_was_changed_on_the_way_is_dead_and_never_handled() {
    let mut scene = Scene::new().await;
    let mut moved = letter("moved").sealed(&keys("2026", 1)).unwrap();
    moved.kind = "parcel".parse().unwrap();
    scene.enqueue(vec![moved]).await;
    let (to, mut seen) = unbounded_channel();
    let worker =
        scene.worker().payload_keys(keys("2026", 1)).handler("parcel", hand_on(to)).start().await.unwrap();
    scene.until("moved", JobState::Dead).await;
    worker.shutdown().await;
    assert!(seen.recv().await.is_none());
    let error = scene.job("moved").await.last_error;
    assert!(error.contains("it was changed, or belongs to a job of another kind"), "{error}");
}

#[tokio::test]
async fn a_worker_without_keys_hands_payloads_on_as_they_stand_and_says_what_it_lacks() {
    let mut scene = Scene::new().await;
    scene.enqueue(vec![letter("letter").sealed(&keys("2026", 1)).unwrap()]).await;
    let worker = scene
        .worker()
        .handler("letter", |context: JobContext| async move {
            assert!(context.payload().starts_with(b"{\"sealed\":"));
            context.json::<std::collections::BTreeMap<String, String>>().map(drop)
        })
        .start()
        .await
        .unwrap();
    scene.until("letter", JobState::Retrying).await;
    worker.shutdown().await;
    let error = scene.job("letter").await.last_error;
    assert!(error.contains("sealed with the key \"2026\""), "{error}");
}
