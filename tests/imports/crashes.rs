//! An importer that is killed between any two calls to Redis: every item is in exactly one place.

use crate::imports::scene::Scene;
use reprieve::model::Kind;
use reprieve_import::{Importer, Layout, Source, ZsetSource};

/// More calls than any of these runs makes.
const CALLS_MAX: u32 = 60;

/// Kills a take-over at every call; then either resumes it or rolls it back. Kills that, too, at every call.
async fn killed_everywhere(
    seed: impl Fn(&Scene, &str),
    source: impl Fn(&str) -> Source,
    payloads: Vec<Vec<u8>>,
) {
    let mut ended = false;
    for calls in 0..CALLS_MAX {
        let scene = Scene::new().await;
        let name = scene.foreign("x");
        seed(&scene, &name);
        let import = scene.import(source(&name));
        let first = import.killed_after(calls).take_over(|_| ()).await;
        let standing = import.standing().await.unwrap();
        scene.assert_sound().await;
        assert!(scene.payloads().await.len() <= payloads.len(), "killed after {calls}: {standing:?}");

        import.take_over(|_| ()).await.unwrap();

        assert_eq!(scene.payloads().await, payloads, "killed after {calls} calls");
        assert_eq!(import.standing().await.unwrap().parked, 0);
        scene.assert_sound().await;
        if first.is_ok() {
            ended = true;
            break;
        }
        taken_over_killed_and_rolled_back(&seed, &source, calls).await;
    }
    assert!(ended, "a run makes more calls than are tried");
    killed_on_the_way_back(&seed, &source, &payloads).await;
    killed_on_the_way_back_and_taken_over(&seed, &source, &payloads).await;
}

async fn taken_over_killed_and_rolled_back(
    seed: impl Fn(&Scene, &str),
    source: impl Fn(&str) -> Source,
    calls: u32,
) {
    let scene = Scene::new().await;
    let name = scene.foreign("x");
    seed(&scene, &name);
    let before = scene.keyspace(&name);
    let import = scene.import(source(&name));
    drop(import.killed_after(calls).take_over(|_| ()).await);

    import.roll_back(|_| ()).await.unwrap();

    assert_eq!(scene.keyspace(&name), before, "killed after {calls} calls, then rolled back");
    assert_eq!(scene.payloads().await, Vec::<Vec<u8>>::new());
    scene.assert_no_journal();
    scene.assert_sound().await;
}

async fn killed_on_the_way_back(
    seed: impl Fn(&Scene, &str),
    source: impl Fn(&str) -> Source,
    payloads: &[Vec<u8>],
) {
    for calls in 0..CALLS_MAX {
        let scene = Scene::new().await;
        let name = scene.foreign("x");
        seed(&scene, &name);
        let before = scene.keyspace(&name);
        let import: Importer = scene.import(source(&name));
        import.take_over(|_| ()).await.unwrap();
        let first = import.killed_after(calls).roll_back(|_| ()).await;
        assert!(scene.payloads().await.len() <= payloads.len());

        import.roll_back(|_| ()).await.unwrap();

        assert_eq!(scene.keyspace(&name), before, "killed after {calls} calls on the way back");
        assert_eq!(scene.payloads().await, Vec::<Vec<u8>>::new());
        scene.assert_no_journal();
        scene.assert_sound().await;
        if first.is_ok() {
            return;
        }
    }
    panic!("a run makes more calls than are tried");
}

/// What a roll back left on its way comes home with the next take-over, also when the way back was given up before.
async fn killed_on_the_way_back_and_taken_over(
    seed: impl Fn(&Scene, &str),
    source: impl Fn(&str) -> Source,
    payloads: &[Vec<u8>],
) {
    for calls in 0..CALLS_MAX {
        let mut ended = false;
        for is_given_up in [false, true] {
            let scene = Scene::new().await;
            let name = scene.foreign("x");
            seed(&scene, &name);
            let import: Importer = scene.import(source(&name));
            import.take_over(|_| ()).await.unwrap();
            ended |= import.killed_after(calls).roll_back(|_| ()).await.is_ok();
            if is_given_up {
                import.finish().await.unwrap();
                import.roll_back(|_| ()).await.unwrap();
            }

            import.take_over(|_| ()).await.unwrap();

            let said = format!("killed after {calls} calls, given up: {is_given_up}");
            assert_eq!(scene.payloads().await, payloads, "{said}");
            assert_eq!(import.standing().await.unwrap().parked, 0, "{said}");
            scene.assert_sound().await;
        }
        if ended {
            return;
        }
    }
    panic!("a run makes more calls than are tried");
}

#[tokio::test]
async fn a_killed_take_over_of_a_sorted_set() {
    let members: Vec<Vec<u8>> = (0..250).map(|n| format!("m{n:03}").into_bytes()).collect();
    let seed = |scene: &Scene, name: &str| {
        let mut command = redis::cmd("ZADD");
        command.arg(name);
        for (n, member) in (0_i64..).zip(&members) {
            command.arg(4_000_000_000 + n).arg(member.as_slice());
        }
        command.query::<redis::Value>(&mut scene.connection()).unwrap();
    };
    let source = |name: &str| Source::here(Layout::Zset(ZsetSource::new(name, Kind::new("mail").unwrap())));
    killed_everywhere(seed, source, members.clone()).await;
}

#[tokio::test]
async fn a_killed_take_over_of_a_topic_of_delayq() {
    killed_everywhere(
        crate::imports::delayq::fill,
        crate::imports::delayq::source,
        crate::imports::delayq::takeable(),
    )
    .await;
}

#[tokio::test]
async fn a_killed_take_over_of_queues_of_asynq() {
    let (seed, payloads) = crate::imports::asynq::queue_of_tasks();
    killed_everywhere(seed, crate::imports::asynq::source, payloads).await;
}
