//! Requests whose end two readers may see in two places: each is refused, or is the last on its line.

use super::{Served, all_of, statuses};
use crate::timeouts::Timeouts;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

/// What must not be done: a request that hides in another.
const HIDDEN: &str = "GET /canary HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Headers of a POST, and its body before the hidden request. Nobody is to agree on their length.
const FRAMES: [(&str, &str); 44] = [
    ("Content-Length: 0\r\nContent-Length: 43", ""),
    ("Content-Length: 43\r\nContent-Length: 0", ""),
    ("Content-Length: 0, 43", ""),
    ("Content-Length: 0,0", ""),
    ("Content-Length: +0", ""),
    ("Content-Length: -0", ""),
    ("Content-Length: -1", ""),
    ("Content-Length: 0x0", ""),
    ("Content-Length: 0 0", ""),
    ("Content-Length: 0.0", ""),
    ("Content-Length: 1e1", ""),
    ("Content-Length: \"0\"", ""),
    ("Content-Length:", ""),
    ("Content-Length: ;", ""),
    ("Content-Length: 99999999999999999999999", ""),
    ("Content-Length: 18446744073709551616", ""),
    ("Content-Length : 0", ""),
    ("Content-Length\t: 0", ""),
    (" Content-Length: 0", ""),
    ("Content-Length: 0\r\n 43", ""),
    ("X-Fold: a\r\n\tContent-Length: 0", ""),
    ("X-Fold: a\r\n Transfer-Encoding: chunked", "0\r\n\r\n"),
    ("Transfer-Encoding: identity", ""),
    ("Transfer-Encoding: chunked, identity", "0\r\n\r\n"),
    ("Transfer-Encoding: xchunked", "0\r\n\r\n"),
    ("Transfer-Encoding: chunked;q=1", "0\r\n\r\n"),
    ("Transfer-Encoding: \"chunked\"", "0\r\n\r\n"),
    ("Transfer-Encoding: gzip", "0\r\n\r\n"),
    ("Transfer-Encoding : chunked", "0\r\n\r\n"),
    ("Transfer-Encoding:\u{b}chunked", "0\r\n\r\n"),
    ("Transfer-Encoding:\0chunked", "0\r\n\r\n"),
    ("X: a\rTransfer-Encoding: chunked", "0\r\n\r\n"),
    ("X: a\0b", ""),
    ("\u{7f}X: a", ""),
    ("X\u{e9}: a", ""),
    ("Transfer-Encoding: chunked", "0x0\r\n\r\n"),
    ("Transfer-Encoding: chunked", "+0\r\n\r\n"),
    ("Transfer-Encoding: chunked", "-1\r\n\r\n"),
    ("Transfer-Encoding: chunked", "0\n\n"),
    ("Transfer-Encoding: chunked", "1;a\nb\r\nX\r\n0\r\n\r\n"),
    ("Transfer-Encoding: chunked", "1\r\nX0\r\n\r\n"),
    ("Transfer-Encoding: chunked", "10000000000000000\r\nX"),
    ("Transfer-Encoding: chunked", "ffffffffffffffff\r\nX"),
    ("Transfer-Encoding: chunked", "\r\n0\r\n\r\n"),
];

/// Whole first lines and headers that are no request of ours.
const HEADS: [&str; 20] = [
    "GET /canary\r\n\r\n",
    "GET /canary HTTP/0.9\r\nHost: localhost\r\n\r\n",
    "GET /canary HTTP/1.2\r\nHost: localhost\r\n\r\n",
    "GET /canary HTTP/3.0\r\nHost: localhost\r\n\r\n",
    "GET /canary HTTP/1.1 \r\nHost: localhost\r\n\r\n",
    "GET  /canary HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /canary  HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET\t/canary\tHTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET canary HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /canary\0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "G\"ET /canary HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "GET /canary HTTP/1.1\r\n\r\n",
    "GET /canary HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
    "GET /canary HTTP/1.1\r\nHost: localhost, evil.example\r\n\r\n",
    "GET /canary HTTP/1.1\r\nHost: localhost/canary\r\n\r\n",
    "GET http://evil.example/canary HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET http://localhost/canary HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "GET http://localhost@evil.example/canary HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
];

/// Says it and hears everything until the line is closed.
async fn say(served: &Served, text: &str) -> Option<String> {
    let mut stream = served.connect().await;
    // It may be closed before it has heard all.
    let _ = stream.write_all(text.as_bytes()).await;
    timeout(Duration::from_secs(20), all_of(&mut stream)).await.ok()?
}

/// A line that stays open is closed for its silence only long after all this.
fn patient() -> Timeouts {
    Timeouts { headers: Duration::from_secs(600), body: Duration::from_secs(2), ..Timeouts::default() }
}

fn post(headers: &str, body: &str) -> String {
    let kind = "Content-Type: application/x-www-form-urlencoded";
    format!("POST /change HTTP/1.1\r\nHost: localhost\r\n{kind}\r\n{headers}\r\n\r\n{body}{HIDDEN}")
}

#[tokio::test]
async fn a_body_whose_length_is_in_doubt_is_refused_and_the_line_closed() {
    let served = Served::start(patient(), None).await;
    for (headers, body) in FRAMES {
        let answer = say(&served, &post(headers, body)).await;
        let answer = answer.unwrap_or_else(|| panic!("{headers:?} {body:?}: the line stays open"));
        let statuses = statuses(&answer);
        assert!(statuses.len() <= 1, "{headers:?} {body:?}: {answer}");
        assert!(statuses.iter().all(|status| (400..500).contains(status)), "{headers:?} {body:?}: {answer}");
        assert_eq!(served.canaries(), 0, "{headers:?} {body:?}: what was hidden was done");
    }
    served.is_well().await;
    served.stop().await;
}

#[tokio::test]
async fn after_a_chunked_body_the_line_is_closed() {
    let served = Served::start(patient(), None).await;
    for headers in [
        "Content-Length: 48\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 48",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\nContent-Length: 5",
        "transfer-encoding: Chunked\r\nContent-Length: 0",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked",
    ] {
        let answer = say(&served, &post(headers, "0\r\n\r\n")).await;
        let answer = answer.unwrap_or_else(|| panic!("{headers:?}: the line stays open"));
        assert_eq!(statuses(&answer).len(), 1, "{headers:?}: {answer}");
        assert_eq!(served.canaries(), 0, "{headers:?}: what was hidden was done");
    }
    // The old protocol knows no chunks at all.
    let old = post("Transfer-Encoding: chunked", "0\r\n\r\n").replacen("HTTP/1.1", "HTTP/1.0", 1);
    let answer = say(&served, &old).await.expect("the line is closed");
    assert_eq!(statuses(&answer.replace("HTTP/1.0", "HTTP/1.1")), [400]);
    assert_eq!(served.canaries(), 0);
    served.stop().await;
}

#[tokio::test]
async fn what_is_no_request_of_ours_is_refused() {
    let served = Served::start(patient(), None).await;
    for head in HEADS {
        let closing = head.replacen("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1);
        let answer = say(&served, &closing).await.unwrap_or_else(|| panic!("{head:?}: the line stays open"));
        let statuses = statuses(&answer);
        assert!(statuses.len() <= 1, "{head:?}: {answer}");
        assert!(statuses.iter().all(|status| (400..600).contains(status)), "{head:?}: {answer}");
        assert_eq!(served.canaries(), 0, "{head:?}");
    }
    served.is_well().await;
    served.stop().await;
}

#[tokio::test]
async fn what_is_left_of_a_refused_body_is_no_request() {
    let served = Served::start(patient(), None).await;
    let hidden = HIDDEN.repeat(10_000);
    for (kind, length) in [
        ("text/plain", 430_000),
        ("application/x-www-form-urlencoded", 430_000),
        ("application/x-www-form-urlencoded", 900_000),
    ] {
        let head = format!(
            "POST /change HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
        );
        let mut stream = served.saying(&head).await;
        let _ = stream.write_all(hidden.as_bytes()).await;
        let _ = stream.shutdown().await;
        let answer = all_of(&mut stream).await.expect("the line is closed");
        let statuses = statuses(&answer);
        assert!(statuses.iter().all(|status| matches!(status, 400 | 413 | 415)), "{kind} {length}: {answer}");
        assert!(statuses.len() <= 1, "{answer}");
        assert_eq!(served.canaries(), 0, "{kind} {length}: what was hidden was done");
    }
    served.is_well().await;
    served.stop().await;
}

#[tokio::test]
async fn a_line_that_ends_without_its_carriage_return_is_one_line_here() {
    // As RFC 9112 allows; that a proxy sees it the same way is the proxy's to see to. So two requests are two.
    let served = Served::start(patient(), None).await;
    let text = "GET /told HTTP/1.1\nHost: localhost\nX: a\n\nGET /canary HTTP/1.1\nHost: localhost\nConnection: close\n\n";
    let answer = say(&served, text).await.expect("the line is closed");
    assert_eq!(statuses(&answer), [200, 200]);
    // And a header that hides behind it is a header, not a part of the one before.
    let text = "POST /change HTTP/1.1\r\nHost: localhost\r\nX: a\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n";
    let answer = say(&served, &format!("{text}{HIDDEN}")).await.expect("the line is closed");
    assert_eq!(statuses(&answer).len(), 1, "{answer}");
    assert_eq!(served.canaries(), 1);
    served.stop().await;
}
