//! Rules of kinds, read and set. They hold in every cell.

use super::{Inspector, Operator};
use crate::error::Result;
use crate::model::{Kind, KindRule, Window};
use crate::store::Intent;

impl Inspector {
    /// The rules of all kinds that have some, by kind, with the next openings of their windows.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn rules(&self) -> Result<Vec<KindRule>> {
        self.cells.first().rules().await
    }
}

impl Operator {
    /// Sets the hours in which jobs of a kind may start; `false` when they were so already. A job that is due outside
    /// of them waits for the next opening. Jobs that say `any_window` are not concerned.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid): nothing changed. [`Error::Unavailable`](crate::Error::Unavailable):
    /// with several cells it may hold in some; repeat it.
    pub async fn set_window(&self, kind: &Kind, window: &Window, why: &str) -> Result<bool> {
        self.put_window(kind, Some(window), why).await
    }

    /// Removes the hours of a kind; `false` when there were none. Jobs that wait for an opening still do: reschedule
    /// them.
    ///
    /// # Errors
    /// As [`set_window`](Self::set_window).
    pub async fn remove_window(&self, kind: &Kind, why: &str) -> Result<bool> {
        self.put_window(kind, None, why).await
    }

    async fn put_window(&self, kind: &Kind, window: Option<&Window>, why: &str) -> Result<bool> {
        let mut intent = Intent::of(self.actor());
        why.clone_into(&mut intent.why);
        super::act::check(&intent)?;
        let changed = self.cells().each(|store| store.set_window(kind, window, &intent)).await?;
        Ok(changed.contains(&true))
    }
}
