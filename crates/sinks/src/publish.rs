//! Claims due jobs and publishes them.

use super::{LEASE, RETRY_DELAY, Shared, item};
use reprieve::internals::{ClaimedJob, PublishOutcome};
use reprieve::model::{Delay, JobId, Token};
use reprieve::{Error, Result};
use std::time::{Duration, Instant};

/// Jobs claimed and published by one call each: a few milliseconds of Redis.
const BATCH_MAX: u32 = 100;
/// Between claim and publication lies one round trip; a death in it costs this long.
const CLAIM_LEASE: Delay = Delay::millis(12_000);
/// How long to leave a place alone that takes nothing.
const REFUSED_PAUSE: Duration = Duration::from_secs(5);
/// Repeats of a publication of which nothing is known, within the claim's lease.
const REPEATS_MAX: u32 = 8;

/// Publishes while the sink has room.
#[derive(Debug, Default)]
pub(super) struct Publishing {
    /// The place took nothing at that time, for this reason.
    refused: Option<(Instant, String)>,
}

impl Publishing {
    /// Publishes once. `true` when something was published.
    pub(super) async fn round(&mut self, shared: &Shared, outstanding: u64) -> Result<bool> {
        if self.refused.as_ref().is_some_and(|(at, _)| at.elapsed() < REFUSED_PAUSE) {
            return Ok(false);
        }
        let outstanding = u32::try_from(outstanding).unwrap_or(u32::MAX);
        let room = shared.config.outstanding.saturating_sub(outstanding).min(BATCH_MAX);
        if room == 0 {
            return Ok(false);
        }
        let queues: Vec<_> = shared.config.queues.iter().map(|queue| (queue.clone(), room)).collect();
        let jobs = shared.store.claim(&shared.config.worker(), CLAIM_LEASE, room, &queues).await?;
        if jobs.is_empty() {
            return Ok(false);
        }
        let words = publish(shared, &jobs).await;
        self.note(shared, &words);
        let back = give_back(&jobs, &words);
        if !back.is_empty() {
            shared.store.release("it could not be published", &back).await?;
        }
        Ok(words.is_ok() && back.len() < jobs.len())
    }

    /// Says once when the place begins to refuse, and once when that is over.
    fn note(&mut self, shared: &Shared, words: &Result<Vec<PublishOutcome>>) {
        let unsent = || "it refused an entry".to_owned();
        let why = match words {
            Ok(words) if words.contains(&PublishOutcome::Unsent) => unsent(),
            Ok(_) => {
                if self.refused.take().is_some() {
                    tracing::info!("sink {} publishes again", shared.config.name);
                }
                return;
            }
            Err(error) => error.to_string(),
        };
        if self.refused.as_ref().is_none_or(|(_, before)| *before != why) {
            tracing::error!("sink {} publishes nothing: {why}", shared.config.name);
        }
        self.refused = Some((Instant::now(), why));
    }
}

/// Hands jobs out, again while Redis does not say whether it did: a repeat changes nothing.
async fn publish(shared: &Shared, jobs: &[ClaimedJob]) -> Result<Vec<PublishOutcome>> {
    let reply = shared.config.reply.as_ref().map(|reply| reply.key(shared.store.tag()));
    let reply = reply.unwrap_or_default();
    let items: Vec<(JobId, Token, Vec<u8>)> =
        jobs.iter().map(|job| (job.id.clone(), job.token, item::of(&shared.config, job, &reply))).collect();
    let mut repeats = 0;
    loop {
        match shared.store.publish(&shared.target, LEASE, &items).await {
            Err(Error::Unavailable { .. } | Error::OutcomeUnknown { .. }) if repeats < REPEATS_MAX => {
                repeats += 1;
                tokio::time::sleep(RETRY_DELAY).await;
            }
            answer => return answer,
        }
    }
}

/// The jobs that nobody outside has and that are still ours.
fn give_back(jobs: &[ClaimedJob], words: &Result<Vec<PublishOutcome>>) -> Vec<(JobId, Token)> {
    let all = jobs.iter().map(|job| (job.id.clone(), job.token));
    match words {
        Ok(words) => all
            .zip(words)
            .filter(|(_, word)| {
                matches!(word, PublishOutcome::Cancel | PublishOutcome::Full | PublishOutcome::Unsent)
            })
            .map(|(job, _)| job)
            .collect(),
        // It may have worked after all: the next look, or the end of the lease, will tell.
        Err(Error::Unavailable { .. } | Error::OutcomeUnknown { .. }) => Vec::new(),
        Err(_) => all.collect(),
    }
}
