//! How long ended jobs are kept, receipts of those that are gone, and erasing a subject.

use super::{Inspector, Operator};
use crate::acts::check_why;
use crate::constants::SUBJECT_LIVE_MAX;
use crate::error::{Error, Result};
use crate::model::retention::KEPT_MOST_MAX;
use crate::model::{
    Delay, Erased, JobId, QueueName, Receipt, RetentionChange, RetentionRule, RetentionRules, Subject,
    SubjectCancelled,
};
use crate::new_job::SPAN_MAX;
use rand::Rng;

/// Jobs erased in a call: about two milliseconds of Redis.
const ERASE_BATCH: u32 = 100;

impl Inspector {
    /// All rules of how long ended jobs are kept.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn retention(&self) -> Result<RetentionRules> {
        self.shards().first().retention().await.map(RetentionRules::as_they_count)
    }

    /// What became of jobs of a subject that are gone by now, the latest first; at most 200, for 13 months unless the
    /// rules say otherwise.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn receipts(&self, subject: &Subject) -> Result<Vec<Receipt>> {
        let mut receipts = self.shards().of_subject(subject).receipts(subject).await?;
        receipts.retain(|receipt| self.shards.sees(&receipt.queue));
        Ok(receipts)
    }

    /// What became of a job that is gone, and whose it was; of the latest 100,000 of each shard that had a subject.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn receipt(&self, id: &JobId) -> Result<Option<(Subject, Receipt)>> {
        let subjects = self.shards().each(|store| store.receipt_subject(id)).await?;
        let Some(subject) = subjects.into_iter().flatten().next() else { return Ok(None) };
        let receipts = self.receipts(&subject).await?;
        Ok(receipts.into_iter().find(|receipt| receipt.id == *id).map(|receipt| (subject, receipt)))
    }
}

impl Operator {
    /// Sets how long ended jobs are kept, and how many, of a queue or of the namespace; `None` in a rule removes it.
    /// Times count for jobs that end from now on. Those of the namespace are set anew by a process that connects with an
    /// [`EngineConfig`](crate::EngineConfig) that names them. What is beyond a number goes within seconds, the oldest
    /// first; a number of the namespace counts for each queue by itself.
    ///
    /// # Errors
    /// [`Error::Invalid`] beyond a thousand years and for a number that is 0 or beyond [`KEPT_MOST_MAX`];
    /// [`Error::Unavailable`] and [`Error::StorageFull`]: with several shards some may have it; repeat it.
    pub async fn set_retention(
        &self,
        queue: Option<&QueueName>,
        rule: RetentionRule,
        why: &str,
    ) -> Result<()> {
        self.change_retention(queue, RetentionChange::whole(&rule), why).await
    }

    /// The same for what the change names: the rest of the rule stays as it is.
    ///
    /// # Errors
    /// As for [`set_retention`](Self::set_retention), and [`Error::Invalid`] for a change that names nothing.
    pub async fn change_retention(
        &self,
        queue: Option<&QueueName>,
        change: RetentionChange,
        why: &str,
    ) -> Result<()> {
        if change == RetentionChange::default() {
            return Err(Error::invalid("a change of retention", "names a time or a number at least"));
        }
        for (of, most) in [("done_most", change.done_most), ("dead_most", change.dead_most)] {
            if most.flatten().is_some_and(|most| most == 0 || most > KEPT_MOST_MAX) {
                return Err(Error::invalid(of, format!("is a number from 1 to {KEPT_MOST_MAX}")));
            }
        }
        let mut rules = Vec::new();
        for (of, kept) in [("done", change.done), ("dead", change.dead), ("cancelled", change.cancelled)] {
            if let Some(kept) = kept {
                rules.push((of, ms(of, kept)?));
            }
        }
        rules.extend(change.done_most.map(|most| ("done_most", most)));
        rules.extend(change.dead_most.map(|most| ("dead_most", most)));
        self.set_rules(queue, &rules, why).await
    }

    /// The rule of a queue, or of the namespace, as it stands.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn retention_of(&self, queue: Option<&QueueName>) -> Result<RetentionRule> {
        let rules = self.shards().first().retention().await?.as_they_count();
        Ok(queue.map_or(rules.namespace, |queue| rules.queues.get(queue).copied().unwrap_or_default()))
    }

    /// Sets how long receipts are kept; `None` is 13 months, zero writes none.
    ///
    /// # Errors
    /// As for [`set_retention`](Self::set_retention).
    pub async fn set_receipts_kept(&self, kept: Option<Delay>, why: &str) -> Result<()> {
        self.set_rules(None, &[("receipts", ms("receipts", kept)?)], why).await
    }

    async fn set_rules(
        &self,
        queue: Option<&QueueName>,
        rules: &[(&'static str, Option<u64>)],
        why: &str,
    ) -> Result<()> {
        check_why(why)?;
        let intent = self.because(why);
        self.shards().each(|store| store.set_retention(&intent, queue, rules)).await.map(drop)
    }

    /// Erases what is kept about a subject: payloads, errors, logs, results and histories of its jobs, and of its
    /// receipts what is personal. Refused while jobs of it still wait or run; `cancel_first` calls those off that
    /// wait, and asks those that run to stop, which then have to end before this is repeated.
    ///
    /// What stays: kind, queue, state and times under a salted token, and an audit entry with that token. What ends by
    /// itself: entries of the event stream name the subject until about 100,000 later ones have pushed them out.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: part of it may be erased; repeat it.
    pub async fn erase_subject(&self, subject: &Subject, cancel_first: bool, why: &str) -> Result<Erased> {
        check_why(why)?;
        let intent = self.because(why);
        let store = self.shards().of_subject(subject);
        if cancel_first {
            let cancelled = store.cancel_subject(subject, &intent, SUBJECT_LIVE_MAX).await?;
            if let SubjectCancelled::TooMany { live } = cancelled {
                return Ok(Erased::TooMany { live });
            }
        }
        let salt = format!("{:032x}", rand::rng().random::<u128>());
        let (mut sum, mut written) = (0, false);
        loop {
            match store.erase_subject(subject, &intent, ERASE_BATCH, &salt, written).await? {
                (Erased::Erased { jobs, receipts, token }, whole, now_written) => {
                    sum += jobs;
                    written = now_written;
                    if whole {
                        return Ok(Erased::Erased { jobs: sum, receipts, token });
                    }
                }
                (Erased::Live { live, .. }, ..) => return Ok(Erased::Live { live, jobs: sum }),
                (refused, ..) => return Ok(refused),
            }
            tokio::task::yield_now().await;
        }
    }
}

/// A time of a rule, in ms.
fn ms(of: &'static str, kept: Option<Delay>) -> Result<Option<u64>> {
    let Some(kept) = kept else { return Ok(None) };
    match u64::try_from(kept.as_millis()) {
        Ok(ms) if kept <= SPAN_MAX => Ok(Some(ms)),
        _ => Err(Error::invalid(of, "is at most a thousand years")),
    }
}
