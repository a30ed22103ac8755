//! One connection, from its first byte to its last.

use super::Listener;
use super::heads::Heads;
use super::unread::Unread;
use super::waiting::{Coming, Going, Seat};
use crate::timeouts::Timeouts;
use crate::tls;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::header::{CONNECTION, COOKIE, HOST, TRANSFER_ENCODING};
use http::uri::Scheme;
use http::{HeaderName, HeaderValue, Request, Response, Uri, Version};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// How long an idle connection is kept.
const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
/// Our own pages send about twenty headers.
const HEADERS_MAX: usize = 100;
/// All headers together, in bytes; hyper may go up to twice as far before it looks.
const HEADER_BYTES_MAX: usize = 64 * 1024;
/// Requests of one connection of HTTP/2 at once: a page with its files and its stream has about twenty.
const STREAMS_MAX: u32 = 64;
/// What is kept of an answer that HTTP/2 may not send yet, in bytes.
const SEND_BYTES_MAX: usize = 64 * 1024;
/// How often a visitor of HTTP/2 is asked whether they are still there.
const PING_EVERY: Duration = Duration::from_secs(20);
/// How long somebody whose place others need may still take the end of what they were sent.
const CROWDED_OUT: Duration = Duration::from_millis(20);
/// The first byte of a handshake of TLS.
const HANDSHAKE: u8 = 0x16;

/// What somebody is told who speaks plain HTTP where TLS is spoken. No redirect: somebody on the way could have
/// answered it.
const NOT_PLAIN: &str = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 44\r\n\
     Connection: close\r\n\r\nthis address speaks TLS: begin with https://";

/// Serves one connection to its end.
pub(super) async fn serve(
    listener: &Listener,
    stream: TcpStream,
    peer: SocketAddr,
    seat: Seat,
    stop: &CancellationToken,
) {
    let timeouts = listener.timeouts;
    // Only speed is lost if this fails.
    let _ = stream.set_nodelay(true);
    let Some(tls) = &listener.tls else {
        let line = Line { peer, timeouts, seat, scheme: Scheme::HTTP, router: listener.router.clone() };
        return line.serve(Unread::new(stream, timeouts.unread), Version::HTTP_11, stop).await;
    };
    let handshake = async {
        if is_plain(&stream).await {
            tell_plain(stream).await;
            return None;
        }
        tls.accept(Unread::new(stream, timeouts.unread)).await.ok()
    };
    let handshake = async {
        tokio::select! {
            stream = handshake => stream,
            () = seat.crowded_out() => None,
        }
    };
    let handshake = listener.handshakes.within(timeouts.handshake, handshake);
    let Some(Some(Some(stream))) = stop.run_until_cancelled(handshake).await else { return };
    let agreed = match stream.get_ref().1.alpn_protocol() {
        Some(tls::HTTP_2) => Version::HTTP_2,
        _ => Version::HTTP_11,
    };
    let line = Line { peer, timeouts, seat, scheme: Scheme::HTTPS, router: listener.router.clone() };
    line.serve(stream, agreed, stop).await;
}

/// Whether the visitor began with something else than a handshake.
async fn is_plain(stream: &TcpStream) -> bool {
    let mut first = [HANDSHAKE];
    stream.peek(&mut first).await.is_ok_and(|count| count == 1) && first != [HANDSHAKE]
}

async fn tell_plain(mut stream: TcpStream) {
    // A stream that is closed with something unread takes the answer back.
    let _ = stream.read(&mut [0; 4_096]).await;
    let _ = stream.write_all(NOT_PLAIN.as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// Whose it is, and what it leads to.
#[derive(Clone)]
struct Line {
    peer: SocketAddr,
    timeouts: Timeouts,
    seat: Seat,
    scheme: Scheme,
    router: Router,
}

impl Line {
    async fn serve(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        version: Version,
        stop: &CancellationToken,
    ) {
        let Timeouts { drain, life, headers, .. } = self.timeouts;
        // HTTP/2 asks by itself whether its visitor is still there.
        let headers = if version == Version::HTTP_2 { life } else { headers };
        let stream = Heads::new(stream, self.seat.clone(), headers);
        let (builder, life) = match version {
            Version::HTTP_2 => (self.builder().http2_only(), life),
            _ => (self.builder().http1_only(), Duration::MAX),
        };
        let seat = self.seat.clone();
        let service = tower::service_fn(move |request| self.clone().answer(request));
        let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        let mut connection = std::pin::pin!(connection);
        // How a single connection ends (reset, half a request) is the visitor's business.
        let served = stop.run_until_cancelled(connection.as_mut());
        let grace = tokio::select! {
            served = tokio::time::timeout(life, served) => match served {
                Ok(Some(_)) => return,
                _ => drain,
            },
            () = seat.crowded_out() => CROWDED_OUT,
        };
        connection.as_mut().graceful_shutdown();
        let _ = tokio::time::timeout(grace, connection).await;
    }

    fn builder(&self) -> Builder<TokioExecutor> {
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            // Begins when the last answer ends: how long headers take once they have begun, `Heads` sees to.
            .header_read_timeout(self.timeouts.idle)
            .max_headers(HEADERS_MAX)
            .max_buf_size(HEADER_BYTES_MAX);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(self.timeouts.headers)
            .max_concurrent_streams(STREAMS_MAX)
            .max_header_list_size(u32::try_from(HEADER_BYTES_MAX).unwrap_or(u32::MAX))
            .max_send_buf_size(SEND_BYTES_MAX);
        builder
    }

    async fn answer(self, mut request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
        let open = self.seat.open();
        // Who may come in, and how often somebody may guess, goes by where they come from.
        request.extensions_mut().insert(ConnectInfo(self.peer));
        request.extensions_mut().insert(self.scheme);
        request.extensions_mut().insert(self.timeouts);
        let framed = request.headers().contains_key(TRANSFER_ENCODING);
        let is_kept_alive = request.version() == Version::HTTP_11;
        let idle = self.timeouts.idle.as_secs();
        if request.version() == Version::HTTP_2 {
            as_before(&mut request);
        }
        let request = request.map(|body| Coming::new(body, self.seat.clone()));
        let coming = request.body().answering();
        let response = self.router.oneshot(request).await?;
        let mut response = response.map(|body| Going::of(body, &coming, &self.seat, open));
        if is_kept_alive
            && !framed
            && let Ok(says) = HeaderValue::from_str(&format!("timeout={idle}"))
        {
            // Clients that pool connections then do not send into one that is about to be closed.
            response.headers_mut().insert(KEEP_ALIVE, says);
        }
        if framed {
            // Where two ends may differ over the length of a body, what follows it may be a request that nobody sent.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(response)
    }
}

/// Gives a request of HTTP/2 the form of the versions before, which everything behind this reads: the host in its header,
/// the address without it, one header of cookies.
fn as_before(request: &mut Request<Incoming>) {
    let authority = request.uri().authority().cloned();
    // One that comes twice is compared behind this.
    if let Some(authority) = authority.filter(|_| !request.headers().contains_key(HOST))
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        request.headers_mut().insert(HOST, host);
        if let Some(path) = request.uri().path_and_query().cloned() {
            *request.uri_mut() = Uri::from(path);
        }
    }
    let crumbs: Vec<_> = request.headers().get_all(COOKIE).iter().map(HeaderValue::as_bytes).collect();
    if crumbs.len() > 1
        && let Ok(cookies) = HeaderValue::from_bytes(&crumbs.join(&b"; "[..]))
    {
        request.headers_mut().insert(COOKIE, cookies);
    }
}
