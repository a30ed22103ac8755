//! Server functions, one file per area. Thin and public: anyone can call them.
//!
//! Each asks `access`, calls one engine method and maps the error. Reads are GET.
//! Acts are POST and also work as plain HTML forms: sent by a form without script,
//! they answer with a redirect to `back` that carries the outcome's word as `said`.

#[expect(missing_docs, reason = "arguments become fields of a struct, and take no doc comments")]
pub mod account;
#[expect(
    missing_docs,
    clippy::too_many_arguments,
    reason = "arguments become fields of a struct, and take no doc comments; a form has many"
)]
pub mod acts;
pub(crate) mod answer;
#[expect(
    missing_docs,
    clippy::too_many_arguments,
    reason = "arguments become fields of a struct, and take no doc comments; a filter has many"
)]
pub mod audit;
#[expect(missing_docs, reason = "arguments become fields of a struct, and take no doc comments")]
#[allow(clippy::too_many_arguments, reason = "arguments are the fields of a form")]
pub mod bulk;
#[expect(
    missing_docs,
    clippy::too_many_arguments,
    reason = "arguments become fields of a struct, and take no doc comments"
)]
pub mod desk;
#[expect(
    missing_docs,
    clippy::too_many_arguments,
    reason = "arguments become fields of a struct, and take no doc comments; a form has many"
)]
pub mod detail;
#[expect(
    missing_docs,
    clippy::too_many_arguments,
    reason = "arguments become fields of a struct, and take no doc comments; a form has many"
)]
pub mod failures;
#[expect(
    missing_docs,
    clippy::too_many_arguments,
    reason = "arguments become fields of a struct, and take no doc comments; a form has many"
)]
pub mod filter;
#[expect(missing_docs, reason = "arguments become fields of a struct, and take no doc comments")]
pub mod forecast;
#[expect(missing_docs, reason = "arguments become fields of a struct, and take no doc comments")]
pub mod halt;
#[expect(
    missing_docs,
    clippy::too_many_arguments,
    reason = "arguments become fields of a struct, and take no doc comments; a form has many"
)]
pub mod import;
#[expect(missing_docs, reason = "arguments become fields of a struct, and take no doc comments")]
pub mod jobs;
#[expect(missing_docs, reason = "arguments become fields of a struct, and take no doc comments")]
pub mod overview;
#[expect(
    missing_docs,
    clippy::too_many_arguments,
    reason = "arguments become fields of a struct, and take no doc comments; a form has many"
)]
pub mod queue;
#[expect(missing_docs, reason = "arguments become fields of a struct, and take no doc comments")]
pub mod queues;
pub mod redis;
#[expect(missing_docs, reason = "arguments become fields of a struct, and take no doc comments")]
pub mod reveal;
#[expect(
    missing_docs,
    clippy::too_many_arguments,
    reason = "arguments become fields of a struct, and take no doc comments; a form has many"
)]
pub mod schedules;
#[expect(
    missing_docs,
    clippy::too_many_arguments,
    reason = "arguments become fields of a struct, and take no doc comments"
)]
pub mod settings;
#[expect(missing_docs, reason = "arguments become fields of a struct, and take no doc comments")]
pub mod sources;
#[expect(missing_docs, reason = "arguments become fields of a struct, and take no doc comments")]
pub mod theme;
pub(crate) mod typed_count;
#[expect(missing_docs, reason = "arguments become fields of a struct, and take no doc comments")]
pub mod views;
#[expect(missing_docs, reason = "arguments become fields of a struct, and take no doc comments")]
pub mod workers;

pub use account::{
    Account, GetAccount, ListPeople, PeopleView, SetDemoRole, get_account, list_people, set_demo_role,
    sign_in_ends, whoami,
};
pub use acts::{
    CancelJob, CancelSubject, HoldJob, ReinstateJob, RescheduleJob, RetryJob, UnholdJob, cancel_job,
    cancel_subject, hold_job, reinstate_job, reschedule_job, retry_job, unhold_job,
};
pub use bulk::{
    AbortBulk, CollectBulk, FreezeBulk, GetBulkRun, KindOfRun, ListBulkRuns, RunView, StartBulk, UndoBulk,
    abort_bulk, collect_bulk, freeze_bulk, get_bulk_run, get_bulk_samples, list_bulk_runs, start_bulk,
    undo_bulk,
};
pub use desk::{
    ActOnDesk, FindSubjects, GetDesk, GetDeskReceipt, act_on_desk, find_subjects, get_desk, get_desk_receipt,
};
pub use detail::{
    DuplicateJob, EditJob, GetLog, GetSameError, PurgeJob, duplicate_job, edit_job, get_log, get_same_error,
    purge_job,
};
pub use failures::{
    GetFailures, MuteFailure, RetryFailures, UnmuteFailure, get_failures, mute_failure, retry_failures,
    unmute_failure,
};
pub use filter::{
    ApplyFilter, CountJobs, CountOn, FilterJobs, GetFacets, apply_filter, count_jobs, count_on, filter_jobs,
    get_facets,
};
pub use forecast::{GetForecast, SpreadPeak, get_forecast, spread_peak};
pub use halt::{ClearHalt, clear_halt};
pub use import::{
    Looked, ObserveImport, RollBackImport, ShadowImport, TakeOverImport, Wanted, observe_import,
    place_of_queue, roll_back_import, shadow_import, take_over_import,
};
pub use jobs::{
    CountQueues, GetJob, GetReceipt, GetSubject, ListJobs, count_queues, get_job, get_receipt, get_subject,
    list_jobs,
};
pub use overview::{
    CountsRead, GetCounts, GetCountsAt, GetDueAhead, GetOverview, GetStats, get_counts, get_counts_at,
    get_due_ahead, get_overview, get_stats,
};
pub use queue::{
    ByHand, EmptyList, EnqueueJob, GetQueue, LimitFields, LimitQueue, QueueRead, empty_list, enqueue_job,
    get_queue, limit_queue,
};
pub use queues::{PauseQueue, ResumeQueue, pause_queue, resume_queue};
pub use redis::{GetRedis, get_redis};
pub use reveal::{RevealPart, reveal_part};
pub use schedules::{
    GetSchedule, ListSchedules, PauseSchedule, PreviewSchedule, PutSchedule, RemoveSchedule, ResumeSchedule,
    RunSchedule, get_schedule, list_schedules, pause_schedule, preview_schedule, put_schedule,
    remove_schedule, resume_schedule, run_schedule,
};
pub use settings::{
    AddAlert, AddRedaction, GetSettings, PreviewRedaction, RedactionPreview, RemoveAlert, RemoveRedaction,
    SetAppearance, SetIndexFields, SetLook, SetReasons, SetRetention, SetSecondPerson, SettingSaved,
    SettingsView, TestAlert, get_settings, preview_redaction,
};
pub use sources::{Around, ConnectSource, HERE, RecogniseSources, connect_source, recognise_sources};
pub use theme::{
    SetKeys, SetLanguage, SetNavigation, SetTheme, set_keys, set_language, set_navigation, set_theme,
};
pub use views::{
    ListViews, PinnedViews, RemoveView, SaveView, list_views, pinned_views, remove_view, save_view,
};
pub use workers::{GetFleet, OrderWorker, get_fleet, order_worker};
