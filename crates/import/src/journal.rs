//! The journal at the source, from this side: see `lua/journal.lua`.

use super::translate::Raw;
use super::unit::{Place, Unit};
use super::{Importer, PAGE, script};
use reprieve::Result;
use reprieve::internals::{Reply, invalid, unreadable};
use reprieve::model::{Delay, JobId};

/// For so long a process may be on its way from reading a record to handing it over; a page takes some seconds.
const HAND_OVER_FOR: Delay = Delay::minutes(5);

/// A record: what was taken, and its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) number: String,
    pub(super) raw: Raw,
}

/// Which records to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// Those not handed over yet, oldest first.
    Parked,
    /// All, newest first: lists are restored in that order.
    Newest,
}

/// What taking a page of items out gave.
pub(super) enum Parked {
    /// The number of each item's record; `None` for one that has changed or gone.
    Numbers(Vec<Option<String>>),
    /// A roll back has closed the journal.
    Closed,
    /// A key is not what it should be.
    Wrong(String),
}

/// A word for each record that was to be put back, or which key holds something else.
pub(super) type Restored = std::result::Result<Vec<String>, String>;

impl Importer {
    /// One page of a place; `Err` inside says what is wrong with its key.
    pub(super) async fn page(
        &self,
        unit: &Unit,
        place: &Place,
        skip: usize,
    ) -> Result<std::result::Result<Vec<Raw>, String>> {
        let look = self.door.look(unit, place);
        let mut call = look.invocation();
        call.arg(skip).arg(PAGE);
        let mut reply = self.foreign.call(&call).await?;
        if reply.text()? == "wrong" {
            return Ok(Err(reply.text()?));
        }
        reply.map(|item| row(place, item.list()?)).collect::<Result<Vec<_>>>().map(Ok)
    }

    /// Takes items out of the foreign keys into the journal.
    pub(super) async fn park(&self, unit: &Unit, items: &[&Raw]) -> Result<Parked> {
        let park = self.door.park(unit);
        let mut call = park.invocation();
        for raw in items {
            call.arg(&raw.place).arg(raw.name.as_slice()).arg(&raw.score);
            call.arg(raw.body.as_deref().unwrap_or_default());
            call.arg(raw.lock_ms.map(|ms| ms.to_string()).unwrap_or_default());
        }
        self.fuse.step()?;
        let mut reply = self.foreign.call(&call).await?;
        match reply.text()?.as_str() {
            "parked" => {
                let numbers = reply.map(|item| item.text()).collect::<Result<Vec<_>>>()?;
                Ok(Parked::Numbers(numbers.into_iter().map(|n| Some(n).filter(|n| !n.is_empty())).collect()))
            }
            "closed" => Ok(Parked::Closed),
            "wrong" => Ok(Parked::Wrong(reply.text()?)),
            unknown => {
                Err(unreadable(format!("an importer's script replied with the unknown word {unknown:?}")))
            }
        }
    }

    /// Notes that records have become jobs; `true` for those that replaced an earlier one.
    pub(super) async fn settle(&self, unit: &Unit, arrived: &[(String, JobId, bool)]) -> Result<()> {
        if arrived.is_empty() {
            return Ok(());
        }
        let mut call = script::SETTLE.key(&unit.journal);
        for (number, id, replaced) in arrived {
            call.arg(number).arg(id.as_str()).arg(if *replaced { "replaced" } else { "" });
        }
        self.fuse.step()?;
        self.foreign.call(&call).await.map(drop)
    }

    /// Notes that records are about to be put back, or that they stay here after all.
    pub(super) async fn on_their_way(&self, unit: &Unit, leave: bool, numbers: &[&str]) -> Result<()> {
        if numbers.is_empty() {
            return Ok(());
        }
        let mut call = script::ON_ITS_WAY.key(&unit.journal);
        call.arg(if leave { "leaves" } else { "stays" }).arg(numbers);
        self.fuse.step()?;
        self.foreign.call(&call).await.map(drop)
    }

    /// Puts records back where they came from, in that order. A word for each; `Err` inside says which key holds something
    /// else by now, and nothing was put back.
    pub(super) async fn restore(&self, unit: &Unit, numbers: &[&str]) -> Result<Restored> {
        if numbers.is_empty() {
            return Ok(Ok(Vec::new()));
        }
        self.fuse.step()?;
        self.call_restore(unit, "put", numbers).await
    }

    /// Whether records could be put back where they came from; `Err` inside says which key holds something else by now.
    /// Changes nothing.
    pub(super) async fn check_restore(&self, unit: &Unit, numbers: &[&str]) -> Result<Restored> {
        self.call_restore(unit, "check", numbers).await
    }

    async fn call_restore(&self, unit: &Unit, what: &str, numbers: &[&str]) -> Result<Restored> {
        let restore = self.door.restore(unit);
        let mut call = restore.invocation();
        call.arg(what).arg(numbers);
        let mut reply = self.foreign.call(&call).await?;
        let Some(first) = reply.next() else { return Ok(Ok(Vec::new())) };
        let first = first.text()?;
        if first == "wrong" {
            return Ok(Err(reply.text()?));
        }
        let rest = reply.map(|item| item.text());
        std::iter::once(Ok(first)).chain(rest).collect::<Result<Vec<_>>>().map(Ok)
    }

    /// A page of records, after the record of that number.
    pub(super) async fn records(&self, unit: &Unit, which: Which, after: &str) -> Result<Vec<Record>> {
        let (set, order) = match which {
            Which::Parked => ("parked", "up"),
            Which::Newest => ("all", "down"),
        };
        let mut call = script::RECORDS.key(&unit.journal);
        call.arg(set).arg(order).arg(after).arg(PAGE);
        self.foreign.call(&call).await?.map(|item| record(item.list()?)).collect()
    }

    /// Opens or closes the journals of all units. After a roll back a pause there is made ours anew.
    pub(super) async fn set_closed(&self, units: &[Unit], closed: bool) -> Result<()> {
        for unit in units {
            let key = format!("{}closed", unit.journal);
            let mut command = redis::cmd(if closed { "SET" } else { "DEL" });
            command.arg(key);
            if closed {
                command.arg("1");
            }
            self.fuse.step()?;
            self.foreign.query::<redis::Value>(&command).await?;
            if closed {
                let mut remove = redis::cmd("DEL");
                remove.arg(unit.paused());
                self.foreign.query::<redis::Value>(&remove).await?;
            }
        }
        Ok(())
    }

    /// Whether a roll back has closed a unit's journal.
    pub(super) async fn is_closed(&self, unit: &Unit) -> Result<bool> {
        let mut exists = redis::cmd("EXISTS");
        exists.arg(format!("{}closed", unit.journal));
        self.foreign.query(&exists).await
    }

    /// The parts of the source whose journals are this importer's. Where the name is that of another Redis, those from which
    /// something was taken under it all the same, before that was asked: it has its way back.
    ///
    /// # Errors
    /// [`Error::Invalid`](reprieve::Error::Invalid): what lies in one of them is of another format, or the name is that of another Redis and nothing
    /// was taken from this one.
    pub(super) async fn units_of_its_own(&self) -> Result<Vec<Unit>> {
        let has_the_name = self.has_the_name().await?;
        let units = self.units_of_its_format().await?;
        if has_the_name {
            return Ok(units);
        }
        let mut taken_from = Vec::new();
        for unit in units {
            if self.is_known_of(&unit).await? {
                taken_from.push(unit);
            }
        }
        if taken_from.is_empty() { Err(self.of_another()) } else { Ok(taken_from) }
    }

    /// Whether there are records of a unit at the source, or the engine may know of some.
    pub(super) async fn is_known_of(&self, unit: &Unit) -> Result<bool> {
        let mut exists = redis::cmd("EXISTS");
        exists.arg(format!("{}all", unit.journal)).arg(format!("{}replaced", unit.journal));
        Ok(self.foreign.query::<u64>(&exists).await? > 0)
    }

    /// Whether the source is there though nothing may be in it: its system lists it, or this importer has taken from it.
    ///
    /// # Errors
    /// [`Error::Unavailable`](reprieve::Error::Unavailable).
    pub async fn is_known(&self) -> Result<bool> {
        for unit in self.units().await? {
            let mut exists = redis::cmd("EXISTS");
            // It outlives the records.
            exists.arg(format!("{}sequence", unit.journal));
            if self.foreign.query::<bool>(&exists).await? || self.door.lists(&self.foreign, &unit).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// All parts of the source, to take from them: the name is that of this Redis from now on.
    ///
    /// # Errors
    /// [`Error::Invalid`](reprieve::Error::Invalid): what lies in one of them is of another format, or the name is that of another Redis.
    pub(super) async fn units_to_take(&self) -> Result<Vec<Unit>> {
        self.claim_mark().await?;
        self.units_of_its_format().await
    }

    async fn units_of_its_format(&self) -> Result<Vec<Unit>> {
        let units = self.units().await?;
        for unit in &units {
            let mut read = redis::cmd("GET");
            read.arg(format!("{}format", unit.journal));
            let known: Option<String> = self.foreign.query(&read).await?;
            let Some(known) = known.filter(|known| known != self.source.format().as_str()) else { continue };
            let mut exists = redis::cmd("EXISTS");
            exists.arg(format!("{}all", unit.journal));
            if self.foreign.query::<bool>(&exists).await? {
                let why = format!("{} has what was taken from {known}; choose another name", self.name);
                return Err(invalid("import", why));
            }
        }
        Ok(units)
    }

    /// Gives up the way back: removes what the journal keeps of items that are jobs here. Returns how many.
    ///
    /// # Errors
    /// [`Error::Unavailable`](reprieve::Error::Unavailable): call it again.
    pub async fn finish(&self) -> Result<u64> {
        self.forget("").await
    }

    /// Removes records made before that time, in ms; "" for all that are handed over.
    pub(super) async fn forget(&self, before: &str) -> Result<u64> {
        let mut removed = 0;
        let units = self.units_of_its_own().await?;
        for unit in &units {
            let mut after = String::new();
            loop {
                let mut call = script::FORGET.key(&unit.journal);
                call.arg(before).arg(PAGE).arg(&after);
                self.fuse.step()?;
                let mut reply = self.foreign.call(&call).await?;
                after = reply.text()?;
                let numbers: Vec<String> = reply.map(|item| item.text()).collect::<Result<_>>()?;
                removed += u64::try_from(numbers.len()).unwrap_or(u64::MAX);
                self.forget_taken(unit, &numbers).await?;
                if after.is_empty() {
                    break;
                }
            }
            self.forget_replaced(unit).await?;
        }
        // Which parts were met is known of the Redis that has the name.
        if self.has_the_name().await? {
            self.part(&units).await?;
        }
        Ok(removed)
    }

    /// Has the engine forget records that went back or that later items have replaced. Not at once: another process may
    /// still be about to hand one of them over, and must find what became of it.
    pub(super) async fn forget_replaced(&self, unit: &Unit) -> Result<()> {
        let key = format!("{}replaced", unit.journal);
        // The score is the time in microseconds.
        let until = format!("({}000", (self.source_now().await? - HAND_OVER_FOR).as_millis());
        loop {
            let mut read = redis::cmd("ZRANGEBYSCORE");
            read.arg(&key).arg("-inf").arg(&until).arg("LIMIT").arg(0).arg(PAGE);
            let numbers: Vec<String> = self.foreign.query(&read).await?;
            if numbers.is_empty() {
                return Ok(());
            }
            self.fuse.step()?;
            self.forget_taken(unit, &numbers).await?;
            let mut remove = redis::cmd("ZREM");
            remove.arg(&key).arg(&numbers);
            self.fuse.step()?;
            self.foreign.query::<redis::Value>(&remove).await?;
        }
    }

    /// Has the engine forget that these records were taken.
    async fn forget_taken(&self, unit: &Unit, numbers: &[String]) -> Result<()> {
        let records: Vec<String> = numbers.iter().map(|number| record_name(unit, number)).collect();
        self.shards.forget_taken(self.name.as_str(), &records).await
    }
}

/// What the engine calls a record.
pub(super) fn record_name(unit: &Unit, number: &str) -> String {
    format!("{}/{number}", unit.label)
}

/// {name, score}, and for formats that keep more: "1" when there is a body, the body, the lock's time to live in
/// ms, then names and values of fields.
fn row(place: &Place, mut reply: Reply) -> Result<Raw> {
    let mut raw =
        Raw { place: place.name.to_owned(), name: reply.bytes()?, score: reply.text()?, ..Raw::default() };
    let Some(has_body) = reply.next() else { return Ok(raw) };
    let body = reply.bytes()?;
    raw.body = (has_body.text()? == "1").then_some(body);
    raw.lock_ms = reply.optional("lock")?.filter(|&ms: &i64| ms > 0);
    fields(&mut raw, reply)?;
    Ok(raw)
}

/// {number, place, name, score, body, at, job, `lock_ms`, names and values of fields …}
fn record(mut reply: Reply) -> Result<Record> {
    let number = reply.text()?;
    let mut raw = Raw {
        place: reply.text()?,
        name: reply.bytes()?,
        score: reply.text()?,
        body: Some(reply.bytes()?).filter(|body| !body.is_empty()),
        ..Raw::default()
    };
    let (_at, _job) = (reply.text()?, reply.text()?);
    raw.lock_ms = reply.optional("lock")?.filter(|&ms: &i64| ms > 0);
    fields(&mut raw, reply)?;
    Ok(Record { number, raw })
}

fn fields(raw: &mut Raw, mut reply: Reply) -> Result<()> {
    while let Some(name) = reply.next() {
        raw.fields.insert(name.text()?, reply.bytes()?);
    }
    Ok(())
}
