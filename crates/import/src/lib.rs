//! Importers of foreign queues: a plain sorted set, delayq, asynq, BullMQ, Sidekiq, RQ, arq,
//! Bee-Queue, Celery.
//!
//! A foreign format is translated at the door; its names of keys and fields
//! stay inside the module that speaks it. Every source goes through the same
//! steps: *observe* it, *shadow* it, *take over*, and *roll back* as long as
//! its journal is kept; or *follow* it, and its producers keep their client.
//!
//! An item is moved in three calls that may be on three different machines.
//! The first takes it out of the foreign keys and writes it into a journal
//! beside them, in one step, byte for byte. The second makes a job of it; the
//! engine remembers which record it came from, so that repeating it changes
//! nothing. The third notes in the journal that it has arrived. Whatever dies
//! in between, the item is in exactly one place: at the source, in the
//! journal, or here.

mod arq;
mod asynq;
mod bee_queue;
mod bullmq;
mod candidate;
mod celery;
mod check;
mod delayq;
mod door;
mod doubles;
mod follow;
mod formats;
mod fuse;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzed;
mod items;
mod journal;
mod judge;
mod mark;
mod model;
mod observe;
mod python;
mod recognise;
mod roll_back;
mod rq;
mod score;
mod script;
mod shadow;
mod sidekiq;
mod source;
mod standing;
mod take_over;
mod translate;
mod unit;
mod zset;

pub use model::{
    Comparison, FoundItem, FoundSource, ImportFormat, ImportSample, ImportStanding, ImportStaying,
    ImportWarning, ImportWarningCode, KnownSet, Observation, PlaceCount, Recognised, RolledBack, SetContent,
    SetOfOthers, TakenOver, Unreadable,
};
pub use recognise::{recognise, shown_address};
pub use score::ScoreUnit;
pub use shadow::Shadow;
pub use source::{AsynqSource, BullmqSource, DelayqSource, Layout, QueuesSource, Source, ZsetSource};

use door::Door;
use formats::door;
use fuse::Fuse;
use reprieve::internals::{
    Foreign, KnownSettings, Redaction, Shards, check_why, invalid, known_settings, shards,
};
pub use reprieve::model::ImportName;
use reprieve::model::{Namespace, Timestamp};
use reprieve::{Actor, Engine, Result};
use std::collections::HashSet;
use std::sync::Arc;
use translate::Raw;
use unit::Unit;

/// Items a call: a few milliseconds of Redis.
const PAGE: usize = 100;
/// Items that stay and are named with a reason; more are counted.
const NAMED_MAX: usize = 100;

/// Takes over one foreign queue. Nothing happens before a step is called. Cloning shares its connections.
#[derive(Clone)]
pub struct Importer {
    name: ImportName,
    source: Source,
    namespace: Namespace,
    shards: Shards,
    foreign: Foreign,
    door: Door,
    fuse: Fuse,
    /// What of payloads is hidden from readers.
    settings: KnownSettings,
    /// Who takes over and rolls back, for the audit; nobody where a program follows by itself.
    by: Option<String>,
    /// Why they do.
    why: String,
    /// Which warnings they have read.
    accepted: Vec<ImportWarningCode>,
}

impl std::fmt::Debug for Importer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // An address may hold a password.
        f.debug_struct("Importer")
            .field("name", &self.name)
            .field("layout", &self.source.layout)
            .finish_non_exhaustive()
    }
}

impl Importer {
    /// An importer for the jobs of a foreign queue; nothing happens before it is asked for.
    ///
    /// # Errors
    /// [`Error::Invalid`](reprieve::Error::Invalid) for a source that cannot be,
    /// [`Error::Refused`](reprieve::Error::Refused) for an address that names no Redis.
    pub fn new(engine: &Engine, name: ImportName, source: Source) -> Result<Self> {
        source.check()?;
        let (shards, settings) = (shards(engine).clone(), known_settings(engine).clone());
        let namespace = engine.namespace().clone();
        let foreign = match &source.url {
            Some(url) => Foreign::open(url, source.tls())?,
            None => Foreign::beside(&shards),
        };
        let door = door(&source.layout);
        Ok(Self {
            name,
            source,
            namespace,
            shards,
            foreign,
            door,
            fuse: Fuse::default(),
            settings,
            by: None,
            why: String::new(),
            accepted: Vec::new(),
        })
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &ImportName {
        &self.name
    }

    /// The same importer for somebody, in whose name the audit says that they take over or roll back.
    #[must_use]
    pub fn by(&self, actor: impl Into<Actor>) -> Self {
        let actor = actor.into();
        Self { shards: self.shards.called_by(&actor), by: Some(actor.name), ..self.clone() }
    }

    /// The same importer for that reason, of at most 1,024 bytes, which stands in the audit beside who takes over or rolls back.
    #[must_use]
    pub fn because(&self, why: impl Into<String>) -> Self {
        Self { why: why.into(), ..self.clone() }
    }

    /// The same importer for somebody who has read these warnings of [`observe`](Self::observe) and takes over all the same.
    #[must_use]
    pub fn accepting(&self, warnings: &[ImportWarningCode]) -> Self {
        Self { accepted: warnings.to_vec(), ..self.clone() }
    }

    /// Refuses what nobody has accepted.
    async fn check_warnings(&self) -> Result<()> {
        let mut warnings = self.observe().await?.warnings;
        warnings.retain(|warning| !self.accepted.contains(&warning.code));
        if warnings.is_empty() {
            return Ok(());
        }
        let said = warnings.iter().map(|ImportWarning { code, detail, .. }| format!("{code} ({detail})"));
        let said = said.collect::<Vec<_>>().join(", ");
        Err(invalid("accept_warnings", format!("does not name {said}; nothing was taken over")))
    }

    /// Writes down what somebody begins here, why, and with what.
    async fn note_begin(&self, verb: &str) -> Result<()> {
        let Some(by) = &self.by else { return Ok(()) };
        check_why(&self.why)?;
        let source = self.source.shown();
        let why = match self.why.as_str() {
            "" => source,
            // What is added to a usual reason stands behind a colon.
            why if why.contains(": ") => format!("{why} · {source}"),
            why => format!("{why}: {source}"),
        };
        self.shards.first().audit_act(by, verb, self.name.as_str(), &why, "begun").await
    }

    /// Writes down what has come of it. It is done by then: that it could not be written down is for the log.
    async fn note_end(&self, verb: &str, numbers: &str) {
        let Some(by) = &self.by else { return };
        if let Err(error) =
            self.shards.first().audit_act(by, verb, self.name.as_str(), numbers, "ended").await
        {
            tracing::error!(import = %self.name, %error, "the audit lacks what came of {verb} ({numbers}): {error}");
        }
    }

    /// Where its jobs come from.
    #[must_use]
    pub const fn source(&self) -> &Source {
        &self.source
    }

    /// The same importer, which fails at the call to Redis after that many, as if its process had been killed there.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn killed_after(&self, calls: u32) -> Self {
        Self { fuse: Fuse::after(calls), ..self.clone() }
    }

    /// The parts of the source, each with its journal: those that it names, and those that it named before.
    async fn units(&self) -> Result<Vec<Unit>> {
        let mut labels = self.door.units(&self.foreign).await?;
        if self.door.lists_units() {
            let listed: HashSet<String> = labels.iter().cloned().collect();
            let mut met = self.shards.first().import_units(self.name.as_str()).await?;
            met.retain(|label| !listed.contains(label));
            met.sort();
            labels.extend(met);
        }
        Ok(labels
            .into_iter()
            .map(|label| {
                let base = self.door.base(&label);
                let tag = translate::slot_tag(&base).map(|tag| format!("{{{tag}}}:")).unwrap_or_default();
                let journal = format!("reprieve-import:{}:{}:{tag}{label}:", self.namespace, self.name);
                Unit { label, base, journal }
            })
            .collect())
    }

    /// Remembers the parts it takes from. With `closes`, what a roll back has closed is closed in new parts as well.
    async fn meet(&self, units: &[Unit], closes: bool) -> Result<()> {
        if !self.door.lists_units() {
            return Ok(());
        }
        let met = self.shards.first().import_units(self.name.as_str()).await?;
        let met: HashSet<&str> = met.iter().map(String::as_str).collect();
        let new: Vec<Unit> =
            units.iter().filter(|unit| !met.contains(unit.label.as_str())).cloned().collect();
        if closes && !new.is_empty() {
            for unit in units {
                if self.is_closed(unit).await? {
                    self.set_closed(&new, true).await?;
                    break;
                }
            }
        }
        let labels: Vec<&str> = new.iter().map(|unit| unit.label.as_str()).collect();
        self.shards.first().add_import_units(self.name.as_str(), &labels).await
    }

    /// Forgets the parts that the source names no more and that have nothing left to put back.
    async fn part(&self, units: &[Unit]) -> Result<()> {
        if !self.door.lists_units() {
            return Ok(());
        }
        let listed = self.door.units(&self.foreign).await?;
        let listed: HashSet<&str> = listed.iter().map(String::as_str).collect();
        let mut over = Vec::new();
        for unit in units.iter().filter(|unit| !listed.contains(unit.label.as_str())) {
            if !self.is_known_of(unit).await? {
                over.push(unit.label.as_str());
            }
        }
        self.shards.first().remove_import_units(self.name.as_str(), &over).await
    }

    /// How items may be named to people, by the rules of today.
    async fn names(&self) -> Result<Names> {
        Ok(Names { door: self.door.clone(), redaction: self.settings.redaction().await? })
    }

    /// The source's clock.
    async fn source_now(&self) -> Result<Timestamp> {
        let (seconds, micros): (i64, i64) = self.foreign.query(&redis::cmd("TIME")).await?;
        Ok(Timestamp::saturating_from_millis(seconds.saturating_mul(1_000).saturating_add(micros / 1_000)))
    }
}

/// How items are named to people. What a sorted set calls an item is the payload of its job.
#[derive(Debug, Clone)]
struct Names {
    door: Door,
    redaction: Arc<Redaction>,
}

impl Names {
    /// Its name as it lies there; where a rule hides parts of such payloads, an id made of it.
    fn of(&self, base: &str, raw: &Raw) -> String {
        let is_hidden = self.door.kind_of_members().is_some_and(|kind| self.redaction.is_about(kind));
        match self.door.id_in_member(raw) {
            Some(Some(id)) => Raw { name: id.into_bytes(), ..Raw::default() }.shown(),
            // It may be of any kind.
            Some(None) if !self.redaction.is_empty() => translate::made_id(base, &raw.name).to_string(),
            None if is_hidden && !raw.name.is_empty() => translate::made_id(base, &raw.name).to_string(),
            _ => raw.shown(),
        }
    }
}

/// Why an item stays that others may be importing. Where one queue of many was asked for there may be any number of them.
const OF_ANOTHER_QUEUE: &str = "it is of a queue that was not named";

/// Adds to a list of named items while it is short, and counts every one. Those of other queues are only counted.
fn name_item(
    list: &mut Vec<Unreadable>,
    count: &mut u64,
    place: String,
    name: String,
    reason: impl Into<String>,
) {
    *count += 1;
    let reason = reason.into();
    if list.len() < NAMED_MAX && reason != OF_ANOTHER_QUEUE {
        list.push(Unreadable { place, name, reason });
    }
}
