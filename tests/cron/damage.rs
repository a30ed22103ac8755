//! What others wrote into an entry stops that entry and no other.

use super::scene::{MINUTE, Scene, entry, name};
use reprieve::model::{CronEntry, CronName, Kind};

async fn with_a_sound_neighbour() -> Scene {
    let scene = Scene::with(entry("* * * * *")).await;
    let sound = CronEntry::new(CronName::new("sound").unwrap(), "* * * * *", Kind::new("report").unwrap());
    scene.ann(0).put_cron(sound).await.unwrap();
    scene
}

async fn neighbour_fired(scene: &Scene) -> bool {
    !scene.inspector(0).cron_history(&CronName::new("sound").unwrap(), 10).await.unwrap().is_empty()
}

#[tokio::test]
async fn an_unreadable_entry_does_not_stop_the_others() {
    let damage: [(&str, &str); 7] = [
        ("definition", "not json"),
        (
            "definition",
            "{\"name\":\"nightly\",\"schedule\":\"every day\",\"kind\":\"report\",\"max_attempts\":1}",
        ),
        (
            "definition",
            "{\"name\":\"sound\",\"schedule\":\"* * * * *\",\"kind\":\"report\",\"max_attempts\":1}",
        ),
        ("definition", "\u{fffd}"),
        ("version", "seven"),
        ("from_ms", "-3"),
        ("from_ms", "1e300"),
    ];
    for (field, value) in damage {
        let scene = with_a_sound_neighbour().await;
        let key = format!("{}cron:nightly", scene.redis.prefix());
        scene.redis.command(&["HSET", &key, field, value]).await.unwrap();
        scene.look(MINUTE).await;
        assert!(neighbour_fired(&scene).await, "{field} = {value}");
        assert!(
            scene.inspector(0).cron().await.unwrap().iter().any(|state| state.entry.name.as_str() == "sound")
        );
    }
}

#[tokio::test]
async fn keys_of_another_type_are_refused_before_anything_is_written() {
    for key in ["cron", "cron:nightly", "cron:nightly:history", "meta", "audit", "events", "queues"] {
        let scene = Scene::with(entry("* * * * *")).await;
        let full = format!("{}{key}", scene.redis.prefix());
        scene.redis.command(&["DEL", &full]).await.unwrap();
        scene.redis.command(&["SET", &full, "someone else's"]).await.unwrap();
        let before = scene.redis.snapshot().await;
        // Where the key belongs to one entry alone the look itself goes on.
        let look = scene.redis.fire_cron_at(super::scene::t(MINUTE)).await;
        let put = scene.ann(MINUTE).put_cron(entry("0 5 * * *")).await;
        if key.starts_with("cron") {
            assert!(put.is_err(), "{key}");
        }
        drop(look);
        if put.is_err() {
            assert_eq!(scene.redis.snapshot().await, before, "{key}");
        }
    }
}

#[tokio::test]
async fn an_entry_without_its_hash_is_passed_by() {
    let scene = with_a_sound_neighbour().await;
    scene.redis.command(&["DEL", &format!("{}cron:nightly", scene.redis.prefix())]).await.unwrap();
    scene.look(MINUTE).await;
    assert!(neighbour_fired(&scene).await);
    assert!(scene.inspector(0).cron_entry(&name()).await.is_err(), "it is told, not hidden");
}

#[tokio::test]
async fn entries_that_cannot_fire_do_not_block_those_behind_them() {
    let scene = Scene::new().await;
    let ann = scene.ann(0);
    // A tick earlier than all others, and more of them than one call reads.
    for number in 0..120 {
        let name = CronName::new(format!("broken{number}")).unwrap();
        ann.put_cron(CronEntry::new(name, "*/5 * * * * *", Kind::new("report").unwrap())).await.unwrap();
        let key = format!("{}cron:broken{number}", scene.redis.prefix());
        let (field, value) = if number % 2 == 0 { ("version", "seven") } else { ("paused_ms", "1") };
        scene.redis.command(&["HSET", &key, field, value]).await.unwrap();
    }
    scene.redis.command(&["ZADD", &format!("{}cron", scene.redis.prefix()), "0", "no name"]).await.unwrap();
    ann.put_cron(entry("* * * * *")).await.unwrap();

    scene.look(MINUTE).await;

    assert_eq!(scene.jobs().await, [MINUTE]);
}
