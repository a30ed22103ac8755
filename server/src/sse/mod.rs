//! `GET /events`: what happens, as server-sent events, to every open tab.
//!
//! | Message | Data | When |
//! |---|---|---|
//! | `hello` | `{"now_ms", "build", "who"}` | first; its `id` is the place in the stream, unless events are replayed behind it |
//! | `jobs` | an array of events; `id` is that of the last | within 100 ms of the first of them |
//! | `reset` | `{"reason"}`; `id` is the place to go on from | events are missing: read everything once |
//! | `heartbeat` | `{}`, or `{"away": true}` while Redis does not answer | after 2 s of silence, so that proxies, pages and we notice who is gone |
//!
//! Events are hints that something is to be read again. No gap is silent: a
//! browser that comes back with `Last-Event-ID` gets what it missed, or `reset`.

mod client;
mod slots;

pub(crate) use slots::open_streams;

use crate::auth::bearer;
use crate::middleware::client_ip::address_of;
use crate::problem::Problem;
use axum::Router;
use axum::extract::State;
use axum::response::sse::Sse;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use client::Client;
use futures_util::stream::unfold;
use http::{Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use reprieve::Engine;
use reprieve::model::EventPlace;
use reprieve_access::{Checked, Credential, People, Principal, Tokens};
use slots::Slots;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Messages that wait for one client. Few: they are stale soon, and a full queue is how a stuck client shows.
const QUEUE_MAX: usize = 4;

/// How often a stream asks whether its session or token still is one: what was taken from somebody is gone within two
/// seconds.
const SESSION_CHECKED: Duration = Duration::from_secs(1);

/// All open streams of a namespace in this process. Clone is cheap.
#[derive(Clone)]
pub struct Live {
    shared: Arc<Shared>,
}

struct Shared {
    engine: Engine,
    build: String,
    slots: Slots,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Live {
    /// Begins to serve; `build` names the build, so that a page knows when it is older than the server. `shutdown` ends every
    /// stream.
    #[must_use]
    pub fn start(engine: Engine, build: impl Into<String>, shutdown: CancellationToken) -> Self {
        Self::with(Slots::default(), engine, build.into(), shutdown)
    }

    /// The same for another namespace of this process: both together have one limit, and end with one token.
    #[must_use]
    pub fn beside(&self, engine: Engine, build: impl Into<String>) -> Self {
        Self::with(self.shared.slots.clone(), engine, build.into(), self.shared.shutdown.clone())
    }

    fn with(slots: Slots, engine: Engine, build: String, shutdown: CancellationToken) -> Self {
        let tasks = TaskTracker::new();
        let shared = Shared { engine, build, slots, tasks, shutdown };
        Self { shared: Arc::new(shared) }
    }

    /// The route. Serve it with connection info, or the limit per address cannot be kept.
    pub fn router(&self) -> Router {
        Router::new().route("/events", get(live_events)).with_state(self.clone())
    }

    /// Waits until every stream has ended, after the shutdown token fired.
    pub async fn drained(&self) {
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }
}

/// What happens, as server-sent events
///
/// Messages `hello`, `jobs`, `reset` and `heartbeat`; the header `Last-Event-ID` goes on behind a place.
#[utoipa::path(
    get, path = "/events", tag = "about",
    responses(
        (status = 200, description = "A stream that does not end by itself.", body = String, content_type = "text/event-stream"),
        (status = 503, description = "Too many live connections."),
    ),
    security(("token" = ["view"]))
)]
pub(crate) async fn live_events(
    State(live): State<Live>,
    extensions: Extensions,
    principal: Option<axum::Extension<Principal>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let shared = live.shared;
    // All who come through a proxy on this machine, and all tabs of the person at it, have one address.
    let address = address_of(&extensions).filter(|address| !address.is_loopback());
    if shared.shutdown.is_cancelled() {
        return Err(busy("the server is about to stop"));
    }
    let slot = shared.slots.take(address).map_err(busy)?;
    let (messages, waiting) = mpsc::channel(QUEUE_MAX);
    let principal = principal.map_or_else(Principal::nobody, |axum::Extension(principal)| principal);
    let client = Client::new(&shared.engine, &shared.build, messages).opened_by(&principal);
    // A request with a session may have a header that is for a proxy before us.
    let token = bearer(&headers).ok().flatten().map(str::to_owned);
    let engine = shared.engine.clone();
    let resume = last_event_id(&headers);
    let shutdown = shared.shutdown.clone();
    shared.tasks.spawn(async move {
        // Held as long as the stream lives.
        let _slot = slot;
        let stream = async {
            tokio::select! {
                () = client.run(resume) => {}
                () = over(&engine, &principal, token.as_deref()) => {}
            }
        };
        shutdown.run_until_cancelled(stream).await;
    });
    let stream = unfold(waiting, async |mut waiting| waiting.recv().await.map(|message| (message, waiting)));
    let mut response = Sse::new(stream).into_response();
    // nginx would collect the stream into blocks otherwise.
    response
        .headers_mut()
        .insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Waits until the session or token that opened the stream is over, or allows less than it did. Nothing is known while
/// Redis is away, and nothing comes either.
async fn over(engine: &Engine, principal: &Principal, token: Option<&str>) {
    let (people, tokens) = (People::new(engine), Tokens::new(engine));
    loop {
        tokio::time::sleep(SESSION_CHECKED).await;
        let still = match (principal.credential, token) {
            (Credential::Session, _) => match people.session(principal.session.as_str(), false).await {
                Ok(Some(now)) => Some(now.role) == principal.role && now.queues == principal.queues,
                Ok(None) => false,
                Err(_) => true,
            },
            (Credential::Token, Some(token)) => {
                !matches!(tokens.check(token).await, Ok(Checked::Expired(_) | Checked::Unknown))
            }
            // Its program knows: the browser comes again, and it is asked.
            (Credential::Host, _) => return tokio::time::sleep(HOST_CHECKED).await,
            _ => return std::future::pending().await,
        };
        if !still {
            return;
        }
    }
}

/// After how long a stream ends for somebody whom only the program around the dashboard knows.
const HOST_CHECKED: Duration = Duration::from_secs(60);

/// Where the browser was when it lost us.
fn last_event_id(headers: &HeaderMap) -> Resume {
    match headers.get("last-event-id").map(|value| value.to_str().unwrap_or_default()) {
        None | Some("") => Resume::Afresh,
        Some(text) => text.parse::<EventPlace>().map_or(Resume::Unknown, Resume::Behind),
    }
}

/// How a stream begins.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Resume {
    /// The page was just loaded.
    Afresh,
    /// It saw everything up to here.
    Behind(EventPlace),
    /// It names a place that is none of ours.
    Unknown,
}

fn busy(why: &'static str) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_streams", "Too many live connections", why)
        .retry_after(u16::try_from(client::retry().as_secs()).unwrap_or(u16::MAX))
}
