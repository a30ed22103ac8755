//! What payloads are searched for stands in no address as it was typed: it is sealed there, and everything that reads an
//! address opens it.

use super::house::{House, SECRET, person};
use app::api;
use app::error::ApiError;
use http::StatusCode;
use reprieve::model::{Role, StateGroup};
use serde_json::Value;

/// The address that a filter of the delayed jobs leads to, typed without script; its query behind `?`.
async fn applied(house: &House, line: &str) -> String {
    let form = format!("group=delay&q={line}&size=50&back=%2Fjobs%2Fdelay");
    let reply = house.send(house.of(Role::Operator), "POST /api/fn/apply_filter", &form, "text/html").await;
    assert_eq!(reply.status, StatusCode::FOUND, "{}", reply.text);
    let place = reply.location().unwrap().to_owned();
    assert!(!place.contains("canary"), "{place}");
    place.split_once("?q=").unwrap().1.to_owned()
}

#[tokio::test]
async fn every_form_of_a_list_keeps_its_order_and_its_rows() {
    let house = house().await;
    let operator = house.of(Role::Operator);
    let page = "GET /jobs/delay?queue=mail&dir=descending&columns=a&rows=compact";
    let page = house.send(operator, page, "", "text/html").await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let forms = |field: &str| page.text.matches(&format!("type=\"hidden\" {field}")).count();
    assert_eq!(forms("name=\"dir\" value=\"descending\""), 4, "queue, view, line and pick: {}", page.text);
    assert_eq!(forms("name=\"rows\" value=\"compact\""), 3, "the view asks for it: {}", page.text);

    let form = format!("group=delay&q=payload.a:{SECRET}&dir=descending");
    let reply = house.send(operator, "POST /api/fn/apply_filter", &form, "text/html").await;
    let place = reply.location().unwrap();
    assert!(place.starts_with("/jobs/delay?dir=descending&q="), "{place}");
}

async fn house() -> House {
    let house = House::new().await;
    house.given("waits", "mail", 1).await;
    house
        .redis
        .engine()
        .client()
        .enqueue_raw("k".parse().unwrap(), "{\"a\":\"other\"}")
        .send()
        .await
        .unwrap();
    house
}

#[tokio::test]
async fn a_filter_that_is_typed_leads_to_a_sealed_address_which_shows_it_again() {
    let house = house().await;
    for line in [format!("payload.a:{SECRET}"), SECRET.to_owned(), format!("payload.a:{SECRET}+kind:")] {
        let sealed = applied(&house, &line).await;
        assert!(sealed.contains("sealed."), "{sealed}");
        let page = format!("GET /jobs/delay?q={sealed}");
        let page = house.send(house.of(Role::Operator), &page, "", "text/html").await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text);
        let field = page.text.split("id=\"filter\"").nth(1).unwrap().split('>').next().unwrap();
        assert!(field.contains(&line.replace('+', " ")), "the person who typed it sees it: {field}");
        for opening in ["href=\"", "type=\"hidden\" name=\"q\" value=\"", "name=\"back\" value=\""] {
            for part in page.text.split(opening).skip(1) {
                let there = part.split('"').next().unwrap();
                assert!(!there.contains("canary"), "no link and no form sends it on in an address: {there}");
            }
        }
    }
}

#[tokio::test]
async fn an_open_address_leads_to_the_sealed_one_and_keeps_the_rest() {
    let house = house().await;
    let open = format!("GET /jobs/delay?queue=mail&q=payload.a:{SECRET}&size=25");
    let led = house.send(house.of(Role::Operator), &open, "", "text/html").await;
    assert_eq!(led.status, StatusCode::SEE_OTHER);
    let place = led.location().unwrap();
    assert!(place.starts_with("/jobs/delay?queue=mail&size=25&q=payload.a:sealed."), "{place}");
    assert!(!place.contains("canary"), "{place}");
    let plain = "GET /jobs/delay?q=kind:k+payload.a:*";
    let plain = house.send(house.of(Role::Operator), plain, "", "text/html").await;
    assert_eq!(plain.status, StatusCode::OK, "what says nothing of payloads stays");
    let nobody = house.send("", &open, "", "text/html").await;
    assert!(nobody.is_denied(), "who is not in learns nothing");
}

#[tokio::test]
async fn whatever_reads_an_address_opens_it() {
    let house = house().await;
    let (operator, sealed) =
        (house.of(Role::Operator), applied(&house, &format!("payload.a:{SECRET}")).await);
    let read = async |request: String, form: String| {
        let reply = house.call(operator, &request, &form).await;
        assert!(reply.status.is_success(), "{request}: {}", reply.text);
        serde_json::from_str::<Value>(&reply.text).unwrap_or(Value::String(reply.text))
    };
    let get = async |path: &str| read(format!("GET {path}{sealed}"), String::new()).await;
    let who = person("operator", Role::Operator, &[]);
    let found = api::filter::filter_jobs(StateGroup::Delay, &sealed, None, None, 50, "");
    let found = house.read(&who, found).await.unwrap();
    assert_eq!(found.rows.len(), 1, "{found:?}");
    let facets = house.read(&who, api::filter::get_facets(StateGroup::Delay, &sealed)).await.unwrap();
    assert_eq!(facets.queues, [("mail".parse().unwrap(), 1)], "{facets:?}");
    let page = get("/jobs/delay?q=").await;
    assert!(
        page.as_str().is_some_and(|page| page.contains(SECRET)),
        "the person who typed it sees it in the field"
    );
    let file = get("/export/jobs.jsonl?list=delay&q=").await;
    assert_eq!(file["id"], "waits", "{file}");

    let post = async |door: &str, form: String| read(format!("POST /api/fn/{door}"), form).await;
    let counted =
        house.read(&who, api::filter::count_jobs(&[(StateGroup::Delay, sealed.clone())])).await.unwrap();
    assert_eq!(counted[0].found, 1, "{counted:?}");
    let counted = house.read(&who, api::filter::count_on(StateGroup::Delay, &sealed, None)).await.unwrap();
    assert_eq!(counted.found, 1, "{counted:?}");
    let run = post("freeze_bulk", format!("verb=cancel&group=delay&all=1&q={sealed}")).await;
    assert_eq!(
        run["filter"]["matching"],
        format!("payload.a:{SECRET}"),
        "a run keeps what it is about: {run}"
    );

    post("save_view", format!("name=theirs&list=delay&q={sealed}")).await;
    let kept = house.redis.engine().inspector().views("operator").await.unwrap();
    assert_eq!(kept[0].filter.to_string(), format!("payload.a:{SECRET}"), "it outlives the key");
    let views = house.read(&who, api::views::list_views()).await.unwrap();
    assert_eq!(views[0].filter.to_string(), sealed, "the link of a view is that of the list");
}

#[tokio::test]
async fn what_was_sealed_in_another_namespace_or_touched_is_refused_in_words() {
    let (house, other) = (house().await, house().await);
    let foreign = applied(&other, &format!("payload.a:{SECRET}")).await;
    let own = applied(&house, &format!("payload.a:{SECRET}")).await;
    let digit = if own.ends_with('0') { '1' } else { '0' };
    let touched = format!("{}{digit}", &own[..own.len() - 1]);
    for line in [foreign, touched] {
        let operator = house.of(Role::Operator);
        let page = house.send(operator, &format!("GET /jobs/delay?q={line}"), "", "text/html").await;
        assert!(page.text.contains("only its own installation can read"), "{}", page.text);
        assert!(!page.text.contains("/job/waits\""), "it is not taken for every job");
        for (request, form) in [
            ("POST /api/fn/freeze_bulk".to_owned(), format!("verb=cancel&group=delay&all=1&q={line}")),
            ("POST /api/fn/save_view".to_owned(), format!("name=a&list=delay&q={line}")),
            ("POST /api/fn/apply_filter".to_owned(), format!("group=delay&q={line}")),
            (format!("GET /export/jobs.csv?list=delay&q={line}"), String::new()),
        ] {
            let refused = house.call(operator, &request, &form).await;
            assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{request}: {}", refused.text);
        }
        let who = person("operator", Role::Operator, &[]);
        let found = api::filter::filter_jobs(StateGroup::Delay, &line, None, None, 50, "");
        assert_eq!(house.read(&who, found).await.unwrap_err(), ApiError::Lapsed);
        let counted = house.read(&who, api::filter::count_jobs(&[(StateGroup::Delay, line.clone())])).await;
        assert_eq!(counted.unwrap_err(), ApiError::Lapsed);
    }
}

#[tokio::test]
async fn who_may_not_look_opens_nothing() {
    let house = house().await;
    let sealed = applied(&house, SECRET).await;
    let reply = house.call("", &format!("GET /jobs/delay?q={sealed}"), "").await;
    assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{}", reply.text);
    assert!(!reply.text.contains("canary"), "{}", reply.text);
}
