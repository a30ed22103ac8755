//! Entries that a program brings along.

use super::Client;
use crate::cron::check;
use crate::error::Result;
use crate::model::{CronChanged, CronEntry};
use crate::store::{Intent, PutEntry, place};

impl Client {
    /// Declares a cron entry, usually at every start. It is made or changed when the declaration differs from the
    /// last one; what a person changed since then, and a pause, stay. `by` names the program in audit and lists.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) and [`Error::PayloadTooLarge`](crate::Error::PayloadTooLarge) with
    /// what is wrong; [`Error::Unavailable`](crate::Error::Unavailable): repeat it.
    pub async fn declare_cron(&self, entry: &CronEntry, by: &str) -> Result<CronChanged> {
        let schedule = check(entry)?;
        let Some(store) = place(self.shards(), entry).await? else { return Ok(CronChanged::Full) };
        let from = store.now().await?;
        let next = schedule.next_after(from);
        let put = PutEntry { entry, from, next, seen: None, declared: true };
        store.put_cron(&put, &Intent::of(by)).await
    }
}
