//! What a support desk asks: everything about one subject, and what was written down at some time.

use super::{Inspector, ROWS_MAX, SUBJECT_JOBS_MAX, by_due};
use crate::error::Result;
use crate::model::{About, ActNoted, Delay, JobId, JobRow, Plan, PlanId, Subject, Timestamp};
use std::collections::HashMap;

/// The longest span of the audit that is read at once.
const NOTED_SPAN_MAX: Delay = Delay::minutes(1);

impl Inspector {
    /// Everything about a subject: its plans, its jobs, and what became of those that are gone.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable); [`Error::Codec`](crate::Error::Codec) when a plan does not read.
    pub async fn about(&self, subject: &Subject) -> Result<About> {
        let (mut jobs, read_at) = self.shards.subject(subject, SUBJECT_JOBS_MAX).await?;
        let plans = self.all_plans(subject).await?;
        move_along(&mut jobs, &plans);
        by_due(&mut jobs);
        let mut about = About::new(subject.clone(), read_at);
        about.jobs = jobs;
        about.plans = self.seen_plans(plans).await?;
        about.receipts = self.receipts(subject).await?;
        Ok(about)
    }

    /// What was written down about the jobs of a subject's shard from an instant on, for that long and a minute at
    /// most, oldest first. Bound to no queues: the caller holds it against jobs that were read.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn noted(&self, subject: &Subject, from: Timestamp, span: Delay) -> Result<Vec<ActNoted>> {
        let to = from.as_millis().saturating_add(span.min(NOTED_SPAN_MAX).as_millis());
        self.shards().of_subject(subject).noted(from, Timestamp::saturating_from_millis(to)).await
    }

    /// The subjects of jobs and plans about which something was written down in that millisecond, in the queues that this
    /// reader sees; of the first 200 acts.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn subjects_noted(&self, at: Timestamp) -> Result<Vec<Subject>> {
        let noted = self.shards().each(|store| store.noted(at, at)).await?;
        let noted = noted.into_iter().flatten().take(ROWS_MAX);
        let (of_plans, of_jobs): (Vec<_>, Vec<_>) =
            noted.partition(|act| act.verb.ends_with("_plan") || act.verb == "reanchor");
        let ids: Vec<JobId> = of_jobs.iter().filter_map(|act| act.target.parse().ok()).collect();
        let mut subjects = Vec::new();
        for (id, row) in ids.iter().zip(self.rows(&ids).await?) {
            let subject = match row {
                Some(row) => row.subject,
                None => self.receipt(id).await?.map(|(subject, _)| subject),
            };
            subjects.extend(subject);
        }
        for id in of_plans.iter().filter_map(|act| act.target.parse::<PlanId>().ok()) {
            subjects.extend(self.plan(&id).await?.map(|plan| plan.subject));
        }
        subjects.sort_unstable();
        subjects.dedup();
        Ok(subjects)
    }
}

/// Gives jobs that are steps of plans the times at which those are read: one that is called off moves along with its plan.
/// A reader who sees not all of a plan sees the jobs alone.
fn move_along(jobs: &mut [JobRow], plans: &[Plan]) {
    let steps = plans.iter().flat_map(|plan| &plan.steps).filter_map(|step| step.job.as_ref());
    let steps: HashMap<&JobId, &JobRow> = steps.map(|job| (&job.id, job)).collect();
    for job in jobs {
        // Of two versions, one was read after the other had moved.
        if let Some(step) = steps.get(&job.id).filter(|step| step.version == job.version) {
            job.due = step.due;
        }
    }
}
