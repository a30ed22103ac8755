#![doc = include_str!("../README.md")]

pub mod model;

#[cfg(feature = "engine")]
mod actor;
#[cfg(feature = "engine")]
mod acts;
#[cfg(feature = "engine")]
mod alert;
#[cfg(feature = "engine")]
mod answers;
#[cfg(feature = "engine")]
mod client;
#[cfg(feature = "engine")]
mod clock;
#[cfg(feature = "engine")]
mod constraints;
#[cfg(feature = "engine")]
mod cron;
#[cfg(feature = "engine")]
mod engine;
#[cfg(feature = "engine")]
mod error;
#[cfg(feature = "engine")]
mod events;
#[cfg(feature = "engine")]
mod foreign;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(feature = "engine")]
mod gather;
#[cfg(feature = "engine")]
mod identity;
#[cfg(feature = "engine")]
pub mod import;
#[cfg(feature = "engine")]
mod index;
#[cfg(feature = "engine")]
mod inspector;
#[cfg(feature = "engine")]
mod keys;
#[cfg(feature = "engine")]
mod maintenance;
#[cfg(feature = "engine")]
mod new_batch;
#[cfg(feature = "engine")]
mod new_job;
#[cfg(feature = "engine")]
mod new_plan;
#[cfg(feature = "engine")]
mod outage;
#[cfg(feature = "engine")]
mod payload_keys;
#[cfg(feature = "people")]
mod people;
#[cfg(feature = "engine")]
mod process;
#[cfg(feature = "engine")]
mod record;
#[cfg(feature = "engine")]
mod redaction;
#[cfg(feature = "engine")]
mod refusal;
#[cfg(feature = "people")]
mod seal;
#[cfg(feature = "engine")]
mod secret;
#[cfg(feature = "engine")]
mod settings;
#[cfg(feature = "engine")]
mod sink;
#[cfg(feature = "engine")]
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "engine")]
mod tokens;
#[cfg(feature = "engine")]
mod trace;
#[cfg(feature = "engine")]
mod tree;
#[cfg(feature = "engine")]
mod windows;
#[cfg(feature = "engine")]
mod worker;
#[cfg(feature = "engine")]
pub mod zones;

#[cfg(feature = "engine")]
pub use self::model::{LatePolicy, Lateness};

#[cfg(feature = "people")]
pub use self::people::{
    Admission, Enrolment, FederatedLogin, Invitation, Opened, PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN, People,
    Proof, SESSION_IDLE_MAX, SESSION_LASTS_MAX, SignIn, Signed, Visitor, counted_address,
};
#[cfg(feature = "people")]
pub use self::seal::{NotOurs, Seals};
#[cfg(feature = "engine")]
pub use self::{
    actor::Actor,
    acts::{Act, BatchActs, PlanAct, PlanActs, SubjectAct, verb},
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
    sink::{Destination, PlaceName, SinkConfig, SinkHandle},
    store::{BrokenOff, ENQUEUE_BATCH_MAX, Examination, acl_keys, acl_recipe},
    tokens::{Checked, Tokens},
    trace::TraceParent,
    worker::{
        Again, AsynqBackoff, Batch, BatchReport, Claimant, ClaimedJob, DelayqBackoff, ExponentialBackoff,
        FailWord, Failure, HandlerError, HandlerService, Job, JobContext, LeaseWord, QueueOrder, ReleaseWord,
        RetryPolicy, SnoozeWord, WaitingClaim, Worker, WorkerBuilder,
    },
};
