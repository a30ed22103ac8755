//! BullMQ: queues as BullMQ writes them.

use crate::imports::scene::Scene;
use reprieve::model::{Delay, Job, JobId, JobState, Kind, QueueName};
use reprieve_import::{BullmqSource, ImportName, Importer, Layout, Source};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// 2033-05-18, in ms.
const DUE_MS: i64 = 2_000_000_000_123;
/// Times in the hashes of jobs.
const MADE_MS: i64 = 1_700_000_000_001;

/// A queue of BullMQ that no other test uses.
struct Queue<'a> {
    scene: &'a Scene,
    name: String,
}

impl<'a> Queue<'a> {
    fn new(scene: &'a Scene, version: &str) -> Self {
        let queue = Self { scene, name: scene.foreign("mail") };
        queue.send("HSET", "meta", &["opts.maxLenEvents", "10000", "version", version]);
        queue
    }

    fn key(&self, what: &str) -> String {
        format!("bull:{}:{what}", self.name)
    }

    fn send(&self, command: &str, what: &str, words: &[&str]) {
        self.ask::<redis::Value>(command, what, words);
    }

    fn ask<T: redis::FromRedisValue>(&self, command: &str, what: &str, words: &[&str]) -> T {
        let key = self.key(what);
        let words: Vec<&[u8]> =
            [command, &key].into_iter().chain(words.iter().copied()).map(str::as_bytes).collect();
        self.scene.ask(&words)
    }

    /// The hash of a job, with what BullMQ writes for each and these fields.
    fn hash(&self, id: &str, name: &str, fields: &[(&str, &str)]) {
        let made = MADE_MS.to_string();
        let data = format!(r#"{{"id":"{id}","to":"ö@example.com"}}"#);
        let usual = [
            ("name", name),
            ("data", &data),
            ("opts", r#"{"attempts":0}"#),
            ("timestamp", &made),
            ("delay", "0"),
            ("priority", "0"),
        ];
        let words: Vec<&str> =
            usual.iter().chain(fields).flat_map(|(field, value)| [*field, *value]).collect();
        self.send("HSET", id, &words);
    }

    fn wait(&self, id: &str, fields: &[(&str, &str)]) {
        self.hash(id, "note", fields);
        self.send("LPUSH", "wait", &[id]);
    }

    fn delay(&self, id: &str, due_ms: i64, counter: i64, fields: &[(&str, &str)]) {
        self.hash(id, "note", fields);
        self.send("ZADD", "delayed", &[&(due_ms * 4_096 + counter).to_string(), id]);
    }

    fn prioritize(&self, id: &str, priority: i64, counter: i64) {
        self.hash(id, "note", &[("priority", &priority.to_string())]);
        let score = priority * (1 << 32) + counter;
        self.send("ZADD", "prioritized", &[&score.to_string(), id]);
    }

    fn source(&self) -> BullmqSource {
        BullmqSource::new(vec![self.name.clone()])
    }

    fn import(&self) -> Importer {
        self.scene.import(Source::here(Layout::Bullmq(self.source())))
    }

    fn left(&self, list: &str) -> Vec<String> {
        self.ask("LRANGE", list, &["0", "-1"])
    }
}

async fn job(scene: &Scene, id: &str) -> Option<Job> {
    let detail = scene.redis.engine().inspector().job(&JobId::new(id).unwrap()).await.unwrap();
    detail.map(|detail| detail.job)
}

/// The ids of our ready jobs, the first to run first.
fn ready(scene: &Scene, queue: &str) -> Vec<String> {
    let key = format!("{}q:{queue}:ready", scene.redis.prefix());
    scene.ask(&[b"ZRANGE", key.as_bytes(), b"0", b"-1"])
}

/// Jobs of every sort that is taken.
fn fill(queue: &Queue<'_>) {
    for id in ["w1", "w2", "w3"] {
        queue.wait(id, &[]);
    }
    queue.prioritize("p9", 9, 1);
    queue.prioritize("p1", 1, 2);
    queue.prioritize("p1-later", 1, 3);
    queue.delay("d1", DUE_MS, 0, &[]);
    // The counter of the last job that fits into a millisecond.
    queue.delay("d2", DUE_MS, 4_095, &[("priority", "2")]);
    let options =
        r#"{"attempts":5,"backoff":{"delay":1000,"type":"exponential"},"removeOnComplete":{"age":60}}"#;
    let tried = [
        ("opts", options),
        ("atm", "2"),
        ("ats", "2"),
        ("failedReason", "no route"),
        ("processedOn", "1700000009999"),
    ];
    queue.delay("d3", DUE_MS + 1, 0, &tried);
    queue.delay("with space/ö", DUE_MS + 2, 0, &[("name", "a:b")]);
    queue.hash("f1", "note", &[("atm", "1"), ("failedReason", "gone"), ("finishedOn", "1700000009000")]);
    queue.send("ZADD", "failed", &["1700000009000", "f1"]);
    queue.send("ZADD", "marker", &["0", "0", &format!("{DUE_MS}"), "1"]);
    // What is none of its fields, and what lies beside a job.
    queue.send("HSET", "w1", &["progress", "0", "stc", "1"]);
    queue.send("RPUSH", "w1:logs", &["a line"]);
}

#[tokio::test]
async fn every_job_of_bullmq_is_a_job_here_and_goes_back_to_the_last_byte() {
    let scene = Scene::new().await;
    let queue = Queue::new(&scene, "bullmq:6.7.0");
    fill(&queue);
    let before = scene.keyspace(&queue.name);
    let mut source = queue.source();
    source.failed = true;
    source.kinds.insert("a:b".to_owned(), Kind::new("other").unwrap());
    source.subject = Some("/id".to_owned());
    let import = scene.import(Source::here(Layout::Bullmq(source)));

    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!((taken.taken, &taken.left), (11, &Vec::new()));
    // BullMQ starts what has no priority first, then 1.
    assert_eq!(ready(&scene, &queue.name), ["w1", "w2", "w3", "p1", "p1-later", "p9"]);
    for (id, state, due_ms, priority) in [
        ("d1", JobState::Delayed, DUE_MS, 5),
        ("d2", JobState::Delayed, DUE_MS, 7),
        ("d3", JobState::Retrying, DUE_MS + 1, 5),
        ("p1", JobState::Ready, 0, 6),
        ("p9", JobState::Ready, 0, 9),
        ("f1", JobState::Dead, 1_700_000_009_000, 5),
    ] {
        let job = job(&scene, id).await.unwrap();
        assert_eq!((job.state, job.priority.as_u8()), (state, priority), "{id}");
        assert!(state == JobState::Ready || job.due.as_millis() == due_ms, "{id}: {}", job.due);
        assert_eq!((job.kind.as_str(), job.queue.as_str()), ("note", queue.name.as_str()), "{id}");
        assert_eq!(job.created.as_millis(), MADE_MS, "{id}");
        assert_eq!(job.subject.unwrap().as_str(), id);
        assert_eq!(job.payload, format!(r#"{{"id":"{id}","to":"ö@example.com"}}"#).as_bytes());
    }
    let tried = job(&scene, "d3").await.unwrap();
    assert_eq!((tried.attempt, tried.max_attempts, tried.last_error.as_str()), (2, Some(5), "no route"));
    assert_eq!(tried.retention, Some(Delay::seconds(60)));
    assert!(tried.headers["bullmq-opts"].contains("exponential"));
    let odd = job(&scene, "with@20space/@C3@B6").await.unwrap();
    assert_eq!((odd.kind.as_str(), odd.headers["bullmq-id"].as_str()), ("other", "with space/ö"));
    assert_eq!(odd.headers["bullmq-name"], "a:b");
    scene.assert_sound().await;

    let back = import.roll_back(|_| ()).await.unwrap();

    assert_eq!((back.restored, back.kept_count), (11, 0));
    assert_eq!(scene.keyspace(&queue.name), before);
    assert_eq!(scene.payloads().await, Vec::<Vec<u8>>::new());
    scene.assert_no_journal();
    scene.assert_sound().await;
}

#[tokio::test]
async fn a_queue_is_observed_without_a_change_and_what_stays_is_said() {
    let scene = Scene::new().await;
    let queue = Queue::new(&scene, "bullmq:6.7.0");
    fill(&queue);
    queue.hash("a1", "note", &[]);
    queue.send("LPUSH", "active", &["a1"]);
    queue.send("ZADD", "completed", &["1700000000000", "c1"]);
    queue.send("ZADD", "repeat", &["1700000000000", "every-night"]);
    queue.send("ZADD", "waiting-children", &["1700000000000", "parent"]);
    queue.send("HSET", "meta", &["paused", "1"]);
    let before = scene.keyspace(&queue.name);

    let seen = queue.import().observe().await.unwrap();

    assert_eq!(scene.keyspace(&queue.name), before);
    let stays: Vec<(&str, u64)> = seen
        .places
        .iter()
        .filter(|place| !place.taken && !place.why.is_empty())
        .map(|place| (place.place.rsplit('/').next().unwrap(), place.count))
        .collect();
    let expected = [("failed", 1), ("active", 1), ("waiting-children", 1), ("completed", 1), ("repeat", 1)];
    assert_eq!(stays, expected);
    assert_eq!((seen.takeable, seen.unreadable_count, seen.overdue), (10, 0, 6));
    assert_eq!(seen.latest_due.unwrap().as_millis(), DUE_MS + 2);
    assert_eq!(seen.warnings, []);
    let name = &queue.name;
    let notes = [
        format!("queue {name} was last opened by bullmq:6.7.0"),
        format!("queue {name} is paused; so will ours be"),
    ];
    assert_eq!(seen.notes, notes);
}

#[tokio::test]
async fn what_only_bullmq_can_go_on_with_stays_there_with_a_reason() {
    let scene = Scene::new().await;
    let queue = Queue::new(&scene, "bullmq:6.7.0");
    queue.wait("child", &[("parentKey", "bull:other:7")]);
    queue.wait("parent", &[]);
    queue.send("HSET", "parent:processed", &["bull:other:8", "1"]);
    queue.delay("repeat:s1:2000000000000", DUE_MS, 0, &[("rjk", "s1")]);
    queue.delay("repeated", DUE_MS, 1, &[("opts", r#"{"repeat":{"every":60000}}"#)]);
    queue.delay("torn", DUE_MS, 2, &[("opts", r#"{"attempts":"#)]);
    queue.delay("beyond", 300_000_000_000_000, 0, &[]);
    queue.delay("tries", DUE_MS, 3, &[("opts", r#"{"attempts":5000000000}"#)]);
    queue.send("LPUSH", "wait", &["ghost", "meta"]);
    let before = scene.keyspace(&queue.name);

    let taken = queue.import().take_over(|_| ()).await.unwrap();

    assert_eq!((taken.taken, taken.left_count), (0, 9), "{:?}", taken.left);
    assert_eq!(scene.keyspace(&queue.name), before);
    let reason = |name: &str| taken.left.iter().find(|left| left.name == name).unwrap().reason.clone();
    assert_eq!(reason("child"), "it is part of a flow: its parent waits for it");
    assert_eq!(reason("parent"), "it is part of a flow: what its children returned is kept beside it");
    for id in ["repeat:s1:2000000000000", "repeated"] {
        assert_eq!(reason(id), "it was made by a schedule, which goes on when it runs there");
    }
    assert!(reason("torn").starts_with("its options are no JSON of BullMQ's: EOF"));
    assert!(reason("beyond").ends_with("lies beyond the year 9999"));
    assert_eq!(reason("tries"), "its number of attempts is no count");
    for id in ["ghost", "meta"] {
        assert_eq!(reason(id), "its hash is gone, or is none of a job");
    }
}

#[tokio::test]
async fn a_paused_queue_is_paused_here_and_has_its_jobs_back_where_bullmq_looks_for_them() {
    // Up to version 5 a paused queue has a list of its own; resuming replaces the other one.
    for (version, list, back) in [
        ("bullmq:5.81.5", "paused", "paused"),
        ("bullmq:5.81.5", "wait", "paused"),
        ("bullmq:6.7.0", "wait", "wait"),
        ("bullmq:6.7.0", "paused", "paused"),
    ] {
        let scene = Scene::new().await;
        let queue = Queue::new(&scene, version);
        queue.hash("a", "note", &[]);
        queue.hash("b", "note", &[]);
        queue.send("LPUSH", list, &["a", "b"]);
        queue.send("HSET", "meta", &["paused", "1"]);
        let import = queue.import();

        let taken = import.take_over(|_| ()).await.unwrap();

        assert_eq!((taken.taken, ready(&scene, &queue.name).len()), (2, 2));
        assert_eq!(taken.notes, [format!("paused queue {0}, as {0} is in BullMQ", queue.name)]);
        let queues = scene.redis.engine().inspector().queues().await.unwrap();
        assert!(queues.iter().any(|ours| ours.name.as_str() == queue.name && ours.paused.is_some()));

        import.roll_back(|_| ()).await.unwrap();

        assert_eq!(queue.left(back), ["b", "a"], "{version} {list}");
        assert!(!queue.ask::<bool>("EXISTS", "marker", &[]), "nobody is to wake up");
    }
}

#[tokio::test]
async fn what_goes_back_wakes_workers_of_bullmq_and_lies_where_it_is_taken_after_a_pause() {
    let scene = Scene::new().await;
    let queue = Queue::new(&scene, "bullmq:5.81.5");
    queue.hash("a", "note", &[]);
    queue.send("LPUSH", "paused", &["a"]);
    queue.send("HSET", "meta", &["paused", "1"]);
    queue.delay("d", DUE_MS, 7, &[]);
    let import = queue.import();
    import.take_over(|_| ()).await.unwrap();
    queue.send("HDEL", "meta", &["paused"]);

    import.roll_back(|_| ()).await.unwrap();

    assert_eq!(queue.left("wait"), ["a"]);
    let marker: Vec<(String, f64)> = queue.ask("ZRANGE", "marker", &["0", "-1", "WITHSCORES"]);
    assert_eq!(marker[0], ("0".to_owned(), 0.0));
    assert_eq!((marker[1].0.as_str(), marker[1].1.floor()), ("1", DUE_MS as f64));
}

#[tokio::test]
async fn a_job_that_bullmq_has_again_stays_here() {
    let scene = Scene::new().await;
    let queue = Queue::new(&scene, "bullmq:6.7.0");
    queue.delay("d", DUE_MS, 0, &[]);
    let import = queue.import();
    import.take_over(|_| ()).await.unwrap();
    queue.delay("d", DUE_MS + 5, 0, &[]);

    let back = import.roll_back(|_| ()).await.unwrap();

    assert_eq!((back.restored, back.kept_count), (0, 1));
    assert_eq!(back.kept[0].reason, "BullMQ has a job of that id again; the one it had before stays here");
    assert_eq!(job(&scene, "d").await.unwrap().due.as_millis(), DUE_MS);
    // Taken again it is a job of its own: the first was not it.
    let taken = import.take_over(|_| ()).await.unwrap();
    assert_eq!((taken.taken, taken.replaced, scene.payloads().await.len()), (1, 0, 2));
}

#[tokio::test]
async fn a_deduplication_key_lets_later_jobs_through_unless_it_runs_out_by_itself() {
    let scene = Scene::new().await;
    let queue = Queue::new(&scene, "bullmq:6.7.0");
    let replaces = r#"{"de":{"id":"debounced","ttl":90000,"replace":true}}"#;
    queue.delay("simple", DUE_MS, 0, &[("deid", "simple")]);
    queue.delay("throttled", DUE_MS, 1, &[("deid", "throttled")]);
    queue.delay("debounced", DUE_MS, 2, &[("deid", "debounced"), ("opts", replaces)]);
    queue.delay("other", DUE_MS, 3, &[("deid", "throttled")]);
    queue.send("SET", "de:simple", &["simple"]);
    for id in ["throttled", "debounced"] {
        queue.send("SET", &format!("de:{id}"), &[id, "PX", "90000"]);
    }
    let before = queue.ask::<Vec<String>>("ZRANGE", "delayed", &["0", "-1", "WITHSCORES"]);
    let import = queue.import();

    import.take_over(|_| ()).await.unwrap();

    let is_there = |id: &str| queue.ask::<bool>("EXISTS", &format!("de:{id}"), &[]);
    assert_eq!(["simple", "throttled", "debounced"].map(is_there), [false, true, false]);
    let unique = async |id: &str| job(&scene, id).await.unwrap().unique_key.map(|key| key.to_string());
    assert_eq!(unique("throttled").await.as_deref(), Some("throttled"));
    assert_eq!((unique("simple").await, unique("other").await), (None, None));

    import.roll_back(|_| ()).await.unwrap();

    assert_eq!(queue.ask::<Vec<String>>("ZRANGE", "delayed", &["0", "-1", "WITHSCORES"]), before);
    let ttl = |id: &str| queue.ask::<i64>("PTTL", &format!("de:{id}"), &[]);
    assert_eq!(
        (ttl("simple"), queue.ask::<String>("GET", "de:debounced", &[])),
        (-1, "debounced".to_owned())
    );
    assert!((1..=90_000).contains(&ttl("debounced")) && (1..=90_000).contains(&ttl("throttled")));
}

#[tokio::test]
async fn a_run_that_is_killed_anywhere_moves_every_job_of_bullmq_once_forward_and_back() {
    for calls in 0..30 {
        let scene = Scene::new().await;
        let queue = Queue::new(&scene, "bullmq:6.7.0");
        fill(&queue);
        let before = scene.keyspace(&queue.name);
        let import = queue.import();
        let first = import.killed_after(calls).take_over(|_| ()).await;
        import.take_over(|_| ()).await.unwrap();
        assert_eq!(scene.payloads().await.len(), 10, "killed after {calls} calls");

        drop(import.killed_after(calls).roll_back(|_| ()).await);
        import.roll_back(|_| ()).await.unwrap();
        let left = scene.payloads().await.len();
        assert_eq!((left, scene.keyspace(&queue.name)), (0, before), "killed after {calls} calls");
        if first.is_ok() {
            return;
        }
    }
    panic!("a run makes more calls than are tried");
}

#[tokio::test]
async fn a_follower_takes_what_comes_and_leaves_what_only_bullmq_can_go_on_with() {
    let scene = Scene::new().await;
    let queue = Queue::new(&scene, "bullmq:6.7.0");
    queue.delay("scheduled", DUE_MS, 0, &[("rjk", "s1")]);
    let (import, stop) = (queue.import(), CancellationToken::new());
    let stopped = stop.clone();
    let follower = tokio::spawn(async move { import.follow(Delay::days(7), stopped).await });
    let until = async |count: usize| {
        let so = async {
            while scene.payloads().await.len() < count {
                // Until the follower's next round.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), so).await.unwrap();
    };

    queue.delay("first", DUE_MS, 1, &[]);
    until(1).await;
    queue.wait("second", &[]);
    queue.prioritize("third", 3, 1);
    until(3).await;
    stop.cancel();
    follower.await.unwrap();

    assert_eq!(job(&scene, "first").await.unwrap().due.as_millis(), DUE_MS);
    assert_eq!(queue.ask::<Vec<String>>("ZRANGE", "delayed", &["0", "-1"]), ["scheduled"]);
    scene.assert_sound().await;
}

#[tokio::test]
async fn a_queue_becomes_the_one_that_was_asked_for_and_none_is_refused() {
    let scene = Scene::new().await;
    let queue = Queue::new(&scene, "bullmq:6.7.0");
    queue.wait("a", &[]);
    let mut source = BullmqSource::new(vec![queue.name.clone(), "empty".to_owned()]);
    source.queue_names.insert(queue.name.clone(), QueueName::new("post").unwrap());
    let import = |source: &BullmqSource| {
        let source = Source::here(Layout::Bullmq(source.clone()));
        Importer::new(scene.redis.engine(), ImportName::new("x").unwrap(), source)
    };

    assert_eq!(import(&source).unwrap().take_over(|_| ()).await.unwrap().taken, 1);

    assert_eq!(ready(&scene, "post"), ["a"]);
    source.queues.clear();
    assert!(import(&source).is_err_and(|error| error.to_string().contains("at least one queue")));
}
