//! Looking whether a shard is still the data that it was, and the halt when it is not.

use super::clock_samples::ClockSample;
use super::uptime::{uptime_ms, wall_ms};
use super::{Store, script};
use crate::constants::UNSEEN_MS;
use crate::error::{Error, Result};
use crate::model::{Halt, HaltReason, Timestamp};
use crate::outage::OutageKind;
use crate::store::Intent;

/// Which server has the data, and how often something of it may have been lost. On another ground than before, what was
/// acknowledged may be unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ServerId {
    /// A name that it gave itself when it was started, or when it took over.
    pub(crate) server: String,
    /// How often something may have been lost.
    pub(crate) epoch: u64,
}

/// Who looks, and what it knows.
#[derive(Debug)]
pub(crate) struct Watcher {
    /// A name that no other has.
    pub(crate) name: String,
    /// The ground it saw last.
    pub(crate) known: ServerId,
    /// The epoch for which it has said again what it acknowledged.
    pub(crate) said: u64,
    /// What its latest look told of Redis's clock, where it told it well enough.
    pub(crate) measured: Option<Measured>,
}

/// Where a look found Redis's clock, in ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Measured {
    /// Redis's time.
    pub(crate) at: Timestamp,
    /// How far that was ahead of this machine's clock.
    pub(crate) ahead_ms: i64,
    /// How far it had moved since the first look.
    pub(crate) moved_ms: i64,
}

/// What a look showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Watched {
    /// The look.
    pub(crate) sample: ClockSample,
    /// What was looked at.
    pub(crate) server: ServerId,
    /// How many halts there were so far; the present one is the last of them.
    pub(crate) halts: u64,
    /// The present one.
    pub(crate) halt: Option<Halt>,
    /// Where Redis's clock was seen before; `None` where nobody looked yet.
    pub(crate) before: Option<Timestamp>,
    /// The latest halt that a person ended; 0 for none.
    pub(crate) allowed: u64,
    /// How far Redis may be ahead of this machine's clock because a person said so, in ms.
    pub(crate) base_ms: i64,
}

impl Watched {
    /// This look with the clock as it should be, as far as a halt tells of a jump.
    pub(crate) fn put_right(&self) -> ClockSample {
        let mut right = self.sample.clone();
        let Some(standing) = &self.halt else { return right };
        let by_ms = i64::try_from(standing.by_ms).unwrap_or(i64::MAX);
        let time_ms = match standing.why {
            HaltReason::ClockAhead => right.time.as_millis().saturating_sub(by_ms),
            HaltReason::ClockBack => right.time.as_millis().saturating_add(by_ms),
            _ => return right,
        };
        right.time = Timestamp::from_millis(time_ms).unwrap_or(right.time);
        right
    }

    /// Whether the clock is so far from where somebody saw it last that it has jumped, or nobody has looked for a while.
    pub(crate) fn is_strange(&self) -> bool {
        self.before.is_some_and(|before| self.sample.time.millis_since(before).abs() > UNSEEN_MS)
    }
}

impl Store {
    /// Looks at the shard, and compares it with what is held true of it: see `lua/functions/halt/watch.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: look again. [`Error::Codec`] for a reply that does not read.
    pub(crate) async fn watch(&self, watcher: &Watcher) -> Result<Watched> {
        self.look_at(watcher, "").await
    }

    /// Takes back that a process looks: nobody waits for it any more.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: somebody may wait for it for some seconds.
    pub(crate) async fn leave_watch(&self, watcher: &Watcher) -> Result<()> {
        self.look_at(watcher, "leave").await.map(drop)
    }

    async fn look_at(&self, watcher: &Watcher, leave: &str) -> Result<Watched> {
        let known = self.clock_samples().sample();
        let mut call = self.call(&script::WATCH);
        match &known {
            Some(sample) => {
                call.arg(&sample.generation).arg(sample.heartbeat).arg(sample.time.as_millis());
            }
            None => {
                call.arg("").arg(0).arg(0);
            }
        }
        call.arg(watcher.known.epoch).arg(watcher.said).arg(&watcher.name).arg(leave);
        if let Some(measured) = watcher.measured {
            call.arg(measured.at.as_millis()).arg(measured.ahead_ms).arg(measured.moved_ms);
        }
        let sent_ms = uptime_ms();
        let mut reply = self.drain(&call).await?;
        let (received_ms, wall_ms) = (uptime_ms(), wall_ms());
        let (generation, heartbeat, time) = (reply.text()?, reply.parse("heartbeat")?, reply.time("time")?);
        let ground = ServerId { server: reply.text()?, epoch: reply.parse("epoch")? };
        // Redis's time is that of some moment between question and answer.
        let asked_ms = wall_ms - (received_ms - sent_ms) / 2;
        let ahead_ms = self.time.is_none().then(|| time.as_millis() - asked_ms);
        let sample = ClockSample { generation, heartbeat, time, sent_ms, received_ms, ahead_ms };
        let halts = reply.parse("halts")?;
        let halt = read(&reply.text()?)?;
        let before = reply.parse("before")?;
        let before = Some(before).filter(|ms| *ms != 0).and_then(Timestamp::from_millis);
        let (allowed, base_ms) = (reply.parse("allowed")?, reply.parse("base")?);
        let lacks = reply.text()?;
        if !lacks.is_empty() {
            // A process that was refused before knows it already, and may know more.
            if self.connections().outage().is_none_or(|outage| outage.kind != OutageKind::Denied) {
                self.connections().rights_are_missing(Some(&[lacks]));
            }
            self.look_at_rights();
        }
        Ok(Watched { sample, server: ground, halts, halt, before, allowed, base_ms })
    }

    /// Begins a halt: see `lua/functions/halt/set_halt.lua`. `false` when there is one already.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub(crate) async fn set_halt(&self, why: HaltReason, by_ms: i64) -> Result<bool> {
        let mut call = self.call(&script::SET_HALT);
        call.arg(why.as_str()).arg(by_ms.max(0));
        Ok(self.drain(&call).await?.text()? == "standing")
    }

    /// Ends a halt, that of this number or the present one: see `lua/functions/halt/clear_halt.lua`. `false` when there is none.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub(crate) async fn clear_halt(&self, which: Option<u64>, intent: &Intent) -> Result<bool> {
        let mut call = self.call(&script::CLEAR_HALT);
        call.arg(which.map(|number| number.to_string()).unwrap_or_default());
        call.arg(&intent.actor).arg(&intent.why).operation(&intent.operation);
        Ok(self.drain(&call).await?.text()? == "cleared")
    }

    /// The present halt.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] for one that does not read.
    pub(crate) async fn halt(&self) -> Result<Option<Halt>> {
        read(&self.meta("halt").await?.unwrap_or_default())
    }
}

/// Of several shards that stand still, the one a person has to look at, or the one that is to go on last.
pub(crate) fn worst_halt(all: impl IntoIterator<Item = Halt>) -> Option<Halt> {
    all.into_iter().max_by_key(|standing| (standing.until.is_none(), standing.until))
}

/// A halt as `lua/core/halt.lua` keeps it.
pub(super) fn read(text: &str) -> Result<Option<Halt>> {
    if text.is_empty() {
        return Ok(None);
    }
    let parts = || {
        let mut words = text.split(' ');
        let why = words.next()?.parse().ok()?;
        let mut number = || words.next()?.parse::<i64>().ok();
        let (at, by, until) = (number()?, number()?, number()?);
        let time = Timestamp::from_millis;
        let until = if until == 0 { None } else { Some(time(until)?) };
        Some(Halt::new(why, time(at)?, u64::try_from(by).ok()?, until))
    };
    parts().map(Some).ok_or_else(|| Error::codec(format!("a halt does not read: {text:?}")))
}
