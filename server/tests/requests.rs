//! What every request passes through, on the whole router in process.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::routing::{get, post};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use reprieve::testing::TestRedis;
use reprieve_server::config::AllowedHost;
use reprieve_server::{Dashboard, router};
use tower::ServiceExt;

/// The dashboard on a Redis of its own, with a route that panics and one that is slow to say so.
async fn dashboard() -> Router {
    let redis = TestRedis::namespace().await;
    let allowed =
        [AllowedHost::read("jobs.example").unwrap(), AllowedHost::read("https://tls.example").unwrap()];
    let more = Router::new()
        .route("/panic", get(panics).post(panics))
        .route(
            "/panic-late",
            get(async || {
                tokio::task::yield_now().await;
                panics().await
            }),
        )
        .route("/moved", get(async || axum::response::Redirect::to("/")))
        .route("/change", post(async || "changed"));
    router(&Dashboard::new(redis.engine().clone()).allowed_hosts(&allowed), more)
}

async fn panics() -> &'static str {
    panic!("canary: a secret of a payload")
}

fn request(method: Method, path: &str) -> http::request::Builder {
    Request::builder().method(method).uri(path).header("host", "localhost:8080")
}

async fn send(router: &Router, request: Request<Body>) -> Response<Body> {
    router.clone().oneshot(request).await.unwrap()
}

async fn text(response: Response<Body>) -> String {
    String::from_utf8(to_bytes(response.into_body(), 1 << 20).await.unwrap().to_vec()).unwrap()
}

/// Every server function, and every verb of the API: whatever changes something.
fn mutating_routes() -> Vec<String> {
    let functions = leptos::server_fn::axum::server_fn_paths()
        .filter(|(_, method)| *method != Method::GET)
        .map(|(path, _)| path.to_owned());
    let verbs =
        ["cancel", "reinstate", "retry", "reschedule"].map(|verb| format!("/api/v1/jobs/some/{verb}"));
    let others = ["/change", "/api/v1/jobs", "/api/v1/subjects/some/cancel"].map(ToOwned::to_owned);
    functions.chain(verbs).chain(others).collect()
}

#[tokio::test]
async fn only_our_own_host_names_are_answered_on_every_route_and_method() {
    let router = dashboard().await;
    let mut paths = mutating_routes();
    paths.extend(
        ["/", "/jobs/delay", "/healthz", "/readyz", "/assets/x/live.js", "/nowhere"].map(ToOwned::to_owned),
    );

    for path in &paths {
        for method in [Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS, Method::TRACE]
        {
            for host in ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "", "user@localhost"] {
                let request = Request::builder()
                    .method(method.clone())
                    .uri(path)
                    .header("host", host)
                    .body(Body::empty());
                let status = send(&router, request.unwrap()).await.status();
                assert_eq!(status, StatusCode::MISDIRECTED_REQUEST, "{method} {path} as {host:?}");
            }
        }
    }
    for host in [
        "localhost",
        "LOCALHOST:1",
        "127.0.0.1:8080",
        "[::1]:8080",
        "10.0.0.7",
        "jobs.example",
        "tls.example",
    ] {
        let request = Request::builder().uri("/healthz").header("host", host).body(Body::empty()).unwrap();
        assert_eq!(send(&router, request).await.status(), StatusCode::OK, "{host}");
    }
}

#[tokio::test]
async fn a_person_who_has_to_end_a_halt_can_come_by_a_balancer() {
    let redis = TestRedis::namespace().await;
    let router = router(&Dashboard::new(redis.engine().clone()), Router::new());
    let status = async || {
        let request = request(Method::GET, "/readyz").body(Body::empty()).unwrap();
        send(&router, request).await.status()
    };
    assert_eq!(status().await, StatusCode::SERVICE_UNAVAILABLE, "no forwarder ticks");

    let meta = format!("{}meta", redis.prefix());
    redis.command(&["HSET", &meta, "halts", "1", "halt", "went_back 1 0 0"]).await.unwrap();

    assert_eq!(status().await, StatusCode::OK);
}

#[tokio::test]
async fn a_missing_doubled_or_contradicting_host_is_refused() {
    let router = dashboard().await;
    let none = Request::builder().uri("/healthz").body(Body::empty()).unwrap();
    let two = Request::builder().uri("/healthz").header("host", "localhost").header("host", "localhost");
    let other = Request::builder().uri("http://evil.example/healthz").header("host", "localhost");

    for request in [none, two.body(Body::empty()).unwrap(), other.body(Body::empty()).unwrap()] {
        assert_eq!(send(&router, request).await.status(), StatusCode::MISDIRECTED_REQUEST);
    }
}

/// Names and values.
type Headers = &'static [(&'static str, &'static str)];

/// Sixteen ways to say where a request comes from, and whether that may change anything.
///
/// All are sent to `Host: localhost:8080` unless they name another.
const ORIGINS: [(&str, Headers, bool); 16] = [
    ("same origin", &[("sec-fetch-site", "same-origin")], true),
    ("same site", &[("sec-fetch-site", "same-site")], false),
    ("cross site", &[("sec-fetch-site", "cross-site")], false),
    ("none, as from the address bar", &[("sec-fetch-site", "none")], false),
    ("mixed case", &[("sec-fetch-site", "Same-Origin")], false),
    ("doubled", &[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")], false),
    ("empty", &[("sec-fetch-site", "")], false),
    (
        "site says cross, origin says ours",
        &[("sec-fetch-site", "cross-site"), ("origin", "http://localhost:8080")],
        false,
    ),
    ("our origin", &[("origin", "http://localhost:8080")], true),
    ("null origin", &[("origin", "null")], false),
    ("other port", &[("origin", "http://localhost:9090")], false),
    ("other scheme", &[("origin", "https://localhost:8080")], false),
    ("other name", &[("origin", "http://evil.example")], false),
    ("two origins", &[("origin", "http://localhost:8080"), ("origin", "http://evil.example")], false),
    ("a cookie and nothing else", &[("cookie", "theme=dark")], false),
    ("nothing, as from curl", &[], true),
];

#[tokio::test]
async fn changes_come_from_our_own_pages_or_from_no_browser() {
    let router = dashboard().await;
    let routes = mutating_routes();
    assert!(
        routes.iter().any(|route| route.starts_with("/api/fn/")),
        "no server function was found: {routes:?}"
    );

    for path in &routes {
        for (name, headers, allowed) in ORIGINS {
            let mut request = request(Method::POST, path);
            for (header, value) in headers {
                request = request.header(*header, *value);
            }
            let status = send(&router, request.body(Body::empty()).unwrap()).await.status();
            assert_eq!(status != StatusCode::FORBIDDEN, allowed, "{path}: {name} was answered {status}");
        }
    }
}

#[tokio::test]
async fn behind_a_proxy_with_tls_the_origin_is_https() {
    let router = dashboard().await;
    for (host, origin, allowed) in [
        ("tls.example", "https://tls.example", true),
        ("tls.example", "http://tls.example", false),
        ("jobs.example:8080", "http://jobs.example:8080", true),
        ("jobs.example", "http://tls.example", false),
    ] {
        let request = Request::post("/change").header("host", host).header("origin", origin);
        let status = send(&router, request.body(Body::empty()).unwrap()).await.status();
        assert_eq!(status.is_success(), allowed, "{origin} at {host}: {status}");
    }
}

#[tokio::test]
async fn methods_nobody_uses_are_refused_and_no_answer_has_cors_headers() {
    let router = dashboard().await;
    for path in ["/", "/api/v1/jobs", "/healthz", "/events", "/nowhere"] {
        for method in ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"] {
            let request = request(method.parse().unwrap(), path)
                .header("origin", "http://evil.example")
                .header("access-control-request-method", "POST");
            let response = send(&router, request.body(Body::empty()).unwrap()).await;
            assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
            assert!(response.headers().keys().all(|name| !name.as_str().starts_with("access-control")));
        }
    }
}

#[tokio::test]
async fn a_method_that_nobody_uses_is_told_which_ones_the_address_takes() {
    let router = dashboard().await;
    for (path, allowed) in [
        ("/", "GET,HEAD"),
        ("/healthz", "GET,HEAD"),
        ("/change", "POST"),
        ("/panic", "GET,HEAD,POST"),
        ("/api/v1/jobs", "GET,HEAD,POST"),
        ("/api/v1/jobs/a", "GET,HEAD"),
        ("/api/v1/jobs/a/cancel", "POST"),
        ("/api/fn/cancel_job", "POST"),
        ("/nowhere", "GET,HEAD"),
    ] {
        for method in ["PUT", "DELETE", "OPTIONS", "TRACE"] {
            let request = request(method.parse().unwrap(), path).body(Body::empty()).unwrap();
            let response = send(&router, request).await;
            let mut told: Vec<_> = response.headers()["allow"].to_str().unwrap().split(',').collect();
            told.sort_unstable();
            assert_eq!(told.join(","), allowed, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn a_body_must_be_in_the_declared_format() {
    let router = dashboard().await;
    let function = mutating_routes().remove(0);
    let form = "application/x-www-form-urlencoded";
    let types = [
        form,
        "application/json",
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/octet-stream",
        "",
    ];
    for given in types {
        for (path, wanted) in [(function.as_str(), form), ("/api/v1/jobs", "application/json")] {
            let request =
                request(Method::POST, path).header("content-type", given).body(Body::from("x")).unwrap();
            let refused = send(&router, request).await.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE;
            assert_eq!(refused, given != wanted, "{path} with {given:?}");
        }
    }
}

#[tokio::test]
async fn a_form_has_64_kib_whether_or_not_it_says_so_before() {
    let router = dashboard().await;
    let body = "a".repeat(64 * 1024 + 1);
    let streamed = Body::from_stream(futures_util::stream::iter([Ok::<_, std::io::Error>(body.clone())]));
    for (body, expected) in [
        (Body::from(body.clone()), StatusCode::PAYLOAD_TOO_LARGE),
        (streamed, StatusCode::PAYLOAD_TOO_LARGE),
        (Body::from(body[1..].to_owned()), StatusCode::OK),
    ] {
        let request =
            request(Method::POST, "/change").header("content-type", "application/x-www-form-urlencoded");
        assert_eq!(send(&router, request.body(body).unwrap()).await.status(), expected);
    }
}

#[tokio::test]
async fn a_handler_that_panics_answers_500_with_an_id_and_nothing_else() {
    let router = dashboard().await;
    for path in ["/panic", "/panic-late"] {
        for _ in 0..100 {
            let response = send(&router, request(Method::GET, path).body(Body::empty()).unwrap()).await;

            assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
            let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
            let body = text(response).await;
            assert!(body.contains(&id) && body.contains(r#""code":"internal""#), "{body}");
            assert!(!body.contains("canary") && !body.contains("panicked"), "{body}");
        }
    }
    let response = send(&router, request(Method::GET, "/healthz").body(Body::empty()).unwrap()).await;
    assert_eq!(response.status(), StatusCode::OK, "the program lives on");
}

#[tokio::test]
async fn a_browser_is_told_on_a_page_what_stopped_its_form() {
    let router = dashboard().await;
    let send_so_long = async |method: Method, path: &str, bytes: usize| {
        let request = request(method, path)
            .header("accept", "text/html")
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded");
        let form = format!("id={}", "a".repeat(bytes));
        let response = send(&router, request.body(Body::from(form)).unwrap()).await;
        assert_guarded(path, response.headers());
        let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
        (response.status(), id, text(response).await)
    };
    let send = async |method: Method, path: &str| send_so_long(method, path, 1).await;
    let back = "Back to the page";

    let (status, id, page) = send(Method::POST, "/panic").await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    for said in [id.as_str(), "Nothing is known of what you sent.", back] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(!page.contains("canary"), "{page}");

    let (status, id, page) = send(Method::GET, "/panic").await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(page.contains(&id) && page.contains("Try again"), "{page}");

    let (status, _, page) = send(Method::POST, "/api/fn/of_another_version").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    for said in ["This page is of another version than the server.", "What you sent was not done.", back] {
        assert!(page.contains(said), "{said}: {page}");
    }

    let (status, _, page) = send_so_long(Method::POST, "/api/fn/edit_job", 65_536).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    for said in ["data-error=\"too_large\"", back] {
        assert!(page.contains(said), "{said}: {page}");
    }
}

/// What a browser sends with a form of ours.
const OUR_FORM: Headers = &[
    ("host", "localhost:8080"),
    ("sec-fetch-site", "same-origin"),
    ("content-type", "application/x-www-form-urlencoded"),
];

#[tokio::test]
async fn a_browser_is_told_on_a_page_what_stopped_it_before_anything_was_looked_at() {
    let router = dashboard().await;
    let torn = || {
        let parts = [Ok("id="), Err(std::io::Error::other("torn"))];
        Body::from_stream(futures_util::stream::iter(parts))
    };
    let whole = || Body::from("id=a");
    let long = format!("/jobs/delay?q={}", "a".repeat(8 * 1024));
    let text_sent: Headers =
        &[("host", "localhost"), ("sec-fetch-site", "same-origin"), ("content-type", "text/plain")];
    let foreign: Headers = &[("host", "localhost"), ("origin", "http://evil.example")];
    let misnamed: Headers = &[("host", "evil.example"), ("origin", "http://evil.example")];
    let desk = "/api/fn/act_on_desk";
    let post = Method::POST;
    for (method, path, headers, body, status, code, way) in [
        (&post, desk, OUR_FORM, torn(), 400, "body_broken_off", "href=\"/desk\""),
        (&post, desk, text_sent, whole(), 415, "unsupported_media_type", "href=\"/desk\""),
        (&post, "/change", foreign, whole(), 403, "foreign_origin", "href=\"/\""),
        (&post, desk, misnamed, whole(), 421, "unknown_host", "--allow-host"),
        (&Method::GET, &long, OUR_FORM, Body::empty(), 414, "address_too_long", "href=\"/jobs/delay\""),
        (&Method::PUT, "/", OUR_FORM, whole(), 405, "method_not_allowed", "href=\"/\""),
        (&Method::GET, "/change", OUR_FORM, Body::empty(), 405, "method_not_allowed", "href=\"/\""),
    ] {
        let mut request = Request::builder().method(method).uri(path).header("accept", "text/html");
        for (header, value) in headers {
            request = request.header(*header, *value);
        }
        let response = send(&router, request.body(body).unwrap()).await;

        assert_eq!(response.status(), status, "{method} {path} {code}");
        assert_eq!(response.headers().contains_key("allow"), status == 405, "{method} {path} {code}");
        assert_guarded(code, response.headers());
        assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/html"), "{code}");
        let page = text(response).await;
        for said in [format!("data-error=\"{code}\"").as_str(), way] {
            assert!(page.contains(said), "{said}: {page}");
        }
        assert_eq!(page.contains("href="), code != "unknown_host", "{page}");
        assert_eq!(page.contains("door-place"), code != "unknown_host", "{page}");
        // What came is named, as text and nowhere in an address.
        assert_eq!(
            page.contains("evil.example"),
            ["foreign_origin", "unknown_host"].contains(&code),
            "{page}"
        );
        assert!(!page.contains("href=\"http://evil.example"), "{page}");
    }
}

#[tokio::test]
async fn a_program_gets_a_problem_from_whatever_stopped_it() {
    let router = dashboard().await;
    let page = "text/html";
    for (method, path, accept, host, status) in [
        (Method::POST, "/change", "application/json", "evil.example", 421),
        (Method::PUT, "/change", "*/*", "localhost", 405),
        (Method::POST, "/change", "*/*", "localhost", 415),
        (Method::POST, "/api/v1/jobs", page, "localhost", 415),
        (Method::POST, "/api/v1/jobs", page, "evil.example", 421),
        (Method::OPTIONS, "*", page, "localhost", 405),
        (Method::CONNECT, "localhost:8080", page, "localhost:8080", 405),
    ] {
        let request = Request::builder()
            .method(&method)
            .uri(path)
            .header("accept", accept)
            .header("host", host)
            .header("content-type", "text/plain");
        let response = send(&router, request.body(Body::from("x")).unwrap()).await;

        assert_eq!(response.status(), status, "{method} {path} at {host}");
        assert_eq!(response.headers()["content-type"], "application/problem+json", "{method} {path}");
    }
}

/// What must be on every answer, and what must not.
fn assert_guarded(name: &str, headers: &HeaderMap) {
    for (header, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(
            headers.get(header).and_then(|value| value.to_str().ok()),
            Some(value),
            "{name}: {header}"
        );
    }
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'"), "{name}: {policy}");
    assert!(policy.contains("frame-ancestors 'none'"), "{name}: {policy}");
    assert!(headers["permissions-policy"].to_str().unwrap().contains("camera=()"), "{name}");
    assert_eq!(headers["x-request-id"].to_str().unwrap().len(), 32, "{name}");
    for absent in ["server", "x-powered-by", "access-control-allow-origin"] {
        assert!(!headers.contains_key(absent), "{name}: {absent}");
    }
}

#[tokio::test]
async fn every_sort_of_answer_carries_the_security_headers() {
    let router = dashboard().await;
    let answers: [(&str, Method, &str, u16, &str); 10] = [
        ("a page", Method::GET, "/", 200, "no-store"),
        ("health", Method::GET, "/healthz", 200, "no-store"),
        ("the API", Method::GET, "/api/v1/queues", 200, "no-store"),
        ("a redirect", Method::GET, "/moved", 303, "no-store"),
        ("a page that is not there", Method::GET, "/nowhere", 404, "no-store"),
        ("a job that is not there", Method::GET, "/api/v1/jobs/none", 404, "no-store"),
        ("a file that is not there", Method::GET, "/assets/0/../../etc/passwd", 404, "no-store"),
        ("a method", Method::PUT, "/", 405, "no-store"),
        ("a panic", Method::GET, "/panic", 500, "no-store"),
        ("a wrong body", Method::POST, "/api/v1/jobs", 415, "no-store"),
    ];
    for (name, method, path, status, cache) in answers {
        let response = send(&router, request(method, path).body(Body::from("x")).unwrap()).await;

        assert_eq!(response.status(), status, "{name}");
        assert_guarded(name, response.headers());
        assert_eq!(response.headers()["cache-control"], cache, "{name}");
    }
    let foreign = Request::get("/").header("host", "evil.example").body(Body::empty()).unwrap();
    assert_guarded("a foreign host", send(&router, foreign).await.headers());
}

#[tokio::test]
async fn every_page_has_a_nonce_of_its_own() {
    /// Most of these are drawn without the page around them, which takes a hundred times as long.
    const NONCES: usize = 10_000;
    const PAGES: usize = 200;
    let router = dashboard().await;
    let mut seen = std::collections::HashSet::new();
    for _ in 0..PAGES {
        let response = send(&router, request(Method::GET, "/").body(Body::empty()).unwrap()).await;
        let policy = response.headers()["content-security-policy"].to_str().unwrap().to_owned();
        let (_, rest) = policy.split_once("'nonce-").expect("a nonce");
        let (nonce, _) = rest.split_once('\'').unwrap();
        assert!(text(response).await.contains(nonce), "the page uses the nonce of its header");
        assert!(seen.insert(nonce.to_owned()), "a nonce came twice");
    }
    for _ in PAGES..NONCES {
        assert!(seen.insert(leptos::nonce::Nonce::new().to_string()), "a nonce came twice");
    }
    assert!(seen.iter().all(|nonce| nonce.len() >= 22), "each has 128 bits");
}

#[tokio::test]
async fn pages_are_compressed_for_who_comes_from_them_and_not_for_who_is_sent_by_another_site() {
    let router = dashboard().await;
    let answer = async |path: &str, sites: &[&str], reads: &str| {
        let mut request = request(Method::GET, path).header("accept-encoding", reads);
        for site in sites {
            request = request.header("sec-fetch-site", *site);
        }
        let response = send(&router, request.body(Body::empty()).unwrap()).await;
        let encoding = response.headers().get("content-encoding").map(|it| it.to_str().unwrap().to_owned());
        (encoding, to_bytes(response.into_body(), 1 << 20).await.unwrap())
    };

    let (plain, page) = answer("/", &["none"], "identity").await;
    assert_eq!(plain, None);
    for site in ["none", "same-origin"] {
        let (encoding, compressed) = answer("/", &[site], "gzip, deflate, br").await;
        assert_eq!(encoding.as_deref(), Some("gzip"), "{site}");
        assert!(compressed.starts_with(&[0x1f, 0x8b]), "it is what it says");
        assert!(compressed.len() * 3 < page.len(), "{} of {} bytes", compressed.len(), page.len());
    }
    let others: [&[&str]; 4] = [&["cross-site"], &["same-site"], &["none", "cross-site"], &[]];
    for sites in others {
        assert_eq!(answer("/", sites, "gzip, br").await.0, None, "{sites:?}");
    }
    assert_eq!(answer("/healthz", &["none"], "gzip").await.0, None, "it is small");
}

#[tokio::test]
async fn no_spelling_of_a_path_leaves_the_table_of_files() {
    let router = dashboard().await;
    let ups =
        ["..", "%2e%2e", "%2E%2E", ".%2e", "..%00", "%252e%252e", "..;", "..%c0%af", "..%5c", "%c0%ae%c0%ae"];
    let separators = ["/", "%2f", "%5c", "//", "/./"];
    let targets = ["etc/passwd", "Cargo.toml"];
    let mut tried = 0;
    for up in ups {
        for separator in separators {
            for target in targets {
                let path = format!("/assets/x{separator}{up}{separator}{up}{separator}{target}");
                let request = request(Method::GET, &path).body(Body::empty()).unwrap();
                assert_eq!(send(&router, request).await.status(), StatusCode::NOT_FOUND, "{path}");
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 100);
}

#[tokio::test]
async fn a_form_that_is_encoded_is_refused_by_the_name_of_its_encoding() {
    let router = dashboard().await;
    for (encoding, expected) in [("gzip", 415), ("BR", 415), ("identity", 200)] {
        let request = request(Method::POST, "/change")
            .header("origin", "http://localhost:8080")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("content-encoding", encoding)
            .header("accept", "application/json");
        let response = send(&router, request.body(Body::from("a=1")).unwrap()).await;
        assert_eq!(response.status(), expected, "{encoding}");
        assert!(expected == 200 || text(response).await.contains(encoding), "{encoding}");
    }
}
