//! `POST /api/v1/imports/…`: foreign queues on the Redis that holds the jobs, observed, taken over, rolled back.
//!
//! A source on another Redis is for the configuration and the command line: a server that connects wherever a request
//! says would be a way into its network.

use super::import_shapes::{
    ImportPath, ObservationShape, RolledBackShape, SourceShape, StandingShape, TakenOverShape,
};
use super::reason::Reason;
use crate::access::Access;
use crate::body;
use crate::parse;
use crate::problem::Problem;
use axum::Json;
use axum::extract::{Path, Request};
use reprieve::{Engine, Error};
use reprieve_import::{
    ImportName, ImportStanding, ImportWarningCode, Importer, Layout, Observation, RolledBack, Source,
    TakenOver,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The importers' routes.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(routes!(observe))
        .routes(routes!(take_over))
        .routes(routes!(roll_back))
        .routes(routes!(standing))
}

/// See what a foreign queue holds
///
/// Counts, samples, and every item that cannot be taken with its reason. Changes nothing.
#[utoipa::path(
    post,
    path = "/api/v1/imports/{import}/observe",
    operation_id = "observe_import",
    tag = "imports",
    params(ImportPath),
    request_body(content = SourceShape),
    responses((status = 200, description = "What is there.", body = ObservationShape)),
    security(("token" = ["jobs.import"]))
)]
async fn observe(
    access: Access,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<Observation>, Problem> {
    let import = import(&access, &name, request).await?;
    import.observe().await.map(Json).map_err(|error| Problem::engine(&error))
}

/// Take a foreign queue over
///
/// Everything that can become a job becomes one. What `observe` warns of is refused unless `accept_warnings` names the
/// code of each warning. Cut off in the middle, by a time limit or a crash, nothing is lost
/// and nothing doubled: repeat it until nothing is taken any more.
#[utoipa::path(
    post,
    path = "/api/v1/imports/{import}/take-over",
    operation_id = "take_over_import",
    tag = "imports",
    params(ImportPath),
    request_body(content = SourceShape),
    responses((status = 200, description = "What was taken, and what stays.", body = TakenOverShape)),
    security(("token" = ["jobs.import"]))
)]
async fn take_over(
    access: Access,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<TakenOver>, Problem> {
    let import = import(&access, &name, request).await?;
    import.take_over(|_| ()).await.map(Json).map_err(|error| match error {
        Error::Invalid { field: "accept_warnings", .. } => {
            Problem::mistake("/accept_warnings", "warnings_not_accepted", error.to_string())
        }
        error => Problem::engine(&error),
    })
}

/// Roll an import back
///
/// What has not run and was not changed here goes back as it was; the rest stays and is named. Takes nothing over any
/// more until it is asked to again. Cut off in the middle, repeat it.
#[utoipa::path(
    post,
    path = "/api/v1/imports/{import}/roll-back",
    operation_id = "roll_back_import",
    tag = "imports",
    params(ImportPath),
    request_body(content = SourceShape),
    responses((status = 200, description = "What is back, and what stays.", body = RolledBackShape)),
    security(("token" = ["jobs.import"]))
)]
async fn roll_back(
    access: Access,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<RolledBack>, Problem> {
    let import = import(&access, &name, request).await?;
    import.roll_back(|_| ()).await.map(Json).map_err(|error| Problem::engine(&error))
}

/// See how far an importer is
///
/// How many items can be put back, how many are on their way, and whether it is open.
#[utoipa::path(
    post,
    path = "/api/v1/imports/{import}/standing",
    operation_id = "import_standing",
    tag = "imports",
    params(ImportPath),
    request_body(content = SourceShape),
    responses((status = 200, description = "How far it is.", body = StandingShape)),
    security(("token" = ["jobs.import"]))
)]
async fn standing(
    access: Access,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<ImportStanding>, Problem> {
    let import = import(&access, &name, request).await?;
    import.standing().await.map(Json).map_err(|error| Problem::engine(&error))
}

/// The importer that a request is about.
async fn import(access: &Access, name: &str, request: Request) -> Result<Importer, Problem> {
    let name = super::path_name::<ImportName>(name)?;
    let engine = access.importer()?;
    let text = body::text(request).await?;
    let Why { reason } = parse::whole(&text)?;
    let Asked { layout, accept_warnings, .. } =
        serde_json::from_str(&text).map_err(|why| Problem::mistake("", "invalid_source", plain(&why)))?;
    let import =
        Importer::new(&engine, name, Source::here(layout)).map_err(|error| Problem::engine(&error))?;
    Ok(import.by(access.principal().actor()).because(Reason::of(reason)).accepting(&accept_warnings))
}

/// A body. One serves every step, so each takes the reason that only those which change something write down.
#[derive(Deserialize)]
struct Asked {
    /// See [`Why`].
    #[serde(default, rename = "reason")]
    _reason: IgnoredAny,
    /// Which warnings somebody has read and takes over all the same.
    #[serde(default)]
    accept_warnings: Vec<ImportWarningCode>,
    #[serde(flatten)]
    layout: Layout,
}

/// Why, as every other act says it.
#[derive(Deserialize)]
struct Why {
    reason: Option<Reason>,
}

/// What is wrong, without the place in a text that nobody counts lines in.
fn plain(why: &serde_json::Error) -> String {
    let text = why.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}
