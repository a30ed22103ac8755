//! All shards of a namespace, and which of them a job belongs to.

use super::Store;
use super::connection::Connections;
use super::holders::{self, Found};
use crate::actor::Actor;
use crate::clock::GivenClock;
use crate::error::{Error, Result};
use crate::keys::Keys;
use crate::model::{Enqueued, JobId, JobState, Namespace, SHARDS_MAX, Shard, Standing, Subject, Timestamp};
use crate::new_job::NewJob;
use futures_util::future::{BoxFuture, join_all, try_join_all};
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::Arc;

/// Jobs of one call to Redis, which take it about 2 ms. More go in in several steps.
pub const ENQUEUE_BATCH_MAX: usize = 100;

/// Many jobs of which some were not enqueued, because something failed in between.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenOff {
    /// What failed.
    pub error: Error,
    /// What became of jobs up to there, in no order; empty when nothing is known to have been enqueued.
    pub told: Vec<Enqueued>,
}

impl BrokenOff {
    fn after(answers: Vec<Option<Enqueued>>, error: Error) -> Self {
        Self { error, told: answers.into_iter().flatten().collect() }
    }
}

impl From<Error> for BrokenOff {
    fn from(error: Error) -> Self {
        Self { error, told: Vec::new() }
    }
}

impl From<BrokenOff> for Error {
    fn from(broken: BrokenOff) -> Self {
        broken.error
    }
}

/// What is done about a namespace that nobody has used yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstUse {
    /// Its number of shards and its layout are written down.
    Founds,
    /// Nothing: it is empty for a reader.
    Passes,
}

impl FirstUse {
    /// What is there under a field of `meta`, at last.
    async fn settle(self, store: &Store, field: &str, value: &str) -> Result<Option<String>> {
        match self {
            Self::Founds => store.settle(field, value).await.map(Some),
            Self::Passes => store.meta(field).await,
        }
    }
}

/// The stores of all shards of a namespace. Cloning is cheap and shares them.
///
/// A job lives in the shard that [`Shard::home`] names, so that all jobs of a subject can be called off in one step.
/// Queues, workers, lists and counts span all shards. What belongs to the namespace as a whole (workers, settings,
/// schedules) is kept in the [first](Self::first).
#[derive(Debug, Clone)]
pub struct Shards {
    stores: Arc<[Store]>,
}

impl Shards {
    pub(crate) fn open(connections: &Arc<Connections>, namespace: &Namespace, shards: u16) -> Result<Self> {
        if !(1..=SHARDS_MAX).contains(&shards) {
            return Err(Error::invalid("shards", format!("are 1 to {SHARDS_MAX}, not {shards}")));
        }
        let store = |number| {
            let shard = Shard(number);
            Store::new(Arc::clone(connections), shard, shards, Keys::new(namespace, shard, shards))
        };
        Ok(Self { stores: (0..shards).map(store).collect() })
    }

    /// The shards in groups, each of which one connection reaches: all of them, or each by itself on a Cluster.
    pub(crate) fn groups(&self) -> Vec<Vec<Store>> {
        if self.first().connections().is_cluster() {
            return self.stores.iter().map(|store| vec![store.clone()]).collect();
        }
        vec![self.stores.to_vec()]
    }

    /// Fixes the number of shards and the layout of the data at their first use, and compares them from then on.
    /// Nothing is written where they differ, nor by who only looks.
    ///
    /// # Errors
    /// [`Error::Refused`] when the namespace has another number of shards or another layout, or its keys belong to
    /// another namespace.
    pub(crate) async fn settle(&self, namespace: &Namespace, schema: &str, first: FirstUse) -> Result<()> {
        let count = self.count().to_string();
        let same_layout = |found: &str| {
            let why = format!(
                "namespace {namespace} holds data of layout {found}, this version knows layout {schema}; \
                 use the version that wrote it, or another namespace"
            );
            if found == schema { Ok(()) } else { Err(Error::Refused { why }) }
        };
        let same_count = |found: &str| {
            let why = format!(
                "namespace {namespace} has {found} shards and this process is set to {count}; their number is fixed \
                 when a namespace is first used: start with {found}, or with another namespace"
            );
            if found == count { Ok(()) } else { Err(Error::Refused { why }) }
        };
        for found in self.each(|store| store.meta("schema")).await?.iter().flatten() {
            same_layout(found)?;
        }
        // The one place that every process looks at first, whatever number of shards it is set to.
        let whole =
            Store::new(Arc::clone(self.first().connections()), Shard::FIRST, 1, Keys::whole(namespace));
        if self.count() > 1 && whole.meta("shards").await?.is_none() && whole.meta("schema").await?.is_some()
        {
            // From before there were shards.
            same_count("1")?;
        }
        first.settle(&whole, "shards", &count).await?.as_deref().map_or(Ok(()), same_count)?;
        let of_each = self.each(|store| async {
            let owner = first.settle(store, "namespace", namespace.as_str()).await?;
            let shards = first.settle(store, "shards", &count).await?;
            Ok((owner, shards, first.settle(store, "schema", schema).await?))
        });
        for (owner, shards, found) in of_each.await? {
            if let Some(owner) = owner.filter(|owner| owner != namespace.as_str()) {
                let why = format!(
                    "the keys of namespace {namespace} belong to namespace {owner}; choose another name"
                );
                return Err(Error::Refused { why });
            }
            shards.as_deref().map_or(Ok(()), same_count)?;
            found.as_deref().map_or(Ok(()), same_layout)?;
        }
        Ok(())
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u16 {
        u16::try_from(self.stores.len()).unwrap_or(SHARDS_MAX)
    }

    /// Every shard, by number.
    #[must_use]
    pub fn all(&self) -> &[Store] {
        &self.stores
    }

    /// The shard that has a job; see [`holders::holder`]. `None` when none has it.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when one that was asked did not answer, and none of the others has it.
    pub async fn holder(&self, id: &JobId) -> Result<Option<&Store>> {
        holders::holder(self.all(), id).await
    }

    /// Which shard has each of these jobs.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when one that was asked did not answer, and one of the jobs may be there.
    pub(super) async fn holders(&self, ids: &[&JobId]) -> Result<Found> {
        Found::all_among(self.all(), ids).await
    }

    /// The shard that keeps what belongs to the namespace as a whole.
    #[must_use]
    pub fn first(&self) -> &Store {
        &self.stores[0]
    }

    /// One shard; the first for a number that is none of ours.
    #[must_use]
    pub fn shard(&self, shard: Shard) -> &Store {
        self.stores.get(shard.index()).unwrap_or_else(|| self.first())
    }

    /// The same shards with a clock that stands still at `time`. For tests and sandboxes.
    #[must_use]
    pub fn at(&self, time: Timestamp) -> Self {
        self.on_clock(&GivenClock::new(time))
    }

    /// The same shards with a clock that somebody moves. For tests and sandboxes.
    pub(crate) fn on_clock(&self, clock: &GivenClock) -> Self {
        Self { stores: self.stores.iter().map(|store| store.on_clock(clock)).collect() }
    }

    /// The same shards, whose writes are answered once that many replicas have them; 0 for none.
    #[must_use]
    pub fn confirming(&self, replicas: u32) -> Self {
        if replicas == 0 {
            return self.clone();
        }
        Self { stores: self.stores.iter().map(|store| store.confirming(replicas)).collect() }
    }

    /// The same shards, whose entries in the audit say what is known of that actor.
    pub fn called_by(&self, actor: &Actor) -> Self {
        Self { stores: self.stores.iter().map(|store| store.called_by(actor)).collect() }
    }

    /// Whether a call may be carried out twice without anybody asking for it: a Cluster's client repeats those whose
    /// answer was lost.
    pub(crate) fn repeats(&self) -> bool {
        self.first().connections().is_cluster()
    }

    /// The shard of a new job.
    #[must_use]
    pub fn home(&self, id: &JobId, job: &NewJob) -> &Store {
        self.shard(job.home(id.as_str(), self.count()))
    }

    /// The shard of every job of a subject.
    #[must_use]
    pub fn of_subject(&self, subject: &Subject) -> &Store {
        self.shard(Shard::home(Some(subject.as_str()), None, "", self.count()))
    }

    /// Asks every shard at once; fails when one of them does. Answers come in the order of the shards.
    ///
    /// # Errors
    /// The first one met.
    pub async fn each<'a, T, F>(&'a self, ask: impl Fn(&'a Store) -> F) -> Result<Vec<T>>
    where
        F: Future<Output = Result<T>>,
    {
        if let [only] = self.all() {
            return Ok(vec![ask(only).await?]);
        }
        try_join_all(self.all().iter().map(ask)).await
    }

    /// Carries out a verb on one job, in whichever shard it is. Where the caller gave it an operation id, and another
    /// shard knows the answer, that was about another job, which had this id before.
    ///
    /// # Errors
    /// Those of the verb; [`Error::NotFound`] when no shard has the job.
    pub async fn act<T, F>(&self, id: &JobId, has_operation: bool, verb: impl Fn(Store) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        if let [only] = self.all() {
            return verb(only.clone()).await;
        }
        if let Some(holder) = self.holder(id).await? {
            if has_operation
                && self.answers_elsewhere(holder, &verb, is_missing).await
                && let Some(standing) = standing_of(holder, id).await?
            {
                return Err(Error::Conflict(Box::new(standing)));
            }
            let outcome = verb(holder.clone()).await;
            if !outcome.as_ref().is_err_and(is_missing) {
                return outcome;
            }
        }
        // Gone. A repeated operation still gets its first answer where it was given.
        joined(join_all(self.all().iter().map(|store| verb(store.clone()))).await, is_missing)
    }

    /// Whether another shard than the one that has a job or plan answers a verb on it, as it does under an operation id that
    /// was given there: to another one, which had this id before. It does nothing, for it has none. One that does not answer
    /// hides nothing of this one.
    pub(super) async fn answers_elsewhere<T, F>(
        &self,
        holder: &Store,
        verb: impl Fn(Store) -> F,
        is_missing: fn(&Error) -> bool,
    ) -> bool
    where
        F: Future<Output = Result<T>>,
    {
        let others = self.all().iter().filter(|store| store.shard() != holder.shard());
        let answers = join_all(others.map(|store| verb(store.clone()))).await;
        answers.iter().any(|answer| match answer {
            Ok(_) => true,
            Err(error) => !error.is_transient() && !is_missing(error),
        })
    }

    /// Takes jobs in, each in the shard it belongs to, and answers in their order. A job must have its id.
    ///
    /// With several shards this is a step for each of them. An id that the caller chose is looked for in all others
    /// first, for an id is unique in the namespace: a job that is in another shard, because it had another subject,
    /// `exists`, and cannot be replaced. The same goes for an id that comes twice in one call.
    ///
    /// # Errors
    /// [`Error::StorageFull`] and [`Error::Unavailable`]: some may have been enqueued; repeat it.
    pub async fn enqueue(&self, actor: &str, jobs: &[(JobId, NewJob)]) -> Result<Vec<Enqueued>> {
        Ok(self.enqueue_in_part(actor, &jobs.iter().collect::<Vec<_>>()).await?)
    }

    /// The same, for a caller that tells how far it came.
    ///
    /// # Errors
    /// Those of [`enqueue`](Self::enqueue), with what became of the jobs of other steps.
    pub(crate) async fn enqueue_in_part(
        &self,
        actor: &str,
        jobs: &[&(JobId, NewJob)],
    ) -> Result<Vec<Enqueued>, BrokenOff> {
        if let [only] = self.all() {
            return enqueue_in_steps(only, actor, jobs).await;
        }
        let found = self.holders(&chosen(jobs)).await?;
        self.take_in(actor, jobs, &found).await
    }

    /// The same for several callers, each of whom gets an answer of its own where an id that it chose cannot be looked for
    /// in every shard.
    ///
    /// # Errors
    /// Those of [`enqueue`](Self::enqueue), of those whose ids could be looked for.
    pub(crate) async fn enqueue_each(
        &self,
        actor: &str,
        jobs: &[(JobId, NewJob)],
    ) -> Result<Vec<Result<Enqueued>>> {
        let found = Found::among(self.all(), &chosen(&jobs.iter().collect::<Vec<_>>())).await;
        let refusal = |(id, job): &(JobId, NewJob)| job.id.as_ref().and_then(|_| found.doubt_of(id));
        let refusals: Vec<Option<Error>> = jobs.iter().map(refusal).collect();
        let sure = jobs.iter().zip(&refusals).filter(|(_, refusal)| refusal.is_none());
        let sure: Vec<_> = sure.map(|(job, _)| job).collect();
        let mut taken = self.take_in(actor, &sure, &found).await?.into_iter();
        let answer = |refusal: Option<Error>| match refusal {
            Some(error) => Err(error),
            None => taken.next().ok_or_else(|| Error::codec("enqueue did not answer")),
        };
        Ok(refusals.into_iter().map(answer).collect())
    }

    /// Takes jobs in, of which it is known where their ids are. Boxed: the futures of callers are deep enough without it.
    fn take_in<'a>(
        &'a self,
        actor: &'a str,
        jobs: &'a [&'a (JobId, NewJob)],
        found: &'a Found,
    ) -> BoxFuture<'a, Result<Vec<Enqueued>, BrokenOff>> {
        Box::pin(async move {
            let mut answers: Vec<Option<Enqueued>> = vec![None; jobs.len()];
            let mut at_home: BTreeMap<Shard, Vec<usize>> = BTreeMap::new();
            let (mut homes, mut again) = (HashMap::new(), Vec::new());
            for (place, (id, job)) in jobs.iter().enumerate() {
                let home = self.home(id, job).shard();
                if *homes.entry(id).or_insert(home) != home {
                    // Its id came before in this call, for another shard: it is looked for once that one is in.
                    again.push(place);
                    continue;
                }
                match self.conflict(id, job, found).await {
                    Ok(None) => at_home.entry(home).or_default().push(place),
                    Ok(answer) => answers[place] = answer,
                    Err(error) => return Err(BrokenOff::after(answers, error)),
                }
            }
            for &shard in at_home.keys() {
                if let Err(error) = found.prepare(self.shard(shard)).await {
                    return Err(BrokenOff::after(answers, error));
                }
            }
            let of = |places: &[usize]| -> Vec<_> {
                places.iter().filter_map(|&place| jobs.get(place).copied()).collect()
            };
            let steps = at_home.iter().map(|(&shard, places)| async move {
                enqueue_in_steps(self.shard(shard), actor, &of(places)).await
            });
            // To their ends, whatever one of them fails at: what is told must be all that was taken in.
            let mut failed = Vec::new();
            for (places, taken) in at_home.values().zip(join_all(steps).await) {
                let told = taken.unwrap_or_else(|BrokenOff { error, told }| {
                    failed.push(error);
                    told
                });
                for (&place, answer) in places.iter().zip(told) {
                    answers[place] = Some(answer);
                }
            }
            if let Some(error) = failed.into_iter().min_by_key(|error| !error.is_doubtful()) {
                return Err(BrokenOff::after(answers, error));
            }
            if !again.is_empty() {
                match self.enqueue_in_part(actor, &of(&again)).await {
                    Ok(told) => {
                        for (&place, answer) in again.iter().zip(told) {
                            answers[place] = Some(answer);
                        }
                    }
                    Err(BrokenOff { error, told }) => {
                        answers.extend(told.into_iter().map(Some));
                        return Err(BrokenOff::after(answers, error));
                    }
                }
            }
            answers
                .into_iter()
                .map(|answer| answer.ok_or_else(|| Error::codec("enqueue did not answer").into()))
                .collect()
        })
    }

    /// The answer for a job whose id is that of a job in another shard; `None` where there is none.
    async fn conflict(&self, id: &JobId, job: &NewJob, found: &Found) -> Result<Option<Enqueued>> {
        let home = self.home(id, job);
        let Some(shard) = found.get(id).filter(|&shard| shard != home.shard()) else { return Ok(None) };
        if job.replace {
            return Ok(Some(Enqueued::IdConflict { id: id.clone() }));
        }
        let standing = standing_of(self.shard(shard), id).await?;
        if standing.is_none() {
            // It was removed there meanwhile.
            Found::among(self.all(), &[id]).await.prepare(home).await?;
        }
        Ok(standing.map(Enqueued::Exists))
    }
}

fn is_missing(error: &Error) -> bool {
    matches!(error, Error::NotFound { .. })
}

/// What came of a verb that every shard was asked for, of which one can have what it is done to: what was done, or why not.
/// A shard that does not answer hides neither; that nothing is there is said when all of them say so.
///
/// # Errors
/// Those of the verb.
pub(super) fn joined<T>(outcomes: Vec<Result<T>>, is_missing: fn(&Error) -> bool) -> Result<T> {
    let rank = |outcome: &Result<T>| match outcome {
        Ok(_) => 0,
        Err(error) if is_missing(error) => 3,
        Err(error) if error.is_transient() => 2,
        Err(_) => 1,
    };
    let first = outcomes.into_iter().min_by_key(rank);
    first.unwrap_or_else(|| Err(Error::codec("there are no shards")))
}

/// The ids that callers chose.
fn chosen<'a>(jobs: &[&'a (JobId, NewJob)]) -> Vec<&'a JobId> {
    jobs.iter().filter(|(_, job)| job.id.is_some()).map(|(id, _)| id).collect()
}

/// A job whose id we made can only exist because the same call was carried out twice: its answer is the first one's.
fn first_answer(answer: Enqueued, job: &NewJob) -> Enqueued {
    match answer {
        Enqueued::Exists(standing) if job.id.is_none() => match standing.state {
            JobState::Delayed => Enqueued::Delayed(standing),
            _ => Enqueued::Ready(standing),
        },
        answer => answer,
    }
}

/// Enqueues jobs of one shard, one step after the other.
async fn enqueue_in_steps(
    store: &Store,
    actor: &str,
    jobs: &[&(JobId, NewJob)],
) -> Result<Vec<Enqueued>, BrokenOff> {
    let mut told = Vec::with_capacity(jobs.len());
    for step in jobs.chunks(ENQUEUE_BATCH_MAX) {
        match store.enqueue(actor, step.iter().copied()).await {
            Ok(answers) => {
                let answers = answers.into_iter().zip(step);
                told.extend(answers.map(|(answer, (_, job))| first_answer(answer, job)));
            }
            Err(error) => return Err(BrokenOff { error, told }),
        }
    }
    Ok(told)
}

/// Where a job stands, as a verb would answer.
async fn standing_of(store: &Store, id: &JobId) -> Result<Option<Standing>> {
    let Some((job, ..)) = store.job(id).await? else { return Ok(None) };
    let mut standing = Standing::new(job.id, job.state, job.version, job.due, store.now().await?);
    standing.started = job.started;
    standing.ended = job.ended;
    standing.worker = job.worker;
    Ok(Some(standing))
}
