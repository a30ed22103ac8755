//! First answers to requests that may be repeated.

use super::Store;
use super::connection::Proof;
use crate::error::Result;
use crate::model::Delay;
use redis::{Pipeline, Value};
use std::time::Duration;

impl Store {
    /// Writes a record unless there is one; returns the one there was.
    pub(crate) async fn claim_answer(&self, hash: &str, record: &str, kept: Delay) -> Result<Option<String>> {
        let mut command = redis::cmd("SET");
        command
            .arg(self.keys().answer(hash))
            .arg(record)
            .arg("NX")
            .arg("GET")
            .arg("PX")
            .arg(kept.as_millis());
        let known = command.query_async::<Option<String>>(&mut self.connections().writes()).await;
        self.connections().note(Proof::Grows, known)
    }

    /// How long ago a record was written that is kept for that long, by Redis's clock; `None` where it is gone.
    pub(crate) async fn answer_age(&self, hash: &str, kept: Delay) -> Result<Option<Duration>> {
        let mut command = redis::cmd("PTTL");
        command.arg(self.keys().answer(hash));
        let left = command.query_async::<i64>(&mut self.connections().writes()).await;
        let left = self.connections().note(Proof::Reads, left)?;
        Ok((left >= 0).then(|| Delay::millis(kept.as_millis().saturating_sub(left)).as_duration()))
    }

    /// Writes the record anew for as long as the old one had left; nothing if that is gone.
    pub(crate) async fn settle_answer(&self, hash: &str, record: &str) -> Result<()> {
        let mut write = Pipeline::new();
        write.cmd("SET").arg(self.keys().answer(hash)).arg(record).arg("XX").arg("KEEPTTL").ignore();
        let written = write.query_async::<Value>(&mut self.connections().writes()).await;
        self.connections().note(Proof::Grows, written).map(drop)
    }

    /// Forgets a record: what it stood for did not happen.
    pub(crate) async fn drop_answer(&self, hash: &str) -> Result<()> {
        let mut write = Pipeline::new();
        write.del(self.keys().answer(hash)).ignore();
        let written = write.query_async::<Value>(&mut self.connections().writes()).await;
        self.connections().note(Proof::Drains, written).map(drop)
    }
}
