//! Any number of processes fire each tick once.

use super::scene::{MINUTE, Scene, entry, job_of, t};
use reprieve::model::{CronName, CronOutcome, JobState};
use reprieve::testing::TestRedis;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_processes_fire_every_tick_once() {
    let scene = Arc::new(Scene::with(entry("* * * * *")).await);
    for minute in 1..=20 {
        let looks: Vec<_> = (0..20)
            .map(|_| {
                let scene = Arc::clone(&scene);
                tokio::spawn(async move { scene.look(minute * MINUTE).await })
            })
            .collect();
        for look in looks {
            look.await.unwrap();
        }
    }
    let expected: Vec<i64> = (1..=20).map(|minute| minute * MINUTE).collect();
    assert_eq!(scene.jobs().await, expected);
    let lines: Vec<_> = expected.iter().map(|&tick| (tick, CronOutcome::Enqueued)).collect();
    assert_eq!(scene.lines().await, lines);
}

#[tokio::test]
async fn the_running_duty_fires_by_itself_and_never_early_by_redis_s_clock() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let mut second = entry("* * * * * *");
    second.name = CronName::new("tick").unwrap();
    engine.operator("ann").put_cron(second.clone()).await.unwrap();
    let running = engine.maintenance().start();

    let history = async || engine.inspector().cron_history(&second.name, 10).await.unwrap();
    let three = async {
        while history().await.len() < 3 {
            // The tick is a second away; there is no signal to wait for.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), three).await.expect("three ticks are fired");
    running.shutdown().await;

    let lines = history().await;
    assert!(lines.len() >= 3, "{lines:?}");
    for line in lines {
        assert_eq!((line.outcome, line.state), (CronOutcome::Enqueued, Some(JobState::Ready)));
        assert!(line.at >= line.tick, "early: {line:?}");
    }
}

#[tokio::test]
async fn ticks_of_one_entry_do_not_depend_on_who_looks_first() {
    let scene = Scene::with(entry("@every 90s")).await;
    scene.look(2 * MINUTE).await;
    scene.look(3 * MINUTE).await;
    // The zero of the test's clock is a multiple of 90 s since 1970.
    assert_eq!(t(0).as_millis() % 90_000, 0);
    assert_eq!(scene.jobs().await, [90_000, 180_000]);
    let job = scene.inspector(0).job(&job_of(90_000)).await.unwrap();
    assert!(job.is_some());
}
