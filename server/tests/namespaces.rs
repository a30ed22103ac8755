//! Several namespaces behind one address: acting in one never touches the other.

use crate::support::{Running, directory, exchange};
use app::places::Place;
use axum::Router;
use axum::body::{Body, to_bytes};
use http::{Request, Response, StatusCode, header};
use reprieve::Engine;
use reprieve::model::QueueName;
use reprieve::testing::TestRedis;
use reprieve_server::config::AllowedHost;
use reprieve_server::{BasePath, Dashboard, Served, joined, router};
use std::fs;
use std::sync::Arc;
use tower::ServiceExt as _;

const MAIN: &str = "localhost:8080";
const BILLING: &str = "billing.localhost:8080";

/// Two namespaces: the main one and `billing`.
struct Two {
    main: TestRedis,
    billing: TestRedis,
    routes: Router,
}

impl Two {
    async fn new() -> Self {
        let (main, billing) = (TestRedis::namespace().await, TestRedis::namespace().await);
        let host = AllowedHost::read("billing.localhost").unwrap();
        let places: Arc<[Place]> = Arc::from([
            Place::new(main.engine().clone(), "localhost", false),
            Place::new(billing.engine().clone(), "billing.localhost", false),
        ]);
        let served = |engine: &Engine, host: &AllowedHost| {
            let dashboard = Dashboard::new(engine.clone())
                .allowed_hosts(std::slice::from_ref(host))
                .places(Arc::clone(&places));
            Served::new(engine.namespace().clone(), host.clone(), router(&dashboard, Router::new()))
        };
        let own = AllowedHost::localhost();
        // The main one knows the other's name too: only the list of names keeps them apart.
        let routes =
            joined(served(main.engine(), &own), vec![served(billing.engine(), &host)], &BasePath::default());
        Self { main, billing, routes }
    }

    async fn send(&self, method: &str, host: &str, path: &str) -> Response<Body> {
        let request = Request::builder().method(method).uri(path).header("host", host);
        let request = request.header("content-type", "application/json").header("accept", "text/html, */*");
        self.routes.clone().oneshot(request.body(Body::from("{}")).unwrap()).await.unwrap()
    }

    async fn paused(&self) -> (bool, bool) {
        let mail = QueueName::new("mail").unwrap();
        let is_paused = async |redis: &TestRedis| {
            let queues = redis.engine().inspector().queues().await.unwrap();
            queues.iter().any(|queue| queue.name == mail && queue.paused.is_some())
        };
        (is_paused(&self.main).await, is_paused(&self.billing).await)
    }
}

async fn text(response: Response<Body>) -> String {
    String::from_utf8(to_bytes(response.into_body(), 1 << 22).await.unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn an_act_in_one_namespace_never_touches_the_other() {
    let two = Two::new().await;
    for redis in [&two.main, &two.billing] {
        let kind = reprieve::model::Kind::new("notice").unwrap();
        redis
            .engine()
            .client()
            .enqueue_raw(kind, "{}")
            .queue(QueueName::new("mail").unwrap())
            .send()
            .await
            .unwrap();
    }
    assert_eq!(two.send("POST", BILLING, "/api/v1/queues/mail/pause").await.status(), StatusCode::OK);
    assert_eq!(two.paused().await, (false, true));
    assert_eq!(two.send("POST", MAIN, "/api/v1/queues/mail/pause").await.status(), StatusCode::OK);
    assert_eq!(two.paused().await, (true, true));

    // By its name in the path, from whichever host.
    let path = format!("/n/{}/api/v1/queues/mail/resume", two.billing.engine().namespace());
    assert_eq!(two.send("POST", MAIN, &path).await.status(), StatusCode::OK);
    assert_eq!(two.paused().await, (true, false));
}

#[tokio::test]
async fn a_page_shows_the_namespace_of_its_host_and_links_to_the_others() {
    let two = Two::new().await;
    for (host, shown) in [(MAIN, &two.main), (BILLING, &two.billing), ("127.0.0.1:8080", &two.main)] {
        let page = text(two.send("GET", host, "/jobs/dead").await).await;
        let name = shown.engine().namespace();
        assert!(page.contains(&format!("title=\"Namespace: {name}\"")), "{host} shows {name}");
        assert!(page.contains("href=\"http://billing.localhost:8080/jobs/dead\""), "{host}");
        assert!(page.contains("href=\"http://localhost:8080/jobs/dead\""), "{host}");
    }
}

#[tokio::test]
async fn a_short_link_leads_to_the_host_of_its_namespace() {
    let two = Two::new().await;
    let name = two.billing.engine().namespace().clone();
    let answer = two.send("GET", MAIN, &format!("/n/{name}/jobs/dead?q=kind:sms")).await;
    assert_eq!(answer.status(), StatusCode::TEMPORARY_REDIRECT);
    assert_eq!(answer.headers()[header::LOCATION], "http://billing.localhost:8080/jobs/dead?q=kind:sms");
    assert_eq!(answer.headers()[header::CACHE_CONTROL], "no-store");
    assert_eq!(answer.headers()[header::X_FRAME_OPTIONS], "DENY");
    for (method, path) in
        [("GET", "/n/nowhere/jobs".to_owned()), ("POST", format!("/n/{name}/api/fn/pause_queue"))]
    {
        let refused = two.send(method, MAIN, &path).await;
        assert_eq!(refused.status(), StatusCode::NOT_FOUND, "{method} {path}");
        assert_eq!(refused.headers()["x-content-type-options"], "nosniff", "{method} {path}");
    }
}

#[tokio::test]
async fn where_a_job_is_told_to_be_leads_into_the_namespace_it_was_sent_to() {
    let two = Two::new().await;
    let name = two.billing.engine().namespace().clone();
    let send = async |host: &str, path: &str| {
        let request = Request::post(path).header("host", host).header("content-type", "application/json");
        let answer = two
            .routes
            .clone()
            .oneshot(request.body(Body::from(r#"{"kind":"notice"}"#)).unwrap())
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::CREATED, "{path}");
        answer.headers()[header::LOCATION].to_str().unwrap().to_owned()
    };

    let by_path = send(MAIN, &format!("/n/{name}/api/v1/jobs")).await;
    assert!(by_path.starts_with(&format!("/n/{name}/api/v1/jobs/")), "{by_path}");
    assert_eq!(two.send("GET", MAIN, &by_path).await.status(), StatusCode::OK);
    let by_host = send(BILLING, "/api/v1/jobs").await;
    assert!(by_host.starts_with("/api/v1/jobs/"), "{by_host}");
    assert_eq!(two.send("GET", BILLING, &by_host).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_page_of_one_namespace_cannot_act_in_the_other() {
    let two = Two::new().await;
    for (name, value) in [("origin", "http://localhost:8080"), ("sec-fetch-site", "same-site")] {
        let request = Request::post("/api/v1/queues/mail/pause")
            .header("host", BILLING)
            .header("content-type", "application/json")
            .header(name, value)
            .body(Body::from("{}"))
            .unwrap();
        let answer = two.routes.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{name}");
    }
    assert_eq!(two.paused().await, (false, false));
}

#[test]
fn a_provider_vouches_for_people_where_its_groups_mean_something() {
    let directory = directory();
    let file = directory.path().join("reprieve.toml");
    let written = r#"
[oidc]
issuer = "http://127.0.0.1:9"
client_id = "reprieve"
label = "Example SSO"
[[oidc.group]]
name = "admins"
role = "admin"
[[oidc.group]]
name = "billing"
role = "admin"
namespaces = ["billing"]
"#;
    fs::write(&file, written).unwrap();
    let file = file.to_str().unwrap();
    let options = ["--login", "required", "--config", file, "--namespace", "shop,billing,stock"];
    let running = Running::start(&directory.path().join("data"), &options);
    let port = running.address.port();
    let has_button = |host: &str| {
        let request = format!("GET /login HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
        let (status, page) = exchange(running.address, &request).unwrap();
        assert_eq!(status, 200, "{host}");
        page.contains("Example SSO")
    };

    assert!(has_button("localhost") && has_button("billing.localhost"));
    assert!(!has_button("stock.localhost"), "no group may come in there");
    running.terminate();
}
