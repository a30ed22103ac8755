//! Visitors who say little, say it slowly, or do not listen.

use super::{LONG, Served, all_of, eventually, statuses};
use crate::timeouts::Timeouts;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

/// Short enough to wait for, long enough for a client that behaves on a busy machine.
const SHORT: Duration = Duration::from_millis(1_500);

fn hurried() -> Timeouts {
    Timeouts {
        handshake: SHORT,
        headers: SHORT,
        idle: SHORT,
        body: SHORT,
        unread: SHORT,
        drain: Duration::from_millis(200),
        life: LONG,
    }
}

/// Says one byte after the other until nobody listens any more; what came back.
async fn trickle(mut stream: TcpStream, with: &[u8]) -> String {
    let began = Instant::now();
    let mut bytes = Vec::new();
    let mut buffer = [0; 1_024];
    while began.elapsed() < LONG {
        if stream.write_all(with).await.is_err() {
            break;
        }
        // Waited for, because slowness is what this is about.
        match timeout(Duration::from_millis(100), stream.read(&mut buffer)).await {
            Err(_) => {}
            Ok(Ok(count @ 1..)) => bytes.extend_from_slice(&buffer[..count]),
            Ok(_) => return String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
    assert!(began.elapsed() < LONG, "they were listened to for {:?}", began.elapsed());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test]
async fn headers_that_never_end_lose_the_line_and_hold_up_nobody() {
    let served = Served::start(hurried(), None).await;
    let mut slow = Vec::new();
    for number in 0..100 {
        let beginning = match number % 4 {
            0 => "GET /canary HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
            1 => "GET /canary",
            2 => "POST /canary HTTP/1.1\r\n",
            _ => "GET /canary HTTP/1.1\r\nHost: localhost\r\nCookie: rp=",
        };
        slow.push(tokio::spawn(trickle(served.saying(beginning).await, b"a")));
    }
    while slow.iter().any(|one| !one.is_finished()) {
        served.is_well().await;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    for one in slow {
        let answer = one.await.unwrap();
        assert!(statuses(&answer).iter().all(|status| *status >= 400), "{answer}");
    }
    assert_eq!(served.canaries(), 0);
    served.stop().await;
}

#[tokio::test]
async fn silence_loses_the_line_before_the_first_request_and_after_it() {
    let served = Served::start(hurried(), None).await;
    let mut silent = served.connect().await;
    let mut done = served.saying("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await;

    let (said, answer) = (all_of(&mut silent).await, all_of(&mut done).await);

    assert!(statuses(&said.expect("it is closed")).iter().all(|status| *status == 408));
    assert_eq!(statuses(&answer.expect("it is closed"))[0], 200);
    served.stop().await;
}

#[tokio::test]
async fn an_idle_connection_is_kept_longer_than_headers_may_take() {
    let served = Served::start(Timeouts { idle: LONG, ..hurried() }, None).await;
    let ask = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut stream = served.saying(ask).await;
    let mut buffer = [0; 4_096];
    for _ in 0..2 {
        let count = timeout(LONG, stream.read(&mut buffer)).await.unwrap().unwrap();
        let answer = String::from_utf8_lossy(&buffer[..count]).into_owned();
        assert_eq!(statuses(&answer), [200], "{answer}");
        assert!(answer.contains(&format!("keep-alive: timeout={}", LONG.as_secs())), "{answer}");
        // Waited for, because idleness is what this is about.
        tokio::time::sleep(SHORT + SHORT / 2).await;
        stream.write_all(ask.as_bytes()).await.unwrap();
    }
    let _ = timeout(LONG, stream.read(&mut buffer)).await.unwrap().unwrap();

    let began = Instant::now();
    let answer = trickle(stream, b"G").await;
    assert!(statuses(&answer).is_empty(), "headers that have begun have their own time: {answer}");
    assert!(began.elapsed() < SHORT * 4, "{:?}", began.elapsed());
    served.stop().await;
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let served = Served::start(hurried(), None).await;
    let form = "Content-Type: application/x-www-form-urlencoded";
    let json = "Content-Type: application/json";
    let mut slow = Vec::new();
    for (path, kind) in [("/change", form), ("/api/fn/set_appearance", form), ("/api/v1/jobs", json)] {
        for length in ["Content-Length: 5000", "Transfer-Encoding: chunked"] {
            let head = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\n{kind}\r\n{length}\r\n\r\n");
            let with: &'static [u8] = if length.starts_with('T') { b"1\r\n[\r\n" } else { b"[" };
            let stream = served.saying(&head).await;
            slow.push((head, tokio::spawn(trickle(stream, with))));
        }
    }
    served.is_well().await;
    for (head, one) in slow {
        let answer = one.await.unwrap();
        assert_eq!(statuses(&answer), [408], "{head}: {answer}");
        assert!(answer.contains("body_too_slow"), "{answer}");
    }
    served.stop().await;
}

#[tokio::test]
async fn answers_that_nobody_takes_are_given_up() {
    let served = Served::start(hurried(), None).await;
    let mut deaf = Vec::new();
    for _ in 0..20 {
        deaf.push(served.saying("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n").await);
    }
    eventually("all of them are being answered", || served.endless.load(Ordering::SeqCst) == 20).await;
    let mut listening = served.saying("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    served.is_well().await;
    let held = || served.endless.load(Ordering::SeqCst);
    let mut buffer = vec![0; 1 << 16];
    let began = Instant::now();
    while held() > 1 {
        assert!(began.elapsed() < LONG, "{} answers are still held", held());
        listening.read_exact(&mut buffer[..16_384]).await.unwrap();
        // Slowly, but it takes something.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    listening.read_exact(&mut buffer).await.expect("a client that takes it goes on to get it");
    drop(deaf);
    drop(listening);
    eventually("the last one ends with its reader", || held() == 0).await;
    served.stop().await;
}

#[tokio::test]
async fn headers_have_a_number_and_a_size() {
    let served = Served::start(Timeouts::default(), None).await;
    let many: String = (0..5_000).map(|number| format!("X-{number}: a\r\n")).collect();
    let long = format!("X-Long: {}\r\n", "a".repeat(1_000_000));
    let cookie = format!("Cookie: {}\r\n", "a=b; ".repeat(200_000));
    let path = "a".repeat(100_000);
    for (path, headers) in
        [("canary", &many), ("canary", &long), ("canary", &cookie), (path.as_str(), &String::new())]
    {
        let request = format!("GET /{path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
        let mut stream = served.connect().await;
        // It may be closed before it has heard all.
        let _ = stream.write_all(request.as_bytes()).await;
        let answer = all_of(&mut stream).await.expect("it is closed");
        assert!(statuses(&answer).iter().all(|status| matches!(status, 400 | 414 | 431)), "{answer}");
        served.is_well().await;
    }
    assert_eq!(served.canaries(), 0);
    served.stop().await;
}

#[tokio::test]
async fn a_client_that_dawdles_does_not_hold_up_the_stop() {
    let served =
        Served::start(Timeouts { drain: Duration::from_millis(200), ..Timeouts::default() }, None).await;
    let _deaf = served.saying("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    let _silent = served.connect().await;
    let _half = served.saying("POST /change HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\na").await;
    eventually("an answer is being given", || served.endless.load(Ordering::SeqCst) == 1).await;
    served.stop().await;
}
