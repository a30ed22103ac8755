//! What a support desk asks: everything about one subject, and what was written down at some time.

use super::{Inspector, SUBJECT_JOBS_MAX, by_due};
use crate::error::Result;
use crate::model::{About, ActNoted, Delay, Subject, Timestamp};

/// The longest span of the audit that is read at once.
const NOTED_SPAN_MAX: Delay = Delay::minutes(1);

impl Inspector {
    /// Everything about a subject: its plans, its jobs, and what became of those that are gone.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable); [`Error::Codec`](crate::Error::Codec) when a plan does not read.
    pub async fn about(&self, subject: &Subject) -> Result<About> {
        let (mut jobs, read_at) = self.cells.subject(subject, SUBJECT_JOBS_MAX).await?;
        by_due(&mut jobs);
        let mut about = About::new(subject.clone(), read_at);
        about.jobs = jobs;
        about.plans = self.all_plans(subject).await?;
        about.receipts = self.receipts(subject).await?;
        Ok(about)
    }

    /// What was written down about the jobs of a subject's cell from an instant on, for that long and a minute at
    /// most, oldest first. Bound to no queues: whoever tells of it holds it against jobs that were read.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn noted(&self, subject: &Subject, from: Timestamp, span: Delay) -> Result<Vec<ActNoted>> {
        let to = from.as_millis().saturating_add(span.min(NOTED_SPAN_MAX).as_millis());
        self.cells().of_subject(subject).noted(from, Timestamp::saturating_from_millis(to)).await
    }
}
