//! A set that is no plan is taken over by nobody who has not read that.

use crate::imports::scene::Scene;
use reprieve::model::Kind;
use reprieve_import::{ImportWarningCode, Importer, Layout, Source, ZsetSource};

fn import(scene: &Scene, key: &str) -> Importer {
    let source = Source::here(Layout::Zset(ZsetSource::new(key, Kind::new("mail").unwrap())));
    scene.import(source).accepting(&[])
}

fn add(scene: &Scene, key: &str, score: i64, member: &str) {
    scene.send(&[b"ZADD", key.as_bytes(), score.to_string().as_bytes(), member.as_bytes()]);
}

/// The source's clock, in seconds.
fn now(scene: &Scene) -> i64 {
    let (seconds, _): (i64, i64) = scene.ask(&[b"TIME"]);
    seconds
}

async fn codes(import: &Importer) -> Vec<ImportWarningCode> {
    import.observe().await.unwrap().warnings.into_iter().map(|warning| warning.code).collect()
}

#[tokio::test]
async fn a_plan_whose_items_say_what_is_to_be_done_is_taken_over_without_more() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    add(&scene, &key, now(&scene) - 60, r#"{"order":1}"#);
    add(&scene, &key, now(&scene) + 3_600, r#"{"order":2}"#);

    assert_eq!(codes(&import(&scene, &key)).await, []);
    assert_eq!(import(&scene, &key).take_over(|_| ()).await.unwrap().taken, 2);
}

#[tokio::test]
async fn each_warning_has_to_be_accepted_and_nothing_is_taken_before() {
    use ImportWarningCode::{AllDue, BareIds, FarFuture, KnownSet};
    let scene = Scene::new().await;
    let now = now(&scene);
    let job = r#"{"class":"Mail","jid":"a","args":[]}"#;
    let name = scene.redis.name();
    let sets = [
        (
            format!("bull:mail-{name}:delayed"),
            (now + 60) * 1_000 * 4_096 + 1,
            "17",
            vec![KnownSet, FarFuture],
        ),
        (format!("shop-{name}:dead"), now - 60, job, vec![KnownSet, AllDue]),
        (format!("shop-{name}:schedule"), now + 60, job, vec![KnownSet]),
        (format!("ratelimit-{name}"), (now - 60) * 1_000, "1", vec![AllDue, BareIds]),
        (format!("far-{name}"), now + 11 * 366 * 86_400, "{}", vec![FarFuture]),
    ];
    for (key, score, member, expected) in sets {
        add(&scene, &key, score, member);
        let before = scene.keyspace(&key);
        let import = import(&scene, &key);
        assert_eq!(codes(&import).await, expected, "{key}");

        for left_out in &expected {
            let some: Vec<_> = expected.iter().copied().filter(|code| code != left_out).collect();
            let refused = import.accepting(&some).take_over(|_| ()).await.unwrap_err().to_string();
            assert!(refused.starts_with(&format!("accept_warnings does not name {left_out} (")), "{refused}");
        }
        assert_eq!(scene.keyspace(&key), before, "{key}");

        assert_eq!(import.accepting(&expected).take_over(|_| ()).await.unwrap().taken, 1, "{key}");
    }
}

#[tokio::test]
async fn a_long_plan_that_is_behind_is_still_a_plan_while_its_end_is_to_come() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    let now = now(&scene);
    let mut command = redis::cmd("ZADD");
    command.arg(&key);
    for n in 0..10_050 {
        command.arg(now - 60).arg(format!("{{\"order\":{n}}}"));
    }
    command.query::<i64>(&mut scene.connection()).unwrap();
    assert_eq!(codes(&import(&scene, &key)).await, [ImportWarningCode::AllDue]);

    add(&scene, &key, now + 3_600, r#"{"order":"last"}"#);

    assert_eq!(codes(&import(&scene, &key)).await, []);
}
