//! Taking over, as the wizard asks for it.

use crate::caller::Caller;
use crate::house::{ALL_DOORS, House, Reply, person};
use app::api::{self, import::Wanted};
use app::error::ApiError;
use http::StatusCode;
use reprieve::model::{AuditFilter, Role};
use reprieve::testing::{RedisServer, TestRedis};
use serde_json::{Value, json};
use std::net::TcpListener;

/// A Redis on the network that nobody else uses, and its address.
fn on_the_network() -> (RedisServer, String) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let server = RedisServer::start_with(&["--port", &port, "--bind", "127.0.0.1"]).unwrap();
    (server, format!("127.0.0.1:{port}"))
}

async fn act(house: &House, door: &str, form: &str) -> Reply {
    house.call(house.of(Role::Admin), &format!("POST /api/fn/{door}"), form).await
}

fn failure(reply: &Reply) -> Value {
    serde_json::from_str(&reply.text).unwrap_or_default()
}

#[tokio::test]
async fn an_outage_of_the_other_redis_is_told_as_one_of_the_other() {
    let house = House::new().await;
    let (mut server, address) = on_the_network();
    let from = act(&house, "connect_source", &format!("address={address}")).await;
    assert_eq!(from.status, StatusCode::OK, "{}", from.text);
    let from = from.text.trim_matches('"').to_owned();
    server.kill().unwrap();

    let wanted = format!("wanted[from]={from}&wanted[format]=zset&wanted[place]=due&wanted[kind]=k");
    let acting = format!("{wanted}&announced=0&typed=0&reason=a+whole+reason");
    let admin = person("admin", Role::Admin, &[]);
    let told = || ApiError::OtherRedis { why: "The other Redis does not answer.".to_owned() };
    let text = str::to_owned;
    let source = || Wanted {
        from: from.clone(),
        format: text("zset"),
        place: text("due"),
        kind: text("k"),
        ..Wanted::default()
    };
    assert_eq!(house.read(&admin, api::sources::recognise_sources(&from)).await.unwrap_err(), told());
    assert_eq!(house.read(&admin, api::import::observe_import(&source())).await.unwrap_err(), told());
    assert_eq!(house.read(&admin, api::import::shadow_import(&source())).await.unwrap_err(), told());
    for (door, form) in [("take_over_import", acting.clone()), ("roll_back_import", acting.clone())] {
        let reply = act(&house, door, &form).await;
        let expected = json!({ "error": "other_redis", "why": "The other Redis does not answer." });
        assert_eq!((reply.status, failure(&reply)), (StatusCode::BAD_GATEWAY, expected), "{door}");
    }
    assert!(house.redis.engine().outage().is_none(), "ours answers");
}

#[tokio::test]
async fn another_redis_that_is_full_is_said_to_be_and_not_ours() {
    let house = House::new().await;
    let (server, address) = on_the_network();
    let mut connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let mut ask =
        |words: &[&str]| redis::cmd(words[0]).arg(&words[1..]).query::<redis::Value>(&mut connection);
    ask(&["ZADD", "due", "4000000000", "a"]).unwrap();
    ask(&["CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "1"]).unwrap();
    let from = act(&house, "connect_source", &format!("address={address}")).await;
    let from = from.text.trim_matches('"').to_owned();

    let form = format!(
        "wanted[from]={from}&wanted[format]=zset&wanted[place]=due&wanted[kind]=k&wanted[name]=full\
         &announced=1&typed=1&accepted=far_future,bare_ids&reason=a+whole+reason"
    );
    let reply = act(&house, "take_over_import", &form).await;

    let why = "The other Redis has reached its memory limit";
    let expected = json!({ "error": "other_redis", "why": why });
    assert_eq!((reply.status, failure(&reply)), (StatusCode::BAD_GATEWAY, expected));
}

/// Fills a set with so many members; how a form names it, and its key.
async fn fill(house: &House, count: usize) -> (String, String) {
    let key = format!("old-{}", house.redis.name());
    let members: Vec<String> = (0..count).map(|n| format!("m{n:02}")).collect();
    let mut words = vec!["ZADD", &key];
    for member in &members {
        words.extend(["4000000000", member]);
    }
    house.redis.command(&words).await.unwrap();
    (format!("wanted[format]=zset&wanted[place]={key}&wanted[kind]=k&wanted[name]=shop"), key)
}

#[tokio::test]
async fn taking_over_and_putting_back_ask_for_a_whole_reason_and_for_the_count_of_many() {
    let house = House::new().await;
    let (wanted, key) = fill(&house, 26).await;
    let invalid = StatusCode::UNPROCESSABLE_ENTITY;
    let take = |more: &str| format!("{wanted}&announced=26&accepted=far_future,bare_ids&typed={more}");
    for form in [take("26"), take("26&note=too+short"), take("25&reason=a+whole+reason")] {
        let refused = act(&house, "take_over_import", &form).await;
        assert_eq!(refused.status, invalid, "{form}");
        let is_short = !form.ends_with("a+whole+reason");
        assert_eq!(refused.text.contains("reason_too_short"), is_short, "{form}: {}", refused.text);
    }
    // With the full-width digits of an input method.
    let taken = act(&house, "take_over_import", &take("%EF%BC%92%EF%BC%96&reason=the+old+shop+closes")).await;
    assert_eq!((taken.status, &failure(&taken)["taken"]), (StatusCode::OK, &json!(26)), "{}", taken.text);

    let back = |more: &str| format!("{wanted}{more}");
    for form in [
        back("&reason=a+whole+reason"),
        back("&announced=26&typed=26&note=too+short"),
        back("&announced=26&typed=2&reason=a+whole+reason"),
        back("&announced=2&typed=2&reason=a+whole+reason"),
    ] {
        assert_eq!(act(&house, "roll_back_import", &form).await.status, invalid, "{form}");
    }
    let restored =
        act(&house, "roll_back_import", &back("&announced=26&typed=26&reason=it+opens+again")).await;
    assert_eq!(failure(&restored)["restored"], json!(26), "{}", restored.text);

    let page = house.redis.engine().inspector().audit(&AuditFilter::default(), None, 50).await.unwrap();
    let of_import = page.items.iter().filter(|entry| entry.target == "shop" && !entry.is_denied());
    let said: Vec<(&str, &str)> =
        of_import.map(|entry| (entry.outcome.as_str(), entry.why.as_str())).collect();
    let (opens, closes) = (format!("it opens again: zset {key}"), format!("the old shop closes: zset {key}"));
    let expected = [
        ("ended", "put back 26, kept 0"),
        ("begun", &opens),
        ("ended", "taken 26, replaced 0, resumed 0, left 0"),
        ("begun", &closes),
    ];
    assert_eq!(said, expected);
}

#[tokio::test]
async fn few_are_put_back_without_a_count() {
    let house = House::new().await;
    let (wanted, _) = fill(&house, 25).await;
    let form =
        format!("{wanted}&announced=25&typed=25&accepted=far_future,bare_ids&reason=the+old+shop+closes");
    act(&house, "take_over_import", &form).await;

    let restored = act(&house, "roll_back_import", &format!("{wanted}&reason=it+opens+again")).await;

    assert_eq!(failure(&restored)["restored"], json!(25), "{}", restored.text);
}

#[tokio::test]
async fn why_a_program_takes_over_and_puts_back_stands_in_the_audit() {
    let api = Caller::on(TestRedis::beside(1, &ALL_DOORS).await);
    let key = format!("old-{}", api.redis.name());
    api.redis.command(&["ZADD", &key, "4000000000", "a"]).await.unwrap();
    let body = |reason: Value| {
        let accept = ["far_future", "bare_ids"];
        json!({ "format": "zset", "key": key, "kind": "k", "reason": reason, "accept_warnings": accept })
    };
    let ask = async |step: &str, reason: Value| {
        api.post(&format!("/api/v1/imports/shop/{step}"), &body(reason)).await
    };

    for (reason, code) in [(json!("y".repeat(1_025)), "too_long"), (json!(7), "type")] {
        let refused = ask("take-over", reason).await;
        let mistakes = [("/reason".to_owned(), code.to_owned())];
        assert_eq!((refused.status, refused.mistakes()), (422, mistakes.to_vec()), "{:?}", refused.body);
    }
    for step in ["observe", "standing", "take-over", "roll-back"] {
        let reply = ask(step, json!("the old shop closes")).await;
        assert_eq!(reply.status, 200, "{step}: {:?}", reply.body);
    }
    assert_eq!(ask("take-over", Value::Null).await.body["taken"], 1, "nobody has to say why");

    let page = api.redis.engine().inspector().audit(&AuditFilter::default(), None, 50).await.unwrap();
    let begun = page.items.iter().filter(|entry| entry.outcome == "begun");
    let said: Vec<(&str, &str)> = begun.map(|entry| (entry.verb.as_str(), entry.why.as_str())).collect();
    let (place, why) = (format!("zset {key}"), format!("the old shop closes: zset {key}"));
    assert_eq!(said, [("take_over", place.as_str()), ("roll_back", &why), ("take_over", &why)]);
}

#[tokio::test]
async fn a_queue_of_bullmq_is_imported_over_http_and_its_page_says_what_stays() {
    let house = House::new().await;
    let api = Caller::on(TestRedis::beside(1, &ALL_DOORS).await);
    let prefix = format!("old-{}", api.redis.name());
    let job = format!("{prefix}:mail:7");
    api.redis.command(&["HSET", &job, "name", "note", "data", "{}", "opts", "{}"]).await.unwrap();
    api.redis.command(&["ZADD", &format!("{prefix}:mail:delayed"), "8192000000503809", "7"]).await.unwrap();
    let ask = async |step: &str, queues: Value| {
        let body = json!({ "format": "bullmq", "queues": queues, "prefix": prefix, "failed": true });
        api.post(&format!("/api/v1/imports/bullmq/{step}"), &body).await
    };

    assert_eq!(ask("observe", json!([])).await.status, 422, "BullMQ has no list of its queues");
    let seen = ask("observe", json!(["mail"])).await.body;
    assert_eq!(seen["samples"][0]["due_ms"], 2_000_000_000_123_i64, "{seen}");
    assert_eq!(ask("take-over", json!(["mail"])).await.body["taken"], 1);
    assert_eq!(ask("roll-back", json!(["mail"])).await.body["restored"], 1);

    let page = house.send(house.of(Role::Admin), "GET /import?format=bullmq&place=", "", "text/html").await;
    assert!(page.text.contains("the name of its key, topic or queues"), "{}", page.text);
}

#[tokio::test]
async fn a_queue_of_bullmq_is_recognised_and_taken_over_by_the_wizard() {
    let house = House::new().await;
    let (server, address) = on_the_network();
    let mut there = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    for words in [
        &["HSET", "bull:mail:meta", "opts.maxLenEvents", "10000", "paused", "1"][..],
        &["HSET", "bull:mail:7", "name", "note", "data", "{}", "opts", "{}"],
        &["ZADD", "bull:mail:delayed", "8192000000503808", "7"],
    ] {
        redis::cmd(words[0]).arg(&words[1..]).query::<redis::Value>(&mut there).unwrap();
    }
    let from = act(&house, "connect_source", &format!("address={address}")).await;
    let from = from.text.trim_matches('"').to_owned();

    let page = house.send(house.of(Role::Admin), &format!("GET /import?from={from}"), "", "text/html").await;
    assert!(page.text.contains("Queue mail of BullMQ"), "{}", page.text);
    assert!(page.text.contains("format=bullmq&amp;place=mail"), "{}", page.text);
    let wanted = format!("wanted[from]={from}&wanted[format]=bullmq&wanted[place]=mail");
    let form = format!("{wanted}&announced=1&typed=1&reason=the+old+shop+closes");
    let admin = house.of(Role::Admin);
    let taken = house.send(admin, "POST /api/fn/take_over_import", &form, "text/html").await;

    let said = taken.cookie("done").unwrap_or_default().replace("%20", " ");
    assert!(said.contains("Took over 1") && said.contains("paused queue mail"), "{said} {}", taken.text);
}

#[tokio::test]
async fn a_warning_that_nobody_accepts_takes_nothing_over() {
    let api = Caller::on(TestRedis::beside(1, &ALL_DOORS).await);
    let key = format!("old-{}", api.redis.name());
    api.redis.command(&["ZADD", &key, "1000000000", "a"]).await.unwrap();
    let ask = async |step: &str, accept: Value| {
        let body = json!({ "format": "zset", "key": key, "kind": "k", "accept_warnings": accept });
        api.post(&format!("/api/v1/imports/shop/{step}"), &body).await
    };

    let seen = ask("observe", json!([])).await.body["warnings"].clone();
    let codes: Vec<&Value> = seen.as_array().unwrap().iter().map(|warning| &warning["code"]).collect();
    assert_eq!(codes, [&json!("all_due"), &json!("bare_ids")]);
    for some in [json!([]), json!(["all_due"]), json!(["bare_ids", "known_set"])] {
        let refused = ask("take-over", some.clone()).await;
        let mistake = [("/accept_warnings".to_owned(), "warnings_not_accepted".to_owned())];
        assert_eq!((refused.status, refused.mistakes()), (422, mistake.to_vec()), "{some}");
    }
    assert_eq!(ask("take-over", json!(["new"])).await.status, 422);
    assert_eq!(ask("take-over", json!(["all_due", "bare_ids"])).await.body["taken"], 1);
}

#[tokio::test]
async fn the_wizard_takes_over_in_spite_of_warnings_once_they_are_ticked() {
    let house = House::new().await;
    let (wanted, _) = fill(&house, 2).await;
    let form = format!("{wanted}&announced=2&typed=2&reason=the+old+shop+closes");
    let page = format!("GET /import?{}", wanted.replace("wanted[", "").replace(']', ""));
    let shown = house.send(house.of(Role::Admin), &page, "", "text/html").await.text;
    let tick = "name=\"accepted\" value=\"far_future,bare_ids\" required";
    assert!(shown.contains(tick) && shown.contains("All 2 items are bare ids"), "{shown}");

    for ticked in ["", "&accepted=far_future"] {
        let refused = act(&house, "take_over_import", &format!("{form}{ticked}")).await;
        let field = &failure(&refused)["field"];
        assert_eq!((refused.status.as_u16(), field), (422, &json!("accepted")), "{}", refused.text);
    }
    let taken = act(&house, "take_over_import", &format!("{form}&accepted=far_future,bare_ids")).await;
    assert_eq!(failure(&taken)["taken"], json!(2), "{}", taken.text);
}
