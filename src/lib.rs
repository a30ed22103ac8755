#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(feature = "internals"),
    allow(
        unreachable_pub,
        unused_imports,
        dead_code,
        reason = "crates of ours use more than programs do, and ask for it by that feature"
    )
)]

#[macro_use]
pub mod model;

mod actor;
mod acts;
mod alert;
mod answers;
mod client;
mod clock;
mod constants;
mod constraints;
mod cron;
#[cfg(not(feature = "internals"))]
mod desk;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod desk;
mod engine;
mod error;
mod events;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod gather;
mod identity;
mod index;
mod inspector;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod keys;
mod maintenance;
mod new_batch;
mod new_job;
mod new_plan;
mod outage;
mod payload_keys;
mod process;
mod record;
mod redaction;
mod refusal;
mod secret;
mod settings;
#[cfg(not(feature = "internals"))]
mod store;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod trace;
mod tree;
mod windows;
mod worker;
pub mod zones;

pub use self::model::{LatePolicy, Lateness};

pub use self::{
    actor::Actor,
    acts::{Act, BatchActs, JobsAct, JobsActs, PlanAct, PlanActs, SubjectAct, verb},
    answers::{Answers, Begun, Ids, Ticket},
    client::{Client, Enqueue},
    clock::GivenClock,
    cron::CronSchedule,
    engine::{Engine, EngineConfig, Retention},
    error::{Error, Result, wait_seconds},
    events::{EventPage, EventTail, Replay},
    identity::{Spread, UniqueMode, content_key},
    inspector::{Bulk, CronAct, FORECAST_REACH, Inspector, Operator, Reveal, Undoings, findings},
    maintenance::{Maintenance, MaintenanceHandle},
    new_batch::{BatchClose, NewBatch},
    new_job::{Due, NewJob, PAYLOAD_BYTES_MAX, SPAN_MAX},
    new_plan::{Anchor, NewPlan, NewStep, PLAN_STEPS_MAX},
    outage::{Outage, OutageKind},
    payload_keys::{NotOpened, PAYLOAD_KEY_BYTES, PayloadKeys},
    redaction::Sight,
    refusal::tls_refusal,
    store::{BrokenOff, ENQUEUE_BATCH_MAX, Examination, acl_keys, acl_recipe},
    trace::TraceParent,
    worker::{
        Again, AsynqBackoff, Batch, BatchReport, Claimant, ClaimedJob, DelayqBackoff, ExponentialBackoff,
        FailWord, Failure, HandlerError, HandlerService, Job, JobContext, LeaseWord, QueueOrder, ReleaseWord,
        RetryPolicy, SnoozeWord, WaitingClaim, Worker, WorkerBuilder,
    },
};
