//! What answers and addresses look like, for the document of the API. A test sends each example to its route.

#![expect(
    dead_code,
    clippy::large_enum_variant,
    reason = "they describe what others write; none is ever made"
)]

use super::new_job::NewJobBody;
use utoipa::{IntoParams, ToSchema};

/// One job, or an array of 1 to 500.
#[derive(ToSchema)]
#[schema(as = NewJobs)]
#[serde(untagged)]
pub(super) enum NewJobsBody {
    /// One job.
    One(NewJobBody),
    /// Several, checked as a whole: one mistake anywhere, and none is taken in.
    Many(Vec<NewJobBody>),
}

/// Where a job stands after a verb was tried on it.
#[derive(ToSchema)]
#[schema(as = Standing)]
pub(super) struct StandingView {
    /// What became of it, as a word.
    #[schema(example = "cancelled")]
    outcome: String,
    /// The job.
    id: String,
    /// Its state now.
    state: StateName,
    /// Its version now: what the next act may name as seen.
    version: u64,
    /// Its due time now, in ms since 1970.
    due_ms: i64,
    /// When its latest attempt began; null before the first.
    started_ms: Option<i64>,
    /// When it ended; null while it lives.
    ended_ms: Option<i64>,
    /// Who has it, or had it last; null before the first attempt.
    worker: Option<String>,
    /// When this answer was made, by Redis's clock.
    at_ms: i64,
    /// Enqueueing only: said when the job runs at another time than its producer may think.
    note: Option<String>,
}

/// The eight states of a job.
#[derive(ToSchema)]
#[schema(as = State, rename_all = "lowercase")]
pub(super) enum StateName {
    /// Waits for its due time.
    Delayed,
    /// Keeps its due time but does not run.
    Held,
    /// Due; waits for a free worker.
    Ready,
    /// A worker has it.
    Active,
    /// Failed and waits for its next attempt.
    Retrying,
    /// Finished well.
    Done,
    /// Out of attempts, or failed for good.
    Dead,
    /// Called off.
    Cancelled,
}

/// What became of one job of an array: where it stands, or why it was not taken in.
#[derive(ToSchema)]
#[schema(as = EnqueuedItem)]
#[serde(untagged)]
enum EnqueuedItem {
    /// Taken in, or known before.
    Standing(StandingView),
    /// Not taken in.
    Not(NotTaken),
}

/// A job that was not taken in.
#[derive(ToSchema)]
struct NotTaken {
    /// Why not.
    outcome: NotTakenWord,
    /// Its id.
    id: String,
    /// `duplicate` only: the job that holds the unique key.
    holder: Option<String>,
}

/// Why a job was not taken in.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
enum NotTakenWord {
    /// Another live job holds its unique key.
    Duplicate,
    /// Its subject has its limit of live jobs.
    SubjectFull,
    /// A job of its id exists in a queue that is not the token's.
    IdConflict,
}

/// What became of the jobs of an array, in its order.
#[derive(ToSchema)]
#[schema(as = EnqueuedItems)]
pub(super) struct EnqueuedItems {
    items: Vec<EnqueuedItem>,
}

/// One answer for one job, one for each of an array.
#[derive(ToSchema)]
#[schema(as = Enqueued)]
#[serde(untagged)]
pub(super) enum EnqueuedView {
    /// Of one job.
    One(StandingView),
    /// Of an array.
    Many(EnqueuedItems),
}

/// What became of the jobs of a subject.
#[derive(ToSchema)]
#[schema(as = SubjectCancelled)]
pub(super) struct SubjectCancelledView {
    /// `cancelled`.
    outcome: String,
    /// One entry for each live job, by due time.
    jobs: Vec<SubjectJobView>,
}

/// What became of one job of a subject.
#[derive(ToSchema)]
#[schema(as = SubjectJob)]
struct SubjectJobView {
    /// Its queue.
    queue: String,
    #[serde(flatten)]
    standing: StandingView,
}

/// The header of every act.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(super) struct IdempotencyKey {
    /// Makes a repeat safe for 24 hours: it gets the first answer and changes nothing more. 1 to 128 bytes like an
    /// id; a UUID is a good one.
    #[param(rename = "Idempotency-Key", required = false)]
    key: Option<String>,
}

/// How much of a history.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CronHistoryQuery {
    /// How many lines, 1 to 100; 20 without it.
    #[param(example = 20, minimum = 1, maximum = 100)]
    limit: Option<u32>,
}

/// A schedule to be looked at.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CronPreviewQuery {
    /// Five fields, six with seconds in front, `@daily` and the like, or `@every 90s`.
    #[param(example = "@daily")]
    schedule: String,
    /// IANA name of the zone; UTC without it.
    #[param(example = "Europe/Berlin")]
    zone: Option<String>,
    /// How many ticks, 1 to 100; 10 without it.
    #[param(example = 10, minimum = 1, maximum = 100)]
    limit: Option<u32>,
}
