//! What users implement to have their work done.

use super::lease::Lease;
use super::notes::{Notes, RESULT_BYTES_MAX};
use crate::model::job::CAUSED_BY;
use crate::model::{Delay, JobId, Kind, LogLevel, QueueName, Subject, Timestamp, Token};
use crate::payload_keys::key_of;
use crate::store::ClaimedJob;
use crate::trace::TraceParent;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A type of work: its payload is the value itself as JSON, its handler is [`run`](Self::run).
///
/// ```
/// use reprieve::{Failure, Job, JobContext};
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct DeleteResource {
///     id: u64,
/// }
///
/// impl Job for DeleteResource {
///     const KIND: &'static str = "delete_resource";
///
///     async fn run(self, context: JobContext) -> Result<(), Failure> {
///         println!("deleting {} under token {}", self.id, context.token());
///         Ok(())
///     }
/// }
/// ```
pub trait Job: Serialize + DeserializeOwned + Send + 'static {
    /// The kind under which it is enqueued and handled.
    const KIND: &'static str;

    /// Does the work. May run more than once for one job; the token tells later runs from earlier ones.
    fn run(self, context: JobContext) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// Causes kept of an error: a chain may be a circle.
const CAUSES_MAX: usize = 16;

/// Why a handler did not finish a job.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// Try again after a wait that the retry policy names. Any error turns into this by `?`.
    Retry {
        /// For the person who looks at the job; cut at 8 KiB.
        error: String,
    },
    /// Try again after this wait.
    RetryIn {
        /// For the person who looks at the job.
        error: String,
        /// How long.
        wait: Delay,
    },
    /// Never try again: the job is dead.
    Fatal {
        /// For the person who looks at the job.
        error: String,
    },
    /// Not a failure: call me again later. Costs no attempt.
    Snooze {
        /// How long.
        wait: Delay,
        /// For the person who looks at the job.
        why: String,
    },
}

impl Failure {
    /// Never try again.
    #[must_use]
    pub fn fatal(error: impl fmt::Display) -> Self {
        Self::Fatal { error: error.to_string() }
    }

    /// Try again after the wait of the retry policy.
    #[must_use]
    pub fn retry(error: impl fmt::Display) -> Self {
        Self::Retry { error: error.to_string() }
    }

    /// An error with the causes behind it, a line each: what the other constructors take as text.
    /// [`Attempt::causes`](crate::model::Attempt::causes) reads them back. At most 16; a chain may be a circle.
    #[must_use]
    pub fn chain(error: &dyn std::error::Error) -> String {
        let mut text = error.to_string();
        let mut cause = error.source();
        for _ in 0..CAUSES_MAX {
            let Some(inner) = cause else { break };
            text.push_str(CAUSED_BY);
            text.push_str(&inner.to_string());
            cause = inner.source();
        }
        text
    }

    /// Call me again later.
    #[must_use]
    pub fn snooze(wait: Delay, why: impl Into<String>) -> Self {
        Self::Snooze { wait, why: why.into() }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    /// The error with its chain of causes, see [`chain`](Self::chain).
    fn from(error: E) -> Self {
        Self::Retry { error: Self::chain(&error) }
    }
}

/// What a handler knows of the job it runs. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct JobContext {
    job: Arc<ClaimedJob>,
    lease: Arc<Lease>,
    stop: CancellationToken,
    notes: Arc<Notes>,
}

impl JobContext {
    pub(crate) fn new(
        job: ClaimedJob,
        lease: Arc<Lease>,
        stop: CancellationToken,
        notes: Arc<Notes>,
    ) -> Self {
        Self { job: Arc::new(job), lease, stop, notes }
    }

    /// Which job.
    #[must_use]
    pub fn id(&self) -> &JobId {
        &self.job.id
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.job.kind
    }

    /// Its queue.
    #[must_use]
    pub fn queue(&self) -> &QueueName {
        &self.job.queue
    }

    /// What it is about, if anything.
    #[must_use]
    pub fn subject(&self) -> Option<&Subject> {
        self.job.subject.as_ref()
    }

    /// 1 for the first attempt.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.job.attempt
    }

    /// How many are allowed; `None` is unlimited.
    #[must_use]
    pub fn max_attempts(&self) -> Option<u32> {
        self.job.max_attempts
    }

    /// Fencing token: hand it to everything this run changes, and let that refuse lower ones.
    #[must_use]
    pub fn token(&self) -> Token {
        self.job.token
    }

    /// When it was due.
    #[must_use]
    pub fn due(&self) -> Timestamp {
        self.job.due
    }

    /// When it was enqueued.
    #[must_use]
    pub fn created(&self) -> Timestamp {
        self.job.created
    }

    /// How long ago this run's claim was asked for, by this machine's own clock.
    #[must_use]
    pub fn held_for(&self) -> Duration {
        self.lease.age()
    }

    pub(crate) fn lease_is_over(&self) -> bool {
        self.lease.is_over()
    }

    /// How long one attempt may take by the job's own word; `None` is the worker's limit.
    #[must_use]
    pub fn timeout(&self) -> Option<Delay> {
        self.job.timeout
    }

    /// Texts the caller sent along.
    #[must_use]
    pub fn headers(&self) -> &BTreeMap<String, String> {
        &self.job.headers
    }

    /// The work itself.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        &self.job.payload
    }

    /// The work itself, from JSON.
    ///
    /// # Errors
    /// [`Failure::Fatal`]: a payload that does not decode today will not tomorrow. Edit it, then retry the job.
    /// [`Failure::Retry`] for a sealed one, where this worker has no payload keys.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_slice(&self.job.payload).map_err(|error| match key_of(&self.job.payload) {
            Some(key) => Failure::retry(format!(
                "the payload is sealed with the key {key:?}; give this worker its payload keys"
            )),
            None => Failure::fatal(format!("the payload does not decode: {error}")),
        })
    }

    /// Says how far this run is: 0 to 100, and a text of at most 200 bytes. Cheap: of many words within a quarter of
    /// a second only the last is written, and none once the lease is lost.
    pub fn progress(&self, percent: u8, text: impl AsRef<str>) {
        self.notes.progress(percent, text.as_ref());
    }

    /// Writes a line into the job's log, of at most 1 KiB; the last 1,000 are kept. Cheap, as
    /// [`progress`](Self::progress) is.
    pub fn log(&self, text: impl AsRef<str>) {
        self.notes.line(LogLevel::Info, text.as_ref());
    }

    /// Writes a line of that level into the job's log.
    pub fn log_at(&self, level: LogLevel, text: impl AsRef<str>) {
        self.notes.line(level, text.as_ref());
    }

    /// What the job came to, as JSON; kept with it if this run goes well. A later call replaces an earlier one.
    ///
    /// # Errors
    /// [`Failure::Fatal`] when it cannot be written as JSON, or has more than 64 KiB.
    pub fn set_result<T: Serialize + ?Sized>(&self, result: &T) -> Result<(), Failure> {
        let json = serde_json::to_vec(result)
            .map_err(|error| Failure::fatal(format!("the result cannot be written as JSON: {error}")))?;
        self.set_result_bytes(json)
    }

    /// What the job came to, as any bytes; see [`set_result`](Self::set_result).
    ///
    /// # Errors
    /// [`Failure::Fatal`] above 64 KiB: keep large things in a store of their own, and their name here.
    pub fn set_result_bytes(&self, result: impl Into<Vec<u8>>) -> Result<(), Failure> {
        let result = result.into();
        if result.len() > RESULT_BYTES_MAX {
            let bytes = result.len();
            return Err(Failure::fatal(format!(
                "the result has {bytes} bytes, at most {RESULT_BYTES_MAX} are allowed"
            )));
        }
        self.notes.result(result);
        Ok(())
    }

    /// The W3C trace context the job was enqueued under, if it was and it reads.
    #[must_use]
    pub fn trace_parent(&self) -> Option<TraceParent> {
        self.job.headers.get(TraceParent::HEADER)?.parse().ok()
    }

    /// Completes when the job should stop: it was called off, its lease was lost, its time is up, or the worker
    /// shuts down. Return soon after; what was done stays done.
    ///
    /// What is returned counts as ever, but where the worker shuts down an error to be [tried again](Failure::retry)
    /// gives the job back at once, and costs no attempt. So does a [snooze](Failure::snooze), after its wait. Where its
    /// time is up, both are the failure that it took too long. `Ok` says that the job is done; one whose work is not must
    /// not answer so.
    pub async fn cancelled(&self) {
        self.stop.cancelled().await;
    }

    /// Whether the job should stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.stop.is_cancelled()
    }
}
