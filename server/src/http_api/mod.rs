//! The HTTP API: producers in any language, and people with curl.
//!
//! Every answer is JSON; every answer that is not what was asked for is an RFC
//! 9457 problem with a stable `code`. Times are Unix milliseconds. A slash in
//! an id or subject is written `%2F`: a name in an address is one segment.

mod act;
mod audit;
mod batches;
mod bulk;
mod carry;
mod cron;
mod due;
mod enqueue;
mod events;
mod halt;
mod imports;
mod limits;
mod log;
mod measures;
pub(crate) mod new_job;
mod once;
mod plans;
mod publication;
mod query;
mod queues;
mod read;
mod reason;
mod refusals;
mod retention;
mod reveal;
mod rules;
mod search;
mod settings;
mod shapes;
mod subjects;
mod view;
mod views;
mod work;
mod workers;

pub(crate) use batches::{BatchAnswerView, BatchView, batch_from_text, batch_jobs_from_text};
pub(crate) use cron::{CronFireView, CronView, TickView};
pub(crate) use halt::HaltView;
pub(crate) use plans::{PlanView, plan_from_text};
pub(crate) use queues::QueueView;
pub(crate) use reason::REASON_BYTES_MAX;
pub(crate) use retention::RetentionView;
pub(crate) use reveal::PartView;
pub(crate) use rules::{RuleView, hours as window_hours};
pub(crate) use view::{JobView, Payload, RowView};
pub(crate) use workers::WorkerView;

use crate::problem::Problem;
use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use http::uri::PathAndQuery;
use http::{StatusCode, Uri};
use percent_encoding::percent_decode_str;
use reprieve::Engine;
use reprieve::model::{InvalidName, Permission};
use std::str::FromStr;
use tower::ServiceExt as _;
use utoipa::openapi::PathItem;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::SecurityRequirement;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

/// Under this name operations ask for a token; the words behind it are permissions.
pub(crate) const TOKEN: &str = "token";
/// Where everything of the API is.
const ROOT: &str = "/api";

/// These routes under `/api/v1`. A layer around them puts an [`reprieve_access::Principal`] into each request;
/// without one everything is forbidden.
pub(crate) fn router(routes: Router<Engine>, engine: Engine) -> Router {
    let routes = routes
        .fallback(async || no_such_route())
        .method_not_allowed_fallback(async || {
            Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "This address does not take that method",
                "the header `Allow` says which it takes",
            )
        })
        .with_state(engine);
    // Before any handler reads a name out of the address.
    let routes = routes.layer(axum::middleware::from_fn(readable));
    Router::new().nest_service(ROOT, routes.map_request(whole))
}

/// Every route of the API, by the tags of the document. Each brings its part of it.
pub(crate) fn routes() -> OpenApiRouter<Engine> {
    let jobs = enqueue::routes().merge(read::routes()).merge(search::routes());
    let about = measures::routes().merge(workers::routes()).merge(events::routes()).merge(audit::routes());
    [
        ("jobs", jobs.merge(act::routes()).merge(reveal::routes())),
        ("subjects", subjects::routes().merge(log::routes())),
        ("plans", plans::routes()),
        ("batches", batches::routes()),
        ("queues", queues::routes().merge(limits::routes()).merge(halt::routes())),
        ("rules", rules::routes().merge(retention::routes()).merge(settings::routes())),
        ("bulk", bulk::routes()),
        ("cron", cron::routes()),
        ("work", work::routes()),
        ("imports", imports::routes()),
        ("about", about),
    ]
    .into_iter()
    .map(|(tag, routes)| tagged(tag, routes))
    .fold(OpenApiRouter::new(), OpenApiRouter::merge)
}

/// Sets the tag of routes that name none. A GET that names no permission needs `view`.
fn tagged(tag: &str, mut routes: OpenApiRouter<Engine>) -> OpenApiRouter<Engine> {
    for item in routes.get_openapi_mut().paths.paths.values_mut() {
        if let Some(read) = &mut item.get {
            read.security.get_or_insert_with(|| vec![token_with(Permission::View)]);
        }
        for operation in operations_mut(item) {
            operation.tags.get_or_insert_with(|| vec![tag.to_owned()]);
        }
    }
    routes
}

/// Documents which permission routes need. Their handlers check it.
fn needs(
    permission: Permission,
    (schemas, mut paths, router): UtoipaMethodRouter<Engine>,
) -> UtoipaMethodRouter<Engine> {
    for operation in paths.paths.values_mut().flat_map(operations_mut) {
        operation.security = Some(vec![token_with(permission)]);
    }
    (schemas, paths, router)
}

fn token_with(permission: Permission) -> SecurityRequirement {
    SecurityRequirement::new(TOKEN, [permission.as_str()])
}

/// The operations of an address.
pub(crate) fn operations_mut(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post].into_iter().flatten()
}

/// Refuses an address that is no text once its escapes are resolved.
async fn readable(request: Request, next: axum::middleware::Next) -> Response {
    if percent_decode_str(request.uri().path()).decode_utf8().is_ok() {
        return next.run(request).await;
    }
    Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "invalid_name",
        "The address cannot be read",
        "what is escaped in it is not UTF-8",
    )
    .into_response()
}

/// Gives an address its beginning back, which mounting took.
fn whole(mut request: Request) -> Request {
    let rest = request.uri().path_and_query().map_or("/", PathAndQuery::as_str);
    // What was an address with its beginning is one again.
    if let Ok(whole) = format!("{ROOT}{rest}").parse::<Uri>() {
        *request.uri_mut() = whole;
    }
    request
}

/// Nothing is at this address.
fn no_such_route() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "no_such_route",
        "Nothing is at this address",
        "a slash in an id or subject is written `%2F`; /api/v1/openapi.json lists all addresses, and /api/docs shows \
         them",
    )
}

/// A name out of the path.
fn path_name<T: FromStr<Err = InvalidName>>(text: &str) -> Result<T, Problem> {
    text.parse().map_err(|why: InvalidName| Problem::engine(&reprieve::Error::InvalidName(why)))
}
