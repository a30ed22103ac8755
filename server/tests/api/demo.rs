//! The demo fills every list by itself.

use crate::caller::routes;
use reprieve::model::{Counts, JobState};
use reprieve::testing::TestRedis;
use reprieve_server::demo::{Shop, Speed, register};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Promised are five seconds; a machine busy with other tests gets more.
const ALIVE_WITHIN: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn every_list_has_something_soon_after_the_shop_opens() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let api = routes(engine);
    tokio::spawn(async move { axum::serve(listener, api).await });
    let maintenance = engine.maintenance().start();
    let worker = register(engine.worker()).start().await.unwrap();
    let shutdown = CancellationToken::new();
    let shop = tokio::spawn(Shop::new(address, Speed::default()).unwrap().run(shutdown.clone()));

    let began = Instant::now();
    let mut seen = Counts::default();
    while JobState::ALL.into_iter().any(|state| seen.of(state) == 0) {
        assert!(began.elapsed() < ALIVE_WITHIN, "not alive: {seen:?}");
        let now = engine.inspector().counts(None).await.unwrap();
        for state in JobState::ALL {
            *seen.of_mut(state) = seen.of(state).max(now.of(state));
        }
        // There is nothing to wait on for "any list changed" that does not itself need looking.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    println!("every list had something after {} ms", began.elapsed().as_millis());

    shutdown.cancel();
    shop.await.unwrap();
    worker.shutdown().await;
    maintenance.shutdown().await;
}
