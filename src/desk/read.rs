//! Reading it.

use super::proof::{self, Proof};
use super::{Desk, DeskKinds, RECEIPT_SPREAD_MS, Receipt};
use crate::error::Result;
use crate::inspector::Inspector;
use crate::model::{ActNoted, Delay, Subject, Timestamp};

/// Readings of the audit for one receipt, each of [`RECEIPT_SPREAD_MS`]: a thousand jobs are called off in less than those
/// five minutes.
const NOTED_READINGS_MAX: u32 = 30;

impl Inspector {
    /// What the page of a subject shows; `None` where nothing is known of it. The plan with the key `of` is shown, too.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn desk(&self, subject: &Subject, kinds: &DeskKinds, of: Option<&str>) -> Result<Option<Desk>> {
        let about = self.about(subject).await?;
        if about.is_empty() {
            return Ok(None);
        }
        let mut desk = Desk::of(&about, kinds, of);
        for plan in &mut desk.plans {
            let Some(at) = plan.off.as_ref().map(|off| off.at) else { continue };
            plan.has_receipt = proof::of(&about, &self.noted_from(subject, at).await?, at, kinds).is_some();
        }
        Ok(Some(desk))
    }

    /// The receipt of what was called off about a subject at that time; `None` where nothing was.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn desk_receipt(
        &self,
        subject: &Subject,
        kinds: &DeskKinds,
        at: Timestamp,
    ) -> Result<Option<Receipt>> {
        let about = self.about(subject).await?;
        let noted = self.noted_from(subject, at).await?;
        let Some(Proof { doing, steps, taken_back, still_off }) = proof::of(&about, &noted, at, kinds) else {
            return Ok(None);
        };
        Ok(Some(Receipt { doing, steps, taken_back, still_off, desk: Desk::whole(&about, kinds) }))
    }

    /// What was written down about the act of that time, for as long as it may have gone on.
    async fn noted_from(&self, subject: &Subject, at: Timestamp) -> Result<Vec<ActNoted>> {
        let (mut acts, mut from) = (Vec::new(), at.as_millis());
        for _ in 0..NOTED_READINGS_MAX {
            let begin = Timestamp::saturating_from_millis(from);
            acts.extend(self.noted(subject, begin, Delay::millis(RECEIPT_SPREAD_MS)).await?);
            let read_to = from.saturating_add(RECEIPT_SPREAD_MS);
            if proof::until(&acts, at).as_millis() <= read_to {
                break;
            }
            from = read_to.saturating_add(1);
        }
        Ok(acts)
    }
}
