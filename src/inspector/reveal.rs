//! A look at one hidden part of a payload, by somebody who says why.

use super::operator::Operator;
use crate::acts::{awaited, check};
use crate::error::{Error, Result};
use crate::model::{JobId, PartPath, Revealed};
use crate::redaction::Part;
use crate::secret;
use crate::store::Intent;
use std::time::Duration;

/// How often a job that changes between being read and the entry in the audit is read again. Its payload rarely does:
/// it is its state that moves on.
const READS_MAX: usize = 5;
/// An hour.
const HOUR: Duration = Duration::from_secs(3_600);

/// A look at one hidden part of one job's payload. Nothing happens before it is awaited.
///
/// Who looked, at which job and part and why is written down before the value is answered; the value itself is not.
#[derive(Debug)]
#[must_use = "nothing happens before it is awaited"]
pub struct Reveal {
    operator: Operator,
    id: JobId,
    part: PartPath,
    why: String,
    an_hour_max: Option<u32>,
}

impl Operator {
    /// Shows one hidden part of a payload, and writes down that it did. It needs a reason.
    ///
    /// # Errors
    /// When awaited: [`Error::Invalid`] without a reason; [`Error::TooOften`] beyond
    /// [`an_hour_max`](Reveal::an_hour_max); [`Error::NotFound`]; [`Error::Conflict`] for a job that never stood still:
    /// try again. Nothing was shown.
    pub fn reveal(&self, id: &JobId, part: PartPath) -> Reveal {
        Reveal { operator: self.clone(), id: id.clone(), part, why: String::new(), an_hour_max: None }
    }
}

impl Reveal {
    /// For that reason, which there must be; at most 1,024 bytes.
    pub fn because(mut self, why: impl Into<String>) -> Self {
        self.why = why.into();
        self
    }

    /// Only if the caller has looked less often within an hour, in all processes together; `None` is any number.
    pub const fn an_hour_max(mut self, most: Option<u32>) -> Self {
        self.an_hour_max = most;
        self
    }

    async fn run(self) -> Result<Revealed> {
        let mut intent = Intent::of(self.operator.actor());
        self.why.trim().clone_into(&mut intent.why);
        if intent.why.is_empty() {
            return Err(Error::invalid("reason", "is needed: it stands in the audit"));
        }
        check(&intent)?;
        let mut moved = None;
        for _ in 0..READS_MAX {
            let redaction = self.operator.settings.redaction().await?;
            let Some((job, ..)) = self.operator.shards().job(&self.id).await? else {
                return Err(Error::NotFound { id: self.id });
            };
            let value = match redaction.part(&job.kind, &job.payload, &self.part) {
                Part::Hidden(value) => value,
                Part::Shown => return Ok(Revealed::NotHidden),
                Part::Within(part) => return Ok(Revealed::Within { part }),
                Part::Nowhere => return Ok(Revealed::NoSuchPart),
            };
            if moved.is_none() {
                self.spend().await?;
            }
            intent.seen = Some(job.version);
            let (part, intent) = (&self.part, &intent);
            let noted = self.operator.shards().act(&self.id, false, |store| {
                let (id, part, intent) = (self.id.clone(), part.clone(), intent.clone());
                async move { store.reveal(&id, &intent, &part).await }
            });
            match noted.await {
                Ok(standing) => {
                    return Ok(Revealed::Part { id: self.id, part: self.part, value, at: standing.at });
                }
                Err(Error::Conflict(standing)) => moved = Some(standing),
                Err(error) => return Err(error),
            }
        }
        Err(moved.map_or(Error::NotFound { id: self.id }, Error::Conflict))
    }

    /// Takes one of the looks of this hour; refuses, and writes that down, where none is left.
    async fn spend(&self) -> Result<()> {
        let Some(most) = self.an_hour_max else { return Ok(()) };
        let (store, actor) = (self.operator.shards().first(), self.operator.actor());
        let Some(wait) = store.spend(&format!("reveals:{}", secret::hash(actor)), most, HOUR).await? else {
            return Ok(());
        };
        store.audit_denied(actor, "reveal", self.id.as_str(), "too often").await?;
        Err(Error::TooOften { wait })
    }
}

awaited!(Reveal, Revealed);
