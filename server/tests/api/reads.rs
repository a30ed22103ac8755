//! Lists, page by page.

use crate::caller::Caller;
use crate::house::{House, asking, person};
use app::api::forecast::get_forecast;
use app::forecast::{Asked, View};
use axum::body::Body;
use http::StatusCode;
use reprieve::model::{KindRule, QueueName, Role, Window, WorkerInfo};
use serde_json::{Value, json};

#[tokio::test]
async fn a_list_is_read_page_by_page_without_gaps_or_doubles() {
    let api = Caller::new().await;
    // Two of them at the same millisecond, so that the id has to decide.
    for (id, due_ms) in [
        ("a", 4_000_000_000_001_i64),
        ("b", 4_000_000_000_002),
        ("c", 4_000_000_000_002),
        ("d", 4_000_000_000_003),
    ] {
        api.given(&json!({ "id": id, "kind": "k", "queue": "mail", "due_ms": due_ms })).await;
    }
    api.given(&json!({ "id": "other", "kind": "k", "queue": "other", "delay_ms": 1_000_000 })).await;

    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let page = api.get(&format!("/api/v1/jobs?state=delay&queue=mail&size=1&after={after}")).await;
        assert_eq!((page.status, &page.body["total"]), (200, &json!(4)));
        seen.extend(page.body["items"].as_array().unwrap().iter().map(|job| job["id"].clone()));
        match &page.body["next"] {
            Value::String(next) => after = next.replace('~', "%7E"),
            _ => break,
        }
    }

    assert_eq!(seen, ["a", "b", "c", "d"]);
}

#[tokio::test]
async fn a_list_goes_by_its_word() {
    let api = Caller::new().await;
    api.given(&json!({ "id": "waits", "kind": "k", "delay_ms": 60_000 })).await;
    api.given(&json!({ "id": "due", "kind": "k" })).await;
    api.given(&json!({ "id": "held", "kind": "k", "delay_ms": 60_000 })).await;
    api.post("/api/v1/jobs/held/hold", &json!({})).await;

    for (query, ids) in [
        ("", vec!["waits"]),
        ("?state=delayed", vec!["waits"]),
        ("?state=retrying", vec![]),
        ("?state=ready", vec!["due"]),
        ("?state=held", vec!["held"]),
        ("?state=dead", vec![]),
        ("?queue=none", vec![]),
    ] {
        let page = api.get(&format!("/api/v1/jobs{query}")).await;
        let found: Vec<_> =
            page.body["items"].as_array().unwrap().iter().map(|job| job["id"].clone()).collect();
        assert_eq!(found, ids, "{query}");
    }
}

#[tokio::test]
async fn what_a_list_is_asked_for_is_checked_together() {
    let api = Caller::new().await;

    let refused = api.get("/api/v1/jobs?state=sleeping&queue=a%20b&after=x&size=many&page=2&size=3").await;

    let mut places: Vec<String> = refused.mistakes().into_iter().map(|(place, _)| place).collect();
    places.sort();
    assert_eq!((refused.status, places.join(" ")), (422, "after page queue size state".to_owned()));
}

#[tokio::test]
async fn a_forecast_of_a_queue_is_held_against_its_own_workers_and_quiet_hours() {
    let house = House::new().await;
    let (engine, now) = (house.redis.engine(), house.redis.engine().now().await.unwrap());
    let minute = now.as_millis() - now.as_millis().rem_euclid(60_000);
    let stats = format!("{}stats:{minute}", house.redis.prefix());
    house.redis.command(&["HSET", &stats, "q:mail:run3", "2", "q:sms:run9", "2"]).await.unwrap();
    for (name, queue, slots) in [("mailer", "mail", 4), ("texter", "sms", 6)] {
        let mut info = WorkerInfo::new(name, "h", 1, now);
        (info.queues, info.slots) = (vec![QueueName::new(queue).unwrap()], slots);
        house.redis.store().heartbeat(name, &serde_json::to_string(&info).unwrap()).await.unwrap();
    }
    // Of the kind of this one, in this queue alone.
    house.given("a", "sms", 1).await;
    let window = Window::daily("UTC", 600, 660);
    let rule = KindRule::new("k".parse().unwrap(), Some(window), None, Vec::new());
    engine.operator("ann").set_rule(&rule, "").await.unwrap();

    let viewer = person("viewer", Role::Viewer, &[]);
    let read = async |queue: &str| {
        let asked = Asked { view: View::Week, queue: queue.parse().ok(), ..Asked::default() };
        let outlook = house.read(&viewer, get_forecast(asked)).await.unwrap();
        let is_quiet = outlook.bars.iter().any(|bar| !bar.quiet.is_empty());
        (outlook.capacity.map(|capacity| capacity.slots), is_quiet)
    };
    assert_eq!(read("").await, (Some(10), true));
    assert_eq!(read("mail").await, (Some(4), false));
    // It may be due in the week that is not shown.
    assert_eq!(read("sms").await.0, Some(6));

    engine
        .claimant("other")
        .claim(&["mail".parse().unwrap()], 1, reprieve::model::Delay::minutes(1))
        .await
        .unwrap();
    let page = house.send(house.of(Role::Viewer), "GET /forecast?queue=mail", "", "text/html").await.text;
    assert!(page.contains("some claim jobs by themselves"), "{page}");
    assert_eq!(read("mail").await.0, None);
}

#[tokio::test]
async fn a_forecast_without_a_zone_is_on_the_clocks_of_its_reader() {
    let house = House::new().await;
    let shown = async |path: &str| {
        let session = house.of(Role::Viewer);
        let mut request = asking("", &format!("GET {path}"), "text/html");
        request = request.header("cookie", format!("rp={session}; zone=Asia/Kolkata"));
        house.raw(request.body(Body::empty()).unwrap()).await.text
    };
    let field = |page: &str| {
        let field = page.split("<input ").find(|field| field.contains("name=\"zone\"")).unwrap();
        field.split('>').next().unwrap().to_owned()
    };

    let page = shown("/forecast").await;
    assert!(field(&page).contains("value=\"Asia/Kolkata\""), "{}", field(&page));
    assert!(page.contains("zone=Asia/Kolkata"), "links carry it: {page}");
    assert!(page.contains("by full hours of UTC"), "its days begin between two of them: {page}");

    let page = shown("/forecast?zone=UTC").await;
    assert!(
        field(&page).contains("value=\"UTC\"") && !page.contains("by full hours of UTC"),
        "{}",
        field(&page)
    );
}

#[tokio::test]
async fn a_forecast_beyond_its_reach_is_told_as_that_and_nothing_leads_there() {
    let house = House::new().await;
    let viewer = house.of(Role::Viewer);
    let shown = async |address: &str| house.send(viewer, &format!("GET {address}"), "", "text/html").await;
    let sentence = "The forecast reaches 400 days either way";

    let page = shown("/forecast?view=400d&date=2099-01-01").await;
    assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(page.text.contains(sentence), "{}", page.text);
    let file = shown("/export/forecast.csv?view=400d&date=2099-01-01").await;
    assert_eq!(file.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", file.text);
    assert!(file.text.contains(sentence), "{}", file.text);

    let today = shown("/forecast?view=400d").await;
    let later = today.text.split("<a ").find(|link| link.contains("rel=\"next\"")).unwrap();
    let tag = later.split('>').next().unwrap();
    assert!(tag.contains("aria-disabled=\"true\"") && !tag.contains("href"), "{tag}");
    // A person who has stepped there keeps the focus on it.
    assert!(tag.contains("role=\"link\"") && tag.contains("tabindex=\"0\""), "{tag}");
    let month = shown("/forecast?view=month").await;
    let later = month.text.split("<a ").find(|link| link.contains("rel=\"next\"")).unwrap();
    assert!(later.split('>').next().unwrap().contains("href=\"/forecast?view=month"), "{later}");
}
