//! The audit of one shard, entry by entry.
//!
//! What an entry says, and how its hash is made, is decided in `lua/core/audit.lua`.

use super::{Store, script};
use crate::error::{Error, Result};
use crate::model::{
    ArchivedEntry, AuditBreak, AuditCheck, AuditEntry, AuditFault, AuditPlace, QueueName, Shard, Timestamp,
};
use redis::{FromRedisValue, ParsingError, Value};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Entries of one read of a check: about two milliseconds of Redis.
const CHECKED_AT_ONCE: usize = 1_000;
/// The id of an entry and its time may differ by this much, where Redis takes them from two looks at the clock.
const SLACK_MS: u64 = 1_000;

/// What the hash of an entry is made of, in this order.
const SAID: [&str; 13] = [
    "at", "by", "verb", "target", "queue", "why", "outcome", "from", "to", "due_from", "due_to", "op",
    "before",
];
/// The same behind those of entries that say more of who acted than the name.
const SAID_OF_CALLER: [&str; 3] = ["role", "address", "request"];
/// The same behind everything else of an entry that names several jobs, in place of `target`, with a space between two.
const TARGETS: &str = "targets";

impl Store {
    /// What stands before a place, the latest first, none of it written long before `from` or after `to`: that of at most
    /// `most` entries, and whether there were so many.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn audit_before(
        &self,
        before: Option<AuditPlace>,
        from: Option<Timestamp>,
        to: Option<Timestamp>,
        most: usize,
    ) -> Result<(Vec<AuditEntry>, bool)> {
        let upper = match before {
            // Of one id, the shard with the lower number stands before the other, and the job that is named first.
            Some(place) if (self.shard().0, 0) < (place.shard, place.part) => {
                format!("{}-{}", place.ms, place.sequence)
            }
            Some(place) => format!("({}-{}", place.ms, place.sequence),
            None => to.map_or_else(|| "+".to_owned(), |to| whole_ms(to).saturating_add(SLACK_MS).to_string()),
        };
        let lower =
            from.map_or_else(|| "-".to_owned(), |from| whole_ms(from).saturating_sub(SLACK_MS).to_string());
        let entries: Vec<Raw> = self
            .ask(
                redis::cmd("XREVRANGE").arg(self.keys().audit()).arg(upper).arg(lower).arg("COUNT").arg(most),
            )
            .await?;
        let mut told = Vec::with_capacity(entries.len());
        for entry in &entries {
            told.extend(entry.read(self.shard().0)?.into_iter().rev());
        }
        told.retain(|entry| before.is_none_or(|before| entry.place < before));
        Ok((told, entries.len() == most))
    }

    /// At most `most` entries from one id of the stream to another, the oldest first.
    pub(super) async fn audit_range(&self, from: &str, to: &str, most: usize) -> Result<Vec<Raw>> {
        self.ask(redis::cmd("XRANGE").arg(self.keys().audit()).arg(from).arg(to).arg("COUNT").arg(most)).await
    }

    /// Follows the chain from its first entry to the last, or until `room` entries are used up. `archive` has the entries
    /// before those, the oldest first, where there is one.
    ///
    /// # Errors
    /// [`Error::Unavailable`], and what the archive says.
    pub(crate) async fn check_audit(
        &self,
        check: &mut AuditCheck,
        room: &mut u64,
        anchor: Option<&str>,
        archive: impl Iterator<Item = Result<ArchivedEntry>>,
    ) -> Result<()> {
        let mut chain = Chain::default();
        for entry in archive {
            let entry = Raw::from(entry?);
            // What was removed only after it was archived once more.
            if chain.last.as_ref().is_some_and(|last| entry.place() <= last.place()) {
                continue;
            }
            check.archived = Some(check.archived.unwrap_or_default() + 1);
            self.follow(&mut chain, entry, check, anchor);
            if check.broken.is_some() {
                return Ok(());
            }
        }
        // What the archive has as well is not looked at again.
        loop {
            let most = usize::try_from(*room).unwrap_or(usize::MAX).min(CHECKED_AT_ONCE);
            if most == 0 {
                check.complete = false;
                return Ok(());
            }
            // The newest hash first: what is written between the two reads is only more to be checked.
            let head = self.meta("audit_hash").await?;
            let after = chain.last.as_ref().map_or_else(|| "-".to_owned(), |last| format!("({}", last.id));
            let entries = self.audit_range(&after, "+", most).await?;
            let found = entries.len();
            *room = room.saturating_sub(u64::try_from(found).unwrap_or(u64::MAX));
            let mut seen_head = head.is_none() || head == chain.last.as_ref().map(Raw::hash);
            for entry in entries {
                check.checked += 1;
                seen_head |= head.as_deref() == entry.fields.get("hash").map(String::as_str);
                self.follow(&mut chain, entry, check, anchor);
                if check.broken.is_some() {
                    return Ok(());
                }
            }
            if found < most {
                let last = chain.last.as_ref();
                let is_whole = if last.is_some() { head.is_some() && seen_head } else { head.is_none() };
                if !is_whole {
                    check.broken = Some(self.broken(AuditFault::Shortened, last));
                }
                check.heads.extend(last.map(Raw::hash));
                return Ok(());
            }
        }
    }

    /// Holds one entry against those before it.
    fn follow(&self, chain: &mut Chain, entry: Raw, check: &mut AuditCheck, anchor: Option<&str>) {
        if anchor.is_some_and(|anchor| entry.fields.get("hash").is_some_and(|hash| hash == anchor)) {
            check.anchored = Some(true);
        }
        match chain.follow(&entry) {
            Ok(()) => chain.last = Some(entry),
            Err(how) => check.broken = Some(self.broken(how, Some(&entry))),
        }
    }

    /// What is wrong, shown at an entry: of several jobs that it names, at the first.
    fn broken(&self, how: AuditFault, entry: Option<&Raw>) -> AuditBreak {
        let shard = self.shard().0;
        let entry = entry.and_then(|entry| entry.read(shard).ok()?.into_iter().next());
        AuditBreak { how, entry, shard }
    }

    /// Writes down that somebody was refused: see `lua/functions/people/audit_denied.lua`.
    ///
    /// # Errors
    /// [`Error::StorageFull`] and [`Error::Unavailable`].
    pub async fn audit_denied(&self, actor: &str, verb: &str, target: &str, lacks: &str) -> Result<()> {
        let mut call = self.call(&script::AUDIT_DENIED);
        call.arg(actor).arg(verb).arg(target).arg(lacks);
        self.grow(&call).await.map(drop)
    }

    /// Writes down an act that changes no job by itself: see `lua/functions/people/audit_act.lua`.
    ///
    /// # Errors
    /// [`Error::StorageFull`] and [`Error::Unavailable`].
    pub async fn audit_act(
        &self,
        actor: &str,
        verb: &str,
        target: &str,
        why: &str,
        outcome: &str,
    ) -> Result<()> {
        let mut call = self.call(&script::AUDIT_ACT);
        call.arg(actor).arg(verb).arg(target).arg(why).arg(outcome);
        self.grow(&call).await.map(drop)
    }
}

fn whole_ms(at: Timestamp) -> u64 {
    u64::try_from(at.as_millis()).unwrap_or_default()
}

/// Entries as they follow on each other.
#[derive(Default)]
struct Chain {
    last: Option<Raw>,
}

impl Chain {
    fn follow(&self, entry: &Raw) -> std::result::Result<(), AuditFault> {
        // The entries before the first one that is kept went with their age.
        if self.last.as_ref().is_some_and(|last| last.hash() != entry.field("before")) {
            return Err(AuditFault::Unlinked);
        }
        if entry.hash() == entry.hash_of_all() { Ok(()) } else { Err(AuditFault::Altered) }
    }
}

/// An entry as it is kept.
pub(super) struct Raw {
    id: String,
    fields: HashMap<String, String>,
}

impl From<ArchivedEntry> for Raw {
    fn from(entry: ArchivedEntry) -> Self {
        Self { id: entry.id, fields: entry.fields.into_iter().collect() }
    }
}

impl Raw {
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// When it was written, and which one of that millisecond.
    fn place(&self) -> (u64, u64) {
        let (ms, sequence) = self.id.split_once('-').unwrap_or((&self.id, "0"));
        (ms.parse().unwrap_or_default(), sequence.parse().unwrap_or_default())
    }

    /// When it was written, Unix ms.
    pub(super) fn ms(&self) -> u64 {
        self.place().0
    }

    pub(super) fn archived(self, shard: Shard) -> ArchivedEntry {
        ArchivedEntry { id: self.id, shard, fields: self.fields.into_iter().collect() }
    }

    fn hash(&self) -> String {
        self.field("hash").to_owned()
    }

    pub(super) fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// What it was done to.
    pub(super) fn targets(&self) -> Vec<&str> {
        let several = self.fields.get(TARGETS).map(|several| several.split(' ').collect());
        several.unwrap_or_else(|| vec![self.field("target")])
    }

    /// The hash that it should have.
    fn hash_of_all(&self) -> String {
        let mut said = String::new();
        let says_more = SAID_OF_CALLER.iter().any(|name| self.fields.contains_key(*name));
        let of_caller = SAID_OF_CALLER.iter().filter(|_| says_more);
        let several = std::iter::once(&TARGETS).filter(|name| self.fields.contains_key(**name));
        for name in SAID.iter().chain(of_caller).chain(several) {
            let value = self.field(name);
            if !said.is_empty() {
                said.push('\n');
            }
            // Writing into a text cannot fail.
            let _ = write!(said, "{}:{value}", value.len());
        }
        sha1_smol::Sha1::from(said).digest().to_string()
    }

    /// What it says, for each of the jobs that it names.
    pub(super) fn read(&self, shard: u16) -> Result<Vec<AuditEntry>> {
        let (ms, sequence) = self.id.split_once('-').unwrap_or((&self.id, "0"));
        let number = |text: &str| {
            text.parse().map_err(|_| Error::codec(format!("an audit entry has the id {:?}", self.id)))
        };
        let place = AuditPlace { ms: number(ms)?, sequence: number(sequence)?, shard, part: 0 };
        let time = |name: &str| self.field(name).parse().ok().and_then(Timestamp::from_millis);
        // An entry that somebody edited by hand is still shown: that it was, the check says.
        let written = Timestamp::saturating_from_millis(i64::try_from(place.ms).unwrap_or(i64::MAX));
        let mut entry =
            AuditEntry::new(place, time("at").unwrap_or(written), self.field("by"), self.field("verb"), "")
                .because(self.field("why"));
        entry.queue = QueueName::new(self.field("queue")).ok();
        self.field("outcome").clone_into(&mut entry.outcome);
        self.field("from").clone_into(&mut entry.from);
        self.field("to").clone_into(&mut entry.to);
        (entry.due_from, entry.due_to) = (time("due_from"), time("due_to"));
        self.field("op").clone_into(&mut entry.operation);
        self.field("role").clone_into(&mut entry.role);
        self.field("address").clone_into(&mut entry.address);
        self.field("request").clone_into(&mut entry.request);
        entry.hash = self.hash();
        let of_target = |(part, target): (u16, &str)| AuditEntry {
            place: AuditPlace { part, ..place },
            target: target.to_owned(),
            ..entry.clone()
        };
        Ok((0..=u16::MAX).zip(self.targets()).map(of_target).collect())
    }
}

impl FromRedisValue for Raw {
    fn from_redis_value(value: Value) -> std::result::Result<Self, ParsingError> {
        let (id, fields): (String, HashMap<String, Vec<u8>>) = redis::from_redis_value(value)?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Self { id, fields: fields.into_iter().map(|(name, value)| (name, text(value))).collect() })
    }
}
