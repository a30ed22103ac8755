//! The same over TLS: what is agreed on, what is refused, and who is waited for.

use super::{LONG, Served, all_of, eventually, statuses};
use crate::config::TlsConfig;
use crate::timeouts::Timeouts;
use crate::tls::Tls;
use crate::tls::made::Authority;
use axum::body::Bytes;
use http::{HeaderMap, Request, StatusCode, Version};
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::ServerName;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, SupportedProtocolVersion};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

const BOTH: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];

/// A server with a certificate of its own authority.
async fn start(timeouts: Timeouts) -> (Authority, Served) {
    let authority = Authority::new();
    let (cert, key) = authority.sign("server", 2);
    let tls = Tls::load(&TlsConfig::new(cert, key)).unwrap();
    let served = Served::start(timeouts, Some(tls.server().unwrap())).await;
    (authority, served)
}

async fn shake(served: &Served, client: Arc<ClientConfig>) -> std::io::Result<TlsStream<TcpStream>> {
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(client).connect(name, served.connect().await).await
}

/// One request by HTTP/1.1.
async fn ask(served: &Served, client: Arc<ClientConfig>, host: &str) -> String {
    let mut stream = shake(served, client).await.unwrap();
    let request = format!("GET /told HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    all_of(&mut stream).await.expect("an answer to who behaves")
}

/// A line of HTTP/2.
async fn line(served: &Served, authority: &Authority) -> SendRequest<Empty<Bytes>> {
    let stream = shake(served, authority.client(&BOTH, &["h2", "http/1.1"])).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (sender, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    // Ends with the test's runtime, or when the server ends it.
    tokio::spawn(connection);
    sender
}

async fn get(
    line: &mut SendRequest<Empty<Bytes>>,
    address: &str,
    headers: &[(&str, &str)],
) -> (StatusCode, HeaderMap, String) {
    let mut request = Request::builder().uri(address).version(Version::HTTP_2);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = line.send_request(request.body(Empty::new()).unwrap()).await.unwrap();
    let (parts, body) = answer.into_parts();
    let text = String::from_utf8_lossy(&body.collect().await.unwrap().to_bytes()).into_owned();
    (parts.status, parts.headers, text)
}

#[tokio::test]
async fn only_tls_of_today_is_spoken_and_the_browser_chooses_among_what_we_offer() {
    let (authority, served) = start(Timeouts::default()).await;
    for versions in [&BOTH[..], &[&TLS13], &[&TLS12]] {
        for alpn in [&["h2", "http/1.1"][..], &["http/1.1"], &[]] {
            let stream = shake(&served, authority.client(versions, alpn)).await.unwrap();
            let agreed = stream.get_ref().1.alpn_protocol().map(String::from_utf8_lossy);
            assert_eq!(agreed.as_deref(), alpn.first().copied());
        }
        assert!(ask(&served, authority.client(versions, &[]), "localhost").await.starts_with("HTTP/1.1 200"));
    }
    assert!(shake(&served, authority.client(&BOTH, &["smtp"])).await.is_err(), "nothing else is spoken");

    // TLS 1.1, as a client says hello that knows nothing newer, with a cipher that both of them could use.
    let hello =
        [&[0x01, 0, 0, 43, 0x03, 0x02][..], &[7; 32], &[0, 0, 4, 0xc0, 0x13, 0xc0, 0x2f, 1, 0]].concat();
    let record = [&[0x16, 0x03, 0x01, 0, u8::try_from(hello.len()).unwrap()][..], &hello].concat();
    let mut old = served.connect().await;
    old.write_all(&record).await.unwrap();
    let mut alert = Vec::new();
    old.read_to_end(&mut alert).await.unwrap();
    assert_eq!(alert.first(), Some(&0x15), "an alert and nothing else: {alert:?}");
    assert!(alert.ends_with(&[2, 70]) || alert.ends_with(&[2, 40]), "fatal, for its version: {alert:?}");
    served.stop().await;
}

#[tokio::test]
async fn a_request_of_http_2_is_read_like_any_other() {
    let (authority, served) = start(Timeouts::default()).await;
    let mut line = line(&served, &authority).await;
    let cookies = [("cookie", "rp=1"), ("cookie", "theme=dark")];

    let (status, headers, text) = get(&mut line, "https://jobs.example:8443/told?a=b", &cookies).await;
    assert_eq!(status, StatusCode::OK);
    assert!(text.ends_with(r#"/told?a=b ["jobs.example:8443"] ["rp=1; theme=dark"] HTTP/2.0"#), "{text}");
    assert_eq!(headers["strict-transport-security"], "max-age=31536000");

    let (status, headers, _) = get(&mut line, "https://localhost/told", &[]).await;
    assert_eq!(status, StatusCode::OK);
    assert!(
        !headers.contains_key("strict-transport-security"),
        "it would hold for every program of this machine"
    );

    for (address, headers) in [
        ("https://evil.example/canary", &[][..]),
        ("https://localhost@evil.example/canary", &[]),
        ("https://evil.example@localhost/canary", &[]),
        ("https://localhost/canary", &[("host", "evil.example")]),
        ("https://evil.example/canary", &[("host", "localhost")]),
    ] {
        let (status, ..) = get(&mut line, address, headers).await;
        assert_eq!(status, StatusCode::MISDIRECTED_REQUEST, "{address} {headers:?}");
    }
    assert_eq!(served.canaries(), 0);
    drop(line);
    served.stop().await;
}

#[tokio::test]
async fn pages_over_tls_set_cookies_that_only_we_can_set() {
    let (authority, served) = start(Timeouts::default()).await;
    let told = ask(&served, authority.client(&BOTH, &[]), "jobs.example").await;
    assert!(told.to_lowercase().contains("strict-transport-security: max-age=31536000"), "{told}");
    // Another site is another site, and so is ours without TLS.
    for (origin, expected) in
        [("https://jobs.example", 200), ("http://jobs.example", 403), ("https://evil.example", 403)]
    {
        let mut stream = shake(&served, authority.client(&BOTH, &[])).await.unwrap();
        let request = format!(
            "POST /change HTTP/1.1\r\nHost: jobs.example\r\nOrigin: {origin}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = all_of(&mut stream).await.unwrap();
        assert_eq!(statuses(&answer), [expected], "{origin}: {answer}");
    }
    served.stop().await;
}

#[tokio::test]
async fn plain_http_is_told_what_is_spoken_here() {
    let (_authority, served) = start(Timeouts::default()).await;
    let mut stream = served.saying("GET /canary HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    let answer = all_of(&mut stream).await.unwrap();
    assert_eq!(statuses(&answer), [400]);
    assert!(answer.ends_with("begin with https://"), "{answer}");
    assert_eq!(served.canaries(), 0);
    served.stop().await;
}

#[tokio::test]
async fn handshakes_that_never_end_lose_the_line_and_hold_up_nobody() {
    let timeouts = Timeouts { handshake: Duration::from_secs(3), ..Timeouts::default() };
    let (authority, served) = start(timeouts).await;
    let client = authority.client(&BOTH, &[]);
    let mut slow = Vec::new();
    for number in 0..300 {
        slow.push(match number % 3 {
            0 => served.connect().await,
            1 => served.saying("\u{16}\u{3}\u{1}").await,
            _ => served.saying("\u{16}\u{3}\u{1}\u{1}\0\u{1}\0\0").await,
        });
        if number % 60 == 0 {
            let answer = ask(&served, Arc::clone(&client), "localhost").await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        }
    }
    for mut one in slow {
        assert!(all_of(&mut one).await.is_some(), "nobody is waited for for ever");
    }
    assert!(ask(&served, client, "localhost").await.starts_with("HTTP/1.1 200"));
    served.stop().await;
}

#[tokio::test]
async fn answers_that_nobody_takes_are_given_up_over_tls_too() {
    let short = Duration::from_millis(1_500);
    let (authority, served) = start(Timeouts { unread: short, life: short, ..Timeouts::default() }).await;
    let mut deaf = shake(&served, authority.client(&BOTH, &[])).await.unwrap();
    deaf.write_all(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    // Over HTTP/2 the line is alive, and only the one answer is held back.
    let mut line = line(&served, &authority).await;
    let request = Request::builder().uri("https://localhost/endless").body(Empty::new()).unwrap();
    let held = tokio::time::timeout(LONG, line.send_request(request)).await.unwrap().unwrap();
    eventually("both are being answered", || served.endless.load(Ordering::SeqCst) == 2).await;

    eventually("both are given up", || served.endless.load(Ordering::SeqCst) == 0).await;

    assert!(ask(&served, authority.client(&BOTH, &[]), "localhost").await.starts_with("HTTP/1.1 200"));
    drop(held);
    served.stop().await;
}
