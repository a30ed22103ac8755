//! What is said about a foreign queue that is being taken over.

use reprieve::model::Timestamp;
use reprieve::words;
use serde::{Deserialize, Serialize};

words! {
    /// Which foreign format a source speaks.
    #[non_exhaustive]
    pub enum ImportFormat {
        /// One sorted set: members with a due time as score.
        Zset = "zset",
        /// One topic of delayq.
        Delayq = "delayq",
        /// Queues of asynq.
        Asynq = "asynq",
        /// Queues of BullMQ.
        Bullmq = "bullmq",
        /// Queues of Sidekiq.
        Sidekiq = "sidekiq",
        /// Queues of RQ.
        Rq = "rq",
        /// Queues of arq.
        Arq = "arq",
        /// Queues of Bee-Queue.
        BeeQueue = "bee-queue",
        /// Queues of Celery.
        Celery = "celery",
    }
}

impl ImportFormat {
    /// What the system calls itself.
    #[must_use]
    pub const fn system(self) -> &'static str {
        match self {
            Self::Zset => "the sorted set",
            Self::Delayq => "delayq",
            Self::Asynq => "asynq",
            Self::Bullmq => "BullMQ",
            Self::Sidekiq => "Sidekiq",
            Self::Rq => "RQ",
            Self::Arq => "arq",
            Self::BeeQueue => "Bee-Queue",
            Self::Celery => "Celery",
        }
    }
}

/// What can be taken over from a Redis, told by its keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Recognised {
    /// What was recognised: asynq first, then by key.
    pub found: Vec<FoundSource>,
    /// How many more there are.
    pub more: u64,
    /// Sorted sets of well-known systems that hold no plan, or one that cannot be taken over as it is.
    #[serde(default)]
    pub known: Vec<SetOfOthers>,
    /// Sorted sets whose scores are no times.
    pub others: u64,
    /// About how many keys were looked at.
    pub scanned: u64,
    /// Whether all keys were looked at.
    pub complete: bool,
}

/// One source that was recognised, and what shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FoundSource {
    /// What it speaks.
    pub format: ImportFormat,
    /// Its key, topic or queue.
    pub place: String,
    /// The keys that show it.
    pub keys: Vec<String>,
    /// How many items are in them.
    pub items: u64,
    /// How many of these wait: their due time is still to come.
    #[serde(default)]
    pub waiting: u64,
    /// Which system keeps it, where that is known.
    #[serde(default)]
    pub set: Option<KnownSet>,
    /// The first of the items.
    pub samples: Vec<FoundItem>,
}

/// A sorted set of a well-known system that is named, and not offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SetOfOthers {
    /// Its key.
    pub key: String,
    /// How many items are in it.
    pub items: u64,
    /// What it is.
    pub set: KnownSet,
}

/// A sorted set that a well-known system keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct KnownSet {
    /// The system, such as `BullMQ`.
    pub system: String,
    /// What it keeps there: `jobs` that wait, `ids` of jobs elsewhere, jobs that have `ended`, or its own `books`.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub holds: SetContent,
}

/// What a well-known system keeps in a sorted set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SetContent {
    /// Whole jobs that wait, of all its types and queues.
    Jobs,
    /// Ids; the jobs are in other keys.
    Ids,
    /// Jobs that have ended.
    Ended,
    /// Its own bookkeeping.
    Books,
}

impl SetContent {
    /// Whether a sorted set with this in it can be offered as a plan.
    #[must_use]
    pub const fn is_plan(self) -> bool {
        matches!(self, Self::Jobs)
    }
}

/// What speaks against taking a source over as it is. Taking it over needs the code of each accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ImportWarning {
    /// `known_set`, `all_due`, `far_future` or `bare_ids`.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub code: ImportWarningCode,
    /// How many of the items that were looked at it is about.
    pub items: u64,
    /// Which system keeps the set, with `known_set`; null with the others.
    pub set: Option<KnownSet>,
    /// The same as a sentence.
    pub detail: String,
}

words! {
    /// Why a source may be no plan.
    #[non_exhaustive]
    pub enum ImportWarningCode or "is one of " {
        /// A well-known system keeps it, for something of its own.
        KnownSet = "known_set",
        /// All items are due by now.
        AllDue = "all_due",
        /// Items are due more than ten years from now.
        FarFuture = "far_future",
        /// All items are bare ids.
        BareIds = "bare_ids",
    }
}

impl ImportWarning {
    /// About so many items; with the set where it is about that.
    #[must_use]
    pub fn new(code: ImportWarningCode, items: u64, set: Option<KnownSet>) -> Self {
        let detail = match (code, &set) {
            (ImportWarningCode::KnownSet, Some(KnownSet { system, holds })) => match holds {
                SetContent::Jobs => format!(
                    "{system} keeps its waiting jobs there, of all types and queues: all would become one kind in one queue"
                ),
                SetContent::Ids => {
                    format!("{system} keeps ids there: the jobs are in other keys and would not come along")
                }
                SetContent::Ended => {
                    format!("{system} keeps jobs there that have ended: they would run again")
                }
                SetContent::Books => format!("{system} keeps its own books there, and no waiting jobs"),
            },
            (ImportWarningCode::KnownSet, None) => "another system keeps it".to_owned(),
            (ImportWarningCode::AllDue, _) if items == 1 => {
                "the only item is due by now: it would start at once".to_owned()
            }
            (ImportWarningCode::AllDue, _) => {
                format!("all {items} items are due by now: they would start at once")
            }
            (ImportWarningCode::FarFuture, _) => {
                let are = if items == 1 { "item is" } else { "items are" };
                format!("{items} {are} due more than ten years from now: the scores may not be times")
            }
            (ImportWarningCode::BareIds, _) if items == 1 => {
                "the only item is a bare id: what it stands for is in another key and would not come along"
                    .to_owned()
            }
            (ImportWarningCode::BareIds, _) => format!(
                "all {items} items are bare ids: what they stand for is in other keys and would not come along"
            ),
        };
        Self { code, items, set, detail }
    }
}

/// An item that waits somewhere else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FoundItem {
    /// Its beginning, on one line.
    pub text: String,
    /// Its score.
    pub score: String,
    /// The due time that the score may mean.
    pub due: Option<Timestamp>,
}

/// What a source holds, found without changing anything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ImportObservation))]
#[non_exhaustive]
pub struct Observation {
    /// How many items are where, by the source's own words for the places.
    pub places: Vec<PlaceCount>,
    /// Items that were looked at one by one; more than that are only counted.
    pub looked_at: u64,
    /// Whether all items were looked at, so that what follows is complete.
    pub complete: bool,
    /// Items that would become jobs.
    pub takeable: u64,
    /// Items that would not, with those in `unreadable`.
    pub unreadable_count: u64,
    /// The earliest due time among the items.
    #[serde(rename = "earliest_due_ms")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<i64>))]
    pub earliest_due: Option<Timestamp>,
    /// The latest due time among the items.
    #[serde(rename = "latest_due_ms")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<i64>))]
    pub latest_due: Option<Timestamp>,
    /// How many of them are due by now.
    pub overdue: u64,
    /// Some of them, as the jobs they would become.
    pub samples: Vec<ImportSample>,
    /// The first items that cannot be taken, each with its reason.
    pub unreadable: Vec<Unreadable>,
    /// What else somebody should know before they take over.
    pub notes: Vec<String>,
    /// What speaks against taking over. It needs the code of each in `accept_warnings`.
    #[serde(default)]
    pub warnings: Vec<ImportWarning>,
}

/// How many items are at a place of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ImportPlace))]
#[non_exhaustive]
pub struct PlaceCount {
    /// The place in the source's own words, such as `default/scheduled`.
    pub place: String,
    /// How many items are there.
    pub count: u64,
    /// Whether taking over takes them.
    pub taken: bool,
    /// Why they stay; empty when they are taken.
    #[serde(rename = "reason")]
    pub why: String,
    /// The type that Redis has there instead, such as `string`; null where it is the right one.
    #[serde(default)]
    pub holds: Option<String>,
}

/// An item of a source, and the job it would become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ImportSample {
    /// Where it is.
    pub place: String,
    /// Its name there; bytes that are no text are replaced.
    pub name: String,
    /// The id of its job.
    pub id: String,
    /// The queue of its job.
    pub queue: String,
    /// The kind of its job.
    pub kind: String,
    /// The subject of its job.
    pub subject: Option<String>,
    /// When it is due; null is at once.
    #[serde(rename = "due_ms")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<i64>))]
    pub due: Option<Timestamp>,
    /// Its payload in bytes.
    pub payload_bytes: u64,
    /// The start of its payload, when that is text.
    pub preview: String,
}

/// An item that stays where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ImportItem))]
#[non_exhaustive]
pub struct Unreadable {
    /// Where it is.
    pub place: String,
    /// Its name there; bytes that are no text are replaced, long ones cut.
    pub name: String,
    /// Why it cannot become a job.
    pub reason: String,
}

/// What taking over did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ImportTakenOver))]
#[non_exhaustive]
pub struct TakenOver {
    /// Items that became jobs now.
    pub taken: u64,
    /// Of these, jobs that replaced a waiting one of the same id.
    pub replaced: u64,
    /// Items an earlier run had taken out and not yet handed over; they are jobs now.
    pub resumed: u64,
    /// Items that somebody else changed or took while we looked; looked at again where they still are.
    pub changed: u64,
    /// Items that stay at the source.
    pub left_count: u64,
    /// The first of them, each with its reason.
    pub left: Vec<Unreadable>,
    /// What else was done or left alone.
    pub notes: Vec<String>,
}

/// What rolling back did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ImportRolledBack))]
#[non_exhaustive]
pub struct RolledBack {
    /// Items that are back at the source, as they were.
    pub restored: u64,
    /// Items that stay here.
    pub kept_count: u64,
    /// The first of them, each with its reason: it ran, it runs, somebody changed it.
    pub kept: Vec<Unreadable>,
}

/// How far an importer is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ImportStanding {
    /// Its name.
    pub name: String,
    /// What its source speaks.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub format: ImportFormat,
    /// Items taken out of the source and not yet handed over.
    pub parked: u64,
    /// Items that are jobs here and of which the journal keeps how they were.
    pub moved: u64,
    /// Whether a roll back has closed it.
    pub closed: bool,
    /// Of these items, the latest 10,000 of which are looked at, those that a roll back would put back now.
    #[serde(default)]
    pub returnable: u64,
    /// Those that would stay here.
    #[serde(default)]
    pub staying: ImportStaying,
}

/// How many items stay here when an import is rolled back, by what has become of their jobs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ImportStaying {
    /// They were cancelled.
    pub cancelled: u64,
    /// Somebody changed them, or holds them.
    pub changed: u64,
    /// They run.
    pub active: u64,
    /// They have run to their end: they are done or dead.
    pub ended: u64,
    /// They ran and are not kept any more.
    pub gone: u64,
}

impl ImportStaying {
    /// All of them.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.cancelled + self.changed + self.active + self.ended + self.gone
    }
}

/// What they do, beside what we would have done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Comparison {
    /// When the comparison began, by the source's clock.
    #[serde(rename = "since_ms")]
    pub since: Option<Timestamp>,
    /// How long it has been watching, in ms.
    pub watched_ms: u64,
    /// Items seen waiting.
    pub seen: u64,
    /// Of these, how many we would have handed to workers by now.
    pub ours_by_now: u64,
    /// How many they have.
    pub theirs_by_now: u64,
    /// How many of theirs left before their due time: run early, or called off.
    pub early: u64,
    /// How many are due and still waiting.
    pub overdue: u64,
    /// How many got another due time.
    pub rescheduled: u64,
    /// How late theirs left: the median, in ms, to the precision of our looks.
    pub late_ms_p50: Option<u64>,
    /// How late theirs left: 99 of 100 were earlier.
    pub late_ms_p99: Option<u64>,
    /// How late the latest one left.
    pub late_ms_max: Option<u64>,
    /// Whether there were more items than are watched.
    pub partial: bool,
    /// The first differences, each in a sentence.
    pub differences: Vec<Unreadable>,
}
