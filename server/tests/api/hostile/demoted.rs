//! Who lost a right no longer acts, not even through what they set going before.

use crate::house::{House, name};
use http::StatusCode;
use reprieve::model::{BulkState, Role, RunId};

#[tokio::test]
async fn a_bulk_run_ends_with_the_right_of_the_person_who_started_it() {
    let house = House::new().await;
    for number in 0..60 {
        house.given(&format!("j{number}"), "mail", 1).await;
    }
    let operator = house.of(Role::Operator);
    let form = "verb=cancel&group=delay&all=1&q=";
    let frozen = house.call(operator, "POST /api/fn/freeze_bulk", form).await;
    assert_eq!(frozen.status, StatusCode::OK, "{}", frozen.text);
    let run: serde_json::Value = serde_json::from_str(&frozen.text).unwrap();
    let run: RunId = run["id"].as_str().unwrap().parse().unwrap();
    let form = format!("run={run}&count=60&reason=not+needed+any+more");
    let started = house.call(operator, "POST /api/fn/start_bulk", &form).await;
    assert_eq!(started.status, StatusCode::OK, "{}", started.text);
    // As maintenance does it, step by step.
    let step = async || house.redis.engine().operator("maintenance").step_bulk(&run, 20).await.unwrap();
    assert_eq!(step().await.unwrap().state, BulkState::Running);

    house.people().set_role(&name("operator"), Role::Viewer, &[], "admin", "").await.unwrap();

    assert_eq!(step().await.unwrap().state, BulkState::Aborted);
    let page = house.send(house.of(Role::Admin), &format!("GET /bulk/{run}"), "", "text/html").await;
    assert!(
        page.text.contains("operator is now viewer and has lost the permission jobs.bulk"),
        "{}",
        page.text
    );
    let ended = house.redis.engine().inspector().bulk_run(&run).await.unwrap().unwrap();
    assert_eq!((ended.changed, ended.pending), (20, 40));
}
