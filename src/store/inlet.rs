//! Which parts of its source an inlet has met: those of which there is a journal, also when the source names them no more.

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

    async fn change_inlet_units(&self, command: &str, inlet: &str, labels: &[&str]) -> Result<()> {
        if labels.is_empty() {
            return Ok(());
        }
        let mut write = redis::pipe();
        write.cmd(command).arg(self.keys().inlet_units(inlet)).arg(labels).ignore();
        self.pipeline(&write).await
    }
}
