//! A namespace of several shards: every job comes to the shard of its subject.

use crate::imports::scene::Scene;
use reprieve::model::{JobId, Kind, QueueName, Shard};
use reprieve_import::{Importer, Layout, Source, ZsetSource};

const SHARDS: u16 = 4;

async fn live(scene: &Scene) -> u64 {
    let queues = scene.redis.engine().inspector().queues().await.unwrap();
    let counts = queues.iter().find(|queue| queue.name == QueueName::default()).map(|queue| queue.counts);
    counts.map_or(0, |counts| counts.delayed + counts.ready)
}

fn import(scene: &Scene, key: &str) -> Importer {
    let mut zset = ZsetSource::new(key, Kind::new("mail").unwrap());
    (zset.id, zset.subject) = (Some("/id".to_owned()), Some("/of".to_owned()));
    scene.import(Source::here(Layout::Zset(zset)))
}

fn fill(scene: &Scene, key: &str) {
    let mut command = redis::cmd("ZADD");
    command.arg(key);
    for n in 0..130 {
        command.arg(4_000_000_000_i64 + n).arg(format!("{{\"id\":\"j{n}\",\"of\":\"customer:{}\"}}", n % 40));
    }
    command.query::<redis::Value>(&mut scene.connection()).unwrap();
}

#[tokio::test]
async fn a_run_that_is_killed_anywhere_moves_every_item_once_forward_and_back() {
    for calls in 0..20 {
        let scene = Scene::with_shards(SHARDS).await;
        let key = scene.foreign("due");
        fill(&scene, &key);
        let before = scene.keyspace(&key);
        let import = import(&scene, &key);
        let first = import.killed_after(calls).take_over(|_| ()).await;
        import.take_over(|_| ()).await.unwrap();
        assert_eq!(live(&scene).await, 130, "killed after {calls} calls");

        drop(import.killed_after(calls).roll_back(|_| ()).await);
        import.roll_back(|_| ()).await.unwrap();
        assert_eq!((live(&scene).await, scene.keyspace(&key)), (0, before), "killed after {calls} calls");
        if first.is_ok() {
            return;
        }
    }
    panic!("a run makes more calls than are tried");
}

#[tokio::test]
async fn what_was_taken_with_a_subject_goes_back_without_one() {
    let scene = Scene::with_shards(SHARDS).await;
    let key = scene.foreign("due");
    fill(&scene, &key);
    let before = scene.keyspace(&key);
    import(&scene, &key).take_over(|_| ()).await.unwrap();
    assert_eq!(live(&scene).await, 130);
    let standing = import(&scene, &key).standing().await.unwrap();
    assert_eq!((standing.returnable, standing.staying.total()), (130, 0));
    let mut zset = ZsetSource::new(&key, Kind::new("mail").unwrap());
    zset.id = Some("/id".to_owned());
    let without = scene.import(Source::here(Layout::Zset(zset)));

    let back = without.roll_back(|_| ()).await.unwrap();

    assert_eq!((back.restored, back.kept_count), (130, 0));
    assert_eq!((live(&scene).await, scene.keyspace(&key)), (0, before));
}

#[tokio::test]
async fn an_id_that_comes_again_about_a_subject_of_another_shard_is_another_job() {
    let scene = Scene::with_shards(SHARDS).await;
    let key = scene.foreign("due");
    let import = import(&scene, &key);
    let customer = |shard| (0..).map(|n| format!("customer:{n}")).find(|of| home(of) == shard).unwrap();
    let mut live_before = 0;
    for (shard, live_after) in [(1, 1), (2, 2), (1, 2), (2, 2)] {
        let member = format!("{{\"id\":\"same\",\"of\":\"{}\"}}", customer(shard));
        scene.send(&[b"ZADD", key.as_bytes(), b"4000000000", member.as_bytes()]);
        let taken = import.take_over(|_| ()).await.unwrap();
        assert_eq!((taken.taken, taken.replaced), (1, u64::from(live_after == live_before)));
        assert_eq!(live(&scene).await, live_after);
        live_before = live_after;
    }
    let kept = scene.redis.engine().inspector().job(&JobId::new("same").unwrap()).await.unwrap().unwrap().job;
    assert_eq!(kept.subject.unwrap().as_str(), customer(1));
}

/// The number of the shard of a subject.
fn home(subject: &str) -> u16 {
    Shard::home(Some(subject), None, "", SHARDS).0
}

fn of_kind(scene: &Scene, key: &str, kind: &str, has_subject: bool) -> Importer {
    let mut zset = ZsetSource::new(key, Kind::new(kind).unwrap());
    zset.id = Some("/id".to_owned());
    zset.subject = has_subject.then(|| "/of".to_owned());
    scene.import(Source::here(Layout::Zset(zset)))
}

/// Jobs of that id, in all shards.
fn jobs_of_id(scene: &Scene, id: &str) -> usize {
    let keys = format!("reprieve:{{{}.*}}:job:{id}", scene.redis.name());
    scene.ask::<Vec<String>>(&[b"KEYS", keys.as_bytes()]).len()
}

/// Some of them have another home than `LATER`, and than its id.
const CUSTOMERS: std::ops::Range<u32> = 0..6;
const LATER: &[u8] = br#"{"id":"seven","of":"customer:9"}"#;

#[tokio::test]
async fn a_job_that_came_another_way_is_not_replaced_from_another_shard() {
    for (customer, has_subject) in CUSTOMERS.flat_map(|customer| [(customer, true), (customer, false)]) {
        let scene = Scene::with_shards(SHARDS).await;
        let (key, other) = (scene.foreign("due"), scene.foreign("other"));
        let report = format!("{{\"id\":\"seven\",\"of\":\"customer:{customer}\"}}");
        scene.send(&[b"ZADD", other.as_bytes(), b"4000000000", report.as_bytes()]);
        of_kind(&scene, &other, "report", true).take_over(|_| ()).await.unwrap();
        let import = of_kind(&scene, &key, "mail", has_subject);

        // Its own job is under another id, and is what later changes replace.
        for (score, replaced) in [("4000000000", 0), ("4000000001", 1), ("4000000002", 1)] {
            scene.send(&[b"ZADD", key.as_bytes(), score.as_bytes(), LATER]);
            let taken = import.take_over(|_| ()).await.unwrap();
            let said = (taken.taken, taken.replaced, live(&scene).await);
            assert_eq!(said, (1, replaced, 2), "customer {customer}, with a subject: {has_subject}");
        }

        assert_eq!(jobs_of_id(&scene, "seven"), 1);
        let kept = scene.redis.engine().inspector().job(&JobId::new("seven").unwrap()).await.unwrap();
        assert_eq!(kept.unwrap().job.kind.as_str(), "report");
        assert_eq!(import.roll_back(|_| ()).await.unwrap().restored, 1);
        assert_eq!(live(&scene).await, 1);
    }
}

#[tokio::test]
async fn an_item_whose_job_has_ended_in_another_shard_has_one_waiting_job() {
    for (customer, has_subject) in CUSTOMERS.flat_map(|customer| [(customer, true), (customer, false)]) {
        let scene = Scene::with_shards(SHARDS).await;
        let key = scene.foreign("due");
        let first = format!("{{\"id\":\"seven\",\"of\":\"customer:{customer}\"}}");
        scene.send(&[b"ZADD", key.as_bytes(), b"4000000000", first.as_bytes()]);
        of_kind(&scene, &key, "mail", true).take_over(|_| ()).await.unwrap();
        scene.redis.engine().client().cancel(&JobId::new("seven").unwrap()).await.unwrap();
        let import = of_kind(&scene, &key, "mail", has_subject);

        for score in ["4000000001", "4000000002", "4000000003"] {
            scene.send(&[b"ZADD", key.as_bytes(), score.as_bytes(), LATER]);
            import.take_over(|_| ()).await.unwrap();
            assert_eq!(live(&scene).await, 1, "{score}, customer {customer}, with a subject: {has_subject}");
        }

        assert_eq!(jobs_of_id(&scene, "seven"), 1);
    }
}

#[tokio::test]
async fn a_following_importer_brings_what_producers_go_on_adding_to_the_shards_of_its_subjects() {
    let scene = Scene::with_shards(SHARDS).await;
    let key = scene.foreign("due");
    let import = import(&scene, &key);
    let stop = tokio_util::sync::CancellationToken::new();
    let follower = {
        let (import, stop) = (import.clone(), stop.clone());
        tokio::spawn(async move { import.follow(reprieve::model::Delay::days(7), stop).await })
    };
    for round in 1..=3_u64 {
        for n in 0..20 {
            let member = format!("{{\"id\":\"r{round}-{n}\",\"of\":\"customer:{n}\"}}");
            scene.send(&[b"ZADD", key.as_bytes(), b"4000000000", member.as_bytes()]);
        }
        let arrived = async {
            while live(&scene).await < round * 20 {
                // Until the follower's next round.
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(60), arrived).await.unwrap();
    }
    stop.cancel();
    follower.await.unwrap();

    let subjects = (0..20).map(|n| reprieve::model::Subject::new(format!("customer:{n}")).unwrap());
    for subject in subjects {
        assert_eq!(
            scene.redis.engine().inspector().subject(&subject).await.unwrap().jobs.len(),
            3,
            "{subject}"
        );
    }
    assert_eq!(scene.ask::<u64>(&[b"EXISTS", key.as_bytes()]), 0);
    // A follower that stops leaves the source to its producers.
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000000", b"later"]);
    assert_eq!((live(&scene).await, scene.ask::<u64>(&[b"ZCARD", key.as_bytes()])), (60, 1));
}
