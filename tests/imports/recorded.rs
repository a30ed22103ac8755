//! Keys that the systems themselves have written, as `peers/record.py` wrote them down: `fill` for the queue `mail` with
//! twenty jobs, `keep`, and a job that has failed for good where the system has such.

use crate::imports::scene::{Keyspace, Scene};
use reprieve::model::{JobId, JobState};
use reprieve::testing::RedisServer;
use reprieve_import::{Layout, QueuesSource, Source};
use serde_json::Value;

/// The source of a system with these settings.
type Layouts = Box<dyn Fn(QueuesSource) -> Layout>;

/// The same of the one queue, for a system that has no list of them.
fn of_mail(layout: fn(QueuesSource) -> Layout) -> Layouts {
    Box::new(move |mut source| {
        source.queues = vec!["mail".to_owned()];
        layout(source)
    })
}

/// What a system has written.
struct Recorded<'a> {
    layout: Layouts,
    /// The whole Redis.
    keys: &'static str,
    /// The job and the due time of each that is to be taken.
    expected: &'a str,
    /// The job that has failed for good.
    dead: Option<&'static str>,
    /// What the wizard calls it, where the system tells; a queue of arq may have any key.
    found: Option<&'static str>,
    /// Why the others stay.
    stays: &'static [&'static str],
    /// A job, its kind, and a part of its payload.
    sample: [&'static str; 3],
}

/// Observes, takes over and rolls back, and compares everything.
async fn there_and_back(recorded: Recorded<'_>) {
    let server = RedisServer::start().unwrap();
    let scene = Scene::on(server.url()).await;
    scene.load(recorded.keys);
    let before = scene.keyspace("");
    let mut source = QueuesSource::default();
    source.failed = recorded.dead.is_some();
    let import = scene.import(Source::here((recorded.layout)(source)));
    let expected: Vec<Value> =
        recorded.expected.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let takes = (expected.len() + usize::from(recorded.dead.is_some())) as u64;

    let around =
        reprieve_import::recognise(scene.redis.engine(), Some(server.url()), None, None).await.unwrap();
    let format = import.source().format();
    let found: Vec<&str> = around
        .found
        .iter()
        .filter(|found| found.format == format)
        .map(|found| found.place.as_str())
        .collect();
    assert_eq!(found, recorded.found.into_iter().collect::<Vec<_>>(), "{around:?}");
    let offered = around.found.iter().all(|found| found.format == format || recorded.found.is_none());
    assert!(offered, "nothing that has ended, and no set of ids: {around:?}");
    let seen = import.observe().await.unwrap();
    assert_eq!(scene.keyspace(""), before, "looking changes nothing");
    assert_eq!((seen.takeable, seen.warnings.as_slice()), (takes, [].as_slice()), "{:?}", seen.unreadable);
    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!(taken.taken, takes, "{taken:?}");
    let mut reasons: Vec<&str> = taken.left.iter().map(|left| left.reason.as_str()).collect();
    reasons.sort_unstable();
    assert_eq!(reasons, recorded.stays);
    let inspector = scene.redis.engine().inspector();
    let job = async |id: &str| inspector.job(&JobId::new(id).unwrap()).await.unwrap().unwrap().job;
    for said in &expected {
        let job = job(said["job"].as_str().unwrap()).await;
        assert_eq!(job.queue.as_str(), "mail");
        assert!(matches!(job.state, JobState::Ready | JobState::Delayed | JobState::Retrying), "{job:?}");
        if let Some(due_ms) = said["due"].as_i64() {
            assert_eq!(job.due.as_millis(), due_ms, "{job:?}");
        }
    }
    if let Some(dead) = recorded.dead {
        assert_eq!(job(dead).await.state, JobState::Dead);
    }
    let [id, kind, part] = recorded.sample;
    let sample = job(id).await;
    assert_eq!(sample.kind.as_str(), kind);
    let payload = String::from_utf8_lossy(&sample.payload).into_owned();
    assert!(payload.contains(part), "{payload}");
    scene.assert_sound().await;

    let back = import.roll_back(|_| ()).await.unwrap();

    assert_eq!((back.restored, back.kept_count), (takes, 0), "{:?}", back.kept);
    assert_same(&scene.keyspace(""), &before);
    assert_eq!(scene.payloads().await, Vec::<Vec<u8>>::new());
    scene.assert_no_journal();
    scene.assert_sound().await;
}

/// To the last byte. What lives for some time lives until then, but for the few ms that Redis's clock goes on within a script.
fn assert_same(after: &Keyspace, before: &Keyspace) {
    let content = |keys: &Keyspace| -> Vec<_> {
        keys.iter().map(|(key, (content, _))| (key.clone(), content.clone())).collect()
    };
    assert_eq!(content(after), content(before));
    for (key, (_, expires)) in after {
        assert!((expires - before[key].1).abs() <= 5, "{key} expires {expires}, not {}", before[key].1);
    }
}

#[tokio::test]
async fn jobs_that_sidekiq_has_written_are_taken_over_and_go_back_to_the_last_byte() {
    there_and_back(Recorded {
        layout: Box::new(Layout::Sidekiq),
        keys: include_str!("fixtures/sidekiq-keys.jsonl"),
        expected: include_str!("fixtures/sidekiq-expected.jsonl"),
        dead: Some("dead0000"),
        found: Some(""),
        stays: &["it is part of a batch, which only Sidekiq can end"],
        sample: [
            "000000000000000000000007",
            "Mails.Deliver",
            r#"[7,{"to":"ö@example.com","id":1208925819614629174706183}]"#,
        ],
    })
    .await;
}

#[tokio::test]
async fn jobs_that_rq_has_written_are_taken_over_and_go_back_to_the_last_byte() {
    there_and_back(Recorded {
        layout: Box::new(Layout::Rq),
        keys: include_str!("fixtures/rq-keys.jsonl"),
        expected: include_str!("fixtures/rq-expected.jsonl"),
        dead: Some("dead0000"),
        found: Some("mail"),
        stays: &["it has callbacks, which only RQ can call", "other jobs wait for it, which RQ starts"],
        sample: ["mail-16", "rq_peer.welcome", "ö@example.com"],
    })
    .await;
}

#[tokio::test]
async fn jobs_that_arq_has_written_are_taken_over_and_go_back_to_the_last_byte() {
    let mut expected = include_str!("fixtures/arq-expected.jsonl").to_owned();
    // It has failed once, and waits for its second try.
    expected += r#"{"job": "retried"}"#;
    there_and_back(Recorded {
        layout: of_mail(Layout::Arq),
        keys: include_str!("fixtures/arq-keys.jsonl"),
        expected: &expected,
        dead: None,
        found: None,
        stays: &["it was aborted there", "it was made by a schedule, which goes on when it runs there"],
        sample: ["mail@2016/@C3@B6", "welcome", "xxxxxxxxx"],
    })
    .await;
}

#[tokio::test]
async fn jobs_that_bee_queue_has_written_are_taken_over_and_go_back_to_the_last_byte() {
    there_and_back(Recorded {
        layout: of_mail(Layout::BeeQueue),
        keys: include_str!("fixtures/bee-queue-keys.jsonl"),
        expected: include_str!("fixtures/bee-queue-expected.jsonl"),
        dead: Some("dead0000"),
        found: Some("mail"),
        stays: &[],
        sample: ["order@2016/@C3@B6", "mail", r#""to":"ö@example.com","lines":["a",{"b":null}]"#],
    })
    .await;
}

#[tokio::test]
async fn tasks_that_celery_has_written_are_taken_over_and_go_back_to_the_last_byte() {
    there_and_back(Recorded {
        layout: of_mail(Layout::Celery),
        keys: include_str!("fixtures/celery-keys.jsonl"),
        expected: include_str!("fixtures/celery-expected.jsonl"),
        dead: None,
        found: Some("mail"),
        stays: &[
            "it expires and has no due time, so that nothing is left to plan",
            "other tasks follow on it, which only Celery starts",
            "other tasks follow on it, which only Celery starts",
        ],
        sample: ["mail-13", "celery_peer.order_paid", r#"[[13], {"to": "\u00f6@example.com"}"#],
    })
    .await;
}
