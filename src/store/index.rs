//! The index of fields of payloads: see `lua/core/payload_index.lua`.

use super::reply::Item;
use super::{Shards, Store, script};
use crate::error::Result;
use crate::index::Range;
use crate::model::{Event, EventId, JobId, Timestamp};
use std::collections::BTreeSet;

/// Entries of the event stream that are read at once.
const ENTRIES: usize = 100;
/// Entries behind the index that a question reads: some seconds of a busy namespace. With more, all jobs are looked
/// through.
const ENTRIES_BEHIND_MAX: usize = 300;

/// How far the index is, and payloads that are to be entered.
#[derive(Debug)]
pub(crate) struct IndexLook {
    pub(crate) now: Timestamp,
    pub(crate) server: String,
    pub(crate) place: IndexPlace,
    /// Who entered last.
    pub(crate) by: String,
    /// When.
    pub(crate) on: Option<Timestamp>,
    /// Jobs that are in it.
    pub(crate) jobs: u64,
    /// The next cursor of the walk; `0` at its end.
    pub(crate) next: String,
    /// Payloads, empty where they are not looked into or gone.
    pub(crate) found: Vec<(JobId, Vec<u8>)>,
}

/// Where an index is, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexPlace {
    /// Which fields; empty without an index.
    pub(crate) fields: String,
    /// The last entry of the event stream that is in it.
    pub(crate) at: String,
    /// Of the walk through all jobs; empty once it is over.
    pub(crate) cursor: String,
    /// Whose cursor it is.
    pub(crate) server: String,
}

/// Events behind a place.
pub(crate) struct EventsBehind {
    /// The jobs that may have another payload since.
    jobs: BTreeSet<JobId>,
    /// The last entry that was read; `None` when there was none.
    pub(crate) last: Option<EventId>,
    /// Whether there are more.
    pub(crate) more: bool,
}

impl EventsBehind {
    /// The jobs that may have another payload since, each once.
    pub(crate) fn jobs(&self) -> Vec<JobId> {
        self.jobs.iter().cloned().collect()
    }
}

impl Store {
    /// How far the index is; walks on through all jobs from a cursor, and reads the payloads of these besides.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn index_look(&self, cursor: &str, count: u32, ids: &[JobId]) -> Result<IndexLook> {
        let mut call = self.call(&script::INDEX_LOOK);
        call.arg(cursor).arg(count);
        for id in ids {
            call.arg(id.as_str());
        }
        let mut reply = self.read(&call).await?;
        let (now, server) = (reply.time("now")?, reply.text()?);
        let place = IndexPlace {
            fields: reply.text()?,
            at: reply.text()?,
            cursor: reply.text()?,
            server: reply.text()?,
        };
        let (by, on) = (reply.text()?, reply.optional_time("when somebody entered")?);
        let (jobs, next) = (reply.parse("jobs in the index")?, reply.text()?);
        let read = |item: Item| {
            let mut one = item.list()?;
            // What is no id of ours is no job's.
            Ok(JobId::new(one.text()?).ok().zip(Some(one.bytes()?)))
        };
        let found = reply.filter_map(|item| read(item).transpose()).collect::<Result<_>>()?;
        Ok(IndexLook { now, server, place, by, on, jobs, next, found })
    }

    /// Enters jobs with their values, one a line; `false` when somebody else has gone on from there.
    ///
    /// # Errors
    /// [`Error::Unavailable`] and [`Error::StorageFull`].
    pub(crate) async fn index_put(
        &self,
        from: &IndexPlace,
        to: &IndexPlace,
        by: &str,
        jobs: &[(JobId, String)],
    ) -> Result<bool> {
        let mut call = self.call(&script::INDEX_PUT);
        call.arg(&from.fields).arg(&from.at).arg(&from.cursor);
        call.arg(&to.at).arg(&to.cursor).arg(&to.server).arg(by);
        for (id, values) in jobs {
            call.arg(id.as_str()).arg(values);
        }
        Ok(self.grow(&call).await?.text()? == "put")
    }

    /// Begins it anew, for these fields, or drops it for none; `false` when somebody else did something meanwhile.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn index_begin(&self, fields: &str, from: &IndexPlace, by: &str) -> Result<bool> {
        let mut call = self.call(&script::INDEX_BEGIN);
        call.arg(fields).arg(&from.at).arg(by);
        Ok(self.drain(&call).await?.text()? == "begun")
    }

    /// Events behind a place of the index, so many entries at most, and none behind the entry that brings so many jobs
    /// together; `None` when some of them are lost, because the stream is bounded.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn events_behind(
        &self,
        at: &str,
        most: usize,
        jobs: usize,
    ) -> Result<Option<EventsBehind>> {
        let Ok(at) = at.parse::<EventId>() else { return Ok(None) };
        let mut behind = EventsBehind { jobs: BTreeSet::new(), last: None, more: true };
        let mut left = most;
        while behind.more && left > 0 && behind.jobs.len() < jobs {
            let count = left.min(ENTRIES);
            let entries = self.entries_after(behind.last.unwrap_or(at), count).await?;
            behind.more = entries.len() >= count;
            left -= entries.len().min(left);
            for (id, events) in entries {
                if behind.jobs.len() >= jobs {
                    behind.more = true;
                    break;
                }
                behind.last = Some(id);
                behind.jobs.extend(events.into_iter().filter(may_bring_payload).map(|event| event.job));
            }
        }
        // Asked last, so that what is trimmed meanwhile counts as lost.
        let oldest = self.oldest_event().await?;
        let is_whole = oldest.map_or(at == EventId::ZERO, |oldest| oldest <= at);
        Ok(is_whole.then_some(behind))
    }

    /// The jobs that the index has in these ranges, and those that may be but are not in it yet; `None` while it does not
    /// tell, or when there are more than that.
    async fn index_find(&self, fields: &str, ranges: &[Range], most: u64) -> Result<Option<Vec<JobId>>> {
        let mut call = self.call(&script::INDEX_FIND);
        call.arg(fields).arg(most);
        for (from, to) in ranges {
            call.arg(from).arg(to);
        }
        let mut reply = self.read(&call).await?;
        if reply.text()? != "found" {
            return Ok(None);
        }
        let at = reply.text()?;
        let mut ids = Vec::new();
        for item in reply {
            ids.extend(JobId::new(item.text()?).ok());
        }
        let Some(behind) = self.events_behind(&at, ENTRIES_BEHIND_MAX, usize::MAX).await? else {
            return Ok(None);
        };
        ids.extend(behind.jobs());
        ids.sort_unstable();
        ids.dedup();
        let fit = u64::try_from(ids.len()).is_ok_and(|count| count <= most);
        Ok((fit && !behind.more).then_some(ids))
    }
}

impl Shards {
    /// As [`Store::index_find`], in all shards.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn index_find(
        &self,
        fields: &str,
        ranges: &[Range],
        most: u64,
    ) -> Result<Option<Vec<JobId>>> {
        let found = self.each(|store| store.index_find(fields, ranges, most)).await?;
        let ids: Option<Vec<Vec<JobId>>> = found.into_iter().collect();
        let ids = ids.map(|shards| shards.concat());
        Ok(ids.filter(|ids| u64::try_from(ids.len()).is_ok_and(|count| count <= most)))
    }

    /// Jobs in the index of these fields, and whether it is complete in every shard.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn index_state(&self, fields: &str) -> Result<(u64, bool)> {
        let looks = self.each(|store| async move { store.index_look("", 0, &[]).await }).await?;
        let of_these = looks.iter().filter(|look| look.place.fields == fields);
        let complete = of_these.clone().filter(|look| look.place.cursor.is_empty()).count() == looks.len();
        Ok((of_these.map(|look| look.jobs).sum(), complete))
    }
}

/// Whether a job may have another payload since that event: it is new, was edited or was replaced.
fn may_bring_payload(event: &Event) -> bool {
    use crate::model::JobState::{Active, Delayed, Held, Ready, Retrying};
    let waits = |state| matches!(state, Delayed | Held | Ready | Retrying);
    match (event.from, event.to) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(from), Some(to)) if from == to => to != Active,
        // What the forwarder does without a reason is forwarding: to replace a job has one.
        (Some(from), Some(to)) => {
            waits(from) && waits(to) && !(event.by == "forwarder" && event.why.is_empty())
        }
    }
}
