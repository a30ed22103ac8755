//! Cron entries: made, changed, fired and read.

use super::Store;
use super::call::Call;
use super::intake::{add_job, answer};
use super::intent::Intent;
use super::reply::Reply;
use super::script;
use super::verb::Verb;
use crate::constants::CRON_ENTRIES_MAX;
use crate::cron::{Round, stored};
use crate::error::{Error, Result};
use crate::model::{
    CronChanged, CronEntry, CronFire, CronName, CronState, Enqueued, JobId, JobState, Timestamp,
};
use crate::new_job::NewJob;
use crate::record;
use std::collections::HashMap;

/// An entry whose tick has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DueEntry {
    /// What it does.
    pub(crate) entry: CronEntry,
    /// Its version.
    pub(crate) version: u64,
    /// Every tick up to here has been dealt with.
    pub(crate) from: Timestamp,
}

/// What is due among the entries of a store.
#[derive(Debug)]
pub(crate) struct CronDue {
    /// Redis's clock.
    pub(crate) now: Timestamp,
    /// The next tick after now.
    pub(crate) next: Option<Timestamp>,
    /// Entries with a tick that has come.
    pub(crate) entries: Vec<MetEntry>,
}

/// What the directory has under a name.
#[derive(Debug)]
pub(crate) struct MetEntry {
    /// The name as it stands there: others may have written what is no name.
    pub(crate) name: Vec<u8>,
    /// `None` when it cannot be read.
    pub(crate) due: Option<DueEntry>,
}

/// An entry, and the ticks that come with it.
#[derive(Debug, Clone)]
pub(crate) struct PutEntry<'a> {
    pub(crate) entry: &'a CronEntry,
    /// Ticks up to here are not fired.
    pub(crate) from: Timestamp,
    pub(crate) next: Option<Timestamp>,
    /// The version the person saw; zero when there should be none.
    pub(crate) seen: Option<u64>,
    /// Declared by a program.
    pub(crate) declared: bool,
}

fn optional_ms(time: Option<Timestamp>) -> String {
    time.map(|time| time.as_millis().to_string()).unwrap_or_default()
}

impl Store {
    fn cron_act(&self, verb: &'static Verb, name: &CronName, seen: Option<u64>, intent: &Intent) -> Call {
        let mut call = self.call(verb);
        call.arg(name.as_str()).arg(seen.map(|seen| seen.to_string()).unwrap_or_default());
        call.arg(&intent.actor).arg(&intent.why).operation(&intent.operation);
        call
    }

    /// Makes or changes an entry: see `lua/functions/cron/cron_put.lua`.
    pub(crate) async fn put_cron(&self, put: &PutEntry<'_>, intent: &Intent) -> Result<CronChanged> {
        let (definition, payload) = stored::write(put.entry)?;
        let mut call = self.cron_act(&script::CRON_PUT, &put.entry.name, put.seen, intent);
        call.arg(definition).arg(payload).arg(put.from.as_millis()).arg(optional_ms(put.next));
        call.arg(if put.declared { "declare" } else { "" });
        changed(self.grow(&call).await?)
    }

    /// Removes an entry: see `lua/functions/cron/cron_remove.lua`.
    pub(crate) async fn remove_cron(
        &self,
        name: &CronName,
        seen: Option<u64>,
        intent: &Intent,
    ) -> Result<CronChanged> {
        changed(self.drain(&self.cron_act(&script::CRON_REMOVE, name, seen, intent)).await?)
    }

    /// Stops an entry: see `lua/functions/cron/cron_pause.lua`.
    pub(crate) async fn pause_cron(
        &self,
        name: &CronName,
        seen: Option<u64>,
        intent: &Intent,
    ) -> Result<CronChanged> {
        changed(self.drain(&self.cron_act(&script::CRON_PAUSE, name, seen, intent)).await?)
    }

    /// Starts a paused entry again: see `lua/functions/cron/cron_resume.lua`. `read` is the version whose schedule named `next`.
    pub(crate) async fn resume_cron(
        &self,
        name: &CronName,
        seen: Option<u64>,
        intent: &Intent,
        (from, next, read): (Timestamp, Option<Timestamp>, u64),
    ) -> Result<CronChanged> {
        let mut call = self.cron_act(&script::CRON_RESUME, name, seen, intent);
        call.arg(from.as_millis()).arg(optional_ms(next)).arg(read);
        changed(self.grow(&call).await?)
    }

    /// Entries whose tick has come, but for those of these names: see `lua/functions/cron/cron_due.lua`.
    pub(crate) async fn cron_due(&self, most: usize, met: &[Vec<u8>]) -> Result<CronDue> {
        let mut call = self.call(&script::CRON_DUE);
        call.arg(most);
        for name in met {
            call.arg(name);
        }
        let mut reply = self.read(&call).await?;
        let (now, next) = (reply.time("now")?, reply.optional_time("next tick")?);
        let entries = reply.map(|item| due_entry(item.list()?)).collect::<Result<_>>()?;
        Ok(CronDue { now, next, entries })
    }

    /// Fires ticks: see `lua/functions/cron/cron_fire.lua`. `None` when another process was first; else the jobs enqueued.
    pub(crate) async fn fire_cron(
        &self,
        due: &DueEntry,
        round: &Round,
        jobs: &[(JobId, NewJob)],
    ) -> Result<Option<u64>> {
        let mut call = self.call(&script::CRON_FIRE);
        call.arg(due.entry.name.as_str()).arg(due.version).arg(due.from.as_millis());
        call.arg(round.until.as_millis()).arg(optional_ms(round.next));
        call.arg(due.entry.overlap.as_str()).arg(optional_ms(round.passed_over));
        for (tick, (id, job)) in round.ticks.iter().zip(jobs) {
            call.arg(tick.as_millis());
            add_job(&mut call, id, job)?;
        }
        let mut reply = self.grow(&call).await?;
        match reply.text()?.as_str() {
            "fired" => Ok(Some(reply.parse("jobs enqueued")?)),
            "stale" => Ok(None),
            unknown => Err(super::unknown_word("cron_fire", unknown)),
        }
    }

    /// Enqueues a job out of turn: see `lua/functions/cron/cron_run.lua`. `read` is the version that the job comes from. The error of a
    /// missing or changed entry is the caller's.
    pub(crate) async fn run_cron(
        &self,
        name: &CronName,
        seen: Option<u64>,
        intent: &Intent,
        read: u64,
        (id, job): &(JobId, NewJob),
    ) -> Result<std::result::Result<Enqueued, CronChanged>> {
        let mut call = self.cron_act(&script::CRON_RUN, name, seen, intent);
        call.arg(read);
        add_job(&mut call, id, job)?;
        let mut reply = self.grow(&call).await?.peekable();
        let word = reply.peek().cloned().map_or_else(|| Ok(String::new()), super::reply::Item::text)?;
        let reply = Reply::from_items(reply);
        Ok(match word.as_str() {
            "missing" | "conflict" => Err(changed(reply)?),
            _ => Ok(answer(reply)?),
        })
    }

    /// How many entries there are.
    pub(crate) async fn cron_count(&self) -> Result<u64> {
        self.ask(redis::cmd("ZCARD").arg(self.keys().cron())).await
    }

    /// The names of all entries with their next ticks, by these; those without one last.
    async fn cron_names(&self) -> Result<Vec<(String, f64)>> {
        self.ask(
            redis::cmd("ZRANGE").arg(self.keys().cron()).arg(0).arg(CRON_ENTRIES_MAX - 1).arg("WITHSCORES"),
        )
        .await
    }

    /// All entries, by their next tick; those without one last.
    pub(crate) async fn cron_entries(&self) -> Result<Vec<Result<CronState>>> {
        let names = self.cron_names().await?;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let mut hashes = redis::pipe();
        for (name, _) in &names {
            hashes.cmd("HGETALL").arg(self.keys().cron_entry(name));
        }
        let hashes: Vec<HashMap<String, Vec<u8>>> = self.pipeline(&hashes).await?;
        Ok(names.iter().zip(hashes).map(|((_, next), fields)| stored::state(*next, fields)).collect())
    }

    /// Entries that are not paused and their next ticks, without their payloads; what cannot be read is left out.
    pub(crate) async fn cron_places(&self) -> Result<Vec<(DueEntry, Option<Timestamp>)>> {
        let names = self.cron_names().await?;
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let mut hashes = redis::pipe();
        for (name, _) in &names {
            let wanted = ["version", "from_ms", "definition", "paused_ms"];
            hashes.cmd("HMGET").arg(self.keys().cron_entry(name)).arg(&wanted);
        }
        let found: Vec<Vec<Option<Vec<u8>>>> = self.pipeline(&hashes).await?;
        Ok(names.iter().zip(found).filter_map(|((_, next), found)| place_of(*next, &found)).collect())
    }

    /// One entry; `None` when there is none of that name.
    pub(crate) async fn cron_entry(&self, name: &CronName) -> Result<Option<CronState>> {
        let mut call = redis::pipe();
        call.cmd("ZSCORE").arg(self.keys().cron()).arg(name.as_str());
        call.cmd("HGETALL").arg(self.keys().cron_entry(name.as_str()));
        let (next, fields): (Option<f64>, HashMap<String, Vec<u8>>) = self.pipeline(&call).await?;
        next.map(|next| stored::state(next, fields)).transpose()
    }

    /// What came of the latest ticks, latest first, with where their jobs stand now.
    pub(crate) async fn cron_history(&self, name: &CronName, most: usize) -> Result<Vec<CronFire>> {
        let most = isize::try_from(most).unwrap_or(isize::MAX);
        let lines: Vec<Vec<u8>> = self
            .ask(redis::cmd("LRANGE").arg(self.keys().cron_history(name.as_str())).arg(-most).arg(-1))
            .await?;
        let mut fires: Vec<CronFire> = lines.iter().rev().filter_map(|line| stored::fire(line)).collect();
        if fires.iter().all(|fire| fire.job.is_none()) {
            return Ok(fires);
        }
        let mut states = redis::pipe();
        for id in fires.iter().filter_map(|fire| fire.job.as_ref()) {
            states.get(self.keys().job(id));
        }
        let records: Vec<Option<Vec<u8>>> = self.pipeline(&states).await?;
        let states = records.iter().map(|text| text.as_ref().and_then(|text| record::field(text, "state")));
        for (fire, state) in fires.iter_mut().filter(|fire| fire.job.is_some()).zip(states) {
            fire.state = state.and_then(|state| state.parse::<JobState>().ok());
        }
        Ok(fires)
    }
}

/// What `cron_places` reads of an entry: version, `from_ms`, definition, `paused_ms`.
fn place_of(next: f64, found: &[Option<Vec<u8>>]) -> Option<(DueEntry, Option<Timestamp>)> {
    let [Some(version), Some(from), Some(definition), None] = found else { return None };
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<u64>().ok();
    let entry = stored::read(definition, Vec::new()).ok()?;
    let from = Timestamp::from_millis(i64::try_from(number(from)?).ok()?)?;
    Some((DueEntry { entry, version: number(version)?, from }, stored::next(next)))
}

pub(super) fn due_entry(mut reply: Reply) -> Result<MetEntry> {
    let name = reply.bytes()?;
    let read = |mut reply: Reply| -> Result<DueEntry> {
        let (version, from) = (reply.parse("version")?, reply.time("from_ms")?);
        let definition = reply.bytes()?;
        let entry = stored::read(&definition, reply.bytes()?)?;
        if entry.name.as_str().as_bytes() != name {
            return Err(Error::codec("the definition of a cron entry is that of another"));
        }
        Ok(DueEntry { entry, version, from })
    };
    let due = read(reply).map_err(|error| {
        let name = String::from_utf8_lossy(&name);
        tracing::debug!(cron.name = %name, %error, "cron entry {name} cannot be read: {error}");
    });
    Ok(MetEntry { due: due.ok(), name })
}

pub(super) fn changed(mut reply: Reply) -> Result<CronChanged> {
    let word = reply.text()?;
    let mut version = || reply.parse("version");
    Ok(match word.as_str() {
        "created" => CronChanged::Created { version: version()? },
        "changed" => CronChanged::Changed { version: version()? },
        "unchanged" => CronChanged::Unchanged { version: version()? },
        "conflict" => CronChanged::Conflict { version: version()? },
        "missing" => CronChanged::Missing,
        "full" => CronChanged::Full,
        unknown => return Err(super::unknown_word("a script", unknown)),
    })
}
