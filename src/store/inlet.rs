//! Which parts of its source an inlet has met: those of which there is a journal, also when the source names them no more;
//! and which Redis its name is of.

use super::Store;
use crate::error::Result;

impl Store {
    /// Their labels.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn inlet_units(&self, inlet: &str) -> Result<Vec<String>> {
        let mut read = redis::pipe();
        read.cmd("SMEMBERS").arg(self.keys().inlet_units(inlet));
        let (labels,): (Vec<String>,) = self.pipeline(&read).await?;
        Ok(labels)
    }

    /// Adds some.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn add_inlet_units(&self, inlet: &str, labels: &[&str]) -> Result<()> {
        self.change_inlet_units("SADD", inlet, labels).await
    }

    /// Removes some.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn remove_inlet_units(&self, inlet: &str, labels: &[&str]) -> Result<()> {
        self.change_inlet_units("SREM", inlet, labels).await
    }

    /// Which Redis the name is of; `None` while nobody has taken anything over under it.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn inlet_mark(&self, inlet: &str) -> Result<Option<String>> {
        let mut read = redis::pipe();
        read.cmd("GET").arg(self.keys().inlet_mark(inlet));
        let (mark,): (Option<String>,) = self.pipeline(&read).await?;
        Ok(mark)
    }

    /// Says which Redis the name is of; with `first` only if nobody has said so.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn put_inlet_mark(&self, inlet: &str, mark: &str, first: bool) -> Result<()> {
        let mut write = redis::pipe();
        write.cmd("SET").arg(self.keys().inlet_mark(inlet)).arg(mark);
        if first {
            write.arg("NX");
        }
        write.ignore();
        self.pipeline(&write).await
    }

    async fn change_inlet_units(&self, command: &str, inlet: &str, labels: &[&str]) -> Result<()> {
        if labels.is_empty() {
            return Ok(());
        }
        let mut write = redis::pipe();
        write.cmd(command).arg(self.keys().inlet_units(inlet)).arg(labels).ignore();
        self.pipeline(&write).await
    }
}
