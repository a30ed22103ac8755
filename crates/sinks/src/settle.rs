//! Looks after jobs that were published, and reports those that are over.

use super::{LEASE, Shared, item};
use reprieve::Result;
use reprieve::internals::Told;
use reprieve::internals::{FailWord, Found, Over, SnoozeWord};
use reprieve::model::{Delay, JobId, Timestamp, Token};

/// Jobs a look: one to two milliseconds of Redis.
pub(super) const BATCH: u32 = 100;
/// A job that nobody has is published again after this long: the consumer that removed it may still be at it.
const VANISHED_WAIT: Delay = Delay::seconds(1);

/// What a round showed.
#[derive(Debug)]
pub(super) struct Settled {
    /// Jobs with the consumers, before the reports.
    pub(super) outstanding: u64,
    /// When the first of those that were looked at was published.
    pub(super) oldest: Option<Timestamp>,
    /// Something was over.
    pub(super) any: bool,
}

/// Looks once and reports what is over. Damage of one queue is told, and holds up no other.
pub(super) async fn round(shared: &Shared, told: &mut Told) -> Result<Settled> {
    let look = shared.store.look(shared.config.name.as_str(), BATCH, LEASE, shared.config.timeout).await?;
    told.tell(look.damage.as_deref());
    let mut done: Vec<(JobId, Token)> = Vec::new();
    for found in &look.over {
        match found.over {
            Over::Done => done.push((found.id.clone(), found.token)),
            Over::Expired => fail(shared, found, &String::from_utf8_lossy(&found.text), true).await?,
            Over::Ended => fail(shared, found, &String::from_utf8_lossy(&found.text), false).await?,
            Over::Failed => {
                let (error, again) = item::failure(&found.text);
                fail(shared, found, &error, again).await?;
            }
            Over::Vanished => publish_again(shared, found).await?,
        }
    }
    if !done.is_empty() {
        shared.store.complete(&done).await?;
    }
    Ok(Settled { outstanding: look.outstanding, oldest: look.oldest, any: !look.over.is_empty() })
}

/// Hands a job out again that nobody has, unless that was in vain too often.
async fn publish_again(shared: &Shared, found: &Found) -> Result<()> {
    let why = String::from_utf8_lossy(&found.text);
    match shared.store.unheard(&found.id, found.token, VANISHED_WAIT, &why).await? {
        SnoozeWord::Dead => {
            tracing::error!(job.id = %found.id, "job {} is dead: it was lost too often: {why}", found.id);
        }
        SnoozeWord::Delayed | SnoozeWord::PlanHeld => {
            tracing::warn!(job.id = %found.id, "job {} is published again: {why}", found.id);
        }
        _ => {}
    }
    Ok(())
}

async fn fail(shared: &Shared, found: &Found, error: &str, again: bool) -> Result<()> {
    let wait = again.then(|| shared.config.wait(found.attempt));
    match shared.store.fail(&found.id, found.token, error, wait).await? {
        FailWord::Dead => tracing::error!(job.id = %found.id, "job {} is dead: {error}", found.id),
        FailWord::Retrying => {
            tracing::warn!(job.id = %found.id, "job {} failed and will be retried: {error}", found.id);
        }
        FailWord::PlanHeld => {
            tracing::warn!(job.id = %found.id, "job {} failed and is held with its plan: {error}", found.id);
        }
        _ => {}
    }
    Ok(())
}
