//! A proxy in front that signs people in by headers, and everybody who pretends to be it.

use crate::house::{House, PASSWORD, Reply, name};
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::{HeaderName, HeaderValue, Request, StatusCode};
use reprieve::model::Role;
use reprieve_server::config::{GroupConfig, Login, ProxyConfig, Secret};
use reprieve_server::{TrustedProxy, route_policy};
use std::net::SocketAddr;

const SECRET: &str = "canary-of-the-proxy-4711";
const HERE: &str = "10.0.0.7:1";

async fn house() -> House {
    let group = |name: &str, role| GroupConfig::new(name.to_owned(), role, Vec::new());
    let groups = vec![group("admins", Role::Admin), group("staff", Role::Viewer)];
    let mut config = ProxyConfig::new(Secret::new(SECRET.to_owned()), groups);
    config.from = vec!["10.0.0.7/32".parse().unwrap()];
    let house =
        House::of_dashboard(|dashboard| dashboard.login(Login::Required).proxy(TrustedProxy::new(config)))
            .await;
    house.people().found(&name("root"), PASSWORD).await.unwrap();
    house
}

/// One request with headers as they are on the wire.
async fn send(house: &House, from: &str, request: &str, headers: &[(&str, &str)]) -> Reply {
    let (method, path) = request.split_once(' ').unwrap();
    let from: SocketAddr = from.parse().unwrap();
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "localhost")
        .header("accept", "text/html")
        .extension(ConnectInfo(from));
    if method == "POST" {
        request = request.header("content-type", "application/x-www-form-urlencoded");
    }
    for (name, value) in headers {
        let name: HeaderName = name.parse().unwrap();
        request = request.header(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    house.raw(request.body(Body::empty()).unwrap()).await
}

/// What the proxy sends for somebody.
fn honest<'a>(who: &'a str, groups: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![("x-proxy-secret", SECRET), ("x-forwarded-user", who), ("x-forwarded-groups", groups)]
}

#[tokio::test]
async fn whom_the_proxy_names_comes_back_to_the_page_of_a_form_that_was_sent_too_late() {
    let house = house().await;
    let way_in = "GET /login?next=%2Fworkers%3Fsaid%3Derror.signed_out&said=error.signed_out";
    let reply = send(&house, HERE, way_in, &honest("Eve", "admins")).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    assert_eq!(reply.headers["refresh"], "0; url=/workers?said=error.signed_out");
    // What else the way in has to say is read there.
    let reply = send(&house, HERE, "GET /login?said=account.bye", &honest("Eve", "admins")).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
}

#[tokio::test]
async fn whom_the_proxy_names_is_in_as_what_their_group_says() {
    let house = house().await;
    let reply = send(&house, HERE, "GET /login?next=/workers", &honest("Eve", "x, admins ,staff")).await;
    // A redirect might be another site's still, and the session's cookie would stay at home.
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    assert_eq!(reply.headers["refresh"], "0; url=/workers");
    let admin = reply.cookie("rp").unwrap();
    assert_eq!(house.call(&admin, "GET /api/fn/whoami", "").await.status, StatusCode::OK);
    let eve = house.people().get(&name("eve")).await.unwrap().unwrap();
    assert_eq!((eve.role, eve.federated), (Role::Admin, true));
    // A proxy cannot say that they proved themselves just now.
    let add = house.call(&admin, "POST /people/add", "name=bob&role=viewer").await;
    assert!(add.text.contains("prove_first"), "{}", add.text);

    let less = send(&house, HERE, "GET /login", &honest("Eve", "staff")).await;
    let viewer = less.cookie("rp").unwrap();
    assert!(house.call(&admin, "GET /api/fn/whoami", "").await.is_denied(), "they are less now");
    assert_eq!(house.call(&viewer, "GET /api/fn/whoami", "").await.status, StatusCode::OK);

    for (who, groups, said) in [
        ("Eve", "", "account.oidc_group"),
        ("root", "admins", "account.oidc_taken"),
        ("e v e", "admins", "account.oidc_name"),
    ] {
        let reply = send(&house, HERE, "GET /login", &honest(who, groups)).await;
        assert!(reply.location().unwrap().ends_with(said), "{who} {:?}", reply.location());
        assert_eq!(reply.cookie("rp"), None);
        let page =
            send(&house, HERE, &format!("GET {}", reply.location().unwrap()), &honest(who, groups)).await;
        assert_eq!(page.status, StatusCode::OK, "it says so, and goes round no circle");
    }
    assert!(house.call(&viewer, "GET /api/fn/whoami", "").await.is_denied(), "in no group any more");
}

#[tokio::test]
async fn a_link_from_another_site_begins_one_session_at_most_and_goes_round_no_circle() {
    let house = house().await;
    let mut headers = honest("Eve", "admins");
    headers.push(("sec-fetch-site", "cross-site"));
    let led = async |headers: &[(&str, &str)]| {
        let away = send(&house, HERE, "GET /workers", headers).await;
        assert_eq!(away.location(), Some("/login?next=%2Fworkers"));
        send(&house, HERE, "GET /login?next=%2Fworkers", headers).await
    };
    // The browser keeps the cookie from what another site asks for, whether there is one or not.
    let page = led(&headers).await;
    assert_eq!((page.status, page.cookie("rp")), (StatusCode::OK, None));
    assert_eq!(page.headers["refresh"], "0; url=/workers");
    assert!(
        page.text.contains("href=\"/workers\"") && !page.text.contains("name=\"password\""),
        "{}",
        page.text
    );
    assert!(house.people().get(&name("eve")).await.unwrap().is_none(), "nobody is in yet");

    // The page asks again by itself.
    headers.pop();
    headers.push(("sec-fetch-site", "same-origin"));
    let entered = led(&headers).await;
    assert_eq!((entered.status, entered.location()), (StatusCode::SEE_OTHER, Some("/workers")));
    let cookie = format!("rp={}", entered.cookie("rp").unwrap());
    headers.push(("cookie", &cookie));
    let there = send(&house, HERE, "GET /workers", &headers).await;
    assert_eq!((there.status, there.location()), (StatusCode::OK, None), "{}", there.text);
    assert_eq!(house.people().sessions(&name("eve")).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_proxy_that_says_nothing_of_groups_ends_no_session_and_one_that_says_none_does() {
    let house = house().await;
    let entered = send(&house, HERE, "GET /login", &honest("eve", "admins")).await;
    let eve = entered.cookie("rp").unwrap();
    let thin = [("x-proxy-secret", SECRET), ("x-forwarded-user", "eve")];
    for (headers, word, goes_on) in
        [(thin.to_vec(), "account.oidc_claim", true), (honest("eve", " , "), "account.oidc_group", false)]
    {
        let reply = send(&house, HERE, "GET /login", &headers).await;
        assert!(reply.location().unwrap().ends_with(&format!("said={word}")), "{:?}", reply.location());
        let overview = house.call(&eve, "GET /api/fn/whoami", "").await;
        assert_eq!(overview.status == StatusCode::OK, goes_on, "{word}");
    }
}

#[tokio::test]
async fn a_visitor_who_pretends_to_be_the_proxy_is_nobody() {
    let house = house().await;
    let secret: (&str, &str) = ("x-proxy-secret", SECRET);
    let who: (&str, &str) = ("x-forwarded-user", "eve");
    let groups: (&str, &str) = ("x-forwarded-groups", "admins");
    let all = [secret, who, groups];
    let with = |more: (&'static str, &'static str)| [all.to_vec(), vec![more]].concat();
    let instead = |wrong: (&'static str, &'static str)| vec![wrong, who, groups];
    let far = "10.0.0.8:1";
    let mut tries: Vec<(&str, Vec<(&str, &str)>)> = vec![
        // From elsewhere, whatever is said about where from.
        (far, all.to_vec()),
        ("127.0.0.1:1", all.to_vec()),
        ("[::1]:1", all.to_vec()),
        ("[::ffff:10.0.0.8]:1", all.to_vec()),
        (far, with(("x-forwarded-for", "10.0.0.7"))),
        (far, with(("x-real-ip", "10.0.0.7"))),
        (far, with(("forwarded", "for=10.0.0.7"))),
        (far, with(("x-client-ip", "10.0.0.7"))),
        (far, with(("true-client-ip", "10.0.0.7"))),
        (far, with(("x-forwarded-host", "localhost"))),
        // From there, without its secret.
        (HERE, vec![who, groups]),
        (HERE, instead(("x-proxy-secret", ""))),
        (HERE, instead(("x-proxy-secret", "canary-of-the-proxy-4712"))),
        (HERE, instead(("x-proxy-secret", "canary-of-the-proxy-471"))),
        (HERE, instead(("x-proxy-secret", "canary-of-the-proxy-47111"))),
        (HERE, instead(("x-proxy-secret", "CANARY-OF-THE-PROXY-4711"))),
        (HERE, instead(("x-proxy-secret", "canary-of-the-proxy-4711, x"))),
        (HERE, instead(("x-proxy-secret", "\"canary-of-the-proxy-4711\""))),
        (HERE, instead(("x-proxy-secret", "Bearer canary-of-the-proxy-4711"))),
        (HERE, instead(("x-proxy-secret", "canary-of-the-proxy-4711ÿ"))),
        (HERE, instead(("x_proxy_secret", SECRET))),
        (HERE, instead(("proxy-secret", SECRET))),
        (HERE, instead(("authorization", SECRET))),
        // With it, and something of the visitor's beside it.
        (HERE, with(("x-proxy-secret", "x"))),
        (HERE, with(("x-proxy-secret", SECRET))),
        (HERE, with(("x-forwarded-user", "mallory"))),
        (HERE, with(("x-forwarded-user", ""))),
        (HERE, with(("x-forwarded-groups", "admins"))),
        (HERE, with(("x-forwarded-groups", ""))),
        // Nobody.
        (HERE, vec![secret, groups]),
        (HERE, vec![secret, ("x-forwarded-user", ""), groups]),
        (HERE, vec![secret, ("x-forwarded-user", "  "), groups]),
        (HERE, vec![secret, ("x-forwarded-user", "evé"), groups]),
        (HERE, vec![secret, ("x_forwarded_user", "eve"), groups]),
        (HERE, vec![secret, ("x-forwarded-email", "eve"), groups]),
        (HERE, vec![secret, ("x-remote-user", "eve"), groups]),
    ];
    tries.push((HERE, vec![secret, who, ("x-forwarded-groups", "adminsÿ")]));
    assert!(tries.len() >= 30);
    let before = house.people().list().await.unwrap();
    for (from, headers) in &tries {
        let reply = send(&house, from, "GET /login?next=/workers", headers).await;
        assert_eq!((reply.status, reply.cookie("rp")), (StatusCode::OK, None), "{from} {headers:?}");
        assert!(reply.text.contains("name=\"password\""), "the page to sign in, as for everybody");
        assert_eq!(house.people().list().await.unwrap(), before, "{from} {headers:?}");
    }

    // In no group of ours, or in one that is only spelled like it.
    for groups in ["Admins", "admins staff", "admins;staff", "*", "administrators", "[\"admins\"]"] {
        let reply = send(&house, HERE, "GET /login", &honest("eve", groups)).await;
        assert_eq!(reply.cookie("rp"), None, "{groups}");
    }
    assert_eq!(house.people().list().await.unwrap(), before);
}

#[tokio::test]
async fn the_proxys_headers_open_no_door_but_the_page_to_sign_in() {
    let house = house().await;
    let headers = honest("eve", "admins");
    let mut paths: Vec<String> = route_policy().into_iter().map(|door| door.path).collect();
    paths.extend(["/", "/jobs/delay", "/people", "/api/v1/jobs"].map(str::to_owned));
    for path in paths {
        for method in ["GET", "POST"] {
            if (method, path.as_str()) == ("GET", "/login") {
                continue;
            }
            let reply = send(&house, HERE, &format!("{method} {path}"), &headers).await;
            assert_eq!(reply.cookie("rp"), None, "{method} {path}");
        }
    }
    assert_eq!(house.people().list().await.unwrap().len(), 1);
}
