//! asynq: a Redis that asynq itself filled, and what asynq's own inspector said about it.

use crate::imports::scene::Scene;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reprieve::model::{Job, JobId, JobState, Kind, QueueName};
use reprieve::testing::RedisServer;
use reprieve::{Due, NewJob};
use reprieve_import::{AsynqSource, Importer, Layout, Source};
use reprieve_sinks::{Destination, SinkConfig, SinkHandle};
use serde_json::Value;
use std::collections::BTreeMap;

const KEYS: &str = include_str!("fixtures/asynq-keys.jsonl");
const EXPECTED: &str = include_str!("fixtures/asynq-expected.json");

fn bytes(value: &Value) -> Vec<u8> {
    STANDARD.decode(value.as_str().unwrap()).unwrap()
}

fn expected() -> Value {
    serde_json::from_str(EXPECTED).unwrap()
}

fn everything() -> AsynqSource {
    let mut asynq = AsynqSource::default();
    (asynq.archived, asynq.completed) = (true, true);
    asynq
}

fn import(scene: &Scene, asynq: AsynqSource) -> Importer {
    scene.import(Source::here(Layout::Asynq(asynq)))
}

/// DUMP of every task hash: the bytes of Redis itself.
fn dumps(scene: &Scene) -> BTreeMap<String, Vec<u8>> {
    let keys: Vec<String> = scene.ask(&[b"KEYS", b"asynq:*:t:*"]);
    keys.into_iter().map(|key| (key.clone(), scene.ask::<Vec<u8>>(&[b"DUMP", key.as_bytes()]))).collect()
}

/// Unix ms of a time that asynq reports; `None` for null.
fn time(value: &Value) -> Option<i64> {
    Some(value.as_str()?.parse::<jiff::Timestamp>().unwrap().as_millisecond())
}

async fn job(scene: &Scene, id: &str) -> Option<Job> {
    let id: String = id
        .bytes()
        .map(|b| if b" {}".contains(&b) { format!("@{b:02X}") } else { char::from(b).into() })
        .collect();
    let detail = scene.redis.engine().inspector().job(&JobId::new(id).unwrap()).await.unwrap();
    detail.map(|detail| detail.job)
}

const TAKEN: [&str; 5] = ["pending", "scheduled", "retry", "archived", "completed"];

/// Every field of one task as asynq's inspector tells it.
async fn assert_same(scene: &Scene, task: &Value) {
    let text = |name: &str| task[name].as_str().unwrap().to_owned();
    let number = |name: &str| task[name].as_u64().unwrap();
    let (id, state) = (text("id"), text("state"));
    let job = job(scene, &id).await.unwrap_or_else(|| panic!("{id} is no job"));
    let header = |name: &str| job.headers.get(name).cloned();

    assert_eq!(header("asynq-id"), Some(id.clone()));
    assert_eq!(header("asynq-type"), Some(text("type")));
    let kind = text("type").replace(':', ".").replace(' ', "_");
    assert!(
        job.kind.as_str() == kind || job.kind.as_str().starts_with(&format!("{kind}-")),
        "{id}: {}",
        job.kind
    );
    assert_eq!(header("asynq-queue"), Some(text("queue")));
    assert_eq!(header("asynq-group").unwrap_or_default(), text("group"), "{id}");
    assert_eq!(job.payload, bytes(&task["payload_b64"]), "{id}");
    let ours = match state.as_str() {
        "pending" => JobState::Ready,
        "scheduled" => JobState::Delayed,
        "retry" => JobState::Retrying,
        "archived" => JobState::Dead,
        "completed" => JobState::Done,
        other => panic!("{id} is {other}"),
    };
    assert_eq!(job.state, ours, "{id}");
    assert_eq!(job.max_attempts.map(u64::from), Some(number("max_retry") + 1), "{id}");
    let failed_for_good = state == "archived" && !task["last_failed_at"].is_null();
    let ended = u64::from(failed_for_good || state == "completed");
    assert_eq!(u64::from(job.attempt), number("retried") + ended, "{id}");
    assert_eq!(job.last_error, text("last_err"), "{id}");
    if matches!(ours, JobState::Delayed | JobState::Retrying) {
        assert_eq!(Some(job.due.as_millis()), time(&task["next_process_at"]), "{id}");
    }
    assert_eq!(job.timeout.map_or(0, |t| t.as_millis()), task["timeout_s"].as_i64().unwrap() * 1_000, "{id}");
    let deadline = header("asynq-deadline").map(|at| at.parse::<i64>().unwrap() * 1_000);
    assert_eq!(deadline, time(&task["deadline"]), "{id}");
    assert_eq!(
        job.retention.map_or(0, |t| t.as_millis()),
        task["retention_s"].as_i64().unwrap() * 1_000,
        "{id}"
    );
    let completed = header("asynq-completed-at").map(|at| at.parse::<i64>().unwrap() * 1_000);
    assert_eq!(completed, time(&task["completed_at"]), "{id}");
    if let Some(headers) = task["headers"].as_object() {
        for (name, value) in headers {
            assert_eq!(header(name).as_deref(), value.as_str(), "{id}");
        }
    }
    assert_eq!(job.result, bytes(&task["result_b64"]), "{id}");
    assert_last_failure(scene, &job, time(&task["last_failed_at"])).await;
}

async fn assert_last_failure(scene: &Scene, job: &Job, at: Option<i64>) {
    let detail = scene.redis.engine().inspector().job(&job.id).await.unwrap().unwrap();
    let last = detail.attempts.last();
    assert_eq!(last.map(|attempt| attempt.ended.as_millis()), at, "{}", job.id);
    if let Some(last) = last {
        assert_eq!((last.number, last.error.as_str()), (job.attempt, job.last_error.as_str()));
    }
}

#[tokio::test]
async fn every_task_of_asynq_is_a_job_with_every_field_and_goes_back_to_the_last_byte() {
    let server = RedisServer::start().unwrap();
    let scene = Scene::on(server.url()).await;
    scene.load(KEYS);
    let (before, before_dumps) = (scene.keyspace("asynq"), dumps(&scene));
    let expected = expected();
    let import = import(&scene, everything());

    let taken = import.take_over(|_| ()).await.unwrap();

    let tasks = expected["tasks"].as_object().unwrap();
    let takeable: Vec<&Value> =
        tasks.values().filter(|task| TAKEN.contains(&task["state"].as_str().unwrap())).collect();
    assert_eq!((taken.taken, &taken.left), (takeable.len() as u64, &Vec::new()));
    assert_eq!(scene.payloads().await.len(), takeable.len());
    for task in &takeable {
        assert_same(&scene, task).await;
    }
    // What workers have and what is in groups is still there, and nothing else is.
    let left: Vec<String> = scene.ask(&[b"KEYS", b"asynq:*:t:*"]);
    assert_eq!(
        left.len(),
        tasks.len() - takeable.len() + 2,
        "and two of a set in flight, which nobody lists"
    );
    assert_order(&scene, &expected).await;
    scene.assert_sound().await;

    let back = import.roll_back(|_| ()).await.unwrap();

    assert_eq!((back.restored, back.kept_count), (taken.taken, 0));
    assert_eq!(scene.keyspace("asynq"), before);
    assert_eq!(dumps(&scene), before_dumps);
    assert_eq!(scene.payloads().await, Vec::<Vec<u8>>::new());
    scene.assert_no_journal();
    scene.assert_sound().await;
}

/// Ready jobs are in the order in which asynq would have run them; a paused queue is paused; locks are held.
async fn assert_order(scene: &Scene, expected: &Value) {
    for (queue, name) in [("default", "default"), ("cron", "cron"), ("low", "low")] {
        let ours: Vec<String> = scene.ask(&[
            b"ZRANGE",
            format!("{}q:{name}:ready", scene.redis.prefix()).as_bytes(),
            b"0",
            b"-1",
        ]);
        let theirs: Vec<String> = expected["order"][queue]["pending"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_str().unwrap().replace(' ', "@20").replace('{', "@7B").replace('}', "@7D"))
            .collect();
        assert_eq!(ours, theirs);
    }
    let paused = scene.redis.engine().inspector().queues().await.unwrap();
    let paused: Vec<&str> =
        paused.iter().filter(|queue| queue.paused.is_some()).map(|queue| queue.name.as_str()).collect();
    assert_eq!(paused, ["paused-q"]);
    for id in ["pending-unique", "scheduled-unique"] {
        let job = job(scene, id).await.unwrap();
        assert!(job.unique_key.unwrap().as_str().starts_with("asynq:@7Bdefault@7D:unique:"), "{id}");
    }
    assert!(job(scene, "pending-json").await.unwrap().unique_key.is_none());
}

#[tokio::test]
async fn asynq_is_observed_without_a_change_and_what_stays_is_said() {
    let server = RedisServer::start().unwrap();
    let scene = Scene::on(server.url()).await;
    scene.load(KEYS);
    let before = scene.keyspace("asynq");

    let seen = import(&scene, AsynqSource::default()).observe().await.unwrap();

    assert_eq!(scene.keyspace("asynq"), before);
    let expected = expected();
    for (queue, places) in expected["order"].as_object().unwrap() {
        for (place, ids) in places.as_object().unwrap().iter().filter(|(place, _)| !place.contains('/')) {
            let found = seen.places.iter().find(|p| p.place == format!("{queue}/{place}"));
            assert_eq!(found.map(|p| p.count), Some(ids.as_array().unwrap().len() as u64), "{queue}/{place}");
        }
    }
    let stays: Vec<&str> =
        seen.places.iter().filter(|p| !p.taken).map(|p| p.place.rsplit('/').next().unwrap()).collect();
    assert!(
        ["active", "groups", "aggregation_sets", "archived"].iter().all(|p| stays.contains(p)),
        "{stays:?}"
    );
    assert_eq!((seen.unreadable_count, seen.complete), (0, true));
    assert!(
        seen.notes.iter().any(|note| note.starts_with("queue paused-q is paused since")),
        "{:?}",
        seen.notes
    );
}

/// The start of a task as asynq writes it: type, id and queue in protobuf.
fn message(fields: [(u8, &str); 3]) -> Vec<u8> {
    let field = |(number, text): (u8, &str)| {
        [&[number << 3 | 2, u8::try_from(text.len()).unwrap()], text.as_bytes()].concat()
    };
    fields.into_iter().flat_map(field).collect()
}

#[tokio::test]
async fn names_that_become_one_are_told_before_they_do() {
    let server = RedisServer::start().unwrap();
    let scene = Scene::on(server.url()).await;
    let types = ["email:welcome", "email/welcome", "email.welcome", "sms"];
    for queue in ["a:b", "a.b", "c"] {
        scene.send(&[b"SADD", b"asynq:queues", queue.as_bytes()]);
        for (number, kind) in types.iter().enumerate() {
            let (id, base) = (format!("{queue}-{number}"), format!("asynq:{{{queue}}}:"));
            let (task, place) = (format!("{base}t:{id}"), format!("{base}scheduled"));
            let bytes = message([(1, kind), (3, &id), (4, queue)]);
            scene.send(&[b"HSET", task.as_bytes(), b"msg", &bytes, b"state", b"scheduled"]);
            scene.send(&[b"ZADD", place.as_bytes(), b"4000000000", id.as_bytes()]);
        }
    }

    let seen = import(&scene, AsynqSource::default()).observe().await.unwrap();

    assert_eq!((seen.takeable, seen.unreadable_count), (12, 0), "{:?}", seen.unreadable);
    let one_kind = "types email.welcome, email/welcome, email:welcome become one kind: email.welcome";
    assert_eq!(seen.notes, [one_kind, "queues a.b, a:b become one queue: a.b"]);
    // What somebody chose is no surprise.
    let mut chosen = AsynqSource::default();
    for kind in &types[..2] {
        chosen.kinds.insert((*kind).to_owned(), Kind::new("email.welcome").unwrap());
    }
    chosen.queues = vec!["c".to_owned()];
    assert_eq!(import(&scene, chosen).observe().await.unwrap().notes, Vec::<String>::new());
}

#[tokio::test]
async fn only_what_was_asked_for_is_taken() {
    let server = RedisServer::start().unwrap();
    let scene = Scene::on(server.url()).await;
    scene.load(KEYS);
    let mut asynq = AsynqSource::default();
    asynq.queues = vec!["low".to_owned(), "nobody's".to_owned()];
    let before = scene.keyspace("asynq:{default}");

    let taken = import(&scene, asynq).take_over(|_| ()).await.unwrap();

    assert_eq!(taken.taken, 3);
    assert_eq!(scene.keyspace("asynq:{default}"), before);
    assert_eq!(scene.ask::<u64>(&[b"ZCARD", b"asynq:{low}:completed"]), 1);
}

#[tokio::test]
async fn half_written_tasks_stay_where_they_are_with_a_reason() {
    let server = RedisServer::start().unwrap();
    let scene = Scene::on(server.url()).await;
    scene.load(KEYS);
    let q = "asynq:{default}:";
    let key = |rest: &str| format!("{q}{rest}").into_bytes();
    scene.send(&[b"HSET", &key("t:pending-json"), b"msg", b"\xff\xff\xff"]);
    scene.send(&[b"DEL", &key("t:pending-nil")]);
    scene.send(&[b"DEL", &key("t:pending-empty")]);
    scene.send(&[b"SET", &key("t:pending-empty"), b"x"]);
    scene.send(&[b"HSET", &key("t:scheduled-0"), b"state", b"active"]);
    scene.send(&[b"HDEL", &key("t:scheduled-1"), b"state"]);
    scene.send(&[b"HSET", &key("t:scheduled-2"), b"group", b"G"]);
    let other: Vec<u8> = scene.ask(&[b"HGET", &key("t:retry-3"), b"msg"]);
    scene.send(&[b"HSET", &key("t:retry-1"), b"msg", &other]);
    scene.send(&[b"LPUSH", &key("pending"), b"ghost", b"\xfe\xff"]);
    scene.send(&[b"ZADD", &key("scheduled"), b"inf", b"scheduled-unique"]);
    let before = scene.keyspace("asynq");
    let import = import(&scene, everything());

    let taken = import.take_over(|_| ()).await.unwrap();

    let reason = |name: &str| {
        let found = taken.left.iter().find(|item| item.name == name);
        found.unwrap_or_else(|| panic!("{name} was taken")).reason.clone()
    };
    assert!(reason("pending-json").starts_with("its message is no protobuf of asynq's"));
    assert_eq!(reason("pending-nil"), "its hash has no message");
    assert_eq!(reason("pending-empty"), "its hash has no message");
    assert_eq!(reason("scheduled-0"), "its hash says that it is active");
    assert_eq!(reason("scheduled-1"), "its hash says that it is nowhere");
    assert_eq!(reason("scheduled-2"), "it goes back to its group when it is due");
    assert_eq!(reason("retry-1"), "its message says that it has another id");
    assert_eq!(reason("ghost"), "its hash has no message");
    assert_eq!(reason("scheduled-unique"), "its score inf lies beyond the year 9999");
    assert_eq!(taken.left_count, 10);
    scene.assert_sound().await;

    import.roll_back(|_| ()).await.unwrap();
    assert_eq!(scene.keyspace("asynq"), before);
}

#[tokio::test]
async fn a_queue_that_asynq_names_no_more_is_put_back_and_a_new_one_stays_closed() {
    let server = RedisServer::start().unwrap();
    let scene = Scene::on(server.url()).await;
    let (seed, payloads) = queue_of_tasks();
    let count = u64::try_from(payloads.len()).unwrap();
    scene.send(&[b"SADD", b"asynq:queues", b"mail"]);
    seed(&scene, "mail");
    let before = scene.keyspace("asynq:{mail}");
    let import = import(&scene, AsynqSource::default());
    assert_eq!(import.take_over(|_| ()).await.unwrap().taken, count);
    scene.send(&[b"SREM", b"asynq:queues", b"mail"]);

    assert_eq!(import.standing().await.unwrap().moved, count);
    assert_eq!(import.roll_back(|_| ()).await.unwrap().restored, count);
    assert_eq!(scene.keyspace("asynq:{mail}"), before);

    scene.send(&[b"SADD", b"asynq:queues", b"late"]);
    seed(&scene, "late");
    let stop = tokio_util::sync::CancellationToken::new();
    let follower = {
        let (import, stop) = (import.clone(), stop.clone());
        tokio::spawn(async move { import.follow(reprieve::model::Delay::days(7), stop).await })
    };
    // Longer than a round.
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    stop.cancel();
    follower.await.unwrap();
    assert_eq!(scene.payloads().await, Vec::<Vec<u8>>::new(), "a roll back has closed all of it");
    assert_eq!(import.take_over(|_| ()).await.unwrap().taken, 2 * count);
}

async fn paused(scene: &Scene) -> Option<QueueName> {
    let queues = scene.redis.engine().inspector().queues().await.unwrap();
    queues.iter().find(|queue| queue.paused.is_some()).map(|queue| queue.name.clone())
}

#[tokio::test]
async fn a_following_importer_pauses_our_queue_once_for_each_pause_there() {
    let scene = Scene::new().await;
    let queue = scene.foreign("mail");
    let pause =
        |since: &str| scene.send(&[b"SET", format!("asynq:{{{queue}}}:paused").as_bytes(), since.as_bytes()]);
    let (seed, payloads) = queue_of_tasks();
    pause("1700000000");
    seed(&scene, &queue);
    let import = scene.import(source(&queue));
    let follow = || {
        let (import, stop) = (scene.import(source(&queue)), tokio_util::sync::CancellationToken::new());
        let stopped = stop.clone();
        let follower =
            tokio::spawn(async move { import.follow(reprieve::model::Delay::days(7), stopped).await });
        (stop, follower)
    };
    let (stop, follower) = follow();
    let until = async |wanted: u64, is_paused: bool| {
        let so = async {
            while import.standing().await.unwrap().moved < wanted
                || paused(&scene).await.is_some() != is_paused
            {
                // Until the follower's next round.
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(60), so).await.unwrap();
    };
    let count = u64::try_from(payloads.len()).unwrap();
    until(count, true).await;

    let ours = paused(&scene).await.unwrap();
    scene.redis.engine().operator("ann").resume(&ours, "").await.unwrap();
    seed(&scene, &queue);
    until(2 * count, false).await;
    stop.cancel();
    follower.await.unwrap();
    // Its next process is of the same mind.
    let (stop, follower) = follow();
    seed(&scene, &queue);
    until(3 * count, false).await;
    pause("1700000099");
    until(3 * count, true).await;

    stop.cancel();
    follower.await.unwrap();
}

#[tokio::test]
async fn what_a_sink_has_published_stays() {
    let scene = Scene::new().await;
    let queue = scene.foreign("shared");
    let (mail, base) = (QueueName::new("mail").unwrap(), format!("asynq:{{{queue}}}:"));
    let mut job = NewJob::new(Kind::new("notice").unwrap(), "{}");
    (job.queue, job.due) = (mail.clone(), Due::Now);
    scene.redis.store().enqueue("client", &[(JobId::new("a1").unwrap(), job)]).await.unwrap();
    let destination = Destination::Asynq { queue: queue.clone(), max_retry: 0 };
    let config = SinkConfig::new(QueueName::new("orders").unwrap(), vec![mail], destination);
    let _sink = SinkHandle::start(scene.redis.engine(), &config).await.unwrap();
    let published = async {
        while scene.ask::<u64>(&[b"LLEN", format!("{base}pending").as_bytes()]) == 0 {
            // Until the sink's next round.
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), published).await.unwrap();
    let import = scene.import(source(&queue));

    let seen = import.observe().await.unwrap();
    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!((seen.takeable, taken.taken, taken.left_count), (0, 0, 1));
    assert_eq!(taken.left[0].reason, "Reprieve has published it");
    assert_eq!(scene.payloads().await, [b"{}".to_vec()]);
}

#[tokio::test]
async fn a_wrong_type_under_any_key_stops_its_place_alone() {
    let server = RedisServer::start().unwrap();
    let scene = Scene::on(server.url()).await;
    scene.load(KEYS);
    let import = import(&scene, everything());
    let there = import.observe().await.unwrap();
    let whole = import.take_over(|_| ()).await.unwrap();
    import.roll_back(|_| ()).await.unwrap();
    for place in
        ["pending", "scheduled", "retry", "archived", "completed", "paused", "groups", "lease", "active"]
    {
        let name = format!("default/{place}");
        let is_here = |other: &str| other == name;
        let count = there.places.iter().find(|count| count.taken && is_here(&count.place));
        let stuck = whole.left.iter().filter(|left| is_here(&left.place)).count();
        let its_own = count.map_or(0, |count| count.count - u64::try_from(stuck).unwrap());
        let key = format!("asynq:{{default}}:{place}");
        let saved: Option<Vec<u8>> = scene.ask(&[b"DUMP", key.as_bytes()]);
        scene.send(&[b"DEL", key.as_bytes()]);
        scene.send(&[b"XADD", key.as_bytes(), b"1-1", b"a", b"b"]);
        import.observe().await.unwrap();
        let taken = import.take_over(|_| ()).await.unwrap();
        assert_eq!(taken.taken, whole.taken - its_own, "{place}: the other places are taken");
        let said = taken.left.iter().filter(|left| is_here(&left.place) && left.name.is_empty());
        let said: Vec<&str> = said.map(|left| left.reason.as_str()).collect();
        let shape = if place == "pending" { "list" } else { "zset" };
        let wrong = format!("{key} holds a stream, not a {shape}");
        let is_taken = ["pending", "scheduled", "retry", "archived", "completed"].contains(&place);
        assert_eq!(said, is_taken.then_some(wrong.as_str()).into_iter().collect::<Vec<_>>(), "once");
        let back = import.roll_back(|_| ()).await;
        scene.send(&[b"DEL", key.as_bytes()]);
        if let Some(saved) = saved {
            scene.send(&[b"RESTORE", key.as_bytes(), b"0", &saved]);
        }
        assert_eq!(back.unwrap().restored, taken.taken, "{place}");
    }
}

#[tokio::test]
async fn an_id_that_asynq_uses_again_keeps_both() {
    let server = RedisServer::start().unwrap();
    let scene = Scene::on(server.url()).await;
    scene.load(KEYS);
    let task: Vec<u8> = scene.ask(&[b"DUMP", b"asynq:{low}:t:batch-0"]);
    let mut asynq = AsynqSource::default();
    asynq.queues = vec!["low".to_owned()];
    let import = import(&scene, asynq);
    import.take_over(|_| ()).await.unwrap();
    scene.send(&[b"RESTORE", b"asynq:{low}:t:batch-0", b"0", &task]);
    scene.send(&[b"LPUSH", b"asynq:{low}:pending", b"batch-0"]);

    // Rolled back now, the source has it twice; taken over now, we have.
    let back = import.roll_back(|_| ()).await.unwrap();

    assert_eq!((back.restored, back.kept_count), (2, 1));
    assert!(back.kept[0].reason.starts_with("asynq has a job of that id again"), "{:?}", back.kept);
    assert_eq!(scene.payloads().await.len(), 1);
    let taken = import.take_over(|_| ()).await.unwrap();
    assert_eq!((taken.taken, scene.payloads().await.len()), (3, 4));
    scene.assert_sound().await;
}

/// A queue with 130 tasks in three places, written as asynq writes them.
pub(crate) fn queue_of_tasks() -> (impl Fn(&Scene, &str), Vec<Vec<u8>>) {
    let payloads: Vec<Vec<u8>> = (0..130).map(|n| format!("p{n:03}").into_bytes()).collect();
    let all = payloads.clone();
    let seed = move |scene: &Scene, queue: &str| {
        let base = format!("asynq:{{{queue}}}:");
        for (n, payload) in all.iter().enumerate() {
            let id = format!("{queue}-{n}");
            let state = ["pending", "scheduled", "retry"][n % 3];
            let text =
                |tag: u8, text: &[u8]| [&[tag << 3 | 2, u8::try_from(text.len()).unwrap()], text].concat();
            let message = [
                text(1, b"email:x"),
                text(2, payload),
                text(3, id.as_bytes()),
                text(4, queue.as_bytes()),
                vec![40, 5],
            ];
            let task = format!("{base}t:{id}");
            scene.send(&[b"HSET", task.as_bytes(), b"msg", &message.concat(), b"state", state.as_bytes()]);
            let place = format!("{base}{state}");
            if state == "pending" {
                scene.send(&[b"LPUSH", place.as_bytes(), id.as_bytes()]);
            } else {
                scene.send(&[b"ZADD", place.as_bytes(), b"4000000000", id.as_bytes()]);
            }
        }
    };
    (seed, payloads)
}

/// One queue.
pub(crate) fn source(queue: &str) -> Source {
    let mut asynq = AsynqSource::default();
    asynq.queues = vec![queue.to_owned()];
    Source::here(Layout::Asynq(asynq))
}
