//! The document of the API: OpenAPI 3.1, made from the code of the routes.
//!
//! Every route brings its own part: `#[utoipa::path]` above the handler, summary and description from its doc
//! comment. Tags and permissions are given where the routes are put together, see [`http_api::routes`].

use super::bounds;
use crate::config::BasePath;
use crate::http_api::{self, TOKEN, operations_mut};
use crate::problem::ProblemView;
use axum::{Extension, Json};
use reprieve::Engine;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::LazyLock;
use utoipa::OpenApi as _;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Reprieve",
        description = "Delayed jobs on Redis that can be called off. Bodies and answers are JSON, times are whole \
                       milliseconds since 1970 by Redis's clock, lists go on with a cursor, and whatever is not what \
                       was asked for is a problem with a stable `code`."
    ),
    components(schemas(ProblemView)),
    tags(
        (name = "jobs", description = "Enqueue, read and act on jobs."),
        (name = "subjects", description = "Everything about one business thing at once."),
        (name = "plans", description = "Several jobs of a subject from one anchor, as one thing."),
        (name = "batches", description = "Jobs that are counted together, and one that runs when all have ended."),
        (name = "queues", description = "Queues, their counts, and whether they are paused."),
        (name = "rules", description = "When jobs of a kind may start, how late, and how long ended jobs are kept."),
        (name = "bulk", description = "One verb on many jobs, frozen first, with an outcome for each."),
        (name = "cron", description = "Jobs that are enqueued again and again."),
        (name = "work", description = "Claim jobs and report on them: workers in any language, without Redis."),
        (name = "imports", description = "Foreign queues: a plain sorted set, and those of other systems."),
        (name = "files", description = "Lists as files."),
        (name = "about", description = "What there is, and what this server says of itself."),
    )
)]
struct About;

/// What programs may call beside `/api/v1`.
#[derive(utoipa::OpenApi)]
#[openapi(paths(
    crate::health::healthz,
    crate::health::readyz,
    crate::metrics::metrics_page,
    crate::sse::live_events,
    crate::export::document::export_jobs,
    crate::export::document::export_payloads,
    crate::export::document::export_audit,
    crate::export::document::export_outcomes,
    crate::export::document::export_forecast,
))]
struct Beside;

/// The document without its routes.
fn about() -> OpenApi {
    let mut about = About::openapi();
    let token = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "A token made with `reprieve token add`. Each operation names the permission it needs. Whether a \
             request without a token is answered is the setting `api_auth`.",
        ))
        .build();
    about.components.get_or_insert_default().add_security_scheme(TOKEN, SecurityScheme::Http(token));
    about
}

/// The routes of the API, and the one of this document.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::with_openapi(about()).merge(http_api::routes()).routes(routes!(openapi))
}

/// The whole document.
pub(super) fn describe() -> OpenApi {
    let mut document = routes().into_openapi();
    document.merge(Beside::openapi());
    for item in document.paths.paths.values_mut() {
        for operation in operations_mut(item) {
            let responses = &mut operation.responses.responses;
            responses
                .entry("default".to_owned())
                .or_insert(Response::new("Anything else, as a problem.").into());
            for (status, response) in responses.iter_mut() {
                if let RefOr::T(response) = response
                    && is_problem(status)
                    && response.content.is_empty()
                {
                    let content =
                        ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
                    response.content.insert("application/problem+json".to_owned(), content);
                }
            }
        }
    }
    document
}

/// Whether an answer of that status is not what was asked for.
fn is_problem(status: &str) -> bool {
    status.parse().map_or(true, |status: u16| status >= 400)
}

/// The document, made once.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = serde_json::to_value(describe()).unwrap_or_default();
    bounds::put_into(&mut document);
    document
});

/// The document as JSON.
#[must_use]
pub fn document() -> &'static Value {
    &DOCUMENT
}

/// This document
///
/// OpenAPI 3.1, made from the code. `/api/docs` is a page to read it.
#[utoipa::path(
    get,
    path = "/api/v1/openapi.json",
    tag = "about",
    responses((status = 200, description = "The document.", body = Value)),
    security(())
)]
async fn openapi(base: Option<Extension<BasePath>>) -> Json<Cow<'static, Value>> {
    let mut document = Cow::Borrowed(document());
    if let Some(Extension(base)) = base {
        document.to_mut()["servers"] = json!([{ "url": base.as_str() }]);
    }
    Json(document)
}
