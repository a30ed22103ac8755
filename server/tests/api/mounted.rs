//! The dashboard below a path: on its own, and as a part of another program that signs people in.

use super::house::{House, PASSWORD, asking};
use axum::Router;
use axum::body::{Body, to_bytes};
use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use reprieve::model::{Delay, JobId, JobState, QueueName, Role};
use reprieve::testing::TestRedis;
use reprieve::{Due, NewJob};
use reprieve_server::config::Login;
use reprieve_server::{BasePath, Dashboard, HostUser};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

fn jobs() -> BasePath {
    "/jobs".parse().unwrap()
}

/// The addresses on this server that a page leads to, by their attributes.
fn addresses(page: &str) -> Vec<(String, String)> {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut found = Vec::new();
    for token in Tokenizer::new_with_emitter(page, emitter) {
        let Ok(Token::StartTag(tag)) = token else { continue };
        for (name, value) in tag.attributes {
            let [name, value] = [&*name, &**value].map(|text| String::from_utf8_lossy(text).into_owned());
            // What forms send is read by the server, which has all of its addresses at `/`. `/` is also a key.
            if value.starts_with('/') && !["value", "data-key"].contains(&name.as_str()) {
                found.push((name, value));
            }
        }
    }
    found
}

#[tokio::test]
async fn every_address_on_every_page_is_below_the_base_path() {
    let house = House::of_dashboard(|dashboard| dashboard.base_path(jobs())).await;
    house.given("a/b", "mail", 1).await;
    let pages = app::door::PAGES.iter().map(|area| format!("/{area}"));
    let more = [
        "/job/a%2Fb",
        "/queue/mail",
        "/jobs/delay?open=a%2Fb",
        "/schedules/new",
        "/desk/s:1",
        "/api/docs",
        "/nowhere",
        "/login",
    ];
    for path in pages.chain(more.map(str::to_owned)) {
        let page = house.send("", &format!("GET {path}"), "", "text/html").await;
        let found = addresses(&page.text);
        assert!(!found.is_empty() || page.status.is_redirection(), "{path}: {} {}", page.status, page.text);
        let outside: Vec<_> =
            found.iter().filter(|(_, to)| !(to == "/jobs" || to.starts_with("/jobs/"))).collect();
        assert!(outside.is_empty(), "{path}: {outside:?}");
        assert!(!page.text.contains("/jobs/jobs/jobs"), "{path} has an address with the path twice");
    }
    let document = house.send("", "GET /api/v1/openapi.json", "", "application/json").await;
    assert!(document.text.contains(r#""servers":[{"url":"/jobs"}]"#));
}

#[tokio::test]
async fn a_sign_in_below_a_path_has_a_cookie_of_its_own_and_leads_below_it() {
    let house = House::with_people(|dashboard| dashboard.base_path(jobs()).login(Login::Required)).await;
    let form = format!("name=operator&password={PASSWORD}&next=%2Faudit");
    let signed_in = house.send("", "POST /login", &form, "text/html").await;
    assert_eq!(signed_in.location(), Some("/audit"), "routes alone begin at the root");
    let session = signed_in.cookie("rp-jobs").unwrap();
    let with = |name: &str| {
        let request = asking("", "GET /audit", "text/html").header("cookie", format!("{name}={session}"));
        request.body(Body::empty()).unwrap()
    };
    assert_eq!(house.raw(with("rp-jobs")).await.status, StatusCode::OK);
    assert_eq!(
        house.raw(with("rp")).await.location(),
        Some("/login?next=%2Faudit"),
        "another installation's"
    );

    let request = asking("", "POST /logout", "text/html").header("cookie", format!("rp-jobs={session}"));
    let gone = house.raw(request.body(Body::empty()).unwrap()).await;
    assert!(
        gone.status.is_redirection() && !gone.headers.contains_key("clear-site-data"),
        "the host's data stays"
    );
}

/// A program that knows who people are by a header, and has the dashboard below `/jobs`.
async fn host() -> (TestRedis, Router) {
    let redis = TestRedis::namespace().await;
    let dashboard = Dashboard::new(redis.engine().clone()).base_path(jobs()).auth(|request: &Parts| {
        let (name, role) = request.headers.get("x-user")?.to_str().ok()?.split_once(':')?;
        let user = HostUser::new(name, role.parse().ok()?).ok()?;
        Some(if name == "bound" { user.only_in(vec![QueueName::new("mail").unwrap()]) } else { user })
    });
    let app = Router::new().merge(dashboard.into_router(CancellationToken::new()));
    (redis, app.fallback(async || "the host's own"))
}

/// A job of the queue `mail` that is due in an hour.
async fn delayed(redis: &TestRedis) -> JobId {
    let mut job = NewJob::new("k".parse().unwrap(), "{}");
    job.queue = "mail".parse().unwrap();
    job.due = Due::In(Delay::hours(1));
    job.id = Some("a1".parse().unwrap());
    redis.engine().client().enqueue_batch(vec![job]).await.unwrap();
    "a1".parse().unwrap()
}

async fn ask(app: &Router, user: &str, request: &str, form: &str) -> Response<Body> {
    let (method, path) = request.split_once(' ').unwrap();
    let mut asked =
        Request::builder().method(method).uri(path).header("host", "localhost").header("accept", "text/html");
    if !user.is_empty() {
        asked = asked.header("x-user", user);
    }
    if method == "POST" {
        asked = asked
            .header("content-type", "application/x-www-form-urlencoded")
            .header("sec-fetch-site", "same-origin");
    }
    app.clone().oneshot(asked.body(Body::from(form.to_owned())).unwrap()).await.unwrap()
}

async fn text(response: Response<Body>) -> String {
    String::from_utf8(to_bytes(response.into_body(), 1 << 22).await.unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn a_host_says_who_people_are_and_their_roles_hold() {
    let (redis, app) = host().await;
    let id = delayed(&redis).await;
    let cancel = format!("id={id}&reason=asked+for+it&back=%2Fjobs%2Fdelay");

    for path in ["/jobs", "/jobs/jobs/delay", "/jobs/events"] {
        let nobody = ask(&app, "", &format!("GET {path}"), "").await;
        assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED, "{path}");
        assert!(nobody.headers().get("location").is_none(), "there is no sign-in of ours: {path}");
        let viewer = ask(&app, "ann:viewer", &format!("GET {path}"), "").await;
        assert_eq!(viewer.status(), StatusCode::OK, "{path}");
    }
    for path in ["/jobs/login", "/jobs/first", "/jobs/account/password"] {
        let page = ask(&app, "ann:admin", &format!("GET {path}"), "").await;
        assert_eq!(page.status(), StatusCode::NOT_FOUND, "{path}");
    }
    let people = text(ask(&app, "ann:admin", "GET /jobs/people", "").await).await;
    assert!(!people.contains("/jobs/people/add"), "the host has its own people");
    assert!(people.contains("/jobs/people/tokens/add"), "tokens are ours");

    let refused = ask(&app, "ann:viewer", "POST /jobs/api/fn/cancel_job", &cancel).await;
    assert!(refused.headers()["location"].to_str().unwrap().contains("said=error.forbidden"));
    let done = ask(&app, "ann@shop.example:operator", "POST /jobs/api/fn/cancel_job", &cancel).await;
    assert!(
        done.headers()["location"].to_str().unwrap().starts_with("/jobs/jobs/delay?"),
        "{:?}",
        done.headers()
    );
    let set: Vec<_> = done.headers().get_all("set-cookie").iter().map(|set| set.to_str().unwrap()).collect();
    assert!(set.iter().all(|set| set.contains("; Path=/jobs;")) && !set.is_empty(), "{set:?}");
    let job = redis.engine().inspector().job(&id).await.unwrap().unwrap();
    assert_eq!(job.job.state, JobState::Cancelled);
    let audit = text(ask(&app, "ann:admin", "GET /jobs/audit", "").await).await;
    assert!(audit.contains("ann@shop.example"), "the audit names who did it");
    assert_eq!(text(ask(&app, "", "GET /other", "").await).await, "the host's own");
}

#[tokio::test]
async fn mounting_opens_no_other_way_in() {
    let (redis, app) = host().await;
    let id = delayed(&redis).await;
    let cancel = format!("id={id}");

    let program = ask(&app, "", "GET /jobs/api/v1/queues", "").await;
    assert_eq!(program.status(), StatusCode::UNAUTHORIZED, "the HTTP API asks for a token");
    let user = ask(&app, "ann:admin", "GET /jobs/api/v1/queues", "").await;
    assert_eq!(user.status(), StatusCode::UNAUTHORIZED, "people are no programs");
    let foreign = Request::post("/jobs/api/fn/cancel_job")
        .header("host", "localhost")
        .header("x-user", "ann:admin")
        .header("sec-fetch-site", "cross-site")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(cancel.clone()))
        .unwrap();
    assert_eq!(app.clone().oneshot(foreign).await.unwrap().status(), StatusCode::FORBIDDEN);
    let elsewhere = ask(&app, "bound:operator", "GET /jobs/queue/other", "").await;
    assert_eq!(elsewhere.status(), StatusCode::FORBIDDEN);
    let job = redis.engine().inspector().job(&id).await.unwrap().unwrap();
    assert_eq!(job.job.state, JobState::Delayed);
    assert!(
        HostUser::new("two words", Role::Viewer).is_err() && HostUser::new("token:a", Role::Viewer).is_err()
    );
}

#[tokio::test]
async fn home_is_found_with_and_without_a_slash() {
    let (_redis, app) = host().await;
    assert_eq!(ask(&app, "ann:operator", "GET /jobs", "").await.status(), StatusCode::OK);
    let with_slash = ask(&app, "ann:operator", "GET /jobs/", "").await;
    assert_eq!(with_slash.status(), StatusCode::PERMANENT_REDIRECT);
    assert_eq!(with_slash.headers()["location"], "/jobs");
}
