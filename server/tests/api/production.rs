//! What calls off or deletes a single job asks people for more in production than elsewhere, with script and without.

use super::house::{House, Reply, asking};
use axum::body::Body;
use http::StatusCode;
use reprieve::model::JobState;
use reprieve_server::Dashboard;
use serde_json::json;

async fn house(environment: &'static str) -> House {
    let house = House::of_dashboard(|dashboard: Dashboard| dashboard.environment(environment)).await;
    house.given("a.b", "mail", 1).await;
    house
}

/// As the page's own script asks that somebody reads in that language.
async fn in_language(house: &House, language: &str, request: &str, form: &str) -> Reply {
    let request = asking("", request, "application/json").header("accept-language", language);
    house.raw(request.body(Body::from(form.to_owned())).unwrap()).await
}

async fn state(house: &House) -> Option<JobState> {
    let found = house.redis.engine().inspector().job(&"a.b".parse().unwrap()).await.unwrap();
    found.map(|found| found.job.state)
}

#[tokio::test]
async fn a_single_job_is_called_off_with_a_whole_reason() {
    let house = house("production").await;
    for door in ["cancel_job", "cancel_subject"] {
        for reason in ["", "note=too+short", "reason=other&note=too+short"] {
            let form = format!("id=a.b&subject=s:1&{reason}");
            let refused = house.call("", &format!("POST /api/fn/{door}"), &form).await;
            assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{door} {reason}: {}", refused.text);
            assert!(refused.text.contains("reason_too_short"), "{door} {reason}: {}", refused.text);
        }
    }
    let form = "id=a.b&back=%2Fjob%2Fa.b";
    let plain = house.send("", "POST /api/fn/cancel_job", form, "text/html").await;
    assert_eq!(plain.location(), Some("/job/a.b?said=error.reason_too_short"), "{}", plain.text);
    let page = house.send("", "GET /job/a.b?said=error.reason_too_short", "", "text/html").await;
    assert!(page.text.contains("A reason has at least 10 characters"), "what went wrong");
    assert!(page.text.contains("at least 10 characters: this is production"), "what the dialog asks for");
    assert_eq!(state(&house).await, Some(JobState::Delayed), "nothing was done");

    let whole = house.call("", "POST /api/fn/cancel_job", "id=a.b&reason=Duplicate").await;
    assert_eq!(whole.status, StatusCode::OK, "{}", whole.text);
    assert_eq!(state(&house).await, Some(JobState::Cancelled));
}

#[tokio::test]
async fn a_single_job_is_deleted_by_its_typed_id() {
    let house = house("production").await;
    house.call("", "POST /api/fn/cancel_job", "id=a.b&reason=Customer+asked").await;
    let page = house.send("", "GET /job/a.b", "", "text/html").await;
    assert!(page.text.contains("Type a.b to go on"), "the dialog asks for the id");
    let sure = "id=a.b&sure=true&reason=Customer+asked";
    for form in [sure.to_owned(), format!("{sure}&typed=a-b"), "id=a.b&sure=true&typed=a.b".to_owned()] {
        let refused = house.call("", "POST /api/fn/purge_job", &form).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{form}: {}", refused.text);
    }
    assert_eq!(state(&house).await, Some(JobState::Cancelled), "nothing was done");
    for (language, says) in
        [("en", "in production its id has to be typed: a.b"), ("zh-CN", "在生产环境中须输入它的编号：a.b")]
    {
        let refused =
            in_language(&house, language, "POST /api/fn/purge_job", &format!("{sure}&typed=a-b")).await;
        assert!(refused.text.contains(says), "{}", refused.text);
    }

    let gone = house.call("", "POST /api/fn/purge_job", &format!("{sure}&typed=+a.b+")).await;
    assert_eq!(gone.status, StatusCode::OK, "{}", gone.text);
    assert_eq!(state(&house).await, None);
}

#[tokio::test]
async fn programs_and_other_places_are_not_asked() {
    let elsewhere = house("staging").await;
    let done = elsewhere.call("", "POST /api/fn/cancel_job", "id=a.b&reason=Duplicate").await;
    assert_eq!(done.status, StatusCode::OK, "{}", done.text);
    let gone = elsewhere.call("", "POST /api/fn/purge_job", "id=a.b&sure=true").await;
    assert_eq!(gone.status, StatusCode::OK, "{}", gone.text);

    let production = house("production").await;
    let token = production.token().await;
    for verb in ["cancel", "purge"] {
        let reply = production.by_token(&token, &format!("POST /api/v1/jobs/a.b/{verb}"), &json!({})).await;
        assert!(reply.status.is_success(), "{verb}: {}", reply.text);
    }
    assert_eq!(state(&production).await, None);
}
