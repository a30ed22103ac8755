//! Lists as files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use axum::Router;
use axum::body::{Body, to_bytes};
use http::{Request, StatusCode};
use reprieve::model::{Delay, JobId, Kind, Subject};
use reprieve::testing::TestRedis;
use reprieve_server::{Dashboard, router};
use tower::ServiceExt as _;

async fn get(router: &Router, path: &str) -> (StatusCode, String) {
    let request = Request::get(path).header("host", "localhost:8080").body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), 1 << 22).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_list_is_a_file_with_every_job_that_fits_and_no_formula() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let router = router(&Dashboard::new(engine.clone(), &[]), Router::new());
    let client = engine.client();
    for number in 0..450 {
        let kind = Kind::new(if number % 2 == 0 { "notice" } else { "text" }).unwrap();
        let payload = format!("{{\"to\":\"=HYPERLINK({number})\"}}");
        let id = JobId::new(format!("j{number:03}")).unwrap();
        let subject = Subject::new("@home").unwrap();
        client.enqueue_raw(kind, payload).id(id).subject(subject).in_(Delay::hours(1)).send().await.unwrap();
    }

    let (status, csv) = get(&router, "/export/jobs.csv?list=delay&q=kind:notice&columns=to").await;
    assert_eq!(status, 200);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 226, "a head and 225 jobs");
    assert!(
        lines[0].starts_with("id,queue,kind,subject,") && lines[0].ends_with(",payload.to"),
        "{}",
        lines[0]
    );
    assert!(lines[1].contains(",'@home,") && lines[1].ends_with(",'=HYPERLINK(0)"), "{}", lines[1]);

    let (_, lines) = get(&router, "/export/jobs.jsonl?list=delay&columns=to").await;
    let jobs: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(jobs.len(), 450);
    assert_eq!(jobs[7]["columns"]["to"], "=HYPERLINK(7)");

    let (status, wrong) = get(&router, "/export/jobs.csv?list=delay&q=kind:").await;
    assert_eq!(status, 422);
    assert!(wrong.contains("at byte 5"), "{wrong}");
}

#[tokio::test]
async fn the_audit_is_a_file_with_every_act_that_fits_and_no_formula() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let router = router(&Dashboard::new(engine.clone(), &[]), Router::new());
    let client = engine.client();
    for number in 0..250 {
        let id = JobId::new(format!("j{number:03}")).unwrap();
        let kind = Kind::new("notice").unwrap();
        client.enqueue_raw(kind, "{}").id(id.clone()).in_(Delay::hours(1)).send().await.unwrap();
        let by = if number % 2 == 0 { "=ann" } else { "ben" };
        engine.operator(by).hold(&id).because("-1+1|cmd").await.unwrap();
    }

    let (status, csv) = get(&router, "/export/audit.csv?by=ann").await;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!((status, lines.len()), (StatusCode::OK, 126));
    assert!(lines[0].starts_with("entry,at,by,act,"), "{}", lines[0]);
    assert!(lines[1].contains(",'=ann,hold,j248,default,'-1+1|cmd,"), "{}", lines[1]);
    let (_, lines) = get(&router, "/export/audit.jsonl").await;
    assert_eq!(lines.lines().count(), 250);
    assert_eq!(get(&router, "/export/audit.csv?from=yesterday").await.0, StatusCode::UNPROCESSABLE_ENTITY);
}
