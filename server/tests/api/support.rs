//! Where support begins, and what its pages lead to.

use super::house::{House, PASSWORD};
use http::StatusCode;
use reprieve::model::Role;

/// The addresses in the navigation of a page.
fn navigation(page: &str) -> Vec<String> {
    let list = page.split("id=\"pages\"").nth(1).unwrap().split("</nav>").next().unwrap();
    list.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn support_comes_in_at_its_desk_unless_it_was_on_the_way_elsewhere() {
    let house = House::new().await;
    for (who, next, place) in [
        ("support", "%2F", "/desk"),
        ("support", "", "/desk"),
        ("support", "https%3A%2F%2Fevil.example", "/desk"),
        ("support", "%2Fforecast%3Fview%3Dweek", "/forecast?view=week"),
        ("support", "%2Fjob%2Fa", "/job/a"),
        ("viewer", "%2F", "/"),
        ("operator", "%2F", "/"),
        ("admin", "", "/"),
    ] {
        let form = format!("name={who}&password={PASSWORD}&next={next}");
        let reply = house.send("", "POST /login", &form, "text/html").await;
        assert_eq!((reply.status, reply.location()), (StatusCode::SEE_OTHER, Some(place)), "{who} {next}");
    }
    let invited = house.people().add(&"sue".parse().unwrap(), Role::Support, &[], "admin").await.unwrap();
    let form = format!("key={}&name=sue&password={PASSWORD}&again={PASSWORD}", invited.secret);
    let reply = house.send("", "POST /welcome", &form, "text/html").await;
    assert_eq!(reply.location(), Some("/desk"), "{}", reply.text);
}

#[tokio::test]
async fn the_navigation_of_support_has_what_it_works_with_and_each_of_it_opens() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let support = house.of(Role::Support);
    let desk = house.send(support, "GET /desk", "", "text/html").await;
    assert_eq!(navigation(&desk.text), ["/desk", "/forecast", "/audit"]);
    assert!(desk.text.contains("href=\"/account\""), "{}", desk.text);
    assert!(desk.text.contains("<a href=\"/desk\" title=\"Reprieve\""), "{}", desk.text);
    for path in ["/desk", "/forecast", "/audit", "/account"] {
        let page = house.send(support, &format!("GET {path}"), "", "text/html").await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        assert!(!page.text.contains("data-error="), "{path}: {}", page.text);
    }
    for role in [Role::Viewer, Role::Operator, Role::Admin] {
        let page = house.send(house.of(role), "GET /desk", "", "text/html").await;
        assert_eq!(navigation(&page.text).len(), 12, "{role}");
        assert!(page.text.contains("<a href=\"/\" title=\"Reprieve\""), "{role}");
    }
    // What is not in the navigation is not shut: its rights are what they were.
    let overview = house.call(support, "GET /api/fn/get_overview", "").await;
    assert_eq!(overview.status, StatusCode::OK, "{}", overview.text);
}

#[tokio::test]
async fn whoever_becomes_support_in_the_demo_goes_to_the_desk() {
    let house = House::demo().await;
    for (role, place) in [("support", "/desk"), ("operator", "/jobs/dead")] {
        let form = format!("role={role}&back=%2Fjobs%2Fdead");
        let reply = house.send("", "POST /api/fn/set_demo_role", &form, "text/html").await;
        assert_eq!(reply.location(), Some(place), "{:?} {}", reply.status, reply.text);
    }
}
