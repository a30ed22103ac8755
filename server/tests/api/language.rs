//! In which language somebody reads: kept in their account, so that it is theirs in every browser.

use super::house::House;
use http::StatusCode;
use reprieve::model::Role;

/// What a page says its language is.
fn language(page: &str) -> &str {
    page.split_once("<html lang=\"").unwrap().1.split('"').next().unwrap()
}

#[tokio::test]
async fn the_language_of_an_account_is_that_of_every_browser() {
    let house = House::new().await;
    let viewer = house.of(Role::Viewer);
    let first = house.send(viewer, "GET /", "", "text/html").await;
    assert_eq!(language(&first.text), "en");

    let chosen =
        house.send(viewer, "POST /api/fn/set_language", "language=zh-CN&back=%2F", "text/html").await;
    assert_eq!(chosen.status, StatusCode::FOUND, "{}", chosen.text);
    assert_eq!(chosen.cookie("language").as_deref(), Some("zh-CN"), "whoever signs out reads on in it");

    let elsewhere = house.session("viewer").await;
    for session in [viewer, &elsewhere] {
        let page = house.send(session, "GET /", "", "text/html").await;
        assert_eq!(language(&page.text), "zh-CN");
    }
    let other = house.send(house.of(Role::Support), "GET /forecast", "", "text/html").await;
    assert_eq!(language(&other.text), "en", "nobody else is asked");
    let outside = house.send("", "GET /login", "", "text/html").await;
    assert_eq!(language(&outside.text), "en", "whoever is not signed in has the cookie");

    let refused = house.people().choose_language(&"viewer".parse().unwrap(), "zh CN").await;
    assert!(refused.is_err(), "what is no tag");
}
