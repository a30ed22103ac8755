//! Rules of kinds, read and set. They hold in every shard.

use super::{Inspector, Operator};
use crate::error::{Error, Result};
use crate::model::{Kind, KindRule, Lateness, Window};
use crate::new_job::SPAN_MAX;
use crate::store::RuleChange;

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
    /// Sets the hours in which jobs of a kind may start; `false` when they were so already. A job that is due outside
    /// of them waits for the next opening. Jobs that say `any_window` are not concerned.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid): nothing changed. [`Error::Unavailable`](crate::Error::Unavailable):
    /// with several shards it may hold in some; repeat it.
    pub async fn set_window(&self, kind: &Kind, window: &Window, why: &str) -> Result<bool> {
        self.put_window(kind, Some(window), why).await
    }

    /// Removes the hours of a kind; `false` when there were none. Jobs that wait for an opening still do: reschedule
    /// them.
    ///
    /// # Errors
    /// As [`set_window`](Self::set_window).
    pub async fn remove_window(&self, kind: &Kind, why: &str) -> Result<bool> {
        self.put_window(kind, None, why).await
    }

    /// Sets how late jobs of a kind may start that do not say so themselves, and what becomes of them then; `None`
    /// removes it. `false` when it was so already. Judged when a job is forwarded and when it is claimed, also for jobs
    /// that are there.
    ///
    /// # Errors
    /// As [`set_window`](Self::set_window).
    pub async fn set_lateness(&self, kind: &Kind, lateness: Option<Lateness>, why: &str) -> Result<bool> {
        let change = RuleChange { lateness: Some(lateness), ..RuleChange::default() };
        self.change_rule(kind, change, why).await
    }

    /// Sets whether bulk runs leave jobs of a kind alone, also in runs that were frozen before. Each job can be acted on by
    /// itself, and the undo of a run changes back what that has changed. `false` when it was so already.
    ///
    /// # Errors
    /// As [`set_window`](Self::set_window).
    pub async fn set_protected(&self, kind: &Kind, protected: bool, why: &str) -> Result<bool> {
        let change = RuleChange { protected: Some(protected), ..RuleChange::default() };
        self.change_rule(kind, change, why).await
    }

    /// Sets the whole rule of a kind, in place of the one it had; one that says nothing takes it away. Its openings are worked
    /// out anew. `false` when it was so already.
    ///
    /// # Errors
    /// As [`set_window`](Self::set_window).
    pub async fn set_rule(&self, rule: &KindRule, why: &str) -> Result<bool> {
        let change = RuleChange {
            window: Some(rule.window.clone()),
            lateness: Some(rule.lateness),
            protected: Some(rule.protected),
        };
        self.change_rule(&rule.kind, change, why).await
    }

    async fn put_window(&self, kind: &Kind, window: Option<&Window>, why: &str) -> Result<bool> {
        let change = RuleChange { window: Some(window.cloned()), ..RuleChange::default() };
        self.change_rule(kind, change, why).await
    }

    async fn change_rule(&self, kind: &Kind, change: RuleChange, why: &str) -> Result<bool> {
        let intent = self.because(why);
        crate::acts::check(&intent)?;
        if change.lateness.flatten().is_some_and(|lateness| lateness.most > SPAN_MAX) {
            return Err(Error::invalid("most_ms", "is at most a thousand years"));
        }
        let changed = self.shards().each(|store| store.change_rule(kind, &change, &intent)).await?;
        Ok(changed.contains(&true))
    }
}
