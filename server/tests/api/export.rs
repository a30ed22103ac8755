//! Lists as files.

use axum::Router;
use axum::body::{Body, to_bytes};
use futures_util::StreamExt as _;
use http::{Request, StatusCode};
use reprieve::model::{AuditFilter, BulkState, BulkVerb, Delay, JobId, Kind, RedactionRule, Subject};
use reprieve::testing::TestRedis;
use reprieve_server::{Dashboard, router};
use tower::ServiceExt as _;

async fn get(router: &Router, path: &str) -> (StatusCode, String) {
    let request = Request::get(path).header("host", "localhost:8080").body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), 1 << 22).await.unwrap();
    let text = String::from_utf8(body.to_vec()).unwrap();
    if status != 200 || !path.contains(".csv") {
        return (status, text);
    }
    // Without the mark Excel does not know that it is UTF-8.
    let csv = text.strip_prefix('\u{feff}').unwrap_or_else(|| panic!("{path} begins without its mark"));
    assert!(!csv.contains('\u{feff}'), "{path} has a mark within");
    (status, csv.to_owned())
}

#[tokio::test]
async fn a_list_is_a_file_with_every_job_that_fits_and_no_formula() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let router = router(&Dashboard::new(engine.clone()), Router::new());
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
async fn a_column_of_a_file_has_all_of_a_value() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let router = router(&Dashboard::new(engine.clone()), Router::new());
    let long = "x".repeat(300);
    let payload = format!("{{\"to\":\"{long}\"}}");
    engine
        .client()
        .enqueue_raw(Kind::new("notice").unwrap(), payload)
        .in_(Delay::hours(1))
        .send()
        .await
        .unwrap();

    let (_, csv) = get(&router, "/export/jobs.csv?list=delay&columns=to").await;
    let (_, lines) = get(&router, "/export/jobs.jsonl?list=delay&columns=to").await;

    assert!(csv.lines().nth(1).unwrap().ends_with(&format!(",{long}")), "{csv}");
    let job: serde_json::Value = serde_json::from_str(lines.trim()).unwrap();
    assert_eq!(job["columns"]["to"], long);
}

#[tokio::test]
async fn the_forecast_is_a_file_whose_sum_is_that_of_its_jobs() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let router = router(&Dashboard::new(engine.clone()), Router::new());
    for (number, kind) in ["notice", "notice", "text"].into_iter().enumerate() {
        let delay = Delay::hours(24 * i64::try_from(number + 1).unwrap());
        engine.client().enqueue_raw(Kind::new(kind).unwrap(), "{}").in_(delay).send().await.unwrap();
    }

    let (status, csv) = get(&router, "/export/forecast.csv?view=400d&zone=Europe/Berlin").await;

    assert_eq!(status, 200);
    let mut lines = csv.lines();
    let head = "from,to,due,due.notice,due.text,due.others,ticks,started,expected,clock_change_minutes";
    assert_eq!(lines.next(), Some(head));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 400, "also those in which nothing is due");
    let sum = |column: usize| rows.iter().map(|row| row[column].parse::<u64>().unwrap()).sum::<u64>();
    assert_eq!([2, 3, 4, 5].map(sum), [3, 2, 1, 0]);
    assert!(rows.windows(2).all(|two| two[0][1] == two[1][0]), "each begins where the one before ends");
    assert!(
        rows.iter().any(|row| row[9] == "60") && rows.iter().any(|row| row[9] == "-60"),
        "the clocks change"
    );

    for wrong in ["zone=Mars/Olympus", "date=tomorrow", "queue=a%20b"] {
        let status = get(&router, &format!("/export/forecast.csv?{wrong}")).await.0;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
}

#[tokio::test]
async fn the_audit_is_a_file_with_every_act_that_fits_and_no_formula() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let router = router(&Dashboard::new(engine.clone()), Router::new());
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
    assert_eq!(lines.lines().count(), 252, "with the two files that were taken away");
    assert_eq!(lines.lines().filter(|line| line.contains("\"verb\":\"export_audit\"")).count(), 2, "{lines}");
    assert_eq!(get(&router, "/export/audit.csv?from=yesterday").await.0, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn a_file_that_is_taken_away_stands_in_the_audit_without_what_it_was_filtered_for() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let router = router(&Dashboard::new(engine.clone()), Router::new());
    let (status, _) =
        get(&router, "/export/jobs.csv?list=dead&q=subject:customer/7+kind:notice+-kind:sms+error:late")
            .await;
    assert_eq!(status, 200);
    let page = engine.inspector().audit(&AuditFilter::default(), None, 9).await.unwrap();
    let acts: Vec<_> =
        page.items.iter().map(|act| (act.verb.as_str(), act.target.as_str(), act.why.as_str())).collect();
    assert_eq!(acts, [("export_jobs", "dead", "subject, kind, error")]);
    // What cannot be read is not taken away.
    assert_eq!(get(&router, "/export/jobs.csv?list=dead&q=kind:").await.0, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(engine.inspector().audit(&AuditFilter::default(), None, 9).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn payloads_are_a_file_of_their_own_which_hides_what_is_hidden_and_stands_in_the_audit() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let router = router(&Dashboard::new(engine.clone()), Router::new());
    let rule = RedactionRule { kinds: "notice".to_owned(), path: "secret".to_owned(), keep: 0 };
    engine.operator("admin").set_redaction(&[rule], "").await.unwrap();
    let long = "x".repeat(100_000);
    let whole = format!("{{\"to\":\"=HYPERLINK(1)\",\"secret\":\"canary\",\"long\":\"{long}\"}}");
    for (id, kind, payload) in [("text", "notice", whole.as_str()), ("bytes", "blob", "no JSON")] {
        let kind = Kind::new(kind).unwrap();
        let id = JobId::new(id).unwrap();
        engine.client().enqueue_raw(kind, payload).id(id).in_(Delay::hours(1)).send().await.unwrap();
    }

    let (status, lines) =
        get(&router, "/export/payloads.jsonl?list=delay&q=kind:notice,blob&columns=to").await;
    assert_eq!(status, 200);
    let jobs: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |id: &str| jobs.iter().find(|job| job["id"] == id).unwrap();
    assert_eq!(of("text")["payload"]["long"], long, "also one that no filter looks into");
    assert_eq!(of("bytes")["payload_base64"], "bm8gSlNPTg==");
    assert!(!lines.contains("canary"));

    let (_, csv) = get(&router, "/export/payloads.csv?list=delay&rows=1").await;
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].ends_with(",version,payload,payload_base64"), "{}", lines[0]);
    assert!(lines[2].contains("next: /export/payloads.csv?list=delay"), "{}", lines[2]);
    assert!(!csv.contains("canary"));

    let page = engine.inspector().audit(&AuditFilter::default(), None, 9).await.unwrap();
    let acts: Vec<_> = page.items.iter().map(|act| (act.verb.as_str(), act.why.as_str())).collect();
    assert_eq!(acts[..2], [("export_payloads", ""), ("export_payloads", "kind; columns: to")]);
}

#[tokio::test]
async fn the_outcomes_of_a_run_are_a_file_with_each_of_its_jobs() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let router = router(&Dashboard::new(engine.clone()), Router::new());
    later(engine, 2_100).await;
    let operator = engine.operator("ann");
    let run = operator.bulk(BulkVerb::Cancel).freeze().await.unwrap();
    operator.start_bulk(&run.id, None, "").await.unwrap();
    while operator.step_bulk(&run.id, 500).await.unwrap().unwrap().state != BulkState::Done {}

    let (status, csv) = get(&router, &format!("/export/outcomes.csv?run={}", run.id)).await;
    assert_eq!(status, 200);
    let mut lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.remove(0), "id,outcome,state_before,version_after");
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 2_100);
    assert_eq!(lines[7], "j0007,cancelled,delayed,2");
    let (_, text) = get(&router, &format!("/export/outcomes.jsonl?run={}", run.id)).await;
    assert_eq!(text.lines().count(), 2_100);
    assert_eq!(get(&router, "/export/outcomes.csv?run=nobody").await.0, StatusCode::NOT_FOUND);
    assert_eq!(get(&router, "/export/outcomes.csv?run=").await.0, StatusCode::UNPROCESSABLE_ENTITY);
    let audit = engine.inspector().audit(&AuditFilter::default(), None, 9).await.unwrap();
    assert_eq!(
        (audit.items[0].verb.as_str(), audit.items[0].target.as_str()),
        ("export_outcomes", run.id.as_str())
    );
}

#[tokio::test]
async fn a_long_file_comes_in_pieces_of_a_page_each_and_holds_up_nobody() {
    const JOBS: usize = 3_000;
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let router = router(&Dashboard::new(engine.clone()), Router::new());
    let job = |id: String, due| {
        let mut job = reprieve::NewJob::new(Kind::new("notice").unwrap(), vec![b'1'; 1_000]);
        job.id = Some(JobId::new(id).unwrap());
        job.due = due;
        job
    };
    for from in (0..JOBS).step_by(500) {
        let later = |n| job(format!("j{n:05}"), reprieve::Due::In(Delay::hours(1)));
        engine.client().enqueue_batch((from..from + 500).map(later).collect()).await.unwrap();
    }

    let request = Request::get("/export/jobs.jsonl?list=delay").header("host", "localhost");
    let response = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let mut pieces = response.into_body().into_data_stream();
    let first = pieces.next().await.unwrap().unwrap();
    // Nobody has asked for the rest yet: what happens now is not in the way, and not in the file's memory.
    engine.client().enqueue_batch(vec![job("now".to_owned(), reprieve::Due::Now)]).await.unwrap();
    let lease = Delay::minutes(1);
    let claimed = engine.claimant("w").claim(&["default".parse().unwrap()], 10, lease).await.unwrap();

    assert_eq!(claimed.len(), 1);
    let mut lines = lines_of(&first);
    let mut count = 1;
    while let Some(piece) = pieces.next().await {
        let of_piece = lines_of(&piece.unwrap());
        assert!(of_piece <= 200, "{of_piece} jobs at once");
        lines += of_piece;
        count += 1;
    }
    assert_eq!((lines, count >= JOBS / 200), (JOBS, true));
}

#[tokio::test]
async fn a_full_file_ends_with_the_address_of_the_rest() {
    let redis = TestRedis::namespace().await;
    let router = router(&Dashboard::new(redis.engine().clone()), Router::new());
    later(redis.engine(), 450).await;

    let (_, text) = get(&router, "/export/jobs.jsonl?list=delay&q=kind:notice&rows=300").await;
    let mut lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let rest = lines.pop().unwrap()["next"].as_str().unwrap().to_owned();
    let (_, text) = get(&router, &rest).await;
    lines.extend(text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()));
    let mut ids: Vec<_> = lines.iter().map(|line| line["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((lines.len(), ids.len()), (450, 450), "each once, and no line of the second says of a third");

    let (_, text) = get(&router, "/export/jobs.jsonl?list=delay&rows=450").await;
    assert!(!text.contains("\"next\""), "there is no rest");

    let (_, csv) = get(&router, "/export/jobs.csv?list=delay&columns=a,b&rows=1").await;
    let mut lines = csv.lines();
    let commas = |line: &str| line.matches(',').count();
    let (head, job, last) = (lines.next().unwrap(), lines.next().unwrap(), lines.next().unwrap());
    assert!(
        last.starts_with("\"next: /export/jobs.csv?list=delay&q=&columns=a,b&rows=1&after=delay~"),
        "{last}"
    );
    // The address has a comma of its own.
    assert_eq!([commas(head), commas(job), commas(last)], [17, 17, 18]);
    for wrong in ["rows=0", "rows=many", "after=there"] {
        let (status, why) = get(&router, &format!("/export/jobs.csv?list=delay&{wrong}")).await;
        assert!(status.is_client_error(), "{wrong}: {status} {why}");
    }
}

#[tokio::test]
async fn each_person_is_sent_one_file_at_a_time() {
    let redis = TestRedis::namespace().await;
    let router = router(&Dashboard::new(redis.engine().clone()), Router::new());
    later(redis.engine(), 1_000).await;
    let path = "/export/jobs.csv?list=delay";

    let request = Request::get(path).header("host", "localhost").body(Body::empty()).unwrap();
    let mut first = router.clone().oneshot(request).await.unwrap().into_body().into_data_stream();
    first.next().await.unwrap().unwrap();
    let (status, why) = get(&router, path).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert!(why.contains("another file is still on its way to you"), "{why}");
    let audit = redis.engine().inspector().audit(&AuditFilter::default(), None, 9).await.unwrap();
    assert_eq!(audit.items.len(), 1, "what was not sent was not taken away");

    // As when somebody closes the window.
    drop(first);
    assert_eq!(get(&router, path).await.0, StatusCode::OK);
    assert_eq!(get(&router, path).await.0, StatusCode::OK, "a file that is over is over");
}

/// So many jobs of the kind `notice`, due in an hour.
async fn later(engine: &reprieve::Engine, count: usize) {
    let job = |number: usize| {
        let mut job = reprieve::NewJob::new(Kind::new("notice").unwrap(), "{}");
        job.id = Some(JobId::new(format!("j{number:04}")).unwrap());
        job.due = reprieve::Due::In(Delay::hours(1));
        job
    };
    for from in (0..count).step_by(500) {
        engine.client().enqueue_batch((from..count.min(from + 500)).map(job).collect()).await.unwrap();
    }
}

fn lines_of(piece: &[u8]) -> usize {
    piece.iter().filter(|byte| **byte == b'\n').count()
}
