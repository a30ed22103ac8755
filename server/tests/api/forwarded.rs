//! Where visitors come from behind a proxy that was named, and everybody who says that they come from elsewhere.

use crate::house::{House, PASSWORD, Reply, name};
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::{HeaderName, HeaderValue, Request};
use reprieve::model::AuditFilter;
use reprieve_server::config::{GroupConfig, Login, ProxyConfig, Secret};
use reprieve_server::{FirstRun, TrustedProxy};
use std::net::SocketAddr;

/// The proxy, another of its kind, and somebody who is none.
const PROXY: &str = "10.0.0.7:1";
const INNER: &str = "10.0.0.8:1";
const FAR: &str = "10.0.1.9:1";
const FORM: &str = "application/x-www-form-urlencoded";

type Header<'a> = (&'a str, &'a str);

async fn house() -> House {
    let proxies = ["10.0.0.7/32".parse().unwrap(), "10.0.0.8/32".parse().unwrap()];
    let house =
        House::of_dashboard(|dashboard| dashboard.login(Login::Required).trusted_proxies(&proxies)).await;
    house.people().found(&name("ann"), PASSWORD).await.unwrap();
    house
}

/// A form from a peer, with headers as they are on the wire.
async fn post(house: &House, peer: &str, path: &str, form: &str, headers: &[Header<'_>]) -> Reply {
    let peer: SocketAddr = peer.parse().unwrap();
    let mut request = Request::post(path)
        .header("host", "localhost")
        .header("accept", "text/html")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", FORM)
        .extension(ConnectInfo(peer));
    for (name, value) in headers {
        let name: HeaderName = name.parse().unwrap();
        request = request.header(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    house.raw(request.body(Body::from(form.to_owned())).unwrap()).await
}

async fn sign_in(house: &House, peer: &str, who: &str, password: &str, headers: &[Header<'_>]) -> Reply {
    post(house, peer, "/login", &format!("name={who}&password={password}"), headers).await
}

/// The address that the audit has for the latest sign-in.
async fn noted(house: &House) -> String {
    let key = format!("{}audit", house.redis.prefix());
    let reply = house.redis.command(&["XREVRANGE", &key, "+", "-", "COUNT", "1"]).await.unwrap();
    let entries: Vec<(String, Vec<String>)> = redis::from_redis_value(reply).unwrap();
    let fields = &entries[0].1;
    let field = |name: &str| fields.chunks(2).find(|pair| pair[0] == name).map(|pair| pair[1].clone());
    assert_eq!(field("verb").as_deref(), Some("sign_in"), "{fields:?}");
    let entry = house
        .redis
        .engine()
        .inspector()
        .audit(&AuditFilter::default(), None, 1)
        .await
        .unwrap()
        .items
        .remove(0);
    assert_eq!(
        (entry.verb.as_str(), Some(&entry.address)),
        ("sign_in", field("to").as_ref()),
        "as of every other act"
    );
    field("to").unwrap()
}

/// Comes in from a peer with headers, and is known to come from there.
async fn comes_from(house: &House, peer: &str, headers: &[Header<'_>], address: &str) {
    house.forget_guesses().await;
    let reply = sign_in(house, peer, "ann", PASSWORD, headers).await;
    assert!(reply.cookie("rp").is_some(), "{peer} {headers:?}: {} {}", reply.status, reply.text);
    assert_eq!(noted(house).await, address, "{peer} {headers:?}");
}

#[tokio::test]
async fn a_visitor_comes_from_where_the_proxy_says() {
    let house = house().await;
    let long = format!("{}203.0.113.9", "198.51.100.1, ".repeat(500));
    for (headers, address) in [
        (vec![("x-forwarded-for", "203.0.113.9")], "203.0.113.9"),
        (vec![("x-forwarded-for", "2001:db8::9")], "2001:db8::9"),
        (vec![("x-forwarded-for", "203.0.113.9:4711")], "203.0.113.9"),
        (vec![("x-forwarded-for", "203.0.113.9, 10.0.0.8")], "203.0.113.9"),
        (vec![("X-Forwarded-For", " 203.0.113.9 ")], "203.0.113.9"),
        // What the visitor wrote stands in front of what the proxy wrote.
        (vec![("x-forwarded-for", "127.0.0.1, 203.0.113.9")], "203.0.113.9"),
        (vec![("x-forwarded-for", "10.0.0.8, 203.0.113.9")], "203.0.113.9"),
        (vec![("x-forwarded-for", "<script>, 203.0.113.9")], "203.0.113.9"),
        (vec![("x-forwarded-for", "127.0.0.1"), ("x-forwarded-for", "203.0.113.9")], "203.0.113.9"),
        (vec![("x-forwarded-for", long.as_str())], "203.0.113.9"),
        (vec![("x-forwarded-for", "203.0.113.9"), ("forwarded", "for=198.51.100.1")], "203.0.113.9"),
        (vec![("x-forwarded-for", "203.0.113.9"), ("x-real-ip", "198.51.100.1")], "203.0.113.9"),
        // It says nothing that reads: nobody else's word is taken instead.
        (vec![], "10.0.0.7"),
        (vec![("x-forwarded-for", "")], "10.0.0.7"),
        (vec![("x-forwarded-for", "unknown")], "10.0.0.7"),
        (vec![("x-forwarded-for", "203.0.113.9, _hidden")], "10.0.0.7"),
        (vec![("x-forwarded-for", "localhost")], "10.0.0.7"),
        (vec![("x-forwarded-for", "127.0.0.1")], "10.0.0.7"),
        (vec![("x-real-ip", "203.0.113.9")], "10.0.0.7"),
        (vec![("forwarded", "for=203.0.113.9")], "10.0.0.7"),
    ] {
        comes_from(&house, PROXY, &headers, address).await;
    }
    comes_from(&house, INNER, &[("x-forwarded-for", "203.0.113.9, 10.0.0.7")], "203.0.113.9").await;
}

#[tokio::test]
async fn a_caller_who_comes_straight_to_the_port_comes_from_there_whatever_they_say() {
    let house = house().await;
    let lists =
        ["203.0.113.9", "127.0.0.1", "::1", "10.0.0.7", "10.0.0.8, 10.0.0.7", "203.0.113.9, 10.0.0.7"];
    let names =
        ["x-forwarded-for", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip", "forwarded"];
    let mut tried = 0;
    for name in names {
        for list in lists {
            let list = if name == "forwarded" { format!("for=\"{list}\"") } else { list.to_owned() };
            comes_from(&house, FAR, &[(name, &list)], "10.0.1.9").await;
            tried += 1;
        }
    }
    for pair in [
        vec![("x-forwarded-for", "10.0.0.7"), ("x-forwarded-for", "203.0.113.9")],
        vec![("x-forwarded-for", "203.0.113.9"), ("via", "1.1 10.0.0.7")],
        vec![("x_forwarded_for", "203.0.113.9")],
    ] {
        comes_from(&house, FAR, &pair, "10.0.1.9").await;
        tried += 1;
    }
    assert!(tried >= 30);
    // Nor with none that is trusted, which is how it is unless somebody says so.
    let none = House::of_dashboard(|dashboard| dashboard.login(Login::Required)).await;
    none.people().found(&name("ann"), PASSWORD).await.unwrap();
    comes_from(&none, PROXY, &[("x-forwarded-for", "203.0.113.9")], "10.0.0.7").await;
    comes_from(&none, "127.0.0.1:1", &[("x-forwarded-for", "203.0.113.9")], "127.0.0.1").await;
}

/// Guesses at as many people, each with another word about where from; whether that is slowed down.
async fn guesses(house: &House, peer: &str, list: impl Fn(usize) -> String) -> bool {
    let mut waits = false;
    for guess in 0..60 {
        let list = list(guess);
        let headers = [("x-forwarded-for", list.as_str())];
        let reply = sign_in(house, peer, &format!("person{guess}"), "wrong-password", &headers).await;
        waits |= reply.location().is_some_and(|place| place.contains("account.wait"));
    }
    waits
}

#[tokio::test]
async fn a_lockout_is_neither_dodged_nor_aimed_at_others() {
    let victim = [("x-forwarded-for", "198.51.100.1")];
    // Straight to the port, as somebody else each time, and as the victim each time.
    let house = house().await;
    assert!(guesses(&house, FAR, |guess| format!("203.0.113.{guess}")).await, "dodged");
    let house = self::house().await;
    assert!(guesses(&house, FAR, |_| "198.51.100.1".to_owned()).await);
    let reply = sign_in(&house, PROXY, "ann", PASSWORD, &victim).await;
    assert!(reply.cookie("rp").is_some(), "the victim waits: {:?}", reply.location());

    // Through the proxy, which appends where they really come from.
    let house = self::house().await;
    let list = |guess| format!("203.0.113.{guess}, 192.0.2.66");
    assert!(guesses(&house, PROXY, list).await, "dodged");
    let house = self::house().await;
    assert!(guesses(&house, PROXY, |_| "198.51.100.1, 192.0.2.66".to_owned()).await);
    let reply = sign_in(&house, PROXY, "ann", PASSWORD, &victim).await;
    assert!(reply.cookie("rp").is_some(), "the victim waits: {:?}", reply.location());
    let own = [("x-forwarded-for", "192.0.2.66")];
    let reply = sign_in(&house, PROXY, "ann", PASSWORD, &own).await;
    assert_eq!(reply.cookie("rp"), None, "who guessed waits, whatever they say now");

    // Others behind the same proxy do not wait for one of them.
    let reply = sign_in(&house, PROXY, "ann", PASSWORD, &[("x-forwarded-for", "192.0.2.67")]).await;
    assert!(reply.cookie("rp").is_some(), "{:?}", reply.location());
}

#[tokio::test]
async fn the_first_link_is_good_for_nobody_whom_a_proxy_brings_from_elsewhere() {
    let (first, link) = FirstRun::open();
    let proxies = ["127.0.0.1/32".parse().unwrap(), "10.0.0.7/32".parse().unwrap()];
    let house = House::of_dashboard(|dashboard| {
        dashboard.login(Login::Required).first_run(first).trusted_proxies(&proxies)
    })
    .await;
    let key = link.split_once('=').unwrap().1;
    let form = format!("key={key}&name=eve&password={PASSWORD}&again={PASSWORD}");
    for (peer, list) in [
        ("127.0.0.1:1", "203.0.113.9"),
        ("127.0.0.1:1", "127.0.0.1, 203.0.113.9"),
        (PROXY, "127.0.0.1"),
        (PROXY, "::1"),
        (PROXY, "::ffff:127.0.0.1"),
        (FAR, "127.0.0.1"),
    ] {
        let reply = post(&house, peer, "/first", &form, &[("x-forwarded-for", list)]).await;
        let page = reply.location().unwrap_or_default();
        assert!(page.ends_with("&said=account.first_elsewhere"), "{peer} {list}: {} {page}", reply.status);
        assert!(reply.cookie("rp").is_none(), "{peer} {list}");
    }
    assert!(house.people().is_empty().await.unwrap());
    let reply = post(&house, "127.0.0.1:1", "/first", &form, &[("x-forwarded-for", "127.0.0.1")]).await;
    assert!(reply.cookie("rp").is_some(), "at this machine: {} {}", reply.status, reply.text);
}

#[tokio::test]
async fn a_proxy_that_signs_people_in_is_known_by_its_connection() {
    const SECRET: &str = "canary-of-the-proxy-4711";
    let group = GroupConfig::new("admins".to_owned(), reprieve::model::Role::Admin, Vec::new());
    let mut config = ProxyConfig::new(Secret::new(SECRET.to_owned()), vec![group]);
    config.from = vec!["10.0.0.7/32".parse().unwrap()];
    let proxies = ["10.0.0.7/32".parse().unwrap(), "10.0.0.8/32".parse().unwrap()];
    let house = House::of_dashboard(|dashboard| {
        dashboard.login(Login::Required).proxy(TrustedProxy::new(config)).trusted_proxies(&proxies)
    })
    .await;
    let enter = async |peer: &str, list: &str| {
        let peer: SocketAddr = peer.parse().unwrap();
        let request = Request::get("/login")
            .header("host", "localhost")
            .header("accept", "text/html")
            .header("x-proxy-secret", SECRET)
            .header("x-forwarded-user", "eve")
            .header("x-forwarded-groups", "admins")
            .header("x-forwarded-for", list)
            .extension(ConnectInfo(peer));
        house.raw(request.body(Body::empty()).unwrap()).await.cookie("rp")
    };
    // The other proxy may say where visitors come from, not who they are; not even by coming from the first.
    for (peer, list) in [(INNER, "10.0.0.7"), (INNER, "203.0.113.9"), (FAR, "10.0.0.7")] {
        assert_eq!(enter(peer, list).await, None, "{peer} {list}");
    }
    assert!(enter(PROXY, "203.0.113.9").await.is_some());
    assert_eq!(noted(&house).await, "203.0.113.9");
}
