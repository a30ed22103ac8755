//! What people do to jobs: one method per verb.

use super::Store;
use super::call::Call;
use super::intake::due_argument;
use super::intent::Intent;
use super::journal::Acted;
use super::reply::Reply;
use super::script;
use super::verb::Verb;
use crate::error::{Error, Result};
use crate::model::{
    Cancelled, Edited, HeldBack, JobId, PartPath, Purged, QueueName, Reinstated, Released, Rescheduled,
    RetriedNow, Standing, Subject, SubjectCancelled, SubjectJob, Timestamp, Version,
};
use crate::new_job::Due;

impl Store {
    /// The first arguments that all verbs on one job share.
    fn act(&self, verb: &'static Verb, id: &JobId, intent: &Intent) -> Call {
        let mut call = self.call(verb);
        add_act(&mut call, id, intent);
        call
    }

    /// Calls a job off: see `lua/functions/jobs/cancel.lua`.
    ///
    /// # Errors
    /// [`Error::Conflict`] and [`Error::NotFound`]: nothing changed.
    pub async fn cancel(&self, id: &JobId, intent: &Intent) -> Result<Cancelled> {
        let mut outcomes = self.cancel_each(&[(id.clone(), intent.clone())]).await?;
        outcomes.pop().unwrap_or_else(|| Err(Error::codec("cancel did not answer")))
    }

    /// Calls jobs off, none of them twice, each for itself: one answer a job, in order.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: nothing is known of any. Any other error: nothing changed.
    pub async fn cancel_each(&self, asked: &[(JobId, Intent)]) -> Result<Vec<Result<Cancelled>>> {
        let mut call = self.call(&script::CANCEL);
        for (id, intent) in asked {
            add_act(&mut call, id, intent);
        }
        let mut replies = self.drain(&call).await?;
        let answers = asked.iter().map(|(id, intent)| {
            let answer = outcome(id, replies.list()?, Cancelled::from_word);
            if let Ok(Cancelled::Now(standing) | Cancelled::Requested(standing)) = &answer {
                self.acknowledge(Acted::Cancelled, standing, intent);
            }
            Ok(answer)
        });
        answers.collect()
    }

    /// Calls off every live job of a subject in one step: see `lua/functions/jobs/cancel_subject.lua`. The jobs are in the order of their due
    /// times.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: nothing is known of the outcome; repeat it with the same operation id.
    pub async fn cancel_subject(
        &self,
        subject: &Subject,
        intent: &Intent,
        most: u32,
    ) -> Result<SubjectCancelled> {
        let mut call = self.call(&script::CANCEL_SUBJECT);
        call.arg(subject.as_str()).arg(&intent.actor).arg(&intent.why).operation(&intent.operation).arg(most);
        let mut reply = self.drain(&call).await?;
        match reply.text()?.as_str() {
            "too_many" => Ok(SubjectCancelled::TooMany { live: reply.parse("live jobs")? }),
            "cancelled" => {
                let replicas = reply.replicas();
                let held = |reply: Reply| match replicas {
                    Some(replicas) => reply.held_by(replicas),
                    None => reply,
                };
                let mut jobs: Vec<SubjectJob> =
                    reply.map(|item| subject_job(held(item.list()?))).collect::<Result<_>>()?;
                // Here, where it costs Redis nothing.
                jobs.sort_by(|a, b| by_due(a).cmp(&by_due(b)));
                for job in jobs.iter().filter(|job| job.cancelled.word() != "already_finished") {
                    self.acknowledge(Acted::Cancelled, job.cancelled.standing(), intent);
                }
                Ok(SubjectCancelled::Cancelled { jobs })
            }
            unknown => Err(super::unknown_word("cancel_subject", unknown)),
        }
    }

    /// Puts a cancelled job back: see `lua/functions/jobs/reinstate.lua`. `due` is a new time instead of the original one.
    ///
    /// # Errors
    /// [`Error::Conflict`], [`Error::Duplicate`], [`Error::SubjectFull`] and [`Error::NotFound`]: nothing changed.
    pub async fn reinstate(&self, id: &JobId, intent: &Intent, due: Option<Timestamp>) -> Result<Reinstated> {
        let mut call = self.act(&script::REINSTATE, id, intent);
        call.arg(due.map(|due| due.as_millis().to_string()).unwrap_or_default());
        let answer = outcome(id, self.grow(&call).await?, Reinstated::from_word)?;
        match &answer {
            Reinstated::Delayed(standing) => self.acknowledge(Acted::Reinstated, standing, intent),
            Reinstated::Held(standing) => self.acknowledge(Acted::PutBackHeld, standing, intent),
            _ => {}
        }
        Ok(answer)
    }

    /// Makes a job ready at once: see `lua/functions/jobs/retry_now.lua`.
    ///
    /// # Errors
    /// [`Error::Conflict`], [`Error::Duplicate`], [`Error::SubjectFull`] and [`Error::NotFound`]: nothing changed.
    pub async fn retry_now(&self, id: &JobId, intent: &Intent) -> Result<RetriedNow> {
        let reply = self.grow(&self.act(&script::RETRY_NOW, id, intent)).await?;
        let answer = outcome(id, reply, RetriedNow::from_word)?;
        if let RetriedNow::Ready(standing) = &answer {
            self.acknowledge(Acted::RetriedNow, standing, intent);
        }
        Ok(answer)
    }

    /// Gives a waiting job another due time: see `lua/functions/jobs/reschedule.lua`.
    ///
    /// # Errors
    /// [`Error::Conflict`] and [`Error::NotFound`]: nothing changed.
    pub async fn reschedule(&self, id: &JobId, intent: &Intent, due: Due) -> Result<Rescheduled> {
        let mut call = self.act(&script::RESCHEDULE, id, intent);
        call.arg(match due {
            Due::Now => "+0".to_owned(),
            _ => due_argument(due),
        });
        let answer = outcome(id, self.grow(&call).await?, Rescheduled::from_word)?;
        if !matches!(answer, Rescheduled::Refused(_)) {
            let standing = answer.standing();
            self.acknowledge(Acted::Rescheduled(standing.due), standing, intent);
        }
        Ok(answer)
    }

    /// Keeps a delayed job from running: see `lua/functions/jobs/hold.lua`.
    ///
    /// # Errors
    /// [`Error::Conflict`] and [`Error::NotFound`]: nothing changed.
    pub async fn hold(&self, id: &JobId, intent: &Intent) -> Result<HeldBack> {
        let reply = self.drain(&self.act(&script::HOLD, id, intent)).await?;
        let answer = outcome(id, reply, HeldBack::from_word)?;
        if let HeldBack::Held(standing) = &answer {
            self.acknowledge(Acted::Held, standing, intent);
        }
        Ok(answer)
    }

    /// Lets a held job run again: see `lua/functions/jobs/unhold.lua`.
    ///
    /// # Errors
    /// [`Error::Conflict`] and [`Error::NotFound`]: nothing changed.
    pub async fn unhold(&self, id: &JobId, intent: &Intent) -> Result<Released> {
        let reply = self.grow(&self.act(&script::UNHOLD, id, intent)).await?;
        let answer = outcome(id, reply, Released::from_word)?;
        if let Released::Delayed(standing) = &answer {
            self.acknowledge(Acted::Released, standing, intent);
        }
        Ok(answer)
    }

    /// Gives a job another payload: see `lua/functions/jobs/edit.lua`. `changed` names the parts of it that differ from what that version of
    /// the job has, for the audit and the history.
    ///
    /// # Errors
    /// [`Error::Conflict`] and [`Error::NotFound`]: nothing changed.
    pub async fn edit(
        &self,
        id: &JobId,
        intent: &Intent,
        payload: &[u8],
        changed: Option<(Version, &str)>,
    ) -> Result<Edited> {
        let mut call = self.act(&script::EDIT, id, intent);
        call.arg(payload);
        let (version, names) =
            changed.map_or((String::new(), ""), |(version, names)| (version.to_string(), names));
        call.arg(names).arg(version);
        outcome(id, self.grow(&call).await?, Edited::from_word)
    }

    /// Removes an ended job: see `lua/functions/jobs/purge_job.lua`.
    ///
    /// # Errors
    /// [`Error::Conflict`] and [`Error::NotFound`]: nothing changed.
    pub async fn purge_job(&self, id: &JobId, intent: &Intent) -> Result<Purged> {
        let reply = self.drain(&self.act(&script::PURGE_JOB, id, intent)).await?;
        outcome(id, reply, Purged::from_word)
    }

    /// Writes down that somebody gets to see a hidden part of a job's payload: see `lua/functions/jobs/reveal.lua`.
    ///
    /// # Errors
    /// [`Error::Conflict`] and [`Error::NotFound`]: nothing was written, and nothing may be shown.
    pub async fn reveal(&self, id: &JobId, intent: &Intent, part: &PartPath) -> Result<Standing> {
        let mut call = self.call(&script::REVEAL);
        call.arg(id.as_str()).arg(intent.seen.map(|version| version.to_string()).unwrap_or_default());
        call.arg(&intent.actor).arg(&intent.why).arg(part.to_string());
        outcome(id, self.grow(&call).await?, |word, standing| (word == "revealed").then_some(standing))
    }

    /// Stops claims from a queue: see `lua/functions/queues/pause.lua`. `false` when it was paused already.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn pause(&self, queue: &QueueName, intent: &Intent) -> Result<bool> {
        let mut call = self.call(&script::PAUSE);
        call.arg(queue.as_str()).arg(&intent.actor).arg(&intent.why).operation(&intent.operation);
        Ok(self.drain(&call).await?.text()? == "paused")
    }

    /// Lets a queue be claimed from again: see `lua/functions/queues/resume.lua`. `false` when it was not paused.
    ///
    /// # Errors
    /// [`Error::Unavailable`] and [`Error::StorageFull`].
    pub async fn resume(&self, queue: &QueueName, intent: &Intent) -> Result<bool> {
        let mut call = self.call(&script::RESUME);
        call.arg(queue.as_str()).arg(&intent.actor).arg(&intent.why).operation(&intent.operation);
        Ok(self.grow(&call).await?.text()? == "resumed")
    }
}

fn add_act(call: &mut Call, id: &JobId, intent: &Intent) {
    call.arg(id.as_str()).arg(intent.seen.map(|version| version.to_string()).unwrap_or_default());
    call.arg(&intent.actor).arg(&intent.why).operation(&intent.operation);
}

pub(super) fn outcome<T>(
    id: &JobId,
    mut reply: Reply,
    read: impl Fn(&str, Standing) -> Option<T>,
) -> Result<T> {
    let word = reply.text()?;
    match word.as_str() {
        "missing" => Err(Error::NotFound { id: id.clone() }),
        "conflict" => Err(Error::Conflict(Box::new(reply.standing()?))),
        "duplicate" => Err(Error::Duplicate { holder: reply.parse("holder")? }),
        "subject_full" => Err(Error::SubjectFull { id: id.clone() }),
        _ => read(&word, reply.standing()?).ok_or_else(|| super::unknown_word("a script", &word)),
    }
}

fn by_due(job: &SubjectJob) -> (Timestamp, &str) {
    let standing = job.cancelled.standing();
    (standing.due, standing.id.as_str())
}

pub(super) fn subject_job(mut reply: Reply) -> Result<SubjectJob> {
    let queue = reply.parse("queue")?;
    let word = reply.text()?;
    Cancelled::from_word(&word, reply.standing()?)
        .map(|cancelled| SubjectJob { queue, cancelled })
        .ok_or_else(|| super::unknown_word("cancel_subject", &word))
}
