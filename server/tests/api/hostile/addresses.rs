//! Addresses and hosts that lead elsewhere than they seem to: in `next`, in `back`, in paths, in headers.

use super::{ask, changing, keys};
use crate::house::{House, PASSWORD, method_of, name};
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::{Request, StatusCode};
use reprieve::model::Role;
use reprieve_server::route_policy;
use std::net::SocketAddr;
use url::Url;
use url::form_urlencoded::byte_serialize;

/// Ways to write an address of another site, or one of ours where nobody should be sent.
const ELSEWHERE: [&str; 72] = [
    "//evil.example",
    "///evil.example",
    "////evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "\\/evil.example",
    "/\\/evil.example",
    "//\\evil.example",
    "https://evil.example",
    "http://evil.example",
    "HTTPS://EVIL.EXAMPLE",
    "https:evil.example",
    "https:/evil.example",
    "https:///evil.example",
    "http:\\\\evil.example",
    "ftp://evil.example",
    "ws://evil.example",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "\u{1}javascript:alert(1)",
    "javascript://localhost/%0aalert(1)",
    "data:text/html,<script>1</script>",
    "vbscript:x",
    "blob:https://evil.example/x",
    "file:///etc/passwd",
    "about:blank",
    "mailto:x@evil.example",
    "//evil.example/jobs",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r/evil.example",
    "\t//evil.example",
    " //evil.example",
    "\u{a0}//evil.example",
    "\0//evil.example",
    "/%2f/evil.example",
    "/%2fevil.example",
    "/%5cevil.example",
    "/%09/evil.example",
    "/%0d%0aLocation:%20https://evil.example",
    "/jobs\r\nLocation: https://evil.example",
    "/.//evil.example",
    "/..//evil.example",
    "/jobs/..//evil.example",
    "/jobs/../..//evil.example",
    "/jobs//evil.example",
    "/jobs/%2e%2e//evil.example",
    "/jobs/%2E%2e/%2fevil.example",
    "//localhost@evil.example",
    "//localhost:8080@evil.example",
    "https://localhost@evil.example",
    "https://localhost.evil.example",
    "//evil.example#localhost",
    "//evil.example?localhost",
    "//evil%2eexample",
    "//evil\u{3002}example",
    "\u{ff0f}\u{ff0f}evil.example",
    "/\u{ff0f}evil.example",
    "\u{fe68}\u{fe68}evil.example",
    "//\u{2460}\u{2461}.0.0.1",
    "//0x7f000001",
    "//[::ffff:1.2.3.4]",
    "@evil.example",
    ".evil.example",
    "evil.example",
    "?next=//evil.example",
    "/logout",
    "/login?next=//evil.example",
    "/api/fn/whoami",
    "/nowhere",
    "",
];

fn encoded(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

/// Where a browser goes that is told to go there.
fn from_here(place: &str) -> Url {
    assert!(place.bytes().all(|byte| byte.is_ascii_graphic()), "{place:?} is no plain header");
    Url::parse("http://localhost/login").unwrap().join(place).unwrap()
}

fn stays(place: &str, why: &str) {
    let there = from_here(place);
    assert_eq!(there.origin(), from_here("/").origin(), "{why:?} led to {place}");
}

/// The same, and to a page that somebody who just came in may be sent to.
fn stays_on_a_page(place: &str, why: &str) {
    stays(place, why);
    let area = from_here(place).path_segments().unwrap().next().unwrap_or_default().to_owned();
    assert!(app::door::PAGES.contains(&area.as_str()), "{why:?} led to {place}");
}

#[tokio::test]
async fn no_spelling_of_the_way_on_leads_to_another_site() {
    let house = House::new().await;
    let mut proved = house.session("operator").await;
    for way in ELSEWHERE {
        // To sign in that often from one place is to wait; that is another test.
        house.forget_guesses().await;
        let page = house.send("", &format!("GET /login?next={}", encoded(way)), "", "text/html").await;
        let (_, field) = page.text.split_once("name=\"next\" value=\"").expect("the form keeps the way on");
        stays_on_a_page(field.split('"').next().unwrap(), way);

        let form = format!("name=viewer&password={PASSWORD}&next={}", encoded(way));
        let reply = house.send("", "POST /login", &form, "text/html").await;
        assert!(reply.cookie("rp").is_some(), "{way:?}: {} {:?}", reply.status, reply.location());
        stays_on_a_page(reply.location().unwrap(), way);

        let form = format!("password={PASSWORD}&next={}", encoded(way));
        let reply = house.send(&proved, "POST /account/prove", &form, "text/html").await;
        stays_on_a_page(reply.location().unwrap(), way);
        proved = reply.cookie("rp").unwrap();
    }
    for way in ELSEWHERE.into_iter().take(4) {
        let form = format!("name=nobody-here&password=wrong&next={}", encoded(way));
        let reply = house.send("", "POST /login", &form, "text/html").await;
        let back = from_here(reply.location().unwrap());
        assert_eq!(back.path(), "/login");
        for (_, next) in back.query_pairs().filter(|(name, _)| name == "next") {
            stays_on_a_page(&next, way);
        }
    }
}

#[tokio::test]
async fn no_spelling_of_the_way_back_leads_to_another_site() {
    let house = House::new().await;
    let cookie = format!("rp={}", house.of(Role::Viewer));
    for way in ELSEWHERE {
        // As a field of the form, and as the page that a browser says it comes from.
        let headers = [
            ("host", "localhost"),
            ("accept", "text/html"),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/x-www-form-urlencoded"),
            ("cookie", &cookie),
        ];
        let by_field = format!("theme=dark&back={}", encoded(way));
        for (form, referer) in [(by_field.as_str(), None), ("theme=dark", Some(way)), ("theme=", Some(way))] {
            let mut headers = headers.to_vec();
            headers.extend(referer.map(|way| ("referer", way)));
            let Some(reply) = ask(&house, "POST", "/api/fn/set_appearance", &headers, form.to_owned()).await
            else {
                continue;
            };
            assert!(!reply.status.is_server_error(), "{form} from {referer:?}: {}", reply.status);
            if let Some(place) = reply.headers.get("location") {
                stays(place.to_str().expect("a place is plain text"), way);
            }
        }
    }
}

#[tokio::test]
async fn no_spelling_of_a_path_reads_a_file_that_is_not_in_the_table() {
    let house = House::new().await;
    let cookie = format!("rp={}", house.of(Role::Admin));
    let login = house.send("", "GET /login", "", "text/html").await.text;
    let (_, rest) = login.split_once("/assets/").expect("the page has a style sheet");
    let build = rest.split('/').next().unwrap();
    let roots = [format!("/assets/{build}"), "/assets".to_owned(), String::new(), "/jobs".to_owned()];
    let ups =
        ["..", "%2e%2e", ".%2E", "..%00", "%252e%252e", "..;", "%c0%ae%c0%ae", "..%5c..", "%uff0e%uff0e"];
    let separators = ["/", "%2f", "%5c", "//", "/./", "%252f"];
    let targets = ["etc/passwd", "Cargo.toml", "server/Cargo.toml", "proc/self/environ"];
    let (mut tried, mut unreadable) = (0, 0);
    for root in &roots {
        for up in ups {
            for separator in separators {
                for target in targets {
                    // Pages take their time, and read no files.
                    let is_asset = root.starts_with("/assets");
                    if !is_asset && (target != "etc/passwd" || separator.len() != 1) {
                        continue;
                    }
                    let path =
                        format!("{root}{separator}{up}{separator}{up}{separator}{up}{separator}{target}");
                    let headers = [("host", "localhost"), ("cookie", cookie.as_str())];
                    let Some(reply) = ask(&house, "GET", &path, &headers, "").await else {
                        unreadable += 1;
                        continue;
                    };
                    assert!(!reply.status.is_server_error(), "{path}: {}", reply.status);
                    assert!(!is_asset || reply.status == StatusCode::NOT_FOUND, "{path}: {}", reply.status);
                    for leak in ["root:", "[package]", "[workspace]", "PATH="] {
                        assert!(!reply.text.contains(leak), "{path} holds {leak}");
                    }
                    tried += 1;
                }
            }
        }
    }
    println!("{tried} spellings, {unreadable} that are no address");
    assert!(tried > 100);
}

/// Headers with which proxies tell others who somebody is, where they are, and what they asked for.
const PRETENDING: [(&str, &str); 40] = [
    ("x-forwarded-for", "127.0.0.1"),
    ("x-forwarded-for", "127.0.0.1, 10.0.0.1"),
    ("x-forwarded-host", "evil.example"),
    ("x-forwarded-server", "evil.example"),
    ("x-forwarded-proto", "https"),
    ("x-forwarded-scheme", "https"),
    ("x-forwarded-port", "443"),
    ("x-forwarded-prefix", "//evil.example"),
    ("x-forwarded-user", "admin"),
    ("x_forwarded_user", "admin"),
    ("x-forwarded-email", "admin@evil.example"),
    ("x-forwarded-preferred-username", "admin"),
    ("x-forwarded-groups", "admin"),
    ("x-forwarded-access-token", "admin"),
    ("forwarded", "for=127.0.0.1;host=evil.example;proto=https"),
    ("x-real-ip", "127.0.0.1"),
    ("x-client-ip", "127.0.0.1"),
    ("x-cluster-client-ip", "127.0.0.1"),
    ("true-client-ip", "127.0.0.1"),
    ("cf-connecting-ip", "127.0.0.1"),
    ("fastly-client-ip", "127.0.0.1"),
    ("x-originating-ip", "127.0.0.1"),
    ("x-remote-ip", "127.0.0.1"),
    ("x-remote-addr", "127.0.0.1"),
    ("x-host", "evil.example"),
    ("x-http-host-override", "evil.example"),
    ("x-original-url", "/healthz"),
    ("x-rewrite-url", "/healthz"),
    ("x-original-host", "evil.example"),
    ("x-http-method-override", "GET"),
    ("x-method-override", "GET"),
    ("x-remote-user", "admin"),
    ("remote-user", "admin"),
    ("remote_user", "admin"),
    ("x-auth-request-user", "admin"),
    ("x-auth-request-email", "admin"),
    ("x-webauth-user", "admin"),
    ("x-user", "admin"),
    ("x-role", "admin"),
    ("via", "1.1 localhost"),
];

#[tokio::test]
async fn no_header_makes_anybody_somebody_else() {
    let house = House::new().await;
    let (empty, key) = House::empty().await;
    let far: SocketAddr = "10.0.0.9:1".parse().unwrap();
    let viewer = format!("rp={}", house.of(Role::Viewer));
    let admin = format!("rp={}", house.of(Role::Admin));
    let form = "application/x-www-form-urlencoded";
    let ours = [("host", "localhost"), ("sec-fetch-site", "same-origin"), ("content-type", form)];
    for (number, pretends) in PRETENDING.into_iter().enumerate() {
        let nobody = [ours.as_slice(), &[pretends]].concat();
        let nobody = ask(&house, "GET", "/api/fn/whoami", &nobody, "").await.unwrap();
        assert_eq!(nobody.status, StatusCode::UNAUTHORIZED, "{pretends:?}");
        let pause = [ours.as_slice(), &[pretends, ("cookie", viewer.as_str())]].concat();
        let pause = ask(&house, "POST", "/api/fn/pause_queue", &pause, "queue=mail").await.unwrap();
        assert_eq!(pause.status, StatusCode::FORBIDDEN, "{pretends:?}");

        let invite = [ours.as_slice(), &[pretends, ("cookie", admin.as_str())]].concat();
        let invited = format!("name=bob{number}&role=viewer");
        let invited = ask(&house, "POST", "/people/add", &invite, invited).await.unwrap();
        assert!(invited.text.contains("http://localhost/welcome"), "{pretends:?}: {}", invited.text);
        assert!(!invited.text.contains("evil.example"), "{pretends:?}");

        let begin = format!("key={key}&name=eve&password={PASSWORD}&again={PASSWORD}");
        let mut first = Request::post("/first").extension(ConnectInfo(far)).header(pretends.0, pretends.1);
        for (header, value) in ours {
            first = first.header(header, value);
        }
        let first = empty.raw(first.body(Body::from(begin)).unwrap()).await;
        assert_eq!(first.status, StatusCode::FORBIDDEN, "{pretends:?}");
    }
    assert!(empty.people().is_empty().await.unwrap());
    assert!(house.people().get(&name("bob0")).await.unwrap().is_some());
}

#[tokio::test]
async fn a_visitor_who_guesses_is_slowed_down_whatever_address_they_pretend_to_have() {
    let house = House::new().await;
    let mut waits = false;
    for guess in 0..60 {
        let pretended = format!("203.0.113.{guess}");
        let headers = [
            ("host", "localhost"),
            ("content-type", "application/x-www-form-urlencoded"),
            ("x-forwarded-for", pretended.as_str()),
            ("x-real-ip", &pretended),
        ];
        let form = format!("name=person{guess}&password=guessed-{guess}");
        let reply = ask(&house, "POST", "/login", &headers, form).await.unwrap();
        waits |= reply.location().is_some_and(|place| place.contains("account.wait"));
    }
    assert!(waits, "sixty guesses from one place went unnoticed");
}

/// Names that a page can have resolve to us, and spellings of ours that are not ours.
const NAMES: [&str; 24] = [
    "evil.example",
    "evil.example:8080",
    "localhost.evil.example",
    "localhost.",
    "localhost.localdomain",
    "xlocalhost",
    "127.0.0.1.nip.io",
    "127.0.0.1.evil.example",
    "127.0.0.1.",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "[::1].evil.example",
    "[::1",
    "::1",
    "localhost@evil.example",
    "evil.example@localhost",
    "localhost:80:80",
    "localhost,evil.example",
    "localhost evil.example",
    "localhost/evil.example",
    "localhost#evil.example",
    "",
];

#[tokio::test]
async fn a_name_that_somebody_else_gave_us_reads_and_changes_nothing() {
    let house = House::new().await;
    house.given("a", "mail", 1).await;
    let cookie = format!("rp={}", house.of(Role::Admin));
    let before = keys(&house.redis).await;
    let functions = route_policy().into_iter().map(|door| (method_of(&door.path).to_string(), door.path));
    let pages = app::door::PAGES.iter().map(|area| ("GET".to_owned(), format!("/{area}")));
    let api = changing().into_iter().filter(|door| door.is_api).map(|door| ("POST".to_owned(), door.path));
    let mut tried = 0;
    for (method, path) in functions.chain(pages).chain(api) {
        for host in NAMES {
            let headers = [
                ("host", host),
                ("cookie", cookie.as_str()),
                ("sec-fetch-site", "same-origin"),
                ("x-forwarded-host", "localhost"),
            ];
            let Some(reply) = ask(&house, &method, &path, &headers, "").await else { continue };
            assert_eq!(reply.status, StatusCode::MISDIRECTED_REQUEST, "{method} {path} as {host:?}");
            assert!(reply.text.contains("unknown_host") && reply.text.len() < 500, "{}", reply.text);
            tried += 1;
        }
    }
    println!("{tried} requests under {} names", NAMES.len());
    assert_eq!(keys(&house.redis).await, before);
}
