//! The whole sink, with consumers that read, acknowledge, report and die.

use super::gopher::Gopher;
use super::scene::{Lines, Scene, ann, eventually, id, job, mail};
use reprieve::model::{Delay, JobState, QueueName, RunMode, SinkKind, WorkerInfo, WorkerOrder};
use reprieve::store::{Over, ReleaseWord};
use reprieve::{Due, ExponentialBackoff};
use reprieve_sinks::{Destination, PlaceName, SinkConfig, SinkHandle};

fn config(scene: &Scene) -> SinkConfig {
    let destination = Destination::Stream {
        stream: PlaceName::new(scene.target.place.as_str()).unwrap(),
        group: scene.target.group.clone(),
    };
    SinkConfig::new(QueueName::new("orders").unwrap(), vec![mail()], destination)
        .timeout(Delay::seconds(4))
        .reply(PlaceName::new(format!("{}-replies", scene.target.place)).unwrap())
        .retry_policy(ExponentialBackoff::new(Delay::millis(100), Delay::millis(100)))
}

async fn enqueue_now(scene: &Scene, names: &[String]) {
    for name in names {
        let mut job = job();
        job.due = Due::Now;
        scene.redis.store().enqueue("client", &[(id(name), job)]).await.unwrap();
    }
}

/// Reads one entry, waiting for it.
async fn next(scene: &Scene, consumer: &str) -> (String, String, String) {
    for _ in 0..3_000 {
        if let Some((entry, fields)) = scene.read(consumer).await.into_iter().next() {
            return (entry, fields[0].1.clone(), fields[1].1.clone());
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("nothing came to {consumer}");
}

#[tokio::test]
async fn many_jobs_go_out_through_two_processes_and_each_acknowledgement_flows_back() {
    let scene = Scene::stream().await;
    let config = config(&scene).timeout(Delay::minutes(1));
    let engine = scene.redis.engine();
    let sinks = [
        SinkHandle::start(engine, &config).await.unwrap(),
        SinkHandle::start(engine, &config).await.unwrap(),
    ];
    let names: Vec<String> = (0..250).map(|n| format!("job-{n}")).collect();
    enqueue_now(&scene, &names).await;

    let mut read = 0;
    eventually("every job is read once and done", async || {
        for (entry, _) in scene.read("carl").await {
            read += 1;
            scene.ack(&entry).await;
        }
        let overview = scene.redis.engine().inspector().overview().await.unwrap();
        overview.queues.iter().map(|queue| queue.counts.done).sum::<u64>() == 250
    })
    .await;

    assert_eq!(read, 250, "none was published twice");
    for sink in sinks {
        sink.shutdown().await;
    }
}

#[tokio::test]
async fn a_consumer_that_dies_with_a_job_does_not_take_it_along() {
    let scene = Scene::stream().await;
    let maintenance = scene.redis.engine().maintenance().start();
    let sink = SinkHandle::start(scene.redis.engine(), &config(&scene)).await.unwrap();
    enqueue_now(&scene, &["a1".to_owned()]).await;

    let (_, name, first) = next(&scene, "carl").await;
    let (entry, again, second) = next(&scene, "dora").await;
    scene.ack(&entry).await;

    eventually("the second attempt is done", async || scene.state("a1").await == JobState::Done).await;
    assert_eq!((name.as_str(), again.as_str(), scene.job("a1").await.attempt), ("a1", "a1", 2));
    assert_ne!(first, second);
    sink.shutdown().await;
    maintenance.shutdown().await;
}

#[tokio::test]
async fn a_report_on_the_reply_list_ends_a_job_and_a_stale_or_broken_one_changes_nothing() {
    let scene = Scene::stream().await;
    let replies = format!("{}-replies", scene.target.place);
    let sink =
        SinkHandle::start(scene.redis.engine(), &config(&scene).timeout(Delay::minutes(1))).await.unwrap();
    let report = async |name: &str, token: &str, outcome: &str| {
        let text =
            format!(r#"{{"id":"{name}","token":{token},"outcome":"{outcome}","error":"no such address"}}"#);
        scene.redis.command(&["RPUSH", &replies, &text]).await.unwrap();
    };
    enqueue_now(&scene, &["a1".to_owned()]).await;
    let (_, name, token) = next(&scene, "carl").await;

    scene.redis.command(&["RPUSH", &replies, "not JSON"]).await.unwrap();
    report(&name, "1", "done").await;
    report(&name, &token, "failed").await;

    eventually("it is dead", async || scene.state("a1").await == JobState::Dead).await;
    assert_eq!(scene.job("a1").await.last_error, "no such address");
    enqueue_now(&scene, &["a2".to_owned()]).await;
    let (_, name, token) = next(&scene, "carl").await;
    report(&name, &token, "done").await;
    eventually("it is done", async || scene.state("a2").await == JobState::Done).await;
    eventually("the list is empty", async || {
        scene.redis.command(&["EXISTS", &replies]).await.unwrap() == redis::Value::Int(0)
    })
    .await;
    sink.shutdown().await;
}

#[tokio::test]
async fn a_queue_with_a_damaged_key_holds_up_no_other_of_its_sink_and_goes_on_when_that_is_mended() {
    let scene = Scene::stream().await;
    let sms = QueueName::new("sms").unwrap();
    let mut config = config(&scene).timeout(Delay::minutes(1));
    config.queues = vec![mail(), sms.clone()];
    let replies = format!("{}-replies", scene.target.place);
    let sink = SinkHandle::start(scene.redis.engine(), &config).await.unwrap();
    let to_sms = async |name: &str| {
        let mut job = job();
        (job.queue, job.due) = (sms.clone(), Due::Now);
        scene.redis.store().enqueue("client", &[(id(name), job)]).await.unwrap();
    };
    let done = async |name: &str, token: &str| {
        let text = format!(r#"{{"id":"{name}","token":{token},"outcome":"done"}}"#);
        scene.redis.command(&["RPUSH", &replies, &text]).await.unwrap();
    };
    enqueue_now(&scene, &["letter".to_owned()]).await;
    let (_, _, letter) = next(&scene, "carl").await;
    to_sms("first").await;
    let (_, _, first) = next(&scene, "carl").await;
    let damaged = format!("{}q:mail:done", scene.redis.prefix());
    scene.redis.command(&["SET", &damaged, "not a set"]).await.unwrap();

    done("letter", &letter).await;
    done("first", &first).await;

    eventually("the report behind it counts", async || scene.state("first").await == JobState::Done).await;
    to_sms("second").await;
    let (entry, name, _) = next(&scene, "carl").await;
    scene.ack(&entry).await;
    eventually("what is out is looked after", async || scene.state("second").await == JobState::Done).await;
    assert_eq!((name.as_str(), scene.state("letter").await), ("second", JobState::Active));
    scene.redis.command(&["DEL", &damaged]).await.unwrap();
    eventually("its report counts", async || scene.state("letter").await == JobState::Done).await;
    sink.shutdown().await;
}

#[tokio::test]
async fn a_reply_list_that_is_none_holds_up_neither_jobs_nor_acknowledgements_and_is_told_once() {
    let (told, _told) = Lines::of_this_thread();
    let scene = Scene::stream().await;
    let replies = format!("{}-replies", scene.target.place);
    scene.redis.command(&["SET", &replies, "no list"]).await.unwrap();
    let sink =
        SinkHandle::start(scene.redis.engine(), &config(&scene).timeout(Delay::minutes(1))).await.unwrap();

    for name in ["a1", "a2"] {
        enqueue_now(&scene, &[name.to_owned()]).await;
        let (entry, ..) = next(&scene, "carl").await;
        scene.ack(&entry).await;
        eventually("it is done", async || scene.state(name).await == JobState::Done).await;
    }

    let lines = told.with(&format!("hears no reports on {replies:?} until this is mended"));
    assert_eq!((lines.len(), lines[0].contains("ERROR")), (1, true), "{lines:?}");
    sink.shutdown().await;
}

#[tokio::test]
async fn a_sink_that_stands_still_says_once_why_and_goes_on_when_that_is_mended() {
    let (told, _told) = Lines::of_this_thread();
    let scene = Scene::stream().await;
    let index = format!("{}sink:orders", scene.redis.prefix());
    scene.redis.command(&["SET", &index, "not a set"]).await.unwrap();
    let sink =
        SinkHandle::start(scene.redis.engine(), &config(&scene).timeout(Delay::minutes(1))).await.unwrap();
    let says = || told.with("sink orders stands still until this is mended");
    eventually("it is told", async || !says().is_empty()).await;
    enqueue_now(&scene, &["a1".to_owned()]).await;
    // Long enough for several more rounds that fail.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert_eq!((says().len(), scene.state("a1").await), (1, JobState::Ready));
    assert!(says()[0].contains("ERROR") && says()[0].contains(&index), "{:?}", says());

    scene.redis.command(&["DEL", &index]).await.unwrap();

    eventually("it is published", async || scene.job("a1").await.publication.is_some()).await;
    sink.shutdown().await;
}

#[tokio::test]
async fn a_sink_out_of_its_limits_does_not_start() {
    let scene = Scene::stream().await;
    let own = || PlaceName::new(scene.target.place.as_str()).unwrap();
    let to = |place| SinkConfig::new(QueueName::new("orders").unwrap(), vec![mail()], place);
    let key = |name: String| PlaceName::new(name).unwrap();
    let namespace = scene.redis.engine().namespace();
    let wrong = [
        config(&scene).timeout(Delay::millis(1)),
        config(&scene).outstanding(0),
        config(&scene).outstanding(1_001),
        SinkConfig::new(QueueName::new("orders").unwrap(), Vec::new(), config(&scene).destination),
        config(&scene).reply(own()),
        to(Destination::List { list: own() }).reply(own()),
        to(Destination::Asynq { queue: "low".to_owned(), max_retry: 0 })
            .reply(PlaceName::new("asynq:{low}:pending").unwrap()),
        to(Destination::List { list: key("orders:{}".to_owned()) })
            .reply(key(format!("orders:{{{namespace}}}"))),
        to(Destination::Asynq { queue: namespace.to_string(), max_retry: 0 })
            .reply(key("asynq:{}:pending".to_owned())),
    ];
    for config in wrong {
        assert!(SinkHandle::start(scene.redis.engine(), &config).await.is_err(), "{config:?}");
    }
}

/// The sink as those who look at the workers see it.
async fn seen(scene: &Scene) -> Option<WorkerInfo> {
    let fleet = scene.redis.engine().inspector().fleet().await.unwrap();
    fleet.workers.into_iter().map(|worker| worker.info).find(|info| info.sink.is_some())
}

#[tokio::test]
async fn a_sink_is_seen_among_the_workers_and_obeys_like_one() {
    let scene = Scene::stream().await;
    let config = config(&scene).timeout(Delay::minutes(1));
    let engine = scene.redis.engine();
    enqueue_now(&scene, &["a".to_owned(), "b".to_owned()]).await;
    let before = engine.inspector().fleet().await.unwrap();
    assert_eq!(before.unserved, [(mail(), 2)]);

    let sink = SinkHandle::start(engine, &config).await.unwrap();
    eventually("what is out is told", async || seen(&scene).await.is_some_and(|info| info.busy == 2)).await;

    let queues = engine.inspector().queues().await.unwrap();
    let queue = queues.iter().find(|queue| queue.name == mail()).unwrap();
    let [RunMode::Published(on, 2)] = &queue.modes[..] else { panic!("{:?}", queue.modes) };
    assert_eq!((on.sink.as_str(), on.place.as_str()), ("orders", scene.target.place.as_str()));
    assert_eq!(on.group.as_deref(), Some("workers"));
    let handed =
        scene.job("a").await.publication.unwrap().at.min(scene.job("b").await.publication.unwrap().at);
    assert_eq!((on.oldest, queue.workers), (Some(handed), 1));

    let operator = engine.operator("ann");
    let id = seen(&scene).await.unwrap().id;
    operator.order_worker(&id, WorkerOrder::Quiet, "").await.unwrap();
    eventually("it is quiet", async || seen(&scene).await.is_some_and(|info| info.quiet)).await;
    enqueue_now(&scene, &["c".to_owned()]).await;
    let (entry, ..) = next(&scene, "carl").await;
    scene.ack(&entry).await;
    eventually("what is out is looked after", async || {
        [scene.job("a").await, scene.job("b").await].iter().any(|job| job.state == JobState::Done)
    })
    .await;
    assert_eq!(scene.job("c").await.state, JobState::Ready);

    operator.order_worker(&id, WorkerOrder::Resume, "").await.unwrap();
    eventually("it publishes again", async || scene.job("c").await.state == JobState::Active).await;
    operator.order_worker(&id, WorkerOrder::Stop, "").await.unwrap();
    eventually("it is gone", async || seen(&scene).await.is_none()).await;
    sink.shutdown().await;
}

#[tokio::test]
async fn the_entry_of_a_removed_job_tells_nothing_of_the_job_that_has_its_id() {
    for scene in [Scene::stream().await, Scene::list().await, Scene::asynq().await] {
        let kind = scene.target.kind;
        let gopher = Gopher { redis: &scene.redis, queue: scene.target.place.clone() };
        let take = async || match kind {
            SinkKind::Stream => scene.read("carl").await.remove(0).0,
            SinkKind::List => redis::from_redis_value(scene.command("RPOP @").await).unwrap(),
            _ => gopher.dequeue().await.unwrap(),
        };
        let end = async |entry: &str| match kind {
            SinkKind::Stream => scene.ack(entry).await,
            SinkKind::List => {}
            _ => gopher.complete(entry).await,
        };
        let first = scene.given_published("a1").await;
        let taken = take().await;
        scene.at(1).complete(&[(id("a1"), first)]).await.unwrap();
        scene.at(2).purge_job(&id("a1"), &ann()).await.unwrap();
        let second = scene.given_published("a1").await;

        end(&taken).await;

        assert_eq!(scene.over(10).await, [], "{kind:?}");
        let late = scene.at(11).complete(&[(id("a1"), first)]).await.unwrap();
        assert_eq!((late, scene.state("a1").await), (vec![ReleaseWord::Lost], JobState::Active), "{kind:?}");
        let own = take().await;
        assert_eq!(scene.job("a1").await.publication.unwrap().token, second, "{kind:?}");
        end(&own).await;
        let over = scene.over(12).await;
        let expected = if kind == SinkKind::List { vec![] } else { vec![(Over::Done, "a1".to_owned())] };
        assert_eq!(over, expected, "{kind:?}");
    }
}
