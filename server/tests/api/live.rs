//! The event stream as a browser sees it: resumed, cut, crowded, stopped.

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use reprieve::model::{EventId, JobId};
use reprieve::testing::TestRedis;
use reprieve_server::sse::Live;
use serde_json::Value;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

const WAIT: Duration = Duration::from_secs(60);

/// A server with nothing but the stream.
struct Served {
    redis: TestRedis,
    address: SocketAddr,
    live: Live,
    shutdown: CancellationToken,
}

impl Served {
    async fn new() -> Self {
        let redis = TestRedis::namespace().await;
        let shutdown = CancellationToken::new();
        let live = Live::start(redis.engine().clone(), "build-1", shutdown.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let routes: Router = live.router();
        let service = routes.into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await });
        Self { redis, address, live, shutdown }
    }

    async fn open(&self, last_event_id: Option<&str>) -> Stream {
        let response = self.request(last_event_id).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Stream { response, text: String::new() }
    }

    async fn request(&self, last_event_id: Option<&str>) -> reqwest::Response {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut request = client.get(format!("http://{}/events", self.address));
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id);
        }
        request.send().await.unwrap()
    }

    async fn enqueue(&self, id: &str) -> JobId {
        let id: JobId = id.parse().unwrap();
        let client = self.redis.engine().client();
        client.enqueue_raw("k".parse().unwrap(), "{}").id(id.clone()).send().await.unwrap();
        id
    }
}

/// One message.
#[derive(Debug, Clone, Default)]
struct Message {
    event: String,
    id: String,
    retry: String,
    data: String,
}

impl Message {
    fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }

    fn jobs(&self) -> Vec<String> {
        let json = self.json();
        json.as_array().unwrap().iter().map(|event| event["job"].as_str().unwrap().to_owned()).collect()
    }
}

/// An open stream.
struct Stream {
    response: reqwest::Response,
    text: String,
}

impl Stream {
    /// The next message; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Message> {
        loop {
            if let Some((message, rest)) = self.text.split_once("\n\n") {
                let mut read = Message::default();
                for line in message.lines() {
                    let (name, value) = line.split_once(": ").unwrap_or((line, ""));
                    match name {
                        "event" => read.event = value.to_owned(),
                        "id" => read.id = value.to_owned(),
                        "retry" => read.retry = value.to_owned(),
                        "data" => read.data = value.to_owned(),
                        _ => {}
                    }
                }
                self.text = rest.to_owned();
                return Some(read);
            }
            let chunk = tokio::time::timeout(WAIT, self.response.chunk()).await.expect("silence");
            self.text.push_str(std::str::from_utf8(&chunk.ok()??).unwrap());
        }
    }

    /// The next message of that name.
    async fn of(&mut self, event: &str) -> Message {
        self.any(&[event]).await
    }

    /// The next message of one of those names.
    async fn any(&mut self, events: &[&str]) -> Message {
        let until = tokio::time::Instant::now() + WAIT;
        loop {
            let next = tokio::time::timeout_at(until, self.next()).await;
            let message = next.unwrap_or_else(|_| panic!("no {events:?}")).expect("the stream ended");
            if events.contains(&message.event.as_str()) {
                return message;
            }
        }
    }
}

#[tokio::test]
async fn a_stream_begins_with_the_time_the_build_and_its_place() {
    let served = Served::new().await;
    served.enqueue("a").await;

    let hello = served.open(None).await.next().await.unwrap();

    assert_eq!(hello.event, "hello");
    assert_eq!(hello.json()["build"], "build-1");
    let now_ms = served.redis.engine().now().await.unwrap().as_millis();
    assert!((now_ms - hello.json()["now_ms"].as_i64().unwrap()).abs() < 60_000);
    assert!((2_000..=10_000).contains(&hello.retry.parse::<u64>().unwrap()));
    assert!(hello.id.parse::<EventId>().unwrap() > EventId::ZERO);
}

#[tokio::test]
async fn what_happens_arrives_with_its_place() {
    let served = Served::new().await;
    let mut stream = served.open(None).await;
    stream.of("hello").await;

    served.enqueue("a").await;

    let jobs = stream.of("jobs").await;
    let event = &jobs.json()[0];
    assert_eq!((&event["job"], &event["to"]), (&"a".into(), &"ready".into()));
    assert!(jobs.id.parse::<EventId>().is_ok());
}

#[tokio::test]
async fn a_quiet_stream_says_that_it_lives() {
    let served = Served::new().await;
    served.enqueue("a").await;
    let mut stream = served.open(None).await;
    stream.of("hello").await;

    // After 2 s of silence.
    let heartbeat = stream.of("heartbeat").await;

    assert_eq!(heartbeat.json(), serde_json::json!({}), "a message without data is none to a browser");
    assert!(heartbeat.id.parse::<EventId>().is_ok(), "its place stays known");
}

#[tokio::test]
async fn a_browser_that_comes_back_gets_what_it_missed_and_nothing_twice() {
    let served = Served::new().await;
    let mut stream = served.open(None).await;
    stream.of("hello").await;
    served.enqueue("seen").await;
    let last = stream.of("jobs").await.id;
    drop(stream);
    served.enqueue("missed-1").await;
    served.enqueue("missed-2").await;

    let mut back = served.open(Some(&last)).await;
    let missed = back.of("jobs").await;
    served.enqueue("new").await;
    let new = back.of("jobs").await;

    assert_eq!(missed.jobs(), ["missed-1", "missed-2"]);
    assert_eq!(new.jobs(), ["new"]);
}

#[tokio::test]
async fn a_gap_is_told() {
    let served = Served::new().await;
    served.enqueue("a").await;
    served.enqueue("b").await;
    let events = format!("{}events", served.redis.prefix());
    served.redis.command(&["XTRIM", &events, "MAXLEN", "0"]).await.unwrap();
    served.enqueue("c").await;

    for place in ["1-0", "99999999999999-0", "nonsense"] {
        let mut stream = served.open(Some(place)).await;
        let reset = stream.of("reset").await;
        assert!(!reset.json()["reason"].as_str().unwrap().is_empty());
        assert!(reset.id.parse::<EventId>().unwrap() > EventId::ZERO, "{place}");
        served.enqueue(&format!("after-{place}")).await;
        assert_eq!(stream.of("jobs").await.jobs(), [format!("after-{place}")]);
    }
}

#[tokio::test]
async fn a_burst_is_told_in_few_messages_up_to_its_last_event() {
    let served = Served::new().await;
    let mut stream = served.open(None).await;
    stream.of("hello").await;

    let job = || reprieve::NewJob::new("k".parse().unwrap(), "{}");
    let client = served.redis.engine().client();
    let began = Instant::now();
    client.enqueue_batch((0..2_000).map(|_| job()).collect()).await.unwrap();
    let latest = served.redis.engine().events().latest().await.unwrap().to_string();

    let (mut told, mut resets, mut messages) = (0, 0, 0_u128);
    loop {
        let message = stream.any(&["jobs", "reset"]).await;
        messages += 1;
        if message.event == "jobs" {
            assert!(message.jobs().len() <= 200);
            told += message.jobs().len();
        } else {
            resets += 1;
        }
        if message.id == latest {
            break;
        }
    }
    assert!(resets > 0 || told == 2_000, "{told} of 2,000 were told, and nobody said that some are missing");
    // Ten that are full, and one for each tenth of a second.
    let most = 20 + began.elapsed().as_millis() / 100;
    assert!(messages <= most, "{messages} messages, {most} at most");
}

#[tokio::test]
async fn an_address_elsewhere_has_ten_streams_and_this_machine_no_limit_of_its_own() {
    let served = Served::new().await;
    let from = async |address: [u8; 4]| {
        let peer = SocketAddr::from((address, 4_000));
        let request = http::Request::get("/events").extension(ConnectInfo(peer)).body(Body::empty());
        served.live.router().oneshot(request.unwrap()).await.unwrap()
    };
    let mut open = Vec::new();
    for (address, streams) in [([203, 0, 113, 7], 10), ([203, 0, 113, 8], 1), ([127, 0, 0, 1], 11)] {
        for _ in 0..streams {
            let stream = from(address).await;
            assert_eq!(stream.status(), 200, "{address:?}");
            open.push(stream);
        }
    }

    let refused = from([203, 0, 113, 7]).await;

    assert_eq!(refused.status(), 503);
    let seconds: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((2..=10).contains(&seconds));
}

#[tokio::test]
async fn all_namespaces_of_a_program_have_one_limit() {
    let (served, other) = (Served::new().await, TestRedis::namespace().await);
    let beside = served.live.beside(other.engine().clone(), "build-1");
    let from = async |live: &Live, address: [u8; 4]| {
        let peer = SocketAddr::from((address, 4_000));
        let request = http::Request::get("/events").extension(ConnectInfo(peer)).body(Body::empty());
        live.router().oneshot(request.unwrap()).await.unwrap()
    };
    let mut open = Vec::new();
    for number in 0..10 {
        let live = if number % 2 == 0 { &served.live } else { &beside };
        let stream = from(live, [203, 0, 113, 7]).await;
        assert_eq!(stream.status(), 200, "{number}");
        open.push(stream);
    }

    for live in [&served.live, &beside] {
        assert_eq!(from(live, [203, 0, 113, 7]).await.status(), 503);
        assert_eq!(from(live, [203, 0, 113, 8]).await.status(), 200);
    }
}

#[tokio::test]
async fn shutting_down_ends_every_stream() {
    let served = Served::new().await;
    let mut stream = served.open(None).await;
    stream.of("hello").await;

    served.shutdown.cancel();

    let ended = async { while stream.next().await.is_some() {} };
    tokio::time::timeout(WAIT, ended).await.expect("the stream goes on");
    tokio::time::timeout(WAIT, served.live.drained()).await.expect("something still runs");
    assert_eq!(served.request(None).await.status(), 503);
}
