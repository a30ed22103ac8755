//! What the document says of bodies and answers about foreign queues.

use utoipa::ToSchema;

/// A foreign queue, and why something is done with it.
#[derive(ToSchema)]
#[schema(as = ImportSource, example = json!({ "format": "zset", "key": "due", "kind": "mail" }))]
#[expect(dead_code, reason = "it describes what is read as a layout")]
pub(super) struct SourceShape {
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
    kinds: Option<std::collections::BTreeMap<String, String>>,
    /// Our queues for those of the system.
    queue_names: Option<std::collections::BTreeMap<String, String>>,
    /// Reason, for the audit. At most 1,024 bytes.
    reason: Option<String>,
    /// Codes of warnings that are known and accepted; taking over needs all that there are.
    accept_warnings: Option<Vec<String>>,
}

/// An item that is left where it is.
#[derive(ToSchema)]
#[schema(as = ImportItem)]
#[expect(dead_code, reason = "it describes what the engine says")]
pub(super) struct ItemShape {
    /// Where it is, in the source's words.
    place: String,
    /// Its name there.
    name: String,
    /// Why.
    reason: String,
}

/// How many items are at a place.
#[derive(ToSchema)]
#[schema(as = ImportPlace)]
#[expect(dead_code, reason = "it describes what the engine says")]
pub(super) struct PlaceShape {
    /// The place, in the source's words.
    place: String,
    /// How many are there.
    count: u64,
    /// Whether taking over takes them.
    taken: bool,
    /// Why they stay; empty when they are taken.
    #[serde(rename = "reason")]
    why: String,
    /// The type of Redis's that is there instead, such as `string`; `null` where it is the right one.
    holds: Option<String>,
}

/// An item and the job it would become.
#[derive(ToSchema)]
#[schema(as = ImportSample)]
#[expect(dead_code, reason = "it describes what the engine says")]
pub(super) struct SampleShape {
    /// Where it is.
    place: String,
    /// Its name there.
    name: String,
    /// The id of its job.
    id: String,
    /// The queue of its job.
    queue: String,
    /// The kind of its job.
    kind: String,
    /// The subject of its job.
    subject: Option<String>,
    /// When it is due; null is at once.
    due_ms: Option<i64>,
    /// Bytes of its payload.
    payload_bytes: u64,
    /// The start of its payload, when that is text.
    preview: String,
}

/// What a source holds.
#[derive(ToSchema)]
#[schema(as = ImportObservation)]
#[expect(dead_code, reason = "it describes what the engine says")]
pub(super) struct ObservationShape {
    /// Items by place.
    places: Vec<PlaceShape>,
    /// Items looked at one by one.
    looked_at: u64,
    /// Whether these are all.
    complete: bool,
    /// Of these, items that would become jobs.
    takeable: u64,
    /// Of these, items that would not.
    unreadable_count: u64,
    /// The earliest due time.
    earliest_due_ms: Option<i64>,
    /// The latest due time.
    latest_due_ms: Option<i64>,
    /// How many are due by now.
    overdue: u64,
    /// Some of them.
    samples: Vec<SampleShape>,
    /// The first that cannot be taken.
    unreadable: Vec<ItemShape>,
    /// What else to know before taking over.
    notes: Vec<String>,
    /// What speaks against taking over. It needs the code of each in `accept_warnings`.
    warnings: Vec<WarningShape>,
}

/// What speaks against taking a source over as it is.
#[derive(ToSchema)]
#[schema(as = ImportWarning)]
#[expect(dead_code, reason = "it describes what the engine says")]
pub(super) struct WarningShape {
    /// `known_set`, `all_due`, `far_future` or `bare_ids`.
    code: String,
    /// How many of the items looked at it is about.
    items: u64,
    /// Which system keeps the set, with `known_set`.
    set: Option<KnownSetShape>,
    /// The same as a sentence.
    detail: String,
}

/// A sorted set that a well-known system keeps.
#[derive(ToSchema)]
#[schema(as = KnownSet)]
#[expect(dead_code, reason = "it describes what the engine says")]
pub(super) struct KnownSetShape {
    /// The system, such as `BullMQ`.
    system: String,
    /// `jobs` that wait, `ids` of jobs elsewhere, jobs that have `ended`, or its own `books`.
    holds: String,
}

/// What taking over did.
#[derive(ToSchema)]
#[schema(as = ImportTakenOver)]
#[expect(dead_code, reason = "it describes what the engine says")]
pub(super) struct TakenOverShape {
    /// Items that became jobs.
    taken: u64,
    /// Of these, jobs in place of a waiting one of the same id.
    replaced: u64,
    /// Items of an earlier run that arrived now.
    resumed: u64,
    /// Items that somebody changed or took while we looked.
    changed: u64,
    /// Items that stay.
    left_count: u64,
    /// The first of them.
    left: Vec<ItemShape>,
    /// What else was done or left alone.
    notes: Vec<String>,
}

/// What rolling back did.
#[derive(ToSchema)]
#[schema(as = ImportRolledBack)]
#[expect(dead_code, reason = "it describes what the engine says")]
pub(super) struct RolledBackShape {
    /// Items that are back as they were.
    restored: u64,
    /// Items that stay here.
    kept_count: u64,
    /// The first of them.
    kept: Vec<ItemShape>,
}

/// How far an importer is.
#[derive(ToSchema)]
#[schema(as = ImportStanding)]
#[expect(dead_code, reason = "it describes what the engine says")]
pub(super) struct StandingShape {
    /// Its name.
    name: String,
    /// What its source speaks.
    format: String,
    /// Items on their way here.
    parked: u64,
    /// Items that can be put back.
    moved: u64,
    /// Whether a roll back has closed it.
    closed: bool,
}
