//! What the formats have in common: places to look at, a script that takes
//! items out, one that puts them back, and a translation.

use super::items::Items;
use super::translate::Raw;
use super::unit::{Call, Place, Unit};
use crate::ImportFormat;
use futures_util::future::BoxFuture;
use reprieve::Result;
use reprieve::internals::{Adoptee, Foreign, Intent, Shards, invalid};
use reprieve::model::{Kind, QueueName, Timestamp};
use std::sync::Arc;

/// An answer of the source's Redis.
pub(super) type Answer<'a, T> = BoxFuture<'a, Result<T>>;

/// How a source is read and moved. Cloning shares it.
pub(super) type Door = Arc<dyn Format>;

/// How one format is read and moved. Each is one file that implements this, and a script where no shared one fits.
pub(super) trait Format: std::fmt::Debug + Send + Sync {
    /// Which one it is.
    fn format(&self) -> ImportFormat;

    /// What it takes from, in few words.
    fn shown(&self) -> String;

    /// Checks what types do not carry.
    fn check(&self) -> Result<()>;

    /// Of which kind the payloads are that the names of its items are; `None` where they have names of their own.
    fn kind_of_members(&self) -> Option<&Kind> {
        None
    }

    /// The id that a member has in it, where it is a whole job of any kind and shown by its id; `Some(None)` is one that has
    /// none.
    fn id_in_member(&self, _raw: &Raw) -> Option<Option<String>> {
        None
    }

    /// Whether different items may have the same id, because somebody said where in them it is.
    fn may_share_ids(&self) -> bool {
        false
    }

    /// Whether the source names its units itself. It may stop naming one while there is still something to put back.
    fn lists_units(&self) -> bool {
        false
    }

    /// The labels of the units of the source.
    fn units<'a>(&'a self, source: &'a Foreign) -> Answer<'a, Vec<String>>;

    /// Whether the system knows a unit even while it is empty; never where it keeps nothing that says so.
    fn lists<'a>(&'a self, _source: &'a Foreign, _unit: &'a Unit) -> Answer<'a, bool> {
        Box::pin(async { Ok(false) })
    }

    /// What the keys of the unit of that label have in common.
    fn base(&self, label: &str) -> String {
        label.to_owned()
    }

    /// Where its items may be, in the order in which they are to be taken.
    fn places(&self, unit: &Unit) -> Vec<Place>;

    /// How the items of a unit lie there, for the script that most formats share.
    fn items(&self, _unit: &Unit) -> Items {
        Items::default()
    }

    /// The script that reads a page of a place, and its keys and first arguments.
    fn look(&self, unit: &Unit, place: &Place) -> Call {
        let mut call = self.items(unit).call("look", unit, self.format(), &self.places(unit));
        call.arguments.push(place.name.to_owned());
        call
    }

    /// The script that takes items out.
    fn park(&self, unit: &Unit) -> Call {
        self.items(unit).call("park", unit, self.format(), &self.places(unit))
    }

    /// The script that puts them back.
    fn restore(&self, unit: &Unit) -> Call {
        self.items(unit).call("restore", unit, self.format(), &self.places(unit))
    }

    /// The job an item becomes, or why it cannot become one. Callers want [`read`](Self::read).
    fn translate(&self, unit: &Unit, raw: &Raw) -> std::result::Result<Adoptee, String>;

    /// The same, if the engine takes such a job.
    fn read(&self, unit: &Unit, raw: &Raw) -> std::result::Result<Adoptee, String> {
        let adoptee = self.translate(unit, raw)?;
        adoptee.job.check().map_err(|error| error.to_string())?;
        Ok(adoptee)
    }

    /// What the source calls the type and the queue of an item, as far as a job gets its kind and queue from
    /// there.
    fn names_of(&self, _unit: &Unit, _raw: &Raw) -> [Option<String>; 2] {
        [None, None]
    }

    /// The key an item has for itself, which somebody may have made anew; `None` where a newer item of the same name
    /// simply wins.
    fn key_of_its_own(&self, _unit: &Unit, _raw: &Raw) -> Option<Vec<u8>> {
        None
    }

    /// Whether that key is a hash which has a field for each item.
    fn has_fields(&self) -> bool {
        false
    }

    /// What else somebody should know before they take over.
    fn notes<'a>(
        &'a self,
        _source: &'a Foreign,
        _unit: &'a Unit,
        _notes: &'a mut Vec<String>,
    ) -> Answer<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Whether a unit is paused at the source: then ours is to be paused before its first item is taken.
    fn pause<'a>(&'a self, _source: &'a Foreign, _unit: &'a Unit) -> Answer<'a, Option<Pause>> {
        Box::pin(async { Ok(None) })
    }

    /// When an item at a place that waits is due; `None` when its score is no time.
    fn due(&self, raw: &Raw) -> Option<Timestamp>;
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
        let queue = self.queue.map_err(|why| invalid("queues", why))?;
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

/// A format and its queues, in few words; none named is all of them.
pub(super) fn shown(format: &str, queues: &[String]) -> String {
    if queues.is_empty() { format.to_owned() } else { format!("{format} {}", queues.join(", ")) }
}
