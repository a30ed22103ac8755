//! Looking at jobs for a filter: the next of a list, or given ones.

use super::call::Call;
use super::reply::{Item, Reply};
use super::{Shards, Store, script};
use crate::error::{Error, Result};
use crate::model::list::PAGE_SIZE_MAX;
use crate::model::{Cursor, Direction, JobId, JobRow, JobState, ListQuery, Page, QueueName, Timestamp};
use crate::store::codec;
use redis::Value;

/// Jobs that each shard looks at in a step at least: of fewer, most would lie behind the nearest end and be looked at again.
const SHARE_MIN: u64 = 20;

/// Which jobs a scan passes.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    /// Which end first.
    pub(crate) direction: Direction,
    /// Of these queues; empty for all.
    pub(crate) queues: Vec<QueueName>,
    /// In these states.
    pub(crate) states: Vec<JobState>,
    /// With scores from here on.
    pub(crate) low: Option<i64>,
    /// With scores up to here.
    pub(crate) high: Option<i64>,
    /// Of one of these kinds; empty for any.
    pub(crate) kinds: Vec<String>,
    /// With one of these labels; empty for any.
    pub(crate) tags: Vec<String>,
    /// Whether payloads are told.
    pub(crate) payload: bool,
}

/// What a filter knows of a job.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) row: JobRow,
    /// Its place in the set of its state; `None` where that has lost it.
    pub(crate) score: Option<u64>,
    /// Its latest error as a whole.
    pub(crate) error: String,
    pub(crate) tags: Vec<String>,
    /// Empty unless asked for, and for a long one.
    pub(crate) payload: Vec<u8>,
}

impl Scan {
    /// Of all jobs in these states.
    pub(crate) const fn new(direction: Direction, states: Vec<JobState>) -> Self {
        Self {
            direction,
            queues: Vec::new(),
            states,
            low: None,
            high: None,
            kinds: Vec::new(),
            tags: Vec::new(),
            payload: false,
        }
    }

    /// Of a list.
    pub(crate) fn of(query: &ListQuery) -> Self {
        let queues = query.queue.iter().cloned().collect();
        Self { queues, ..Self::new(query.direction, query.group.states().to_vec()) }
    }
}

/// What one step of a scan saw.
#[derive(Debug)]
pub(crate) struct Step {
    /// When, by Redis's clock.
    pub(crate) now: Timestamp,
    /// What the scan passed, in its order; `None` for damage.
    pub(crate) found: Vec<(Cursor, Option<Candidate>)>,
    /// Where to go on; `None` at the end.
    pub(crate) next: Option<Cursor>,
    /// Jobs that were looked at.
    pub(crate) looked_at: u64,
    /// Jobs there are to look at, from the beginning on; in a step that only counts, from the place on.
    pub(crate) among: u64,
}

impl Step {
    /// Where there is nothing to look at.
    pub(crate) const fn nothing(now: Timestamp) -> Self {
        Self { now, found: Vec::new(), next: None, looked_at: 0, among: 0 }
    }

    /// The page of a list that has so many rows at most. A row that does not read keeps its place, so that the next page
    /// begins behind it.
    pub(super) fn into_page(mut self, size: usize) -> Page {
        if self.found.len() > size {
            self.found.truncate(size);
            self.next = self.found.last().map(|(place, _)| place.clone());
        }
        let rows = self.found.into_iter().filter_map(|(_, one)| one.map(|one| one.row)).collect();
        Page { rows, next: self.next, total: self.among, read_at: self.now }
    }
}

impl Store {
    /// Looks at no more than `most` jobs behind a place; with 0 it only counts those behind it. See `lua/functions/read/scan.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn scan(&self, scan: &Scan, after: Option<&Cursor>, most: u64) -> Result<Step> {
        self.scan_share(scan, after, most, most).await
    }

    /// The same, where all shards together look at `of`.
    async fn scan_share(&self, scan: &Scan, after: Option<&Cursor>, most: u64, of: u64) -> Result<Step> {
        let call = self.scan_call(scan, after, most);
        // Through no more jobs than a page has it is soon over.
        let is_short = of <= PAGE_SIZE_MAX.into();
        step(if is_short { self.read(&call).await? } else { self.look_through(call).await? })
    }

    /// Runs a script that looks at hundreds of jobs, in its turn.
    async fn look_through(&self, call: Call) -> Result<Reply> {
        let (store, mut reads) = (self.clone(), self.connections.reads());
        let script = async move { store.read(&call).await };
        // A connection answers in order: once it has answered this, the script is done.
        let behind = redis::cmd("EXISTS").arg(self.keys.meta()).to_owned();
        let answered = async move {
            while behind.query_async::<Value>(&mut reads).await.is_err_and(|error| error.is_timeout()) {}
        };
        self.connections.turns().take(script, answered).await
    }

    fn scan_call(&self, scan: &Scan, after: Option<&Cursor>, most: u64) -> Call {
        let mut call = self.call(&script::SCAN);
        call.arg(if scan.direction == Direction::Ascending { "asc" } else { "desc" }).arg(most);
        call.arg(after.map(|place| place.score.to_string()).unwrap_or_default());
        call.arg(after.map_or("", |place| place.id.as_str()));
        for score in [scan.low, scan.high] {
            call.arg(score.map(|score| score.to_string()).unwrap_or_default());
        }
        call.arg(if scan.payload { "payload" } else { "" });
        call.arg(list(scan.queues.iter().map(QueueName::as_str)));
        call.arg(list(scan.states.iter().map(|state| state.as_str())));
        call.arg(list(scan.kinds.iter().map(String::as_str)));
        call.arg(list(scan.tags.iter().map(String::as_str)));
        call
    }

    async fn candidates(&self, ids: &[JobId], payload: bool) -> Result<Vec<Option<Candidate>>> {
        let mut call = self.call(&script::CANDIDATES);
        call.arg(if payload { "payload" } else { "" });
        for id in ids {
            call.arg(id.as_str());
        }
        let one = |item: Item| {
            let mut reply = item.list()?;
            let found = candidate(&mut reply)?;
            let score = reply.optional("score")?;
            Ok(found.map(|found| Candidate { score, ..found }))
        };
        self.read(&call).await?.map(one).collect()
    }
}

impl Shards {
    /// One step over all shards, merged by score and id. `most` is shared among them.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn scan(&self, scan: &Scan, after: Option<&Cursor>, most: u64) -> Result<Step> {
        let share = most.div_ceil(self.count().into()).max(most.min(SHARE_MIN));
        let steps = self.each(|store| store.scan_share(scan, after, share, most)).await?;
        merge(steps, scan.direction).ok_or_else(|| Error::codec("a scan has no shards"))
    }

    /// One page of a list of all shards: each gives as many as the page may have.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn page(&self, scan: &Scan, after: Option<&Cursor>, size: u16) -> Result<Page> {
        let steps = self.each(|store| store.scan(scan, after, size.into())).await?;
        let step = merge(steps, scan.direction).ok_or_else(|| Error::codec("a list has no shards"))?;
        Ok(step.into_page(size.into()))
    }

    /// What a filter needs to know of given jobs, wherever they are; those that are gone are left out.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn candidates(&self, ids: &[JobId], payload: bool) -> Result<Vec<Candidate>> {
        let mut shards = self.each(|store| store.candidates(ids, payload)).await?.into_iter();
        let mut found = shards.next().unwrap_or_default();
        for more in shards {
            for (one, other) in found.iter_mut().zip(more) {
                // A job on its way between two shards is in both: the one that was changed later is the new self.
                if other.is_some() && one.as_ref().is_none_or(|one| one.row.state.is_final()) {
                    *one = other;
                }
            }
        }
        Ok(found.into_iter().flatten().collect())
    }
}

/// Steps of one scan, one a shard, as one. `None` for none.
fn merge(steps: Vec<Step>, direction: Direction) -> Option<Step> {
    let before = |a: &Cursor, b: &Cursor| {
        // Ids compare byte by byte, as in Redis.
        let ascending = (a.score, a.id.as_str()).cmp(&(b.score, b.id.as_str()));
        if direction == Direction::Descending { ascending.reverse() } else { ascending }
    };
    let mut steps = steps.into_iter();
    let mut all = steps.next()?;
    for step in steps {
        all.now = all.now.max(step.now);
        all.looked_at = all.looked_at.saturating_add(step.looked_at);
        all.among = all.among.saturating_add(step.among);
        all.found.extend(step.found);
        // Behind the nearest end nothing is in order yet; what was seen of it is looked at once more.
        all.next = match (all.next.take(), step.next) {
            (Some(a), Some(b)) => Some(if before(&a, &b).is_le() { a } else { b }),
            (one, other) => one.or(other),
        };
    }
    all.found.sort_by(|(a, _), (b, _)| before(a, b));
    if let Some(end) = &all.next {
        all.found.retain(|(place, _)| before(place, end).is_le());
    }
    Some(all)
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    // Texts always have a JSON form.
    serde_json::to_string(&names).unwrap_or_else(|_| "[]".to_owned())
}

pub(super) fn step(mut reply: Reply) -> Result<Step> {
    let now = reply.time("now")?;
    let among = reply.parse("jobs in the range")?;
    let more = reply.text()? == "more";
    let looked_at = reply.parse("jobs looked at")?;
    let (score, id) = (reply.optional("score")?, reply.optional("job id")?);
    let next = score.zip(id).filter(|_| more).map(|(score, id)| Cursor { score, id });
    let mut found = Vec::new();
    for item in reply {
        let mut one = item.list()?;
        let (score, id) = (one.parse("score")?, one.text()?);
        // What is no id of ours is damage that holds up no other job.
        let Ok(id) = id.parse() else { continue };
        let place = Cursor { score, id };
        let told = candidate(&mut one)?.map(|told| Candidate { score: Some(place.score), ..told });
        found.push((place, told));
    }
    Ok(Step { now, found, next, looked_at, among })
}

/// Labels, payload and row, without its score; `None` when the job is gone or does not read.
fn candidate(reply: &mut Reply) -> Result<Option<Candidate>> {
    /// The place of the latest error in a row, as in `lua/core/row.lua`.
    const ERROR: usize = 17;
    let tags = serde_json::from_slice(&reply.bytes()?).unwrap_or_default();
    let payload = reply.bytes()?;
    let fields: Vec<Item> = reply.next().ok_or_else(|| Error::codec("a row is missing"))?.list()?.collect();
    let error = fields.get(ERROR).cloned().map(Item::text).transpose()?.unwrap_or_default();
    let row = codec::row(Reply::from_items(fields.into_iter()));
    Ok(row.map(|row| Candidate { row, score: None, error, tags, payload }))
}
