//! Several jobs of a subject, acted on in one step.

use super::Store;
use super::intent::Intent;
use super::journal::Acted;
use super::reply::Reply;
use super::script;
use super::verb::Verb;
use crate::error::Result;
use crate::model::{Delay, JobAnswer, JobId, JobsAnswer, Past, Subject, Version};

/// What is done to several jobs of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobsVerb {
    /// Call them off.
    Cancel,
    /// Put them back.
    Reinstate,
    /// Make them due that much later.
    Postpone(Delay),
    /// Hold them.
    Hold,
    /// Release them.
    Unhold,
}

impl JobsVerb {
    /// What the journal remembers of a job; `None` where it was left as it was.
    fn acted(self, answer: &JobAnswer) -> Option<Acted> {
        match (self, answer.outcome.as_str()) {
            (Self::Cancel, "cancelled" | "requested") => Some(Acted::Cancelled),
            (Self::Hold, "held") => Some(Acted::Held),
            (Self::Reinstate, "held") => Some(Acted::PutBackHeld),
            (Self::Reinstate, "delayed") => Some(Acted::Reinstated),
            (Self::Reinstate, "ready") => Some(Acted::RetriedNow),
            (Self::Unhold, "delayed") => Some(Acted::Released),
            (Self::Postpone(_), "delayed" | "held" | "retrying") => {
                Some(Acted::Rescheduled(answer.standing.due))
            }
            _ => None,
        }
    }
}

impl Store {
    /// Acts on jobs of a subject in one step, each at the version that was seen: see `lua/functions/jobs/stop_jobs.lua` and
    /// `move_jobs.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): nothing is known of the outcome; repeat it with the same operation
    /// id.
    pub async fn act_on_jobs(
        &self,
        subject: &Subject,
        jobs: &[(JobId, Version)],
        verb: JobsVerb,
        past: Past,
        intent: &Intent,
    ) -> Result<JobsAnswer> {
        let (script, drains, word): (&'static Verb, _, _) = match verb {
            JobsVerb::Cancel => (&script::STOP_JOBS, true, "cancel"),
            JobsVerb::Hold => (&script::STOP_JOBS, true, "hold"),
            JobsVerb::Reinstate => (&script::MOVE_JOBS, false, "reinstate"),
            JobsVerb::Unhold => (&script::MOVE_JOBS, false, "unhold"),
            JobsVerb::Postpone(_) => (&script::MOVE_JOBS, false, "reschedule"),
        };
        let later = match verb {
            JobsVerb::Postpone(later) => later.as_millis().to_string(),
            _ => String::new(),
        };
        let mut call = self.call(script);
        call.arg(subject.as_str()).arg(word).arg(&intent.actor).arg(&intent.why);
        call.operation(&intent.operation).arg(past.as_str()).arg(later);
        for (id, seen) in jobs {
            call.arg(id.as_str()).arg(seen.0);
        }
        let mut reply = if drains { self.drain(&call).await? } else { self.grow(&call).await? };
        let (outcome, at) = (reply.parse("outcome")?, reply.time("now")?);
        let jobs: Vec<JobAnswer> = reply.map(|item| job_answer(item.list()?)).collect::<Result<_>>()?;
        for answer in &jobs {
            if let Some(acted) = verb.acted(answer) {
                self.acknowledge(acted, &answer.standing, intent);
            }
        }
        Ok(JobsAnswer { outcome, at, jobs })
    }
}

fn job_answer(mut reply: Reply) -> Result<JobAnswer> {
    let (queue, outcome) = (reply.parse("queue")?, reply.text()?);
    Ok(JobAnswer { queue, outcome, standing: reply.standing()? })
}
