//! First answers, for callers that repeat a request because its answer got lost.
//!
//! Before anything is done, a record takes the caller's key; afterwards it holds the answer. A crash in between leaves
//! a record without one: the repeat does it again, with the same ids for its jobs, so that what was enqueued already
//! is recognised.

use crate::error::Result;
use crate::model::{Delay, JobId};
use crate::secret::hex;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::time::Duration;
use uuid::{Builder, Uuid};

/// How long an answer is kept: longer than any retry of a shell script or a queue.
const KEPT: Delay = Delay::hours(24);
/// How long a request without an answer may still be under way. Longer than a call waits for Redis.
const UNDER_WAY_MAX: Duration = Duration::from_secs(8);

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
    ids: Ids,
    /// Whether nobody had the key before.
    is_first: bool,
}

/// The ids of what a request makes, the same in every repeat.
#[derive(Debug, Clone, Copy)]
pub struct Ids {
    seed: Uuid,
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
        let ids = self.ids(scope, key);
        let record =
            Record { print: hex(&Sha256::digest(request)), seed: ids.seed.to_string(), answer: None };
        let known = self.store.claim_answer(&hash, &json(&record), KEPT).await?;
        let open = |record, ids, is_first| {
            Begun::Open(Ticket { store: self.store.clone(), hash, record, ids, is_first })
        };
        let Some(known) = known else { return Ok(open(record, ids, true)) };
        Ok(match serde_json::from_str::<Record>(&known) {
            Ok(known) if known.print != record.print => Begun::OtherRequest,
            Ok(Record { answer: Some(answer), .. }) => Begun::Answered(answer),
            Ok(known) => match known.seed.parse() {
                Ok(seed) => open(known, Ids { seed }, false),
                Err(_) => Begun::OtherRequest,
            },
            // Nobody can say what it was; a second change would be worse than a refusal.
            Err(_) => Begun::OtherRequest,
        })
    }

    /// The ids of a request under a key. Of a key that is a UUIDv7 they are known before anybody took it: a request that came
    /// without one has those of the key that was made for it, and its repeat under that key has them again.
    #[must_use]
    pub fn ids(&self, scope: &str, key: &str) -> Ids {
        Ids { seed: seed_of(scope, key).unwrap_or_else(Uuid::now_v7) }
    }
}

impl Ticket {
    /// Whether nothing was begun under its key before: of what an earlier request came to nothing is known.
    #[must_use]
    pub const fn is_first(&self) -> bool {
        self.is_first
    }

    /// Whether an earlier request under its key may still be at work. Only for callers that always settle: they wait for its
    /// answer. A request that broke off is under way for eight seconds.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn is_under_way(&self) -> Result<bool> {
        if self.is_first {
            return Ok(false);
        }
        let age = self.store.answer_age(&self.hash, KEPT).await?;
        Ok(age.is_none_or(|age| age < UNDER_WAY_MAX))
    }

    /// The ids of what the request makes.
    #[must_use]
    pub const fn ids(&self) -> Ids {
        self.ids
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

impl Ids {
    /// The id of the nth job of the request, the same in every repeat; time-ordered like all others.
    #[must_use]
    pub fn job_id(&self, index: usize) -> Option<JobId> {
        let mixed =
            Sha256::new().chain_update(self.seed.as_bytes()).chain_update(index.to_be_bytes()).finalize();
        let mut random: [u8; 10] = mixed.get(..10)?.try_into().ok()?;
        // Jobs of one request keep their order: the index comes first, behind the version and its two bits.
        let place = u16::try_from(index).unwrap_or(u16::MAX) & 0x0fff;
        random[..2].copy_from_slice(&place.to_be_bytes());
        let id = Builder::from_unix_timestamp_millis(made_ms(self.seed)?, &random).into_uuid();
        JobId::new(id.to_string()).ok()
    }
}

/// From a key that is a UUIDv7: of its time, and of the caller who asks for that.
fn seed_of(scope: &str, key: &str) -> Option<Uuid> {
    let key: Uuid = key.parse().ok()?;
    let ms = made_ms(key).filter(|_| key.get_version_num() == 7)?;
    let mixed = Sha256::new().chain_update(scope).chain_update([0]).chain_update(key.as_bytes()).finalize();
    Some(Builder::from_unix_timestamp_millis(ms, mixed.first_chunk()?).into_uuid())
}

/// When a UUIDv7 was made, in ms since 1970.
fn made_ms(id: Uuid) -> Option<u64> {
    let (seconds, nanos) = id.get_timestamp()?.to_unix();
    seconds.checked_mul(1_000)?.checked_add(u64::from(nanos / 1_000_000))
}

fn json(record: &Record) -> String {
    serde_json::to_string(record).unwrap_or_default()
}
