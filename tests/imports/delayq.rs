//! delayq, filled by tests that write what delayq writes.

use crate::imports::scene::Scene;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use reprieve::model::{JobId, JobState};
use reprieve_import::{DelayqSource, Importer, Layout, Source};
use serde_json::json;

const LATER_S: i64 = 4_000_000_000;

pub(crate) fn source(topic: &str) -> Source {
    Source::here(Layout::Delayq(DelayqSource::new(topic)))
}

fn message(topic: &str, id: &str, more: &serde_json::Value) -> Vec<u8> {
    let mut message = json!({
        "Topic": topic, "ID": id, "Delay": 60, "MaxRetry": 3, "RetryCount": 0, "TTR": 20,
        "Boday": STANDARD.encode(format!("body of {id}")),
    });
    for (name, value) in more.as_object().unwrap() {
        message[name] = value.clone();
    }
    serde_json::to_vec(&message).unwrap()
}

/// Adds a job as a producer of delayq does.
fn add(scene: &Scene, topic: &str, id: &str, due_s: i64, more: &serde_json::Value) {
    let (pool, delay) = (format!("delayq:jp:{topic}"), format!("delayq:dq:{topic}"));
    scene.send(&[b"HSET", pool.as_bytes(), id.as_bytes(), &message(topic, id, more)]);
    scene.send(&[b"ZADD", delay.as_bytes(), due_s.to_string().as_bytes(), id.as_bytes()]);
}

/// Waiting, forwarded, called off too late, stuck, half-written: what a topic looks like after a while.
pub(crate) fn fill(scene: &Scene, topic: &str) {
    for n in 0..110 {
        add(scene, topic, &format!("d{n:03}"), LATER_S + n, &json!({}));
    }
    add(scene, topic, "again", LATER_S, &json!({ "RetryCount": 2 }));
    add(scene, topic, "for-ever", LATER_S, &json!({ "MaxRetry": -1, "TTR": 0 }));
    let (pool, ready) = (format!("delayq:jp:{topic}"), format!("delayq:rq:{topic}"));
    for id in ["r1", "ghost", "r2", "r3"] {
        if id != "ghost" {
            scene.send(&[b"HSET", pool.as_bytes(), id.as_bytes(), &message(topic, id, &json!({}))]);
        }
        scene.send(&[b"LPUSH", ready.as_bytes(), id.as_bytes()]);
    }
    // Forwarded, then added again: in both places.
    add(scene, topic, "both", LATER_S, &json!({}));
    scene.send(&[b"LPUSH", ready.as_bytes(), b"both"]);
    let process = format!("delayq:process:{topic}");
    scene.send(&[b"HSET", pool.as_bytes(), b"working", &message(topic, "working", &json!({}))]);
    scene.send(&[b"SADD", process.as_bytes(), b"working", b"stuck"]);
    add(scene, topic, "bad", LATER_S, &json!({ "Boday": "%%%" }));
}

/// What of that can be taken.
pub(crate) fn takeable() -> Vec<Vec<u8>> {
    let ids = (0..110).map(|n| format!("d{n:03}"));
    let others = ["again", "for-ever", "r1", "r2", "r3", "both"].map(str::to_owned);
    let mut bodies: Vec<Vec<u8>> = ids.chain(others).map(|id| format!("body of {id}").into_bytes()).collect();
    bodies.sort();
    bodies
}

async fn job(scene: &Scene, id: &str) -> reprieve::model::Job {
    scene.redis.engine().inspector().job(&JobId::new(id).unwrap()).await.unwrap().unwrap().job
}

#[tokio::test]
async fn a_topic_is_observed_with_all_its_quirks_named() {
    let scene = Scene::new().await;
    let topic = scene.foreign("sms");
    fill(&scene, &topic);
    let before = scene.keyspace(&topic);

    let seen = scene.import(source(&topic)).observe().await.unwrap();

    assert_eq!(scene.keyspace(&topic), before);
    let places: Vec<(String, u64, bool)> =
        seen.places.iter().map(|p| (p.place.replace(&topic, "T"), p.count, p.taken)).collect();
    assert_eq!(
        places,
        [
            ("T/ready".to_owned(), 5, true),
            ("T/process".to_owned(), 2, false),
            ("T/delay".to_owned(), 114, true)
        ]
    );
    let reasons: Vec<(&str, &str)> =
        seen.unreadable.iter().map(|item| (item.name.as_str(), item.reason.as_str())).collect();
    assert_eq!(reasons[0], ("ghost", "it has no job in the pool: called off after it was forwarded"));
    assert!(reasons[1].1.starts_with("its body is no base64"));
    assert_eq!(seen.notes.len(), 1);
}

#[tokio::test]
async fn a_topic_becomes_jobs_and_goes_back_as_it_was() {
    let scene = Scene::new().await;
    let topic = scene.foreign("sms");
    fill(&scene, &topic);
    let before = scene.keyspace(&topic);
    let import = scene.import(source(&topic));

    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!((taken.taken, taken.left_count), (116, 2));
    assert_eq!(scene.payloads().await, takeable());
    let again = job(&scene, "again").await;
    assert_eq!((again.state, again.attempt, again.max_attempts), (JobState::Retrying, 2, Some(4)));
    let for_ever = job(&scene, "for-ever").await;
    assert_eq!((for_ever.max_attempts, for_ever.timeout), (None, None));
    let both = job(&scene, "both").await;
    assert_eq!((both.state, both.due.as_millis()), (JobState::Delayed, LATER_S * 1_000));
    let (r1, r2) = (job(&scene, "r1").await, job(&scene, "r2").await);
    assert_eq!((r1.state, r1.queue.as_str(), r2.state), (JobState::Ready, topic.as_str(), JobState::Ready));
    scene.assert_sound().await;

    let back = import.roll_back(|_| ()).await.unwrap();

    assert_eq!((back.restored, back.kept_count), (116, 0));
    assert_eq!(scene.keyspace(&topic), before);
    assert_eq!(scene.payloads().await, Vec::<Vec<u8>>::new());
    scene.assert_no_journal();
}

#[tokio::test]
async fn what_is_worked_on_is_taken_only_when_asked_for() {
    let scene = Scene::new().await;
    let topic = scene.foreign("sms");
    fill(&scene, &topic);
    let before = scene.keyspace(&topic);
    let mut delayq = DelayqSource::new(&topic);
    delayq.processing = true;
    let import = scene.import(Source::here(Layout::Delayq(delayq)));

    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!((taken.taken, taken.left_count), (117, 3));
    assert_eq!(job(&scene, "working").await.state, JobState::Ready);
    import.roll_back(|_| ()).await.unwrap();
    assert_eq!(scene.keyspace(&topic), before);
}

#[tokio::test]
async fn the_same_id_again_overwrites_a_waiting_job_and_makes_a_new_one_of_an_ended_one() {
    let scene = Scene::new().await;
    let topic = scene.foreign("sms");
    let import = scene.import(source(&topic));
    add(&scene, &topic, "a", LATER_S, &json!({}));
    import.take_over(|_| ()).await.unwrap();

    add(&scene, &topic, "a", LATER_S + 60, &json!({ "Boday": STANDARD.encode("new") }));
    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!((taken.replaced, scene.payloads().await), (1, vec![b"new".to_vec()]));
    assert_eq!(job(&scene, "a").await.due.as_millis(), (LATER_S + 60) * 1_000);

    scene.redis.engine().client().cancel(&JobId::new("a").unwrap()).await.unwrap();
    add(&scene, &topic, "a", LATER_S, &json!({}));
    import.take_over(|_| ()).await.unwrap();

    assert_eq!(scene.payloads().await, [b"body of a".to_vec(), b"new".to_vec()]);

    add(&scene, &topic, "a", LATER_S + 90, &json!({}));
    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!((taken.replaced, scene.payloads().await.len()), (1, 2), "the new one is overwritten, too");
    let back = import.roll_back(|_| ()).await.unwrap();
    assert_eq!((back.restored, back.kept_count), (1, 1));
    assert!(back.kept[0].reason.contains("has ended here: it is cancelled"), "{:?}", back.kept);
}

#[tokio::test]
async fn what_a_person_holds_stays_held_when_it_is_put_again_with_tries_behind_it() {
    let scene = Scene::new().await;
    let topic = scene.foreign("sms");
    let import = scene.import(source(&topic));
    add(&scene, &topic, "a", LATER_S, &json!({}));
    import.take_over(|_| ()).await.unwrap();
    scene.redis.engine().operator("ann").hold(&JobId::new("a").unwrap()).await.unwrap();

    add(&scene, &topic, "a", LATER_S + 60, &json!({ "RetryCount": 2 }));
    let taken = import.take_over(|_| ()).await.unwrap();

    let held = job(&scene, "a").await;
    assert_eq!((taken.replaced, held.state, held.attempt), (1, JobState::Held, 2));
    scene.assert_sound().await;
}

#[tokio::test]
async fn a_job_pool_of_another_type_stops_nothing_else_and_loses_nothing() {
    let scene = Scene::new().await;
    let topic = scene.foreign("sms");
    for what in ["dq", "jp", "rq", "process"] {
        for wrong in ["string", "list", "zset"] {
            let topic = format!("{topic}-{what}-{wrong}");
            fill(&scene, &topic);
            let key = format!("delayq:{what}:{topic}");
            scene.send(&[b"DEL", key.as_bytes()]);
            match wrong {
                "string" => scene.send(&[b"SET", key.as_bytes(), b"x"]),
                "list" if what != "rq" => scene.send(&[b"RPUSH", key.as_bytes(), b"x"]),
                "zset" if what != "dq" => scene.send(&[b"ZADD", key.as_bytes(), b"1", b"x"]),
                _ => continue,
            };
            let before = scene.keyspace(&topic);
            let import = scene.import(source(&topic));
            import.observe().await.unwrap();
            let taken = import.take_over(|_| ()).await.unwrap();
            assert!(taken.left_count > 0, "{key}: {taken:?}");
            let said = taken.left.iter().filter(|left| left.reason.starts_with(&key)).count();
            // Nothing is taken out of the set of what is worked on, whatever is there; the pool and the delay set are read
            // with every place that something is taken out of.
            let places = [("process", 0), ("rq", 1), ("dq", 2), ("jp", 2)];
            assert_eq!(places.into_iter().find(|(place, _)| *place == what), Some((what, said)), "{key}");
            assert_eq!(taken.taken > 0, ["rq", "process"].contains(&what), "{key}: the delay set is taken");
            import.roll_back(|_| ()).await.unwrap();
            assert_eq!(scene.keyspace(&topic), before, "{key}");
        }
    }
}

/// Their forwarder, as one script: what is due goes to the ready list.
const FORWARD: &str = r"
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('LPUSH', KEYS[2], id)
end";
/// Their fetch: an id goes from the ready list to the set of what is worked on; the body is read.
const FETCH: &str = r"
local id = redis.call('RPOP', KEYS[1])
if not id then return false end
redis.call('SADD', KEYS[2], id)
return { id, redis.call('HGET', KEYS[3], id) }";

/// A consumer of delayq that runs what it gets; returns the ids it ran.
fn consumer(url: &str, topic: &str, wanted: &std::sync::Arc<()>) -> Vec<String> {
    let mut connection = redis::Client::open(url).unwrap().get_connection().unwrap();
    let key = |what: &str| format!("delayq:{what}:{topic}");
    let (forward, fetch) = (redis::Script::new(FORWARD), redis::Script::new(FETCH));
    let mut ran = Vec::new();
    // A test that fails drops its own as well, and this ends.
    while std::sync::Arc::strong_count(wanted) > 1 {
        let (now, _): (i64, i64) = redis::cmd("TIME").query(&mut connection).unwrap();
        forward.key(key("dq")).key(key("rq")).arg(now).invoke::<()>(&mut connection).unwrap();
        let got: Option<(String, Option<Vec<u8>>)> =
            fetch.key(key("rq")).key(key("process")).key(key("jp")).invoke(&mut connection).unwrap();
        let Some((id, body)) = got else {
            // It polls, as they do.
            std::thread::sleep(std::time::Duration::from_millis(1));
            continue;
        };
        if body.is_some() {
            ran.push(id.clone());
        }
        redis::cmd("SREM").arg(key("process")).arg(&id).query::<()>(&mut connection).unwrap();
        redis::cmd("HDEL").arg(key("jp")).arg(&id).query::<()>(&mut connection).unwrap();
    }
    ran
}

/// Claims and completes what is ready here; returns the ids.
async fn work_here(scene: &Scene, topic: &str) -> Vec<String> {
    let store = scene.redis.store();
    let queue = reprieve::model::QueueName::new(topic).unwrap();
    store.forward(100, 1).await.unwrap();
    let lease = reprieve::model::Delay::seconds(60);
    let claimed = store.claim("w", lease, 50, &[(queue, 50)]).await.unwrap();
    let mut ran = Vec::new();
    for job in claimed {
        ran.push(job.id.to_string());
        store.complete(&[(job.id, job.token)]).await.unwrap();
    }
    ran
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_living_delayq_is_taken_over_and_rolled_back_without_loss_or_duplicate() {
    const JOBS: usize = 3_000;
    let scene = Scene::new().await;
    let topic = scene.foreign("live");
    let wanted = std::sync::Arc::new(());
    let consumer = {
        let (url, topic, wanted) = (scene.redis.url().to_owned(), topic.clone(), wanted.clone());
        tokio::task::spawn_blocking(move || consumer(&url, &topic, &wanted))
    };
    let (now_s, _): (i64, i64) = scene.ask(&[b"TIME"]);
    let producer = {
        let (url, topic) = (scene.redis.url().to_owned(), topic.clone());
        tokio::task::spawn_blocking(move || {
            let mut connection = redis::Client::open(url).unwrap().get_connection().unwrap();
            for n in 0..JOBS {
                let id = format!("j{n:05}");
                let due = now_s + i64::try_from(n % 4).unwrap();
                redis::pipe()
                    .atomic()
                    .cmd("HSET")
                    .arg(format!("delayq:jp:{topic}"))
                    .arg(&id)
                    .arg(message(&topic, &id, &json!({})))
                    .cmd("ZADD")
                    .arg(format!("delayq:dq:{topic}"))
                    .arg(due)
                    .arg(&id)
                    .query::<()>(&mut connection)
                    .unwrap();
            }
        })
    };
    let import: Importer = scene.import(source(&topic));
    let mut ran = Vec::new();
    // They work, we take over while they produce, we work, we roll back, they work on; three times, and on until something
    // ran here: on a busy machine they may have nothing yet, or run all of it themselves at first.
    let mut rounds = 0;
    while rounds < 3 || (ran.is_empty() && rounds < 200) {
        rounds += 1;
        import.take_over(|_| ()).await.unwrap();
        ran.extend(work_here(&scene, &topic).await);
        import.take_over(|_| ()).await.unwrap();
        ran.extend(work_here(&scene, &topic).await);
        import.roll_back(|_| ()).await.unwrap();
    }
    producer.await.unwrap();
    // Their consumer runs what is left. A busy machine is slow: give up only when nothing has moved for a minute.
    let (mut least, mut fell) = (u64::MAX, std::time::Instant::now());
    loop {
        let waiting: u64 = scene.ask(&[b"HLEN", format!("delayq:jp:{topic}").as_bytes()]);
        let (now, _): (i64, i64) = scene.ask(&[b"TIME"]);
        if waiting == 0 && now > now_s + 4 {
            break;
        }
        if waiting < least {
            (least, fell) = (waiting, std::time::Instant::now());
        }
        assert!(fell.elapsed().as_secs() < 60, "{waiting} stay there");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    drop(wanted);
    let theirs = consumer.await.unwrap();

    assert!(!ran.is_empty() && !theirs.is_empty(), "{} here, {} there", ran.len(), theirs.len());
    ran.extend(theirs);
    ran.sort();
    let all: Vec<String> = (0..JOBS).map(|n| format!("j{n:05}")).collect();
    assert_eq!(ran.len(), all.len());
    assert_eq!(ran, all);
    scene.assert_sound().await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Any ids with any bodies in any places: nothing is lost, and all of it comes back.
    #[test]
    fn hostile_topics_lose_nothing(
        items in proptest::collection::btree_map(
            proptest::collection::vec(any::<u8>(), 0..20),
            (proptest::collection::vec(any::<u8>(), 0..40), any::<bool>(), any::<[bool; 4]>(), any::<f64>()),
            0..20)
    ) {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let scene = Scene::new().await;
            let topic = scene.foreign("x");
            let key = |what: &str| format!("delayq:{what}:{topic}");
            for (id, (body, sound, [pool, delay, ready, process], score)) in &items {
                let text = String::from_utf8_lossy(id).into_owned();
                let body = if *sound { message(&topic, &text, &json!({})) } else { body.clone() };
                if *pool { scene.send(&[b"HSET", key("jp").as_bytes(), id, &body]); }
                let score = if score.is_nan() { 1.0 } else { *score };
                if *delay { scene.send(&[b"ZADD", key("dq").as_bytes(), score.to_string().as_bytes(), id]); }
                if *ready { scene.send(&[b"LPUSH", key("rq").as_bytes(), id]); }
                if *process { scene.send(&[b"SADD", key("process").as_bytes(), id]); }
            }
            let before = scene.keyspace(&topic);
            let import = scene.import(source(&topic));
            let seen = import.observe().await.unwrap();
            let taken = import.take_over(|_| ()).await.unwrap();
            assert_eq!(scene.payloads().await.len() as u64, taken.taken);
            assert!(taken.taken <= seen.takeable);
            scene.assert_sound().await;
            let back = import.roll_back(|_| ()).await.unwrap();
            assert_eq!(back.restored, taken.taken);
            assert_eq!(scene.keyspace(&topic), before);
        });
    }
}
