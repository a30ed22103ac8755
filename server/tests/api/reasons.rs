//! Why somebody acts: who chose *Other* says what it is, with script and without, and an incident has its number.

use super::house::House;
use http::StatusCode;
use reprieve::model::matrix::MATRIX;
use reprieve::model::{JobState, Role};

#[tokio::test]
async fn other_says_what_it_is_at_every_door_that_offers_it() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let operator = house.of(Role::Operator);
    let doors = [
        ("cancel_job", "id=a"),
        ("cancel_subject", "subject=s:1"),
        ("edit_job", "id=a&payload={}"),
        ("reveal_part", "id=a&part=%2Fa"),
        ("remove_schedule", "name=n&seen=1"),
        ("limit_queue", "queue=mail&limits[concurrency]=1"),
        ("order_worker", "worker=w&order=quiet"),
    ];
    for (door, form) in doors {
        let who = if matches!(door, "edit_job" | "limit_queue") { house.of(Role::Admin) } else { operator };
        let form = format!("{form}&reason=other&note=too+short");
        let refused = house.call(who, &format!("POST /api/fn/{door}"), &form).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{door}: {}", refused.text);
        assert!(refused.text.contains("reason_too_short"), "{door}: {}", refused.text);
    }

    let form = "id=a&reason=other&note=&back=%2Fjob%2Fa";
    for door in ["/api/fn/cancel_job", "/reveal"] {
        let form = if door == "/reveal" { format!("{form}&part=%2Fa") } else { form.to_owned() };
        let plain = house.send(operator, &format!("POST {door}"), &form, "text/html").await;
        assert_eq!(plain.location(), Some("/job/a?said=error.reason_too_short"), "{door}: {}", plain.text);
        let page = house.send(operator, "GET /job/a?said=error.reason_too_short", "", "text/html").await;
        assert!(page.text.contains("at least 10 characters"), "{door}");
    }
    let inspector = house.redis.engine().inspector();
    let before = inspector.job(&"a".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(before.job.state, JobState::Delayed, "nothing was done");

    let told = "id=a&reason=other&note=called+twice&ticket=7";
    let done = house.call(operator, "POST /api/fn/cancel_job", told).await;
    assert_eq!(done.status, StatusCode::OK, "{}", done.text);
    let after = inspector.job(&"a".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(after.history[0].why, "called twice (ticket 7)");
}

#[tokio::test]
async fn what_the_table_of_rights_asks_a_reason_for_is_refused_without_one() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let doors = [("reveal one hidden part", "reveal_part", "id=a&part=%2Fa")];
    let asking = MATRIX.iter().filter(|rule| rule.condition.starts_with("reason"));
    let asking: Vec<_> = asking.map(|rule| rule.action).collect();
    assert_eq!(asking, doors.map(|(action, ..)| action), "each has a door here");
    for (_, door, form) in doors {
        for reason in ["", "&reason=", "&reason=++"] {
            let form = format!("{form}{reason}");
            let refused = house.call(house.of(Role::Operator), &format!("POST /api/fn/{door}"), &form).await;
            assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{form}: {}", refused.text);
        }
    }
}

#[tokio::test]
async fn the_number_of_an_incident_stands_in_the_history() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let form = "id=a&reason=Incident&incident=4711&note=pager&ticket=7";
    let done = house.call(house.of(Role::Operator), "POST /api/fn/cancel_job", form).await;
    assert_eq!(done.status, StatusCode::OK, "{}", done.text);
    let after = house.redis.engine().inspector().job(&"a".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(after.history[0].why, "Incident 4711: pager (ticket 7)");
}
