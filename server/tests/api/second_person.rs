//! Deleting where that needs two people, through every door that deletes.

use crate::house::{House, name};
use http::StatusCode;
use reprieve::model::{BulkState, Role, RunId};
use serde_json::{Value, json};

/// With four dead jobs in mail, where deleting needs two people.
async fn house() -> House {
    let house = House::new().await;
    for number in 0..4 {
        let id = format!("j{number}");
        house.given(&id, "mail", 1).await;
        house.redis.engine().operator("t").cancel(&id.parse().unwrap()).await.unwrap();
    }
    house.add("second", Role::Operator, &[]).await;
    let set = house.call(house.of(Role::Admin), "POST /api/fn/set_second_person", "needed=true").await;
    assert_eq!(set.status, StatusCode::OK, "{}", set.text);
    house
}

async fn frozen(house: &House) -> RunId {
    let form = "verb=purge&group=cancelled&all=1&q=";
    let frozen = house.call(house.of(Role::Operator), "POST /api/fn/freeze_bulk", form).await;
    assert_eq!(frozen.status, StatusCode::OK, "{}", frozen.text);
    let run: Value = serde_json::from_str(&frozen.text).unwrap();
    run["id"].as_str().unwrap().parse().unwrap()
}

async fn state(house: &House, run: &RunId) -> BulkState {
    house.redis.engine().inspector().bulk_run(run).await.unwrap().unwrap().state
}

#[tokio::test]
async fn no_door_deletes_for_one() {
    let house = house().await;
    let operator = house.of(Role::Operator);
    let one = house.call(operator, "POST /api/fn/purge_job", "id=j0&sure=true").await;
    assert_eq!(one.status, StatusCode::CONFLICT);
    assert!(one.text.contains("approval_required"), "{}", one.text);

    let run = frozen(&house).await;
    let token = house.token().await;
    for (path, code) in
        [("/api/v1/jobs/j0/purge".to_owned(), 409), (format!("/api/v1/bulk/{run}/start"), 409)]
    {
        let reply = house.by_token(&token, &format!("POST {path}"), &json!({})).await;
        let problem: Value = serde_json::from_str(&reply.text).unwrap();
        assert_eq!(
            (reply.status.as_u16(), &problem["code"]),
            (code, &Value::from("approval_required")),
            "{path}"
        );
    }
    assert_eq!(state(&house, &run).await, BulkState::Frozen);

    let start = format!("run={run}&reason=wrong");
    let asked = house.call(operator, "POST /api/fn/start_bulk", &start).await;
    assert_eq!(asked.status, StatusCode::OK, "{}", asked.text);
    assert_eq!(state(&house, &run).await, BulkState::Waiting);
    let again = house.call(operator, "POST /api/fn/start_bulk", &start).await;
    assert_eq!(again.status, StatusCode::CONFLICT);

    // Who may not delete is no second person.
    let support = house.call(house.of(Role::Support), "POST /api/fn/start_bulk", &start).await;
    assert_eq!(support.status, StatusCode::FORBIDDEN);
    assert_eq!(state(&house, &run).await, BulkState::Waiting);

    let second = house.session("second").await;
    let started = house.call(&second, "POST /api/fn/start_bulk", &start).await;
    assert_eq!(started.status, StatusCode::OK, "{}", started.text);
    assert_eq!(state(&house, &run).await, BulkState::Running);
    house.people().set_role(&name("second"), Role::Viewer, &[], "admin", "").await.unwrap();
    let step = house.redis.engine().operator("maintenance").step_bulk(&run, 2).await.unwrap().unwrap();
    assert_eq!(step.state, BulkState::Aborted, "it ends with the right of the person who started it");
}

#[tokio::test]
async fn the_page_says_who_asked_and_who_may_start_it() {
    let house = house().await;
    let operator = house.of(Role::Operator);
    let run = frozen(&house).await;
    let path = format!("GET /bulk/{run}");
    let before = house.send(operator, &path, "", "text/html").await.text;
    assert!(before.contains("Ask for 4 jobs to be deleted") && before.contains("within a day"), "{before}");

    let start = format!("run={run}&reason=wrong&back=%2Fbulk%2F{run}");
    let asked = house.send(operator, "POST /api/fn/start_bulk", &start, "text/html").await;
    assert!(asked.location().is_some_and(|place| place.contains("said=bulk.asked")), "{:?}", asked.headers);
    let mine = house.send(operator, &path, "", "text/html").await.text;
    assert!(
        mine.contains("You asked for this") && !mine.contains("Delete 4 jobs permanently</button>"),
        "{mine}"
    );
    let second = house.session("second").await;
    let theirs = house.send(&second, &path, "", "text/html").await.text;
    assert!(theirs.contains("operator asked for this"), "{theirs}");
    assert!(theirs.contains("Delete 4 jobs permanently") && !theirs.contains("You asked"), "{theirs}");

    let form = format!("run={run}&back=%2Fbulk%2F{run}");
    let taken_back = house.send(operator, "POST /api/fn/abort_bulk", &form, "text/html").await;
    assert!(taken_back.location().is_some_and(|place| place.contains("said=bulk.aborted")));
    assert_eq!(state(&house, &run).await, BulkState::Aborted);
}

#[tokio::test]
async fn what_was_started_meanwhile_is_not_taken_back() {
    let house = house().await;
    let operator = house.of(Role::Operator);
    let run = frozen(&house).await;
    let start = format!("run={run}&reason=wrong");
    house.call(operator, "POST /api/fn/start_bulk", &start).await;
    let page = house.send(operator, &format!("GET /bulk/{run}"), "", "text/html").await.text;
    assert!(page.contains("name=\"seen\" value=\"waiting\""), "{page}");
    let second = house.session("second").await;
    house.call(&second, "POST /api/fn/start_bulk", &start).await;

    let late = house.call(operator, "POST /api/fn/abort_bulk", &format!("run={run}&seen=waiting")).await;

    assert_eq!(late.status, StatusCode::CONFLICT, "{}", late.text);
    let said: Value = serde_json::from_str(&late.text).unwrap();
    assert_eq!((&said["error"], &said["state"]), (&Value::from("bulk_conflict"), &Value::from("running")));
    assert_eq!(state(&house, &run).await, BulkState::Running);
    let ended = house.call(operator, "POST /api/fn/abort_bulk", &format!("run={run}")).await;
    assert_eq!(ended.status, StatusCode::OK, "a person who sees it run may end it: {}", ended.text);
}
