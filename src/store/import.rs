//! Which parts of its source an importer has met: those of which there is a journal, also when the source names them no more;
//! and which Redis its name is of.

use super::Store;
use crate::error::Result;

impl Store {
    /// Their labels.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn import_units(&self, import: &str) -> Result<Vec<String>> {
        self.ask(redis::cmd("SMEMBERS").arg(self.keys().import_units(import))).await
    }

    /// Adds some.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn add_import_units(&self, import: &str, labels: &[&str]) -> Result<()> {
        self.change_import_units("SADD", import, labels).await
    }

    /// Removes some.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn remove_import_units(&self, import: &str, labels: &[&str]) -> Result<()> {
        self.change_import_units("SREM", import, labels).await
    }

    /// Which Redis the name is of; `None` while nobody has taken anything over under it.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn import_mark(&self, import: &str) -> Result<Option<String>> {
        self.ask(redis::cmd("GET").arg(self.keys().import_mark(import))).await
    }

    /// Says which Redis the name is of; with `first` only if nobody has said so.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn put_import_mark(&self, import: &str, mark: &str, first: bool) -> Result<()> {
        let mut write = redis::pipe();
        write.cmd("SET").arg(self.keys().import_mark(import)).arg(mark);
        if first {
            write.arg("NX");
        }
        write.ignore();
        self.pipeline(&write).await
    }

    async fn change_import_units(&self, command: &str, import: &str, labels: &[&str]) -> Result<()> {
        if labels.is_empty() {
            return Ok(());
        }
        let mut write = redis::pipe();
        write.cmd(command).arg(self.keys().import_units(import)).arg(labels).ignore();
        self.pipeline(&write).await
    }
}
