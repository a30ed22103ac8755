//! A receiver of webhooks on this machine that answers as it is told.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
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
}

impl Sink {
    /// Listens on a port of its own until the test ends.
    pub(crate) async fn answering(reply: Reply) -> Self {
        let inner = Arc::new(Inner { reply, deliveries: Mutex::default(), count: watch::Sender::new(0) });
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
        tokio::time::timeout(std::time::Duration::from_secs(20), enough)
            .await
            .expect("nothing arrived")
            .unwrap();
        self.so_far()
    }

    /// What has arrived by now.
    pub(crate) fn so_far(&self) -> Vec<Delivery> {
        self.inner.deliveries.lock().unwrap().clone()
    }
}

async fn receive(State(sink): State<Arc<Inner>>, headers: HeaderMap, body: Bytes) -> Response {
    sink.deliveries.lock().unwrap().push(Delivery { headers, body });
    sink.count.send_modify(|count| *count += 1);
    let Some((status, headers, body)) = sink.reply.clone() else {
        return std::future::pending().await;
    };
    let mut response = (StatusCode::from_u16(status).unwrap(), Body::from(body)).into_response();
    for (name, value) in headers {
        response.headers_mut().insert(name, value.parse().unwrap());
    }
    response
}
