//! What a Prometheus scrapes.

use axum::Router;
use axum::body::{Body, to_bytes};
use http::Request;
use reprieve::model::{Delay, JobId, Kind, Namespace, QueueName};
use reprieve::testing::{RedisServer, TestRedis};
use reprieve_server::{Dashboard, router};
use std::collections::HashMap;
use tower::ServiceExt as _;

/// Every sample of a scrape by its name and labels, as they are written.
async fn scrape(router: &Router) -> HashMap<String, f64> {
    let request = Request::get("/metrics").header("host", "localhost:8080").body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    let text = String::from_utf8(to_bytes(response.into_body(), 1 << 20).await.unwrap().to_vec()).unwrap();
    let samples = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    samples
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect()
}

#[tokio::test]
async fn a_scrape_tells_what_happened_and_where_jobs_wait() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let router = router(&Dashboard::new(engine.clone()), Router::new());
    // Counters begin with the minute of the first scrape.
    let zero = scrape(&router).await;
    let client = engine.client();
    let kind = Kind::new("notice").unwrap();
    for name in ["a", "b", "c"] {
        let id = JobId::new(name).unwrap();
        client.enqueue_raw(kind.clone(), "").id(id).in_(Delay::hours(1)).send().await.unwrap();
    }
    client.enqueue_raw(kind, "").send().await.unwrap();
    engine.operator("ann").cancel(&JobId::new("a").unwrap()).await.unwrap();

    let now = scrape(&router).await;

    let jobs = |state: &str| now[&format!("reprieve_jobs{{queue=\"default\",state=\"{state}\"}}")];
    assert_eq!((jobs("delayed"), jobs("ready"), jobs("cancelled")), (2.0, 1.0, 1.0));
    // A queue that nothing was counted of has no counter yet, which is none in sums.
    let counter = |name: &str| format!("reprieve_{name}_total{{queue=\"default\"}}");
    let grew = |name: &str| now[&counter(name)] - zero.get(&counter(name)).unwrap_or(&0.0);
    assert_eq!((grew("enqueued"), grew("cancelled")), (4.0, 1.0));
    assert_eq!(now["reprieve_redis_outage"], 0.0);
    assert_eq!(now["reprieve_halt"], 0.0);
    assert!(now["reprieve_redis_latency_seconds"] > 0.0);
}

#[tokio::test]
async fn what_ran_stands_in_the_histograms_of_its_queue() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let router = router(&Dashboard::new(engine.clone()), Router::new());
    scrape(&router).await;
    let (mail, kind) = (QueueName::new("mail").unwrap(), Kind::new("notice").unwrap());
    for _ in 0..3 {
        engine
            .client()
            .enqueue_raw(kind.clone(), "")
            .queue(mail.clone())
            .in_(Delay::millis(1))
            .send()
            .await
            .unwrap();
    }
    let mut moved = 0;
    while moved < 3 {
        moved += redis.store().forward(9, 0).await.unwrap().moved;
    }
    let claimed = redis.store().claim("w", Delay::seconds(12), 9, &[(mail, 9)]).await.unwrap();
    let jobs: Vec<_> = claimed.iter().map(|job| (job.id.clone(), job.token)).collect();
    redis.store().complete(&jobs).await.unwrap();

    let now = scrape(&router).await;

    for time in ["lateness", "wait", "run"] {
        let of = |part: &str| now[&format!("reprieve_{time}_seconds_{part}")];
        assert_eq!(of("count{queue=\"mail\"}"), 3.0, "{time}");
        assert_eq!(of("bucket{le=\"+Inf\",queue=\"mail\"}"), 3.0, "{time}");
        assert!(of("sum{queue=\"mail\"}") < 3.0 * 300.0, "{time}");
    }
}

#[tokio::test]
async fn a_scrape_while_redis_is_away_says_so_and_nothing_of_the_namespace() {
    let mut server = RedisServer::start().unwrap();
    let redis = TestRedis::on(server.url(), Namespace::default()).await;
    let router = router(&Dashboard::new(redis.engine().clone()), Router::new());
    assert_eq!(scrape(&router).await["reprieve_redis_outage"], 0.0);

    server.kill().unwrap();

    let now = scrape(&router).await;
    assert_eq!(now["reprieve_redis_outage"], 1.0);
    assert!(now.contains_key("reprieve_event_streams"), "{now:?}");
    assert!(!now.contains_key("reprieve_workers") && !now.contains_key("reprieve_halt"), "{now:?}");
}

#[tokio::test]
async fn a_scraper_of_the_older_format_gets_that() {
    let redis = TestRedis::namespace().await;
    let router = router(&Dashboard::new(redis.engine().clone()), Router::new());
    for (accept, kind, counter, end) in [
        (
            "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
            "text/plain; version=0.0.4",
            "reprieve_done_total",
            false,
        ),
        (
            "application/openmetrics-text;version=1.0.0",
            "application/openmetrics-text; version=1.0.0",
            "reprieve_done",
            true,
        ),
    ] {
        let request = Request::get("/metrics").header("host", "localhost:8080").header("accept", accept);
        let response = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        assert!(response.headers()["content-type"].to_str().unwrap().starts_with(kind), "{accept}");
        let text =
            String::from_utf8(to_bytes(response.into_body(), 1 << 20).await.unwrap().to_vec()).unwrap();
        assert!(text.contains(&format!("# TYPE {counter} counter\n")), "{text}");
        assert_eq!(text.contains("# EOF"), end, "{text}");
    }
}
