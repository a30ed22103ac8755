//! Freezing a bulk run whose jobs are chosen here: by a filter, or one by one.

use super::bulk::BulkWord;
use super::{Store, script};
use crate::error::Result;
use crate::model::{JobId, RunId, Version};
use redis::Cmd;

impl Store {
    /// Takes jobs into a run that is being frozen: see `lua/functions/bulk/bulk_take.lua`. The step began at `from`, without which that is
    /// the beginning; without a `next` it was the last. [`BulkWord::Refused`] where somebody else has looked on from there.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) and [`Error::StorageFull`](crate::Error::StorageFull):
    /// repeat it.
    pub(crate) async fn bulk_take(
        &self,
        run: &RunId,
        jobs: &[(JobId, Version)],
        looked_at: u64,
        from: Option<&str>,
        next: Option<&str>,
    ) -> Result<BulkWord> {
        let mut call = self.call(&script::BULK_TAKE);
        call.arg(run.as_str()).arg(looked_at);
        call.arg(from.unwrap_or_default()).arg(next.unwrap_or_default());
        for (id, version) in jobs {
            call.arg(id.as_str()).arg(version.0);
        }
        BulkWord::read(self.grow(&call).await?)
    }

    /// Where the next step of freezing a run begins; `None` at its beginning.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn bulk_place(&self, run: &RunId) -> Result<Option<String>> {
        let place: Option<String> = self.ask(&Cmd::hget(self.keys().bulk_run(run, ""), "at_place")).await?;
        Ok(place.filter(|place| !place.is_empty()))
    }
}
