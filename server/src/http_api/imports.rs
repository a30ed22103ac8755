//! `POST /api/v1/imports/…`: foreign queues on the Redis that holds the jobs, observed, taken over, rolled back.
//!
//! A source on another Redis is for the configuration and the command line: a server that connects wherever a request
//! says would be a way into its network.

use super::needs;
use super::reason::Reason;
use crate::access::Access;
use crate::body;
use crate::parse;
use crate::problem::{Problem, Told};
use axum::Json;
use axum::extract::{Path, Request};
use axum::response::IntoResponse;
use reprieve::model::Permission;
use reprieve::{Engine, Error};
use reprieve_import::{
    ImportName, ImportStanding, ImportWarningCode, Importer, Layout, Observation, RolledBack, Source,
    TakenOver,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The importers' routes.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(needs(Permission::ImportJobs, routes!(observe)))
        .routes(needs(Permission::ImportJobs, routes!(take_over)))
        .routes(needs(Permission::ImportJobs, routes!(roll_back)))
        .routes(needs(Permission::ImportJobs, routes!(standing)))
}

/// A step of an import: its address and id in the document, what is said when it was done, with what, and how it is done.
macro_rules! step {
    (
        $(#[$doc:meta])*
        $function:ident, $path:literal, $id:literal, $done:literal: $shape:ident,
        |$import:ident| $act:expr
    ) => {
        $(#[$doc])*
        #[utoipa::path(
            post,
            path = $path,
            operation_id = $id,
            request_body(content = SourceShape),
            responses((status = 200, description = $done, body = $shape)),
        )]
        async fn $function(
            access: Access,
            Path(name): Path<String>,
            request: Request,
        ) -> Result<impl IntoResponse, Problem> {
            let $import = import(&access, &name, request).await?;
            $act.map(Json)
        }
    };
}

step!(
    /// See what a foreign queue holds
    ///
    /// Counts, samples, and every item that cannot be taken with its reason. Changes nothing.
    observe, "/api/v1/imports/{import}/observe", "observe_import", "What is there.": Observation,
    |import| import.observe().await.told()
);
step!(
    /// Take a foreign queue over
    ///
    /// Everything that can become a job becomes one. What `observe` warns of is refused unless `accept_warnings` names the
    /// code of each warning. Cut off in the middle, by a time limit or a crash, nothing is lost
    /// and nothing doubled: repeat it until nothing is taken any more.
    take_over, "/api/v1/imports/{import}/take-over", "take_over_import", "What was taken, and what stays.": TakenOver,
    |import| taken_over(import.take_over(|_| ()).await)
);
step!(
    /// Roll an import back
    ///
    /// What has not run and was not changed here goes back as it was; the rest stays and is named. Takes nothing over any
    /// more until it is asked to again. Cut off in the middle, repeat it.
    roll_back, "/api/v1/imports/{import}/roll-back", "roll_back_import", "What is back, and what stays.": RolledBack,
    |import| import.roll_back(|_| ()).await.told()
);
step!(
    /// See how far an importer is
    ///
    /// How many items can be put back, how many are on their way, and whether it is open.
    standing, "/api/v1/imports/{import}/standing", "import_standing", "How far it is.": ImportStanding,
    |import| import.standing().await.told()
);

/// What taking over came to. Warnings that the request does not accept are a mistake of its body.
fn taken_over(outcome: Result<TakenOver, Error>) -> Result<TakenOver, Problem> {
    outcome.map_err(|error| match error {
        Error::Invalid { field: "accept_warnings", .. } => {
            Problem::mistake("/accept_warnings", "warnings_not_accepted", error.to_string())
        }
        error => Problem::engine(&error),
    })
}

/// The importer that a request is about.
async fn import(access: &Access, name: &str, request: Request) -> Result<Importer, Problem> {
    let name = super::path_name::<ImportName>(name)?;
    let engine = access.importer()?;
    let text = body::text(request).await?;
    let Why { reason } = parse::whole(&text)?;
    let Asked { layout, accept_warnings, .. } =
        serde_json::from_str(&text).map_err(|why| Problem::mistake("", "invalid_source", plain(&why)))?;
    let import = Importer::new(&engine, name, Source::here(layout)).told()?;
    Ok(import.by(access.principal().actor()).because(Reason::of(reason)).accepting(&accept_warnings))
}

/// A foreign queue, and why something is done with it.
#[derive(ToSchema)]
#[schema(as = ImportSource, example = json!({ "format": "zset", "key": "due", "kind": "mail" }))]
#[expect(dead_code, reason = "it describes what is read as a layout")]
struct SourceShape {
    /// `zset`, `delayq`, `asynq`, `bullmq`, `sidekiq`, `rq`, `arq`, `bee-queue` or `celery`.
    format: String,
    /// zset: the key of the sorted set.
    key: Option<String>,
    /// zset: the kind of its jobs. delayq, bee-queue: the same; left out it is made of the topic or queue. rq, arq: the kind of
    /// jobs whose function cannot be read.
    kind: Option<String>,
    /// zset and delayq: the queue of its jobs.
    queue: Option<String>,
    /// zset: `auto`, `s`, `ms` or `us`.
    unit: Option<String>,
    /// zset: JSON pointer to the job's id in a member; left out it is made of the whole member.
    id: Option<String>,
    /// JSON pointer to the job's subject.
    subject: Option<String>,
    /// zset: attempts of a job.
    max_attempts: Option<u32>,
    /// delayq: the topic.
    topic: Option<String>,
    /// delayq: also what its workers are said to work on.
    processing: Option<bool>,
    /// Which queues of the system; none is all that it has a list of, `arq:queue`, or `celery`. bullmq and bee-queue have no list.
    queues: Option<Vec<String>>,
    /// asynq: also archived tasks, as dead jobs.
    archived: Option<bool>,
    /// asynq: also completed tasks, as done jobs.
    completed: Option<bool>,
    /// bullmq, sidekiq, bee-queue, celery: what the keys of all queues begin with; left out it is the usual: `bull`, nothing,
    /// `bq`, nothing.
    prefix: Option<String>,
    /// bullmq, sidekiq, rq, bee-queue: also jobs that have failed for good, as dead jobs.
    failed: Option<bool>,
    /// celery: also messages with a due time that workers have received; only when these are stopped.
    unacked: Option<bool>,
    /// Kinds for what the system calls its types of work; others are made of the name.
    kinds: Option<BTreeMap<String, String>>,
    /// Our queues for those of the system.
    queue_names: Option<BTreeMap<String, String>>,
    /// Reason, for the audit. At most 1,024 bytes.
    reason: Option<String>,
    /// Codes of warnings that are known and accepted; taking over needs all that there are.
    accept_warnings: Option<Vec<String>>,
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
