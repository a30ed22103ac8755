//! Rules of kinds, read and set. They hold in every shard.

use super::{Inspector, Operator};
use crate::error::{Error, Result};
use crate::model::KindRule;
use crate::new_job::SPAN_MAX;

impl Inspector {
    /// The rules of all kinds that have some, by kind, with the next openings of their windows.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn rules(&self) -> Result<Vec<KindRule>> {
        self.shards().first().rules().await
    }
}

impl Operator {
    /// Sets the whole rule of a kind, in place of the one it had; one that says nothing takes it away. `false` when it was so
    /// already.
    ///
    /// A job that is due outside of the hours waits for the next opening, which is worked out anew; those that wait for one
    /// already still do: reschedule them. Lateness is judged when a job is forwarded and when it is claimed, also for jobs
    /// that are there. Bulk runs leave jobs of a protected kind alone, also runs that were frozen before; each job can be
    /// acted on by itself, and the undo of a run changes back what that has changed.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid): nothing changed. [`Error::Unavailable`](crate::Error::Unavailable):
    /// with several shards it may hold in some; repeat it.
    pub async fn set_rule(&self, rule: &KindRule, why: &str) -> Result<bool> {
        let intent = self.because(why);
        crate::acts::check(&intent)?;
        if rule.lateness.is_some_and(|lateness| lateness.most > SPAN_MAX) {
            return Err(Error::invalid("most_ms", "is at most a thousand years"));
        }
        let changed = self.shards().each(|store| store.set_rule(rule, &intent)).await?;
        Ok(changed.contains(&true))
    }
}
