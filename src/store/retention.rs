//! Rules of retention, receipts, and erasing a subject.

use super::{Intent, Store, script};
use crate::codec;
use crate::error::{Error, Result};
use crate::model::{Delay, Erased, JobId, JobState, QueueName, Receipt, RetentionRules, Subject};
use redis::Pipeline;
use std::collections::HashMap;

impl Store {
    /// Sets rules of a queue or of the namespace: see `lua/set_retention.lua`. `None` removes a rule.
    ///
    /// # Errors
    /// [`Error::Unavailable`] and [`Error::StorageFull`].
    pub(crate) async fn set_retention(
        &self,
        intent: &Intent,
        queue: Option<&QueueName>,
        rules: &[(&str, Option<Delay>)],
    ) -> Result<()> {
        let mut call = self.call(&script::SET_RETENTION);
        call.arg(&intent.actor).arg(&intent.why).arg(queue.map_or("", |queue| queue.as_str()));
        for (of, kept) in rules {
            call.arg(*of).arg(kept.map(|kept| kept.as_millis().to_string()).unwrap_or_default());
        }
        self.grow(&call).await.map(drop)
    }

    /// All rules of retention.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn retention(&self) -> Result<RetentionRules> {
        let mut reads = Pipeline::new();
        reads.hgetall(self.keys().meta());
        let (meta,): (HashMap<String, String>,) = self.pipeline(&reads).await?;
        let mut rules = RetentionRules::default();
        for (name, value) in meta {
            let Ok(kept) = value.parse().map(Delay::millis) else { continue };
            if name == "receipts_ms" {
                rules.receipts = Some(kept);
            }
            let Some(rest) = name.strip_prefix("retention_") else { continue };
            let (state, queue) = rest.split_once("_ms").unwrap_or((rest, ""));
            let Ok(state) = state.parse::<JobState>() else { continue };
            let rule = match queue.strip_prefix(':').map(str::parse) {
                None => &mut rules.namespace,
                Some(Ok(queue)) => rules.queues.entry(queue).or_default(),
                Some(Err(_)) => continue,
            };
            if let Some(place) = rule.of_mut(state) {
                *place = Some(kept);
            }
        }
        Ok(rules)
    }

    /// What became of jobs of a subject that are gone, the latest first.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn receipts(&self, subject: &Subject) -> Result<Vec<Receipt>> {
        let mut reads = Pipeline::new();
        reads.lrange(self.keys().receipts(subject), 0, -1);
        let (lines,): (Vec<Vec<u8>>,) = self.pipeline(&reads).await?;
        Ok(lines.iter().rev().filter_map(|line| codec::receipt(line)).collect())
    }

    /// Whose receipts have one of that job; `None` when none is found by its id.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn receipt_subject(&self, id: &JobId) -> Result<Option<Subject>> {
        let mut reads = Pipeline::new();
        reads.hget(self.keys().receipt_subjects(), id.as_str());
        let (subject,): (Option<String>,) = self.pipeline(&reads).await?;
        Ok(subject.and_then(|text| Subject::new(text).ok()))
    }

    /// Erases at most that many jobs of a subject: see `lua/erase_subject.lua`. `false` when there are more.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub(crate) async fn erase_subject(
        &self,
        subject: &Subject,
        intent: &Intent,
        most: u32,
        salt: &str,
    ) -> Result<(Erased, bool)> {
        let mut call = self.call(&script::ERASE_SUBJECT);
        call.arg(subject.as_str()).arg(&intent.actor).arg(&intent.why).arg(most).arg(salt);
        let mut reply = self.drain(&call).await?;
        let word = reply.text()?;
        match word.as_str() {
            "live" => Ok((Erased::Live { live: reply.parse("live jobs")? }, true)),
            "erased" | "more" => {
                let (jobs, receipts) = (reply.parse("jobs")?, reply.parse("receipts")?);
                Ok((Erased::Erased { jobs, receipts, token: reply.text()? }, word == "erased"))
            }
            unknown => Err(Error::codec(format!("erase_subject replied with the unknown word {unknown:?}"))),
        }
    }
}
