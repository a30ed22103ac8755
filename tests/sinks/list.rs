//! A list: what is popped from it, and what becomes of it when nobody says how it went.

use super::scene::{LEASE, Scene, ann, id};
use redis::Value;
use reprieve::model::{Cancelled, Delay, JobState, SinkKind};
use reprieve::store::Over;

async fn pop(scene: &Scene) -> Option<String> {
    redis::from_redis_value(scene.command("RPOP @").await).unwrap()
}

#[tokio::test]
async fn items_come_out_in_the_order_of_their_jobs_and_the_job_shows_it() {
    let scene = Scene::list().await;
    scene.enqueue(&["a1", "a2"]).await;
    let jobs = scene.publish(0).await;
    assert!(scene.over(1).await.is_empty());
    assert_eq!(scene.job("a1").await.publication.unwrap().taken_by, None);

    assert_eq!(pop(&scene).await, Some(format!("a1#{}", jobs[0].1)));
    scene.look(2_000).await;

    let publication = scene.job("a1").await.publication.unwrap();
    assert_eq!(publication.kind, SinkKind::List);
    assert_eq!(publication.taken.unwrap().as_millis() - super::scene::START, 2_000, "as seen from here");
    assert_eq!(publication.taken_by, Some(format!("a consumer of {}", scene.target.place)));
    assert_eq!(scene.job("a2").await.publication.unwrap().taken_by, None);
}

#[tokio::test]
async fn an_item_that_nobody_reports_on_in_time_is_handed_out_again() {
    let scene = Scene::list().await;
    let token = scene.given_published("a1").await;
    pop(&scene).await.unwrap();
    assert!(scene.over(1_000).await.is_empty());
    assert!(scene.over(30_999).await.is_empty());

    assert_eq!(scene.over(31_000).await, [(Over::Expired, "a1".to_owned())]);
    scene.at(31_001).fail(&id("a1"), token, "nobody reported", Some(Delay::seconds(1))).await.unwrap();
    scene.at(40_000).forward(9, 0).await.unwrap();
    let second = scene.publish(40_001).await.remove(0).1;

    assert_eq!(pop(&scene).await, Some(format!("a1#{second}")));
    assert_eq!(pop(&scene).await, None);
}

#[tokio::test]
async fn a_cancel_before_the_pop_removes_the_item_and_after_it_only_asks() {
    let scene = Scene::list().await;
    scene.given_published("a1").await;
    let cancelled = scene.at(5).cancel(&id("a1"), &ann()).await.unwrap();
    assert!(matches!(cancelled, Cancelled::Now(_)), "{cancelled:?}");
    assert_eq!(pop(&scene).await, None);

    scene.given_published("a2").await;
    pop(&scene).await.unwrap();
    let asked = scene.at(5).cancel(&id("a2"), &ann()).await.unwrap();
    assert!(matches!(asked, Cancelled::Requested(_)), "{asked:?}");
}

#[tokio::test]
async fn a_deleted_list_delays_its_jobs_by_a_timeout_and_loses_none() {
    let scene = Scene::list().await;
    scene.given_published("a1").await;
    scene.command("DEL @").await;
    assert!(scene.over(1_000).await.is_empty(), "it may as well have been popped");
    assert_eq!(scene.over(31_000).await, [(Over::Expired, "a1".to_owned())]);
}

#[tokio::test]
async fn a_job_that_was_completed_while_its_item_lies_in_the_list_takes_it_along() {
    let scene = Scene::list().await;
    let token = scene.given_published("a1").await;
    scene.at(1).complete(&[(id("a1"), token)]).await.unwrap();
    assert_eq!(scene.look(2).await.outstanding, 0);
    assert_eq!((pop(&scene).await, scene.state("a1").await), (None, JobState::Done));
    let hash = &scene.redis.snapshot().await["job:a1"];
    assert!(
        !hash.iter().any(|field| field.starts_with("publication_item")),
        "what was sent is not kept: {hash:?}"
    );
}

#[tokio::test]
async fn a_key_that_is_no_list_refuses() {
    let scene = Scene::list().await;
    scene.command("SET @ something").await;
    scene.enqueue(&["a1"]).await;
    let job = scene.claim(0).await.remove(0);
    let refused = scene.at(1).publish(&scene.target, LEASE, &[(job.id, job.token, b"a1".to_vec())]).await;
    assert!(refused.unwrap_err().to_string().contains("the key holds a string, not a list"));
    assert_eq!(scene.command("GET @").await, Value::BulkString(b"something".to_vec()));
}
