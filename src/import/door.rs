//! What the formats have in common: places to look at, a script that takes
//! items out, one that puts them back, and a translation.

use super::asynq::{self, AsynqDoor};
use super::bullmq::{self, BullmqDoor};
use super::delayq::DelayqDoor;
use super::source::{Layout, ScoreUnit};
use super::translate::Raw;
use super::zset::ZsetDoor;
use crate::error::{Error, Result};
use crate::model::{Kind, QueueName, Timestamp};
use crate::store::{Adoptee, Foreign, Intent, Shards};
use redis::Script;

/// A part of a source that lies in one slot: a set, a topic, a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    /// Its name for people and in records.
    pub(super) label: String,
    /// What its keys have in common; what that means is up to the format.
    pub(super) base: String,
    /// Prefix of its journal, in the same slot.
    pub(super) journal: String,
}

impl Unit {
    /// The key that says which pause at the source was made ours: since when it is paused there.
    pub(super) fn paused(&self) -> String {
        format!("{}paused", self.journal)
    }
}

/// A key of a unit that holds items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Its name, in the source's words.
    pub(super) name: &'static str,
    /// Its key.
    pub(super) key: String,
    /// `zset`, `list` or `set`.
    pub(super) shape: &'static str,
    /// Why its items stay; empty when they are taken.
    pub(super) stays: &'static str,
    /// Whether its scores are the times items wait for.
    pub(super) waits: bool,
}

/// How one format is read and moved.
#[derive(Debug, Clone)]
pub(super) enum Door {
    Zset(ZsetDoor),
    Delayq(DelayqDoor),
    Asynq(AsynqDoor),
    Bullmq(BullmqDoor),
}

impl Door {
    pub(super) fn new(layout: Layout) -> Self {
        match layout {
            Layout::Zset(source) => Self::Zset(ZsetDoor::new(source)),
            Layout::Delayq(source) => Self::Delayq(DelayqDoor::new(source)),
            Layout::Asynq(source) => Self::Asynq(AsynqDoor::new(source)),
            Layout::Bullmq(source) => Self::Bullmq(BullmqDoor::new(source)),
        }
    }

    /// Of which kind the payloads are that the names of its items are; `None` where they have names of their own.
    pub(super) const fn kind_of_members(&self) -> Option<&Kind> {
        match self {
            Self::Zset(door) => Some(door.kind()),
            Self::Delayq(_) | Self::Asynq(_) | Self::Bullmq(_) => None,
        }
    }

    /// Whether different items may have the same id, because somebody said where in them it is.
    pub(super) const fn may_share_ids(&self) -> bool {
        match self {
            Self::Zset(door) => door.reads_ids(),
            Self::Delayq(_) | Self::Asynq(_) | Self::Bullmq(_) => false,
        }
    }

    /// The units of the source: label and base.
    pub(super) async fn units(&self, source: &Foreign) -> Result<Vec<(String, String)>> {
        match self {
            Self::Zset(door) => Ok(door.units()),
            Self::Delayq(door) => Ok(door.units()),
            Self::Asynq(door) => door.units(source).await,
            Self::Bullmq(door) => Ok(door.units()),
        }
    }

    /// Whether the source names its units itself. It may stop naming one while there is still something to put back.
    pub(super) const fn lists_units(&self) -> bool {
        match self {
            Self::Zset(_) | Self::Delayq(_) | Self::Bullmq(_) => false,
            Self::Asynq(door) => door.lists_units(),
        }
    }

    /// A unit of that label: label and base.
    pub(super) fn unit_of(&self, label: String) -> (String, String) {
        match self {
            Self::Zset(_) | Self::Delayq(_) => (label.clone(), label),
            Self::Asynq(_) => asynq::unit_of(label),
            Self::Bullmq(door) => door.unit_of(label),
        }
    }

    /// Where its items may be, in the order in which they are to be taken.
    pub(super) fn places(&self, unit: &Unit) -> Vec<Place> {
        match self {
            Self::Zset(door) => door.places(unit),
            Self::Delayq(door) => door.places(unit),
            Self::Asynq(door) => door.places(unit),
            Self::Bullmq(door) => door.places(unit),
        }
    }

    /// The script that reads a page of a place, and its keys and first arguments.
    pub(super) fn look(&self, unit: &Unit, place: &Place) -> Call {
        match self {
            Self::Zset(door) => door.look(unit, place),
            Self::Delayq(door) => door.look(unit, place),
            Self::Asynq(door) => door.look(unit, place),
            Self::Bullmq(door) => door.look(unit, place),
        }
    }

    /// The script that takes items out.
    pub(super) fn park(&self, unit: &Unit) -> Call {
        match self {
            Self::Zset(door) => door.park(unit),
            Self::Delayq(door) => door.park(unit),
            Self::Asynq(door) => door.park(unit),
            Self::Bullmq(door) => door.park(unit),
        }
    }

    /// The script that puts them back.
    pub(super) fn restore(&self, unit: &Unit) -> Call {
        match self {
            Self::Zset(door) => door.restore(unit),
            Self::Delayq(door) => door.restore(unit),
            Self::Asynq(door) => door.restore(unit),
            Self::Bullmq(door) => door.restore(unit),
        }
    }

    /// The job an item becomes, or why it cannot become one.
    pub(super) fn translate(&self, unit: &Unit, raw: &Raw) -> std::result::Result<Adoptee, String> {
        let adoptee = match self {
            Self::Zset(door) => door.translate(unit, raw),
            Self::Delayq(door) => door.translate(unit, raw),
            Self::Asynq(door) => door.translate(unit, raw),
            Self::Bullmq(door) => door.translate(unit, raw),
        }?;
        adoptee.job.check().map_err(|error| error.to_string())?;
        Ok(adoptee)
    }

    /// What the source calls the type and the queue of an item, as far as a job gets its kind and queue from
    /// there.
    pub(super) fn names_of(&self, unit: &Unit, raw: &Raw) -> [Option<String>; 2] {
        match self {
            Self::Zset(_) | Self::Delayq(_) => [None, None],
            Self::Asynq(door) => door.names_of(unit, raw),
            Self::Bullmq(door) => door.names_of(unit, raw),
        }
    }

    /// The key an item has for itself, which somebody may have made anew; `None` where a newer item of the same name
    /// simply wins.
    pub(super) fn key_of_its_own(&self, unit: &Unit, raw: &Raw) -> Option<Vec<u8>> {
        match self {
            Self::Zset(_) | Self::Delayq(_) => None,
            Self::Asynq(door) => Some(door.task_key(unit, raw)),
            Self::Bullmq(door) => Some(door.job_key(unit, raw)),
        }
    }

    /// Why an item cannot go back whose key somebody has made anew.
    pub(super) const fn is_there_again(&self) -> &'static str {
        match self {
            Self::Bullmq(_) => "BullMQ has a job of that id again; the one it had before stays here",
            _ => "asynq has a task of that id again; the one it had before stays here",
        }
    }

    /// What else somebody should know before they take over.
    pub(super) async fn notes(&self, source: &Foreign, unit: &Unit, notes: &mut Vec<String>) -> Result<()> {
        match self {
            Self::Zset(_) => Ok(()),
            Self::Delayq(door) => door.notes(source, unit, notes).await,
            Self::Asynq(door) => door.notes(source, unit, notes).await,
            Self::Bullmq(door) => door.notes(source, unit, notes).await,
        }
    }

    /// What has to be done before the first item of a unit is taken, and again whenever it is paused anew there.
    pub(super) async fn before(
        &self,
        source: &Foreign,
        shards: &Shards,
        unit: &Unit,
        import: &str,
        notes: &mut Vec<String>,
    ) -> Result<()> {
        match self {
            Self::Zset(_) | Self::Delayq(_) => Ok(()),
            Self::Asynq(door) => door.before(source, shards, unit, import, notes).await,
            Self::Bullmq(door) => door.before(source, shards, unit, import, notes).await,
        }
    }

    /// When an item at a place that waits is due; `None` when its score is no time.
    pub(super) fn due(&self, raw: &Raw) -> Option<Timestamp> {
        let unit = match self {
            Self::Zset(door) => door.unit(),
            Self::Delayq(_) | Self::Asynq(_) => SECONDS,
            Self::Bullmq(_) => return bullmq::due(&raw.score).ok(),
        };
        super::translate::due(&raw.score, unit).ok()
    }
}

/// A queue that may be paused at the source.
pub(super) struct Pause {
    /// Since when, or any other text while it is; `None` when it is not.
    pub(super) since: Option<String>,
    /// What the queue is here, or why it cannot be one.
    pub(super) queue: std::result::Result<QueueName, String>,
    /// The system that paused it.
    pub(super) system: &'static str,
    /// Why ours is paused.
    pub(super) why: String,
}

impl Pause {
    /// Pauses our queue once for each pause there, by whatever process: to resume ours is to mean it. Which pause was made
    /// ours stands beside the journal.
    pub(super) async fn make_ours(
        self,
        source: &Foreign,
        shards: &Shards,
        unit: &Unit,
        import: &str,
        notes: &mut Vec<String>,
    ) -> Result<()> {
        let known = unit.paused();
        let mut read = redis::cmd("GET");
        read.arg(&known);
        let made_ours: Option<String> = source.query(&read).await?;
        if made_ours == self.since {
            return Ok(());
        }
        let Some(since) = self.since else {
            let mut remove = redis::cmd("DEL");
            remove.arg(&known);
            return source.query::<redis::Value>(&remove).await.map(drop);
        };
        let queue = self.queue.map_err(|why| Error::invalid("queues", why))?;
        let mut intent = Intent::of(format!("import:{import}"));
        intent.why = self.why;
        let paused = shards.each(|store| store.pause(&queue, &intent)).await?;
        if paused.contains(&true) {
            notes.push(format!("paused queue {queue}, as {} is in {}", unit.label, self.system));
        }
        let mut write = redis::cmd("SET");
        write.arg(&known).arg(&since);
        source.query::<redis::Value>(&write).await.map(drop)
    }
}

/// A script with its keys and what comes before the arguments of the caller.
pub(super) struct Call {
    pub(super) script: &'static Script,
    pub(super) keys: Vec<String>,
    pub(super) arguments: Vec<String>,
}

impl Call {
    pub(super) fn new(script: &'static Script, keys: Vec<String>) -> Self {
        Self { script, keys, arguments: Vec::new() }
    }

    pub(super) fn invocation(&self) -> redis::ScriptInvocation<'_> {
        let mut invocation = self.script.prepare_invoke();
        for key in &self.keys {
            invocation.key(key);
        }
        for argument in &self.arguments {
            invocation.arg(argument);
        }
        invocation
    }
}

/// Scores of formats that count in whole seconds, and may count in something finer one day.
pub(super) const SECONDS: ScoreUnit = ScoreUnit::Auto;
