//! What is done to several jobs of a subject in one step.

use super::{awaited, intended};
use crate::error::{Error, Result};
use crate::model::{Delay, JobId, JobsAnswer, Past, Subject, Version};
use crate::store::{Intent, JobsVerb, Shards};
use std::sync::Arc;

/// As many jobs as a subject has that live.
const JOBS_MAX: usize = crate::constants::SUBJECT_LIVE_MAX as usize;

/// A verb on several jobs of a subject, with who and why. Nothing happens before it is awaited.
#[derive(Debug)]
#[must_use = "nothing happens before it is awaited"]
pub struct JobsAct {
    acts: JobsActs,
    verb: JobsVerb,
    past: Past,
    intent: Intent,
}

impl JobsAct {
    /// What becomes of jobs whose time would have passed; without this nothing changes then, and the answer names them.
    pub const fn past(mut self, past: Past) -> Self {
        self.past = past;
        self
    }

    intended!();

    async fn run(self) -> Result<JobsAnswer> {
        super::check(&self.intent)?;
        let JobsActs { shards, subject, jobs, .. } = self.acts;
        if jobs.len() > JOBS_MAX {
            return Err(Error::invalid(
                "jobs",
                format!("are {}; at most {JOBS_MAX} are allowed", jobs.len()),
            ));
        }
        let intent = super::repeatable(&shards, self.intent);
        shards.of_subject(&subject).act_on_jobs(&subject, &jobs, self.verb, self.past, &intent).await
    }
}

awaited!(JobsAct, JobsAnswer);

/// The verbs on some jobs of one subject, as they were seen: each in one step for all of them. Where a job has changed since,
/// nothing changes; but whatever it has become, it is called off.
#[derive(Debug, Clone)]
pub struct JobsActs {
    shards: Shards,
    subject: Subject,
    jobs: Arc<[(JobId, Version)]>,
    actor: String,
}

impl JobsActs {
    pub(crate) fn new(
        shards: Shards,
        subject: Subject,
        jobs: impl IntoIterator<Item = (JobId, Version)>,
        actor: String,
    ) -> Self {
        Self { shards, subject, jobs: jobs.into_iter().collect(), actor }
    }

    fn act(&self, verb: JobsVerb) -> JobsAct {
        JobsAct { acts: self.clone(), verb, past: Past::Refuse, intent: Intent::of(&self.actor) }
    }

    /// Calls them off.
    pub fn cancel(&self) -> JobsAct {
        self.act(JobsVerb::Cancel)
    }

    /// Puts those back that were called off, at their original due times.
    pub fn reinstate(&self) -> JobsAct {
        self.act(JobsVerb::Reinstate)
    }

    /// Makes those due that much later that wait for their times.
    pub fn postpone(&self, later: Delay) -> JobsAct {
        self.act(JobsVerb::Postpone(later))
    }

    /// Holds those that wait for their times.
    pub fn hold(&self) -> JobsAct {
        self.act(JobsVerb::Hold)
    }

    /// Releases those that a person holds.
    pub fn unhold(&self) -> JobsAct {
        self.act(JobsVerb::Unhold)
    }
}
