//! Any number of processes fire each tick once.

use super::scene::{MINUTE, Scene, entry, job_of, t};
use reprieve::model::{CronName, CronOutcome, JobState};
use reprieve::testing::TestRedis;
use std::sync::Arc;

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
async fn a_change_between_look_and_fire_wins() {
    // The entry is changed by another process while one holds the old definition: its ticks are judged anew.
    let scene = Scene::with(entry("* * * * *")).await;
    scene.ann(MINUTE + 1).put_cron(entry("0 9 * * *")).await.unwrap();
    scene.look(2 * MINUTE).await;
    assert_eq!(scene.jobs().await, Vec::<i64>::new());
}

#[tokio::test]
async fn the_running_duty_fires_on_time_by_redis_s_clock() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let mut second = entry("* * * * * *");
    second.name = CronName::new("tick").unwrap();
    engine.operator("ann").put_cron(second.clone()).await.unwrap();
    let running = engine.maintenance().start();

    let history = async || engine.inspector().cron_history(&second.name, 10).await.unwrap();
    let began = std::time::Instant::now();
    while history().await.len() < 3 && began.elapsed().as_secs() < 20 {
        // The tick is a second away; there is no signal to wait for.
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
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
