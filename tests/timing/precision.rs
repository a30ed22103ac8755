//! Never early, late by milliseconds.

use crate::runtime::scene::Scene;
use reprieve::model::{Delay, Kind, ListQuery, QueueName, StateGroup};
use reprieve::{Due, NewJob};
use std::time::Duration;

const JOBS: i64 = 10_000;
const OVER: Delay = Delay::seconds(10);
const HEAD_START: Delay = Delay::seconds(4);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_ten_thousand_jobs_over_ten_seconds_none_is_early() {
    let _turn = super::TURN.lock().await;
    let scene = Scene::new().await;
    let worker = scene
        .engine
        .worker()
        .queue(QueueName::default(), 100)
        .handler("k", |_| async { Ok(()) })
        .start()
        .await
        .unwrap();
    let start = scene.engine.now().await.unwrap() + HEAD_START;
    let jobs = (0..JOBS).map(|n| {
        let mut job = NewJob::new(Kind::new("k").unwrap(), "");
        job.due = Due::At(start + Delay::millis(OVER.as_millis() * n / JOBS));
        job
    });
    scene.enqueue(jobs.collect()).await;
    let inspector = scene.engine.inspector();
    for _ in 0..600 {
        if inspector.counts(None).await.unwrap().done == JOBS as u64 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await; // half a minute at most, fourteen seconds usually
    }
    worker.shutdown().await;

    let (mut ready, mut started) = (Vec::new(), Vec::new());
    let mut query = ListQuery::group(StateGroup::Done).size(200);
    loop {
        let page = inspector.list(&query).await.unwrap();
        for row in page.rows {
            ready.push(row.ready.unwrap().millis_since(row.due));
            started.push(row.started.unwrap().millis_since(row.due));
        }
        match page.next {
            Some(next) => query = query.after(Some(next)),
            None => break,
        }
    }
    assert_eq!(ready.len(), 10_000);
    for (what, late) in [("ready", &mut ready), ("started", &mut started)] {
        late.sort_unstable();
        assert!(late[0] >= 0, "a job was {what} {} ms early", -late[0]);
        let (p50, p99, most) = (late[5_000], late[9_900], late[9_999]);
        println!("{what} late by: p50 {p50} ms, p99 {p99} ms, most {most} ms");
    }
}
