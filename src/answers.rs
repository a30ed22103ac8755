//! First answers, for callers that repeat a request because its answer got lost.
//!
//! Before anything is done, a record takes the caller's key; afterwards it holds the answer. A crash in between leaves
//! a record without one: the repeat does it again, with the same ids for its jobs, so that what was enqueued already
//! is recognised.

use crate::error::Result;
use crate::model::{Delay, JobId};
use crate::store::Store;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::{Builder, Uuid};

/// How long an answer is kept: longer than any retry of a shell script or a queue.
const KEPT: Delay = Delay::hours(24);

/// Keeps first answers.
#[derive(Debug, Clone)]
pub struct Answers {
    store: Store,
}

/// What a key stands for.
#[derive(Debug)]
#[non_exhaustive]
pub enum Begun {
    /// Nothing yet, or something that never got its answer: do it, then settle it.
    Open(Ticket),
    /// This was answered before.
    Answered(String),
    /// The key belongs to another request.
    OtherRequest,
}

/// The right to answer under a key.
#[derive(Debug)]
pub struct Ticket {
    store: Store,
    hash: String,
    record: Record,
    /// Whether nobody had the key before.
    is_first: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    /// Hash of the request.
    print: String,
    /// From which the ids of its jobs are made.
    seed: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
}

impl Answers {
    pub(crate) const fn new(store: Store) -> Self {
        Self { store }
    }

    /// Takes a key for a request. `scope` is who asks for what: the same key elsewhere is another one.
    ///
    /// # Errors
    /// [`Error::StorageFull`](crate::Error::StorageFull) and [`Error::Unavailable`](crate::Error::Unavailable):
    /// nothing was done.
    pub async fn begin(&self, scope: &str, key: &str, request: &[u8]) -> Result<Begun> {
        let hash = hex(&Sha256::new().chain_update(scope).chain_update([0]).chain_update(key).finalize());
        let record =
            Record { print: hex(&Sha256::digest(request)), seed: Uuid::now_v7().to_string(), answer: None };
        let known = self.store.claim_answer(&hash, &json(&record), KEPT).await?;
        let Some(known) = known else {
            return Ok(Begun::Open(Ticket { store: self.store.clone(), hash, record, is_first: true }));
        };
        Ok(match serde_json::from_str::<Record>(&known) {
            Ok(known) if known.print != record.print => Begun::OtherRequest,
            Ok(Record { answer: Some(answer), .. }) => Begun::Answered(answer),
            Ok(known) => {
                Begun::Open(Ticket { store: self.store.clone(), hash, record: known, is_first: false })
            }
            // Nobody can say what it was; a second change would be worse than a refusal.
            Err(_) => Begun::OtherRequest,
        })
    }
}

impl Ticket {
    /// Whether nothing was begun under its key before: of what an earlier request came to nothing is known.
    #[must_use]
    pub const fn is_first(&self) -> bool {
        self.is_first
    }

    /// The id of the nth job of the request, the same in every repeat; time-ordered like all others.
    #[must_use]
    pub fn job_id(&self, index: usize) -> Option<JobId> {
        let seed: Uuid = self.record.seed.parse().ok()?;
        let mixed = Sha256::new().chain_update(seed.as_bytes()).chain_update(index.to_be_bytes()).finalize();
        let (seconds, nanos) = seed.get_timestamp()?.to_unix();
        let ms = seconds.checked_mul(1_000)?.checked_add(u64::from(nanos / 1_000_000))?;
        let mut random: [u8; 10] = mixed.get(..10)?.try_into().ok()?;
        // Jobs of one request keep their order: the index comes first, behind the version and its two bits.
        let place = u16::try_from(index).unwrap_or(u16::MAX) & 0x0fff;
        random[..2].copy_from_slice(&place.to_be_bytes());
        JobId::new(Builder::from_unix_timestamp_millis(ms, &random).into_uuid().to_string()).ok()
    }

    /// Keeps the answer for repeats.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): a repeat does it again.
    pub async fn settle(mut self, answer: String) -> Result<()> {
        self.record.answer = Some(answer);
        self.store.settle_answer(&self.hash, &json(&self.record)).await
    }

    /// Gives the key back: nothing was done under it.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): it stays taken for the same request.
    pub async fn give_back(self) -> Result<()> {
        self.store.drop_answer(&self.hash).await
    }
}

fn json(record: &Record) -> String {
    serde_json::to_string(record).unwrap_or_default()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
