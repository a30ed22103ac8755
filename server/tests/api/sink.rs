//! A receiver of webhooks on this machine that answers as it is told.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// One request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Delivery {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// What it answers: status, headers, body. `None` never answers.
pub(crate) type Reply = Option<(u16, Vec<(&'static str, String)>, Vec<u8>)>;

/// The receiver.
pub(crate) struct Sink {
    pub(crate) address: SocketAddr,
    inner: Arc<Inner>,
}

struct Inner {
    reply: Reply,
    deliveries: Mutex<Vec<Delivery>>,
    count: watch::Sender<usize>,
    /// Whether it answers now, or when it is told to.
    answers: watch::Sender<bool>,
    /// Requests that went away before they were answered.
    gone: watch::Sender<usize>,
}

/// A request that is not answered yet.
struct Open(Arc<Inner>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.gone.send_modify(|gone| *gone += 1);
    }
}

/// As long as a busy machine may take.
const WAIT: Duration = Duration::from_secs(60);

impl Sink {
    /// Listens on a port of its own until the test ends.
    pub(crate) async fn answering(reply: Reply) -> Self {
        Self::start(reply, true).await
    }

    /// One that answers only once it is told to.
    pub(crate) async fn holding(reply: Reply) -> Self {
        Self::start(reply, false).await
    }

    async fn start(reply: Reply, answers: bool) -> Self {
        let (count, gone) = (watch::Sender::new(0), watch::Sender::new(0));
        let answers = watch::Sender::new(answers);
        let inner = Arc::new(Inner { reply, deliveries: Mutex::default(), count, answers, gone });
        let routes = Router::new().fallback(receive).with_state(inner.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { address, inner }
    }

    /// What has arrived, once it is at least that many.
    pub(crate) async fn deliveries(&self, count: usize) -> Vec<Delivery> {
        let mut arrived = self.inner.count.subscribe();
        let enough = arrived.wait_for(|arrived| *arrived >= count);
        tokio::time::timeout(WAIT, enough).await.expect("nothing arrived").unwrap();
        self.so_far()
    }

    /// From now on it answers, also what waits.
    pub(crate) fn answer(&self) {
        self.inner.answers.send_replace(true);
    }

    /// Waits until so many requests went away before they were answered.
    pub(crate) async fn broken_off(&self, count: usize) {
        let mut gone = self.inner.gone.subscribe();
        let enough = gone.wait_for(|gone| *gone >= count);
        tokio::time::timeout(WAIT, enough).await.expect("the request is still open").unwrap();
    }

    /// What has arrived by now.
    pub(crate) fn so_far(&self) -> Vec<Delivery> {
        self.inner.deliveries.lock().unwrap().clone()
    }
}

async fn receive(State(sink): State<Arc<Inner>>, headers: HeaderMap, body: Bytes) -> Response {
    sink.deliveries.lock().unwrap().push(Delivery { headers, body });
    sink.count.send_modify(|count| *count += 1);
    let open = Open(Arc::clone(&sink));
    let Some((status, headers, body)) = sink.reply.clone() else {
        return std::future::pending().await;
    };
    // The sender is never dropped before its receiver.
    let _ = sink.answers.subscribe().wait_for(|answers| *answers).await;
    std::mem::forget(open);
    let mut response = (StatusCode::from_u16(status).unwrap(), Body::from(body)).into_response();
    for (name, value) in headers {
        response.headers_mut().insert(name, value.parse().unwrap());
    }
    response
}
