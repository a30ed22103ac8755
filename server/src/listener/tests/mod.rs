//! What visitors do to a connection, by raw sockets against the listener with every route and layer behind it.

mod crowded;
mod over_tls;
mod slow;
mod smuggling;

use super::{Listener, bind};
use crate::config::AllowedHost;
use crate::dashboard::Dashboard;
use crate::router::router;
use crate::sse::Live;
use crate::timeouts::Timeouts;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request};
use axum::routing::{get, post};
use futures_util::stream;
use reprieve::testing::TestRedis;
use rustls::ServerConfig;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Longest anything may take on a busy machine.
const LONG: Duration = Duration::from_secs(30);

/// A listener at work.
struct Served {
    address: SocketAddr,
    /// How often the route was reached that nobody should reach.
    canary: Arc<AtomicUsize>,
    /// Answers without an end that are being given.
    endless: Arc<AtomicUsize>,
    stop: CancellationToken,
    task: JoinHandle<()>,
    _redis: TestRedis,
}

impl Served {
    async fn start(timeouts: Timeouts, tls: Option<Arc<ServerConfig>>) -> Self {
        Self::with(timeouts, tls, 1_024).await
    }

    /// With so many places.
    async fn with(timeouts: Timeouts, tls: Option<Arc<ServerConfig>>, most: usize) -> Self {
        let redis = TestRedis::namespace().await;
        let (canary, endless): (Arc<AtomicUsize>, Arc<AtomicUsize>) = Default::default();
        let mut dashboard = Dashboard::new(redis.engine().clone())
            .allowed_hosts(&[AllowedHost::read("jobs.example").unwrap()]);
        if tls.is_some() {
            dashboard = dashboard.tls();
        }
        let tcp = bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let (address, stop) = (tcp.local_addr().unwrap(), CancellationToken::new());
        let live = Live::start(redis.engine().clone(), "test", stop.clone());
        let routes = router(&dashboard, routes(&canary, &endless).merge(live.router()));
        let listener = Listener { timeouts, most, ..Listener::new(tcp, tls, routes) };
        let task = tokio::spawn(listener.serve(stop.clone()));
        Self { address, canary, endless, stop, task, _redis: redis }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// A connection that has begun to say this.
    async fn saying(&self, text: &str) -> TcpStream {
        let mut stream = self.connect().await;
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }

    /// Whether somebody who behaves is served, at once.
    async fn is_well(&self) {
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let answer = all_of(&mut self.saying(request).await).await.expect("an answer to who behaves");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    fn canaries(&self) -> usize {
        self.canary.load(Ordering::SeqCst)
    }

    async fn stop(self) {
        self.stop.cancel();
        timeout(LONG, self.task).await.expect("it stops").unwrap();
    }
}

fn routes(canary: &Arc<AtomicUsize>, endless: &Arc<AtomicUsize>) -> Router {
    let (canary, endless) = (Arc::clone(canary), Arc::clone(endless));
    let reached = move || async move { canary.fetch_add(1, Ordering::SeqCst).to_string() };
    let told = async |ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request| {
        let header = |name| request.headers().get_all(name).iter().map(|value| value.to_str().unwrap());
        let (hosts, cookies): (Vec<_>, Vec<_>) = (header("host").collect(), header("cookie").collect());
        format!("{peer} {} {hosts:?} {cookies:?} {:?}", request.uri(), request.version())
    };
    Router::new()
        .route("/canary", get(reached.clone()).post(reached))
        .route("/told", get(told))
        .route("/change", post(async |body: Bytes| format!("changed by {} bytes", body.len())))
        .route("/endless", get(move || async move { Endless::begin(endless) }))
}

/// An answer that never ends, counted as long as it is held.
struct Endless(Arc<AtomicUsize>);

impl Endless {
    fn begin(count: Arc<AtomicUsize>) -> Body {
        count.fetch_add(1, Ordering::SeqCst);
        let chunk = Bytes::from(vec![b'x'; 64 * 1024]);
        Body::from_stream(stream::unfold(Self(count), move |held| {
            let chunk = chunk.clone();
            async move { Some((Ok::<_, Infallible>(chunk), held)) }
        }))
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Everything until the other end closes, or `None` if it does not.
async fn all_of(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    let read = async {
        let mut buffer = [0; 4_096];
        // A reset is an end as well.
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            bytes.extend_from_slice(&buffer[..count]);
        }
    };
    timeout(LONG, read).await.ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The status of every answer in what was read.
fn statuses(answers: &str) -> Vec<u16> {
    let status = |rest: &str| rest.get(..3).and_then(|digits| digits.parse().ok());
    answers.split("HTTP/1.1 ").skip(1).filter_map(status).collect()
}

/// Looks until something holds; there is nothing to wait on across a socket.
async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let looking = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LONG, looking).await.expect(what);
}

#[tokio::test]
async fn every_request_says_where_it_comes_from() {
    let served = Served::start(Timeouts::default(), None).await;
    let mut stream =
        served.saying("GET /told HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
    let own = stream.local_addr().unwrap();

    let answer = all_of(&mut stream).await.unwrap();

    assert!(answer.ends_with(&format!("{own} /told [\"localhost\"] [] HTTP/1.1")), "{answer}");
    served.stop().await;
}
