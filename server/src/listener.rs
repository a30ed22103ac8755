//! Connections: so many at once, and none that dawdles over its headers.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Connections at once. All come from this machine, so there is no separate limit for each peer.
const CONNECTIONS_MAX: usize = 1_024;
/// A browser sends its headers at once; who takes longer holds the line on purpose.
const HEADERS_READ_MAX: Duration = Duration::from_secs(10);
/// Our own pages send about twenty headers.
const HEADERS_MAX: usize = 100;
/// All headers together, in bytes.
const HEADER_BYTES_MAX: usize = 64 * 1024;
/// How long answers under way may take once the program stops.
const DRAIN_MAX: Duration = Duration::from_secs(5);
/// Out of file handles: waiting a little is better than spinning.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop`, then lets answers under way finish.
pub(crate) async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let connections = TaskTracker::new();
    while let Some((stream, place)) = stop.run_until_cancelled(next(&listener, &places)).await {
        let (router, stop) = (router.clone(), stop.clone());
        connections.spawn(async move {
            serve_one(stream, router, stop).await;
            drop(place);
        });
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn next(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, tokio::sync::OwnedSemaphorePermit) {
    loop {
        // The semaphore is never closed.
        let Ok(place) = places.clone().acquire_owned().await else { std::future::pending().await };
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(why) => {
                tracing::warn!("a connection could not be taken: {why}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn serve_one(stream: TcpStream, router: Router, stop: CancellationToken) {
    // Only speed is lost if this fails.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_READ_MAX)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEADER_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    // How a single connection ends (reset, half a request) is the visitor's business.
    let Some(_) = stop.run_until_cancelled(connection.as_mut()).await else {
        connection.as_mut().graceful_shutdown();
        let _ = tokio::time::timeout(DRAIN_MAX, connection).await;
        return;
    };
}
