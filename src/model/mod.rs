//! Plain data that the engine, the screens and the API share.
//!
//! Nothing here does I/O or reads a clock.

#[macro_use]
mod words;

pub mod attention;
pub mod audit;
pub mod audit_verbs;
pub mod batch;
pub mod bulk;
pub mod cron;
pub mod desk;
pub mod durability;
pub mod event;
pub mod failure;
pub mod filter;
pub mod finding;
pub mod forecast;
mod halt;
pub mod held;
pub mod hits;
pub mod job;
pub mod limits;
pub mod list;
pub mod matrix;
pub mod name;
pub mod note;
pub mod outcome;
mod pause;
pub mod permission;
pub mod person;
pub mod plan;
pub mod publication;
pub mod queue;
pub mod retention;
pub mod reveal;
pub mod role;
pub mod rule;
pub mod schedule_fault;
pub mod settings;
pub mod shard;
mod shown;
pub mod snapshot;
mod state;
pub mod stats;
pub mod time;
pub mod token;
pub mod view;
pub mod worker;

pub use attention::Attention;
pub use audit::{
    ArchivedEntry, AuditBreak, AuditCheck, AuditEntry, AuditFault, AuditFilter, AuditOnly, AuditPage,
    AuditPlace, AuditSize, Undone, why_of,
};
pub use audit_verbs::AuditSort;
pub use batch::{BatchAnswer, BatchRule, BatchWord, JobBatch};
pub use bulk::{
    BULK_SAMPLES_AFTER_MAX, BulkFilter, BulkOutcome, BulkOutcomes, BulkPlace, BulkRun, BulkRuns, BulkState,
    BulkVerb, InvalidOutcomePlace, OutcomePlace, Shift, run_of_change,
};
pub use cron::{
    CronChanged, CronEntry, CronFire, CronOutcome, CronPause, CronSource, CronState, Missed, Overlap, Tick,
    TickNote,
};
pub use desk::{About, ActNoted};
pub use durability::{Durability, Kept};
pub use event::{Event, EventId, EventPlace, HistoryEntry};
pub use failure::{Alike, DiedOf, FailureGroup, Failures, Mute};
pub use filter::{Filter, FilterError, FilteredPage, FilteredQuery, FilteredRow, Tally};
pub use finding::{Check, Finding, RedisReport, SlowCall, Verdict};
pub use forecast::{Capacity, DueSpan, Forecast, TicksAhead};
pub use halt::{Halt, HaltReason};
pub use held::Held;
pub use hits::Hits;
pub use job::{Attempt, AttemptResult, Job, JobDetail, JobRow, Priority};
pub use limits::{QueueLimits, Rate, SetLimits};
pub use list::{Cursor, Direction, ListQuery, Page, StateGroup};
pub use matrix::MATRIX;
pub use name::{
    BatchId, ConcurrencyKey, CronName, ImportName, InvalidName, JobId, Kind, Namespace, PlanId, QueueName,
    RunId, StepName, Subject, UniqueKey, WorkerName,
};
pub use note::{JobLog, LogLevel, LogLine, Progress};
pub use outcome::{
    Cancelled, Edited, Enqueued, HeldBack, JobAnswer, JobsAnswer, JobsWord, Purged, Reinstated, Released,
    Rescheduled, RetriedNow, Standing, SubjectCancelled, SubjectJob, SubjectJobs,
};
pub use pause::PausedQueue;
pub use permission::Permission;
pub use person::{PersonInfo, PersonName, SessionInfo};
pub use plan::{Offset, Past, Plan, PlanAnswer, PlanStep, PlanWord, StepAnswer, Unmet};
pub use publication::{Publication, SinkInfo, SinkKind};
pub use queue::{Counts, Overview, PerMinute, QueueSummary, RedisHealth};
pub use retention::{Erased, Receipt, RetentionChange, RetentionRule, RetentionRules};
pub use reveal::{InvalidPart, PartPath, Revealed, holds_hidden, is_hidden};
pub use role::Role;
pub use rule::{KindRule, LatePolicy, Lateness, Opening, Window};
pub use schedule_fault::{ScheduleFault, ScheduleField};
pub use settings::{
    Alert, AlertKind, AlertRule, Colour, IndexState, Look, RedactedSample, RedactionRule, Setting, Settings,
};
pub use shard::{SHARDS_MAX, Shard};
pub use shown::{first_bytes, without_escapes};
pub use snapshot::CountsAt;
pub use state::{JobState, Token, Version};
pub use stats::{BUCKETS_MS, Histogram, MinuteStats};
pub use time::{Delay, Timestamp};
pub use token::{NewToken, TokenInfo, TokenName};
pub use view::{SavedView, VIEW_NAME_CHARS_MAX};
pub use words::UnknownWord;
pub use worker::{
    Fleet, ForwarderInfo, RunMode, StuckHandler, StuckReason, WorkerAtWork, WorkerInfo, WorkerOrder,
    WorkerOrdered, WorkerStanding,
};
