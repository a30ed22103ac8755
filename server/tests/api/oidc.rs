//! Signing in by a provider: an honest one, and one that lies.

mod honest;
mod lies;
mod provider;

use crate::house::{House, Reply};
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::Request;
use provider::{CLIENT, Provider, SECRET};
use reprieve::model::Role;
use reprieve_server::config::{GroupConfig, Login, OidcConfig, Secret};
use reprieve_server::{BasePath, Dashboard, OidcProvider};
use std::net::SocketAddr;

/// A house whose people come by that provider.
async fn house_of(provider: &Provider) -> House {
    house_below(provider, BasePath::default()).await
}

/// The same below a path.
async fn house_below(provider: &Provider, base: BasePath) -> House {
    let group = |name: &str, role, queues: &[&str]| {
        let queues = queues.iter().map(|queue| queue.parse().unwrap()).collect();
        GroupConfig::new(name.to_owned(), role, queues)
    };
    let mut config = OidcConfig::new(provider.issuer(), CLIENT).unwrap();
    config.client_secret = Some(Secret::new(SECRET.to_owned()));
    config.label = "Example & Co".to_owned();
    config.groups = vec![
        group("jobs-admins", Role::Admin, &[]),
        group("jobs-support", Role::Support, &["mail", "sms"]),
        group("staff", Role::Viewer, &[]),
    ];
    let provider = OidcProvider::new(&config).unwrap();
    let entry = |dashboard: Dashboard| dashboard.login(Login::Required).provider(provider).base_path(base);
    House::of_dashboard(entry).await
}

/// A browser that was sent to the provider.
struct Sent {
    /// Where it was sent to.
    to: String,
    /// What it keeps until it comes back.
    cookie: String,
}

async fn sent(house: &House, start: &str) -> Sent {
    sent_with(house, "", start).await
}

/// The same of a browser that has a session.
async fn sent_with(house: &House, session: &str, start: &str) -> Sent {
    let reply = house.send(session, &format!("GET {start}"), "", "text/html").await;
    let set = reply.headers["set-cookie"].to_str().unwrap();
    assert!(set.ends_with("; Path=/; Max-Age=600; HttpOnly; SameSite=Lax"), "{set}");
    Sent { to: reply.location().unwrap().to_owned(), cookie: flow_of(&reply).unwrap() }
}

/// The cookie of a sign-in that an answer sets, with its name; one without a value is over.
fn flow_of(reply: &Reply) -> Option<String> {
    let set = reply.headers.get_all("set-cookie").iter().map(|text| text.to_str().unwrap());
    set.filter_map(|text| text.split(';').next()).find(|text| text.starts_with("rp-oidc.")).map(str::to_owned)
}

/// Comes back to the callback with cookies, as another site sends a browser there.
async fn back(house: &House, cookie: &str, query: &str) -> Reply {
    let peer: SocketAddr = "127.0.0.1:1".parse().unwrap();
    let request = Request::get(format!("/login/oidc/callback?{query}"))
        .header("host", "localhost")
        .header("accept", "text/html")
        .header("sec-fetch-site", "cross-site")
        .header("cookie", cookie)
        .extension(ConnectInfo(peer));
    house.raw(request.body(Body::empty()).unwrap()).await
}

/// The whole way, out and back.
async fn sign_in(house: &House, provider: &Provider, start: &str) -> Reply {
    let sent = sent(house, start).await;
    back(house, &sent.cookie, &provider.lets_in(&sent.to)).await
}

/// The word of the sentence that the page to sign in shows.
fn said(reply: &Reply) -> &str {
    let refresh = reply.headers.get("refresh").map(|text| text.to_str().unwrap());
    let place = reply.location().or_else(|| refresh?.strip_prefix("0; url=")).unwrap_or_default();
    assert!(place.starts_with("/login?next="), "{} {place} {}", reply.status, reply.text);
    place.split_once("said=").unwrap().1
}
