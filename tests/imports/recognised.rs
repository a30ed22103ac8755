//! What lies on a Redis is told by its keys, and nothing is changed by looking.

use crate::imports::scene::Scene;
use reprieve::model::RedactionRule;
use reprieve::testing::RedisServer;
use reprieve_import::{BullmqSource, ImportFormat, ImportName, Layout, Recognised, SetContent, Source};
use std::collections::BTreeMap;

/// A Redis with something of every sort, and its whole content.
fn furnish(server: &RedisServer) -> redis::Connection {
    let mut there = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    for (key, score, member) in [
        ("orders", "1795219200", r#"{"order":{"id":1}}"#),
        ("orders", "1795219260.5", r#"{"order":{"id":2}}"#),
        ("events", "4000000000123", "a"),
        ("ratelimit:ann", "1795219200123", "a1"),
        ("delayq:dq:sms", "1795219200", "job-1"),
        ("asynq:{mail}:scheduled", "1795219200", "task-1"),
        ("asynq:{mail}:retry", "1795219300", "task-2"),
        ("ranks", "17", "ann"),
        ("reprieve:shop:delayed", "1795219200000", "ours"),
    ] {
        redis::cmd("ZADD").arg(key).arg(score).arg(member).query::<i64>(&mut there).unwrap();
    }
    redis::cmd("SADD").arg("asynq:queues").arg("mail").query::<i64>(&mut there).unwrap();
    redis::cmd("LPUSH").arg("asynq:{mail}:pending").arg("task-3").query::<i64>(&mut there).unwrap();
    there
}

fn everything(there: &mut redis::Connection) -> BTreeMap<String, Vec<u8>> {
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(there).unwrap();
    let dump = |key: String| {
        let content = redis::cmd("DUMP").arg(&key).query(&mut *there).unwrap();
        (key, content)
    };
    keys.into_iter().map(dump).collect()
}

fn named(recognised: &Recognised) -> Vec<(ImportFormat, &str, u64)> {
    recognised.found.iter().map(|found| (found.format, found.place.as_str(), found.items)).collect()
}

#[tokio::test]
async fn asynq_delayq_and_sets_of_times_are_told_apart_from_ranks_and_from_our_own() {
    let server = RedisServer::start().unwrap();
    let mut there = furnish(&server);
    let before = everything(&mut there);
    let scene = Scene::new().await;

    let seen =
        reprieve_import::recognise(scene.redis.engine(), Some(server.url()), None, None).await.unwrap();

    let expected = [
        (ImportFormat::Asynq, "mail", 2),
        (ImportFormat::Delayq, "sms", 1),
        (ImportFormat::Zset, "events", 1),
        (ImportFormat::Zset, "orders", 2),
    ];
    assert_eq!(named(&seen), expected);
    assert_eq!(
        (seen.others, seen.more, seen.complete),
        (2, 0, true),
        "ranks are no times, and what is only past is no plan"
    );
    let orders = &seen.found[3];
    assert_eq!(orders.keys, ["orders"]);
    assert_eq!(orders.samples[0].text, r#"{"order":{"id":1}}"#);
    assert_eq!(orders.samples[1].due.unwrap().as_millis(), 1_795_219_260_500);
    assert_eq!(everything(&mut there), before, "looking changes nothing");
}

#[tokio::test]
async fn a_set_of_times_is_one_by_most_of_its_scores_from_both_ends() {
    let server = RedisServer::start().unwrap();
    let mut there = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let mut fill = |key: &str, scores: &[i64]| {
        for (n, score) in scores.iter().enumerate() {
            redis::cmd("ZADD").arg(key).arg(*score).arg(n).query::<i64>(&mut there).unwrap();
        }
    };
    // Something waits: what is past, and nothing but ids, is no plan.
    let time = 4_000_000_000;
    fill("at-once", &[0, time, time + 1]);
    fill("many-at-once", &[0, 0, 0, 0, 0, 0, time]);
    fill("one-counter", &[3, time, time + 1]);
    fill("marks", &[0, -1]);
    fill("ranks", &[1, 2, 3, 4, 5, 6, 7, 8, time, time, time]);
    let scene = Scene::new().await;

    let seen =
        reprieve_import::recognise(scene.redis.engine(), Some(server.url()), None, None).await.unwrap();

    let expected = [
        (ImportFormat::Zset, "at-once", 3),
        (ImportFormat::Zset, "many-at-once", 7),
        (ImportFormat::Zset, "one-counter", 3),
    ];
    assert_eq!((named(&seen).as_slice(), seen.others), (expected.as_slice(), 2));
    assert_eq!(seen.found[1].samples.len(), 5, "those that are due first are shown");
}

#[tokio::test]
async fn items_are_not_shown_while_payloads_have_hidden_parts() {
    let server = RedisServer::start().unwrap();
    furnish(&server);
    let scene = Scene::new().await;
    let engine = scene.redis.engine();
    let rule = RedactionRule { kinds: "sms".to_owned(), path: "phone".to_owned(), keep: 0 };
    engine.operator("ann").set_redaction(&[rule], "").await.unwrap();

    let seen = reprieve_import::recognise(engine, Some(server.url()), None, None).await.unwrap();

    let samples: Vec<_> = seen.found.iter().flat_map(|found| &found.samples).collect();
    assert!(!samples.is_empty());
    assert!(samples.iter().all(|item| item.text == "•••• (hidden)" && !item.score.is_empty()), "{samples:?}");
}

#[tokio::test]
async fn sets_of_other_systems_are_named_and_not_offered_and_only_what_is_to_come_waits() {
    let server = RedisServer::start().unwrap();
    let mut there = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let (seconds, _): (i64, i64) = redis::cmd("TIME").query(&mut there).unwrap();
    let (past, next) = (seconds - 60, seconds + 3_600);
    let job = r#"{"class":"Mail","jid":"a","args":[],"queue":"q"}"#;
    for (key, score, member) in [
        ("bull:mail:delayed", next * 1_000 * 4_096 + 1, "17"),
        ("bull:mail:delayed", past * 1_000 * 4_096, "15"),
        ("bull:mail:completed", past * 1_000, "16"),
        ("bull:old:delayed", next * 1_000 * 4_096, "17"),
        ("bull:over:completed", past * 1_000, "16"),
        ("rq:failed:default", past, "b1"),
        ("dead", past, job),
        ("unacked_index", past, "c1"),
        ("schedule", next, job),
        ("ratelimit:ann", past * 1_000, "d1"),
        ("orders", past, "1"),
        ("orders", next, "2"),
        ("events", next * 1_000, "3"),
        ("clicks", next * 1_000_000, "4"),
    ] {
        redis::cmd("ZADD").arg(key).arg(score).arg(member).query::<i64>(&mut there).unwrap();
    }
    // A queue of BullMQ says of itself that it is one; a key of that name alone says what it holds.
    redis::cmd("HSET")
        .arg(&["bull:mail:meta", "opts.maxLenEvents", "10000"])
        .query::<i64>(&mut there)
        .unwrap();
    redis::cmd("LPUSH").arg(&["bull:mail:wait", "18", "19"]).query::<i64>(&mut there).unwrap();
    let scene = Scene::new().await;

    let seen =
        reprieve_import::recognise(scene.redis.engine(), Some(server.url()), None, None).await.unwrap();

    let known: Vec<(&str, &str, SetContent)> =
        seen.known.iter().map(|set| (set.key.as_str(), set.set.system.as_str(), set.set.holds)).collect();
    let expected = [
        ("bull:mail:completed", "BullMQ", SetContent::Ended),
        ("bull:old:delayed", "BullMQ", SetContent::Ids),
        ("bull:over:completed", "BullMQ", SetContent::Ended),
        ("dead", "Sidekiq", SetContent::Ended),
        ("rq:failed:default", "RQ", SetContent::Ended),
        ("unacked_index", "Celery", SetContent::Books),
    ];
    assert_eq!(known, expected);
    let found: Vec<(&str, u64, u64)> =
        seen.found.iter().map(|found| (found.place.as_str(), found.items, found.waiting)).collect();
    let expected = [("", 1, 1), ("mail", 4, 1), ("clicks", 1, 1), ("events", 1, 1), ("orders", 2, 1)];
    assert_eq!(found, expected);
    assert_eq!(seen.others, 1, "ids that are all past are no plan");
    let mail = &seen.found[1];
    assert_eq!((mail.format, mail.keys.len()), (ImportFormat::Bullmq, 4));
    let due: Vec<i64> = mail.samples.iter().map(|item| item.due.unwrap().as_millis()).collect();
    assert_eq!(due, [past * 1_000, next * 1_000]);
    assert_eq!(
        (seen.found[0].format, seen.found[0].keys.as_slice()),
        (ImportFormat::Sidekiq, ["schedule".to_owned()].as_slice())
    );
}

#[tokio::test]
async fn a_queue_of_bullmq_is_recognised_and_taken_over_under_any_prefix() {
    let server = RedisServer::start().unwrap();
    let mut there = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    for base in ["{shop}:mail", "bull:sms", "bull:empty"] {
        let meta = format!("{base}:meta");
        redis::cmd("HSET").arg(meta).arg("opts.maxLenEvents").arg("10000").query::<i64>(&mut there).unwrap();
    }
    redis::cmd("HSET").arg("of:others:meta").arg("a").arg("b").query::<i64>(&mut there).unwrap();
    redis::cmd("ZADD").arg("{shop}:mail:completed").arg(1).arg("16").query::<i64>(&mut there).unwrap();
    for base in ["{shop}:mail", "bull:sms"] {
        redis::cmd("LPUSH").arg(format!("{base}:wait")).arg("17").query::<i64>(&mut there).unwrap();
        let fields = ["name", "note", "data", "{}", "opts", "{}"];
        redis::cmd("HSET").arg(format!("{base}:17")).arg(&fields).query::<i64>(&mut there).unwrap();
    }
    let scene = Scene::new().await;
    let engine = scene.redis.engine();

    let seen = reprieve_import::recognise(engine, Some(server.url()), None, None).await.unwrap();

    let expected = [(ImportFormat::Bullmq, "sms", 1), (ImportFormat::Bullmq, "{shop}:mail", 1)];
    assert_eq!(named(&seen), expected);
    let known: Vec<_> = seen.known.iter().map(|set| (set.key.as_str(), set.set.holds)).collect();
    assert_eq!(known, [("{shop}:mail:completed", SetContent::Ended)]);

    let source = BullmqSource::new(vec!["{shop}:mail".to_owned()]);
    let at = |source| Source::at(server.url(), Layout::Bullmq(source));
    let import =
        reprieve_import::Importer::new(engine, ImportName::new("shop").unwrap(), at(source)).unwrap();
    assert_eq!(import.take_over(|_| {}).await.unwrap().taken, 1);
    let mixed = BullmqSource::new(vec!["{shop}:mail".to_owned(), "sms".to_owned()]);
    assert!(reprieve_import::Importer::new(engine, ImportName::new("mixed").unwrap(), at(mixed)).is_err());
}

#[tokio::test]
async fn many_sources_are_named_up_to_a_limit_and_counted_beyond_it() {
    let server = RedisServer::start().unwrap();
    let mut there = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    for n in 0..60 {
        redis::cmd("ZADD")
            .arg(format!("set-{n:02}"))
            .arg("4000000000")
            .arg("m")
            .query::<i64>(&mut there)
            .unwrap();
    }
    let scene = Scene::new().await;

    let seen =
        reprieve_import::recognise(scene.redis.engine(), Some(server.url()), None, None).await.unwrap();

    assert_eq!((seen.found.len(), seen.more), (50, 10));
}

#[tokio::test]
async fn an_address_that_is_none_is_refused_without_its_password() {
    let scene = Scene::new().await;

    let error = reprieve_import::recognise(scene.redis.engine(), Some("http://ann:s3cr3t@old"), None, None)
        .await
        .unwrap_err();

    let text = format!("{error} {error:?}");
    assert!(!text.contains("s3cr3t") && text.contains("old"), "{text}");
}

#[tokio::test]
async fn a_wrong_password_is_said_and_not_repeated() {
    let server = RedisServer::start().unwrap();
    let mut there = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    redis::cmd("ACL")
        .arg(&["SETUSER", "ann", "on", ">right", "+@all", "~*"])
        .query::<()>(&mut there)
        .unwrap();
    let scene = Scene::new().await;
    let url = server.url();
    let with = |login: &str| match url.split_once("://") {
        Some(("redis", rest)) => format!("redis://{login}@{rest}"),
        // A socket takes its login behind the path.
        _ => {
            let (user, password) = login.split_once(':').unwrap();
            format!("{}?user={user}&pass={password}", url)
        }
    };

    let good = reprieve_import::recognise(scene.redis.engine(), Some(&with("ann:right")), None, None).await;
    assert_eq!(good.unwrap().found, []);
    let error = reprieve_import::recognise(scene.redis.engine(), Some(&with("ann:s3cr3t")), None, None)
        .await
        .unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(!text.contains("s3cr3t"), "{text}");
}
