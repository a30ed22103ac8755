//! One attempt: the handler under a timeout, a panic guard and a token that can stop it.

use super::lease::Lease;
use super::notes::Notes;
use super::registry::Handler;
use super::report::{self, Verdict};
use super::{Held, LEASE, Shared, panics};
use crate::model::{Delay, JobId, QueueName, StuckReason, Token, first_bytes};
use crate::payload_keys::NotOpened;
use crate::store::{ClaimedJob, LeaseWord};
use crate::worker::{Failure, JobContext};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

/// How long a handler that was asked to stop may take before it is dropped.
const STOP_PATIENCE: Duration = Duration::from_secs(1);
/// How long a job of a kind nobody handles waits before it is offered again: a new version may be on its way.
const PARK: Delay = Delay::seconds(60);
/// What the history says of a job that is given back before its handler was called.
pub(super) const TOO_LATE: &str = "its worker had been held up until the lease was over";
/// Longest error text kept with a job, bytes.
const ERROR_BYTES_MAX: usize = 8 * 1_024;

/// Runs a job to its end and reports it; `asked` is when its claim was asked for.
pub(super) async fn run(shared: Arc<Shared>, job: ClaimedJob, asked: Instant) {
    let (id, queue, token) = (job.id.clone(), job.queue.clone(), job.token);
    let held = Held {
        shard: job.shard,
        token,
        lease: Lease::claimed(asked),
        stop: CancellationToken::new(),
        lost: CancellationToken::new(),
    };
    let _place = Place::take(&shared, &id, &queue, &held);

    let verdict = attempt(&shared, job, &held).await;
    // The lease is kept until the report is in.
    report::send(&shared, &id, queue, &held, verdict).await;
}

/// A job's place in the worker, given back however its attempt ends, even by a panic in a retry policy: a lease
/// kept for a job that nobody runs would never end.
struct Place {
    shared: Arc<Shared>,
    id: JobId,
    queue: QueueName,
    token: Token,
}

impl Place {
    fn take(shared: &Arc<Shared>, id: &JobId, queue: &QueueName, held: &Held) -> Self {
        // This worker had it before and lost the lease without knowing: the old run is told now.
        if let Some(before) = shared.held().insert(id.clone(), held.clone()) {
            before.lost.cancel();
        }
        Self { shared: Arc::clone(shared), id: id.clone(), queue: queue.clone(), token: held.token }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut all = self.shared.held();
        // By now it may be that of a later run of the same job.
        if all.get(&self.id).is_some_and(|held| held.token == self.token) {
            all.remove(&self.id);
        }
        drop(all);
        let was_full = self.shared.slots.is_full(&self.queue);
        self.shared.slots.give_back(&self.queue);
        // Nobody asked for this queue as long as it had no room.
        if was_full {
            self.shared.awake.mark_all();
        }
        self.shared.look.notify_one();
    }
}

/// Opens the payload of a job, if it is sealed and this worker opens payloads; else what becomes of the job.
fn open(shared: &Shared, job: &mut ClaimedJob) -> Result<(), Verdict> {
    let Some(keys) = &shared.payload_keys else { return Ok(()) };
    match keys.open(&job.kind, &job.payload) {
        Ok(None) => Ok(()),
        Ok(Some(payload)) => {
            job.payload = payload;
            Ok(())
        }
        Err(error @ NotOpened::NoKey { .. }) => {
            let why = format!("{error}: worker {}", shared.id);
            tracing::warn!(job.id = %job.id, job.kind = %job.kind, "job {} is parked: {why}", job.id);
            Err(Verdict::Snoozed { wait: PARK, why, parked: true })
        }
        Err(error @ NotOpened::Spoilt { .. }) => {
            Err(Verdict::Failed { error: error.to_string(), wait: None })
        }
    }
}

async fn attempt(shared: &Shared, mut job: ClaimedJob, held: &Held) -> Verdict {
    let Some(handler) = shared.registry.find(&job.kind, &job.queue) else {
        let why = format!("no handler for kind {} in worker {}", job.kind, shared.id);
        tracing::warn!(job.id = %job.id, job.kind = %job.kind, "job {} is parked: {why}", job.id);
        return Verdict::Snoozed { wait: PARK, why, parked: true };
    };
    if let Err(verdict) = open(shared, &mut job) {
        return verdict;
    }
    if job.was_lost {
        tell_beginning(shared, &job, held).await;
        if held.lost.is_cancelled() {
            return Verdict::Lost;
        }
    }
    let id = job.id.clone();
    let limit = job.timeout.map_or(shared.timeout, Delay::as_duration);
    let notes = Notes::new(id.clone(), job.token, Arc::clone(shared.desk(job.shard)));
    let context = JobContext::new(job, Arc::clone(&held.lease), held.stop.clone(), Arc::clone(&notes));
    let number = context.attempt();
    let entry = shared.runs.begin(&context);
    let run = entry.number();
    let span = span_of(&context);
    let call = async move {
        // Goes when the handler ends, however that is.
        let _entry = entry;
        // Frozen since it was claimed, it may be somebody else's, or called off.
        if context.lease_is_over() {
            return Err(Failure::snooze(Delay::ZERO, TOO_LATE));
        }
        guarded(handler, context).await
    };
    let mut task = shared.handlers.spawn(call.instrument(span));

    let stop = async |task, reason| {
        held.stop.cancel();
        let ended = give_up(task).await;
        if ended.is_none() {
            shared.runs.given_up(run, reason);
        }
        ended
    };
    let verdict = tokio::select! {
        ended = &mut task => verdict_of(shared, number, ended),
        () = tokio::time::sleep(limit) => {
            match stop(&mut task, StuckReason::Timeout).await {
                // What it was sure of counts; stopping because it was asked to is no answer.
                Some(ended @ Ok(Ok(()) | Err(Failure::Fatal { .. } | Failure::RetryIn { .. }))) => {
                    verdict_of(shared, number, ended)
                }
                _ => {
                    let error = format!("took longer than its limit of {} ms", limit.as_millis());
                    Verdict::Failed { error, wait: Some(shared.policy.wait(number)) }
                }
            }
        }
        () = held.lost.cancelled() => {
            stop(&mut task, StuckReason::Lost).await;
            return Verdict::Lost;
        }
        () = shared.abandon.cancelled() => match stop(&mut task, StuckReason::Shutdown).await {
            // It stopped because it was asked to, which is no failure of its own: what it said is told here alone.
            Some(Ok(Err(Failure::Retry { error }))) => {
                let error = cut(error);
                tracing::info!(job.id = %id, %error, "job {id} was asked to stop and is given back: {error}");
                Verdict::Released
            }
            None => Verdict::Released,
            Some(ended) => verdict_of(shared, number, ended),
        },
    };
    notes.finish(shared, held, matches!(verdict, Verdict::Done)).await;
    verdict
}

/// Says that the handler of a job is about to begin whose lease ran out before. Should the job kill this process too, that
/// tells it from a job whose claim was lost on the way.
async fn tell_beginning(shared: &Shared, job: &ClaimedJob, held: &Held) {
    let asked = Instant::now();
    let told = shared.shards.shard(held.shard).extend(LEASE, &[(job.id.clone(), held.token)]).await;
    match told.as_deref() {
        Ok([LeaseWord::Held]) => held.lease.extend(asked),
        Ok([LeaseWord::Cancel]) => {
            held.lease.extend(asked);
            held.stop.cancel();
        }
        Ok(_) => held.lost.cancel(),
        // The next heartbeat says it, if the job lets it.
        Err(error) => {
            tracing::debug!(job.id = %job.id, %error, "it could not be told that job {} begins: {error}", job.id);
        }
    }
}

/// The span everything happens in that a handler does. Its parent is that of the job's `traceparent`, which a program that
/// exports spans sets; here it is a field.
fn span_of(context: &JobContext) -> Span {
    let span = tracing::info_span!(
        "job",
        job.id = %context.id(),
        job.kind = %context.kind(),
        job.queue = %context.queue(),
        job.attempt = context.attempt(),
        trace_id = tracing::field::Empty,
    );
    if let Some(parent) = context.trace_parent() {
        span.record("trace_id", format_args!("{:032x}", parent.trace_id()));
    }
    span
}

/// Calls the handler; a panic becomes a failure on the thread it happened on, where its place is known.
async fn guarded(handler: Handler, context: JobContext) -> Result<(), Failure> {
    let call = AssertUnwindSafe(async { handler(context).await });
    call.catch_unwind().await.unwrap_or_else(|panic| Err(Failure::retry(panics::describe(&*panic))))
}

/// Waits a moment for a handler that was asked to stop, then drops it. `None` when it did not end by itself.
async fn give_up(
    task: &mut JoinHandle<Result<(), Failure>>,
) -> Option<Result<Result<(), Failure>, JoinError>> {
    let ended = tokio::time::timeout(STOP_PATIENCE, &mut *task).await.ok();
    task.abort();
    ended
}

fn verdict_of(shared: &Shared, number: u32, ended: Result<Result<(), Failure>, JoinError>) -> Verdict {
    let failure = match ended {
        Ok(Ok(())) => return Verdict::Done,
        Ok(Err(failure)) => failure,
        // Its runtime is shutting down.
        Err(_) => return Verdict::Released,
    };
    match failure {
        Failure::Retry { error } => {
            Verdict::Failed { error: cut(error), wait: Some(shared.policy.wait(number)) }
        }
        Failure::RetryIn { error, wait } => Verdict::Failed { error: cut(error), wait: Some(wait) },
        Failure::Fatal { error } => Verdict::Failed { error: cut(error), wait: None },
        Failure::Snooze { wait, why } => Verdict::Snoozed { wait, why: cut(why), parked: false },
    }
}

/// The start of a text that is too long, marked as cut.
fn cut(text: String) -> String {
    const MARK: &str = "… (cut)";
    if text.len() <= ERROR_BYTES_MAX {
        return text;
    }
    format!("{}{MARK}", first_bytes(&text, ERROR_BYTES_MAX - MARK.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_error_is_cut_between_characters_and_says_so() {
        let text = cut("é".repeat(ERROR_BYTES_MAX));
        assert!(text.len() <= ERROR_BYTES_MAX && text.ends_with("… (cut)"));
        assert_eq!(cut("short".to_owned()), "short");
    }
}
