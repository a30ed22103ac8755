//! What is told while the engine cannot answer: a page to a visitor who opens one or sends a form, to a script of a page the
//! error that its functions have, to everybody else a problem.

use super::refuse::{answer, area_of, is_page};
use crate::problem::Problem;
use app::door::{self, AGAIN_SECONDS, Away, Halt, Sent, Stopped, next_page};
use app::error::ApiError;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use http::header::{HeaderName, HeaderValue, RETRY_AFTER};
use http::request::Parts;
use leptos::prelude::{IntoView, Owner, provide_context};
use leptos_axum::render_app_async_with_context;
use reprieve::Error;
use std::sync::Arc;

/// What the app finds in the context of every page.
pub(crate) type Context = Arc<dyn Fn() + Send + Sync>;

/// What stood in the way.
#[derive(Debug, Clone)]
struct Untold(Error);

/// The engine cannot answer. Where it is known who asked, [`tell`] makes a response of it.
pub(super) fn untold(error: &Error) -> Response {
    let mut response = StatusCode::SERVICE_UNAVAILABLE.into_response();
    response.extensions_mut().insert(Untold(error.clone()));
    response
}

/// The error of a response by [`untold`].
pub(super) fn read(response: &Response) -> Option<Error> {
    response.extensions().get::<Untold>().map(|Untold(error)| error.clone())
}

/// Tells of it. `is_begun` says whether something of what was asked may have been done.
pub(super) async fn tell(context: &Context, asked: Option<&Parts>, error: Error, is_begun: bool) -> Response {
    let problem = || Problem::engine(&error).into_response();
    let Some(parts) = asked else { return problem() };
    if is_page(parts) {
        return page(context, parts, failure(context, parts, error), is_begun).await;
    }
    if !parts.uri.path().starts_with("/api/fn/") {
        return problem();
    }
    let error = failure(context, parts, error);
    later(answer(parts, &error, error.code(), ""))
}

/// The error as a page has it. Which trouble it is, and in which language, says what pages find in their context.
fn failure(context: &Context, parts: &Parts, error: Error) -> ApiError {
    Owner::new().with(|| {
        context();
        provide_context(parts.clone());
        ApiError::from(error)
    })
}

/// A page that asks for itself again, as long as that does nothing.
pub(super) async fn page(context: &Context, parts: &Parts, error: ApiError, is_begun: bool) -> Response {
    let looks = parts.method.is_safe();
    // What has no room is refused as a whole.
    let may_be_done = is_begun && error != ApiError::StorageFull;
    let sent = match (looks, may_be_done) {
        (true, _) => Sent::Nothing,
        (false, true) => Sent::Unknown,
        (false, false) => Sent::Undone,
    };
    let path = parts.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    let next = if looks { next_page(path) } else { area_of(parts.uri.path()) };
    let status = StatusCode::from(&error);
    // What took too long is not asked for again and again by itself.
    let passes = matches!(error, ApiError::Unavailable { .. });
    let away = Away { error, sent, next: next.to_owned() };
    let request = Request::from_parts(parts.clone(), Body::empty());
    let mut response = render(context, request, away, door::away).await;
    *response.status_mut() = status;
    if looks && passes {
        response.headers_mut().insert(HeaderName::from_static("refresh"), HeaderValue::from(AGAIN_SECONDS));
    }
    later(response)
}

/// The page that says what stopped a request before anything looked at what it asks for.
pub(super) async fn stopped(context: &Context, parts: &Parts, why: Stopped) -> Response {
    let path = parts.uri.path();
    let next = if why == Stopped::TooLong { next_page(path) } else { area_of(path) };
    let halt = Halt { why, next: next.to_owned() };
    render(context, Request::from_parts(parts.clone(), Body::empty()), halt, door::stopped).await
}

/// A page that finds in its context what it is about.
pub(super) async fn render<T, V>(context: &Context, request: Request, about: T, view: fn() -> V) -> Response
where
    T: Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let context = context.clone();
    let context = move || {
        context();
        provide_context(about.clone());
    };
    render_app_async_with_context(context, view)(request).await
}

/// Says when to ask again, where that helps.
fn later(mut response: Response) -> Response {
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(AGAIN_SECONDS));
    }
    response
}
