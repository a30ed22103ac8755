//! A queue of asynq, worked by a stand-in for its servers.

use super::gopher::Gopher;
use super::scene::{Scene, ann, eventually, id, job, mail};
use reprieve::model::{Cancelled, Delay, JobState, QueueName, SinkKind};
use reprieve::store::{Over, SnoozeWord};
use reprieve::{Due, ExponentialBackoff};
use reprieve_sinks::{Destination, SinkConfig, SinkHandle};
use std::time::Duration;

/// How long a word to a server may take to arrive.
const TIMEOUT: Duration = Duration::from_secs(60);

fn gopher(scene: &Scene) -> Gopher<'_> {
    Gopher { redis: &scene.redis, queue: scene.target.place.clone() }
}

/// A job that a server of asynq is running.
async fn given_taken(scene: &Scene, name: &str) -> String {
    scene.given_published(name).await;
    gopher(scene).dequeue().await.unwrap()
}

async fn sink(scene: &Scene, max_retry: u16) -> SinkHandle {
    let destination = Destination::Asynq { queue: scene.target.place.clone(), max_retry };
    let config = SinkConfig::new(QueueName::new("orders").unwrap(), vec![mail()], destination)
        .retry_policy(ExponentialBackoff::new(Delay::millis(100), Delay::millis(100)));
    let mut job = job();
    (job.due, job.timeout) = (Due::Now, Some(Delay::millis(90_500)));
    scene.redis.store().enqueue("client", &[(id("a1"), job)]).await.unwrap();
    SinkHandle::start(scene.redis.engine(), &config).await.unwrap()
}

/// The next task, waiting for it.
async fn next(gopher: &Gopher<'_>) -> String {
    let mut found = None;
    eventually("a task comes", async || {
        found = gopher.dequeue().await;
        found.is_some()
    })
    .await;
    found.unwrap()
}

#[tokio::test]
async fn a_task_has_all_that_a_server_of_asynq_needs_and_its_completion_flows_back() {
    let scene = Scene::asynq().await;
    let (sink, gopher) = (sink(&scene, 3).await, gopher(&scene));
    let task = next(&gopher).await;

    let publication = scene.job("a1").await.publication.unwrap();
    assert_eq!((publication.kind, &publication.entry), (SinkKind::Asynq, &task));
    let message = gopher.message(&task).await;
    assert_eq!(
        (message.id, message.queue, message.kind),
        (task.clone(), gopher.queue.clone(), "notice".to_owned())
    );
    assert_eq!((message.payload, message.retry), (job().payload, 3));
    assert_eq!((message.timeout, message.retention), (91, 86_400), "both always set, in whole seconds");

    eventually("it shows as taken", async || scene.job("a1").await.publication.unwrap().taken_by.is_some())
        .await;
    gopher.complete(&task).await;
    eventually("it is done", async || scene.state("a1").await == JobState::Done).await;
    eventually("nothing is left of it in asynq", async || gopher.is_empty().await).await;
    sink.shutdown().await;
}

#[tokio::test]
async fn a_task_that_asynq_gives_up_is_retried_here_with_its_error() {
    let scene = Scene::asynq().await;
    let maintenance = scene.redis.engine().maintenance().start();
    let (sink, gopher) = (sink(&scene, 0).await, gopher(&scene));
    let task = next(&gopher).await;
    assert_eq!(gopher.fail(&task, "no such resource").await, "archived");

    let second = next(&gopher).await;

    assert_ne!(task, second);
    assert_eq!(scene.job("a1").await.last_error, "no such resource");
    assert_eq!(gopher.state(&task).await, None, "the first task is gone");
    gopher.complete(&second).await;
    eventually("it is done", async || scene.state("a1").await == JobState::Done).await;
    assert_eq!(scene.job("a1").await.attempt, 2);
    sink.shutdown().await;
    maintenance.shutdown().await;
}

#[tokio::test]
async fn a_retry_of_asynqs_own_shows_and_costs_no_attempt_here() {
    let scene = Scene::asynq().await;
    let (sink, gopher) = (sink(&scene, 3).await, gopher(&scene));
    let task = next(&gopher).await;
    assert_eq!(gopher.fail(&task, "busy").await, "retry");

    let why = "failed in asynq, which will try it again";
    eventually("the job says so", async || scene.job("a1").await.why == why).await;
    gopher.forward(&task).await;
    assert_eq!(next(&gopher).await, task);
    eventually("it runs again", async || scene.job("a1").await.why == "taken by asynq").await;
    gopher.complete(&task).await;
    eventually("it is done", async || scene.state("a1").await == JobState::Done).await;
    assert_eq!(scene.job("a1").await.attempt, 1);
    sink.shutdown().await;
}

#[tokio::test]
async fn a_pending_task_is_called_off_in_one_step() {
    let scene = Scene::asynq().await;
    scene.given_published("a1").await;

    let cancelled = scene.at(5).cancel(&id("a1"), &ann()).await.unwrap();

    assert!(matches!(cancelled, Cancelled::Now(_)), "{cancelled:?}");
    assert_eq!(gopher(&scene).dequeue().await, None);
    assert!(gopher(&scene).is_empty().await);
}

#[tokio::test]
async fn an_active_task_is_asked_to_stop_and_cancelled_when_it_has() {
    let scene = Scene::asynq().await;
    let task = given_taken(&scene, "asked").await;
    let client = redis::Client::open(scene.redis.url()).unwrap();
    let mut listener = client.get_connection().unwrap();
    listener.set_read_timeout(Some(TIMEOUT)).unwrap();
    let mut channel = listener.as_pubsub();
    channel.subscribe("asynq:cancel").unwrap();

    let asked = scene.at(5).cancel(&id("asked"), &ann()).await.unwrap();

    assert!(matches!(asked, Cancelled::Requested(_)), "{asked:?}");
    let heard = loop {
        // The channel has no namespace: another test's task may be heard on it, of another name.
        let heard: String = channel.get_message().unwrap().get_payload().unwrap();
        if heard == task {
            break heard;
        }
    };
    assert_eq!(heard, task);
    // asynq reports the cancelled context as a failure and would try again.
    let again = "ZADD asynq:{Q}:retry 4000000000 TASK".replace("{Q}", &format!("{{{}}}", scene.target.place));
    scene.command(&again.replace("TASK", &task)).await;
    scene.command(&format!("HSET asynq:{{{}}}:t:{task} state retry", scene.target.place)).await;
    assert_eq!(scene.over(10).await, [(Over::Vanished, "asked".to_owned())]);
    let token = scene.job("asked").await.publication.unwrap().token;
    scene.at(11).snooze(&id("asked"), token, Delay::seconds(1), "called off", false).await.unwrap();
    assert_eq!(scene.state("asked").await, JobState::Cancelled);
    assert_eq!(gopher(&scene).state(&task).await, None);
}

#[tokio::test]
async fn a_task_deleted_in_asynq_is_published_again_and_one_it_lost_is_retried() {
    let scene = Scene::asynq().await;
    scene.given_published("a1").await;
    scene.command(&format!("DEL asynq:{{{}}}:pending", scene.target.place)).await;
    let entry = scene.job("a1").await.publication.unwrap().entry;
    scene.command(&format!("DEL asynq:{{{}}}:t:{entry}", scene.target.place)).await;
    assert_eq!(scene.over(5).await, [(Over::Vanished, "a1".to_owned())]);

    let scene = Scene::asynq().await;
    let task = given_taken(&scene, "a2").await;
    gopher(&scene).lease(&task, -60).await;
    assert!(scene.over(5).await.is_empty(), "asynq still takes it back itself");
    gopher(&scene).lease(&task, -121).await;
    assert_eq!(scene.over(6).await, [(Over::Expired, "a2".to_owned())]);
    assert!(gopher(&scene).is_empty().await, "no ghost is left");
}

#[tokio::test]
async fn a_task_that_its_handler_revokes_is_not_tried_again() {
    let scene = Scene::asynq().await;
    let maintenance = scene.redis.engine().maintenance().start();
    let (sink, gopher) = (sink(&scene, 0).await, gopher(&scene));
    let task = next(&gopher).await;
    eventually("it shows as taken", async || scene.job("a1").await.publication.unwrap().taken_by.is_some())
        .await;

    gopher.revoke(&task).await;

    eventually("it is dead", async || scene.state("a1").await == JobState::Dead).await;
    let job = scene.job("a1").await;
    let why = "its task was deleted in asynq after a worker had taken it (RevokeTask, or by hand)";
    assert_eq!((job.attempt, job.last_error.as_str()), (1, why));
    assert!(gopher.is_empty().await);
    sink.shutdown().await;
    maintenance.shutdown().await;
}

#[tokio::test]
async fn a_task_that_is_deleted_again_and_again_before_anybody_took_it_is_not_published_for_ever() {
    let scene = Scene::asynq().await;
    let maintenance = scene.redis.engine().maintenance().start();
    let (sink, gopher) = (sink(&scene, 0).await, gopher(&scene));

    let mut published = 0;
    eventually("it has ended", async || {
        // Taken and gone between two looks, as far as most of them can tell.
        if let Some(task) = gopher.dequeue().await {
            gopher.revoke(&task).await;
            published += 1;
        }
        scene.state("a1").await == JobState::Dead
    })
    .await;

    assert!((1..=5).contains(&published), "{published}");
    let job = scene.job("a1").await;
    let deleted = "its task was deleted in asynq";
    assert!(job.last_error.contains(deleted), "{}", job.last_error);
    sink.shutdown().await;
    maintenance.shutdown().await;
}

#[tokio::test]
async fn what_nobody_took_is_published_five_times_and_says_so() {
    let scene = Scene::asynq().await;
    scene.enqueue(&["a1"]).await;
    for time in 1..=5 {
        let at = time * 10_000;
        scene.at(at).forward(9, 0).await.unwrap();
        let token = scene.publish(at).await[0].1;
        let entry = scene.job("a1").await.publication.unwrap().entry;
        scene
            .command(&format!("DEL asynq:{{{0}}}:pending asynq:{{{0}}}:t:{entry}", scene.target.place))
            .await;
        let found = scene.look(at + 5).await.over.remove(0);
        assert_eq!((found.over, found.attempt), (Over::Vanished, 1), "a free publication costs no attempt");
        let why = String::from_utf8(found.text).unwrap();
        let word = scene.at(at + 6).unheard(&id("a1"), token, Delay::seconds(1), &why).await.unwrap();
        assert_eq!(word, if time < 5 { SnoozeWord::Delayed } else { SnoozeWord::Dead });
    }
    let job = scene.job("a1").await;
    let why = "lost 5 times: its task was deleted in asynq before anybody was seen to take it";
    assert_eq!((job.state, job.last_error.as_str(), job.unheard), (JobState::Dead, why, 5));
    assert_eq!(scene.over(60_000).await, []);
}

#[tokio::test]
async fn a_task_archived_with_retries_left_is_dead_and_one_without_is_retried_here() {
    let scene = Scene::asynq().await;
    let maintenance = scene.redis.engine().maintenance().start();
    let (sink, gopher) = (sink(&scene, 3).await, gopher(&scene));
    let task = next(&gopher).await;

    gopher.skip_retry(&task, "no such address").await;

    eventually("it is dead", async || scene.state("a1").await == JobState::Dead).await;
    assert_eq!(
        (scene.job("a1").await.attempt, scene.job("a1").await.last_error.as_str()),
        (1, "no such address")
    );
    sink.shutdown().await;
    maintenance.shutdown().await;
}

#[tokio::test]
async fn an_active_task_without_any_lease_has_its_whole_timeout() {
    let scene = Scene::asynq().await;
    let task = given_taken(&scene, "a1").await;
    scene.command(&format!("ZREM asynq:{{{}}}:lease {task}", scene.target.place)).await;

    assert_eq!(scene.over(5).await, [], "a server may run it: old ones keep no leases");
    assert_eq!(scene.job("a1").await.why, "asynq shows no lease for it");
    assert_eq!(scene.over(29_999).await, []);
    assert_eq!(gopher(&scene).state(&task).await.as_deref(), Some("active"));

    assert_eq!(scene.over(30_005).await, [(Over::Expired, "a1".to_owned())]);
    assert!(gopher(&scene).is_empty().await);
}

#[tokio::test]
async fn a_lease_that_comes_and_goes_begins_anew() {
    let scene = Scene::asynq().await;
    let task = given_taken(&scene, "a1").await;
    let none = format!("ZREM asynq:{{{}}}:lease {task}", scene.target.place);
    scene.command(&none).await;
    assert_eq!(scene.over(5).await, []);
    gopher(&scene).lease(&task, 30).await;
    assert_eq!(scene.over(29_000).await, []);
    scene.command(&none).await;
    assert_eq!(scene.over(31_000).await, []);
    assert_eq!(scene.over(60_000).await, []);
    assert_eq!(scene.over(61_000).await, [(Over::Expired, "a1".to_owned())]);
}

#[tokio::test]
async fn what_a_server_still_runs_keeps_its_records_until_it_has_ended() {
    let scene = Scene::asynq().await;
    let task = given_taken(&scene, "a1").await;
    let token = scene.job("a1").await.publication.unwrap().token;
    scene.at(5).complete(&[(id("a1"), token)]).await.unwrap();

    assert_eq!(scene.look(6).await.outstanding, 1);
    assert_eq!(gopher(&scene).state(&task).await.as_deref(), Some("active"));
    gopher(&scene).complete(&task).await;
    assert_eq!(scene.look(7).await.outstanding, 0);
    assert!(gopher(&scene).is_empty().await);
}
