//! One rendering of a page for all tabs that ask for it because of the same events.
//!
//! Every open tab hears of a change at once, and each asks for its own page. Tabs of one visitor on one page would get the
//! same answer; it is rendered and compressed once. A script says in `x-heard` which events it knows of: a rendering that
//! began when somebody knew of those has them in it. Who asks was found out before, for each request.

use super::compression;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header::{ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_LENGTH, COOKIE, HOST, SET_COOKIE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use reprieve::model::EventPlace;
use reprieve_access::Principal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tower::{Layer as _, ServiceExt as _};

/// The events that a tab knows of, as the `id` of a message of the event stream.
const HEARD: HeaderName = HeaderName::from_static("x-heard");
/// How long a rendering is handed on. All tabs ask within 250 ms, and some pages change every second without an event.
const SHARED_FOR: Duration = Duration::from_millis(500);
/// Renderings at hand; one more takes the place of the oldest.
const RENDERINGS_MAX: usize = 64;
/// The latest renderings. Clone is cheap.
#[derive(Debug, Clone)]
pub(crate) struct SharedPages {
    renderings: Arc<Mutex<Vec<Rendering>>>,
    /// Whether nothing is done to a page behind this layer but sending it: else it is compressed for each tab.
    compresses: bool,
}

#[derive(Debug)]
struct Rendering {
    asked: Asked,
    heard: EventPlace,
    began: Instant,
    page: watch::Receiver<Option<Page>>,
}

/// What a page depends on, beside what it shows.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    address: Uri,
    /// Those that a page may depend on.
    headers: [Option<HeaderValue>; 4],
    principal: Principal,
}

/// A page as it was sent.
#[derive(Debug, Clone)]
enum Page {
    Shared(HeaderMap, Bytes),
    /// It is for one request alone.
    Own,
}

/// What one request does.
enum Turn {
    Renders(watch::Sender<Option<Page>>),
    Waits(watch::Receiver<Option<Page>>),
}

/// Answers with a rendering that another tab asked for, if there is one that will do.
pub(crate) async fn layer(State(pages): State<SharedPages>, request: Request, next: Next) -> Response {
    let Some((asked, heard)) = read(&request) else { return next.run(request).await };
    match pages.turn(asked, heard) {
        Turn::Waits(mut page) => {
            let page = page.wait_for(Option::is_some).await.ok().and_then(|page| page.clone());
            match page {
                Some(Page::Shared(headers, body)) => (headers, body).into_response(),
                // The one who asked for it may have gone away before it was there.
                Some(Page::Own) | None => next.run(request).await,
            }
        }
        Turn::Renders(page) => {
            let (response, shared) = render(request, next, pages.compresses).await;
            page.send_replace(Some(shared));
            response
        }
    }
}

/// What is asked for, and the events it is to show; `None` for what is shared with nobody.
fn read(request: &Request) -> Option<(Asked, EventPlace)> {
    let heard = request.headers().get(HEARD)?.to_str().ok()?.parse().ok()?;
    let mut principal = request.extensions().get::<Principal>()?.clone();
    // Neither is on any page.
    (principal.request, principal.address) = (String::new(), None);
    let headers =
        [COOKIE, ACCEPT_LANGUAGE, ACCEPT_ENCODING, HOST].map(|name| request.headers().get(name).cloned());
    (request.method() == Method::GET)
        .then(|| (Asked { address: request.uri().clone(), headers, principal }, heard))
}

async fn render(request: Request, next: Next, compresses: bool) -> (Response, Page) {
    let response = if compresses {
        let Ok(response) = compression::layer().layer(next).oneshot(request).await;
        response.map(Body::new)
    } else {
        next.run(request).await
    };
    if response.status() != StatusCode::OK || response.headers().contains_key(SET_COOKIE) {
        return (response, Page::Own);
    }
    let (mut parts, body) = response.into_parts();
    // A page has no bound of its own that could be named here; what rendered it has.
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return (StatusCode::INTERNAL_SERVER_ERROR.into_response(), Page::Own);
    };
    parts.headers.remove(CONTENT_LENGTH);
    let shared = Page::Shared(parts.headers.clone(), body.clone());
    (Response::from_parts(parts, Body::from(body)), shared)
}

impl SharedPages {
    /// None yet. `compresses` where nothing is done to a page behind this layer but sending it.
    pub(crate) fn new(compresses: bool) -> Self {
        Self { renderings: Arc::default(), compresses }
    }

    fn turn(&self, asked: Asked, heard: EventPlace) -> Turn {
        let mut all = self.renderings.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|rendering| rendering.began.elapsed() < SHARED_FOR);
        let known = all.iter().find(|known| known.heard.covers(&heard) && known.asked == asked);
        if let Some(known) = known {
            return Turn::Waits(known.page.clone());
        }
        let (page, waiting) = watch::channel(None);
        if all.len() >= RENDERINGS_MAX {
            all.remove(0);
        }
        all.push(Rendering { asked, heard, began: Instant::now(), page: waiting });
        Turn::Renders(page)
    }
}
