//! All shards of a namespace, and which of them a job belongs to.

use super::Store;
use super::connection::Connections;
use super::holders::{self, Found};
use super::leave::Left;
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
        let subject = job.subject.as_ref().map(Subject::as_str);
        let unique_key = job.unique.as_ref().map(|(key, _)| key.as_str());
        self.shard(Shard::home(subject, unique_key, id.as_str(), self.count()))
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

    /// Carries out a verb on one job, in whichever shard it is.
    ///
    /// # Errors
    /// Those of the verb; [`Error::NotFound`] when no shard has the job.
    pub async fn act<T, F>(&self, id: &JobId, verb: impl Fn(Store) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        if let [only] = self.all() {
            return verb(only.clone()).await;
        }
        if let Some(holder) = self.holder(id).await? {
            let outcome = verb(holder.clone()).await;
            if !matches!(outcome, Err(Error::NotFound { .. })) {
                return outcome;
            }
        }
        // Gone, or on its way between two shards. A repeated operation still gets its first answer where it was given.
        let outcomes = join_all(self.all().iter().map(|store| verb(store.clone()))).await;
        joined(outcomes, |error| matches!(error, Error::NotFound { .. }))
    }

    /// Takes jobs in, each in the shard it belongs to, and answers in their order. A job must have its id.
    ///
    /// With several shards this is a step for each of them. An id that the caller chose is looked for in all others
    /// first, for an id is unique in the namespace: a job that lives elsewhere because it had another subject
    /// `exists`, or moves if it is to be replaced. The same goes for an id that comes twice in one call.
    ///
    /// # Errors
    /// [`Error::StorageFull`] and [`Error::Unavailable`]: some may have been enqueued; repeat it.
    pub async fn enqueue(&self, actor: &str, jobs: &[(JobId, NewJob)]) -> Result<Vec<Enqueued>> {
        Ok(self.enqueue_in_part(actor, jobs).await?)
    }

    /// The same, for a caller that tells how far it came.
    ///
    /// # Errors
    /// Those of [`enqueue`](Self::enqueue), with what became of the jobs of other steps.
    pub(crate) async fn enqueue_in_part(
        &self,
        actor: &str,
        jobs: &[(JobId, NewJob)],
    ) -> Result<Vec<Enqueued>, BrokenOff> {
        if let [only] = self.all() {
            return enqueue_in_steps(only, actor, jobs.iter().collect()).await;
        }
        let found = self.holders(&chosen(jobs)).await?;
        let (mut told, mut failed) = (Vec::with_capacity(jobs.len()), None);
        for answer in self.take_in(actor, jobs, &found).await? {
            match answer {
                Ok(answer) => told.push(answer),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        match failed {
            Some(error) => Err(BrokenOff { error, told }),
            None => Ok(told),
        }
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
        let found = Found::among(self.all(), &chosen(jobs)).await;
        let refusal = |(id, job): &(JobId, NewJob)| job.id.as_ref().and_then(|_| found.doubt_of(id));
        let refusals: Vec<Option<Error>> = jobs.iter().map(refusal).collect();
        if refusals.iter().all(Option::is_none) {
            return Ok(self.take_in(actor, jobs, &found).await?);
        }
        let sure = jobs.iter().zip(&refusals).filter(|(_, refusal)| refusal.is_none());
        let sure: Vec<_> = sure.map(|(job, _)| job.clone()).collect();
        let mut taken = self.take_in(actor, &sure, &found).await?.into_iter();
        let answer = |refusal: Option<Error>| match refusal {
            Some(error) => Err(error),
            None => taken.next().unwrap_or_else(|| Err(Error::codec("enqueue did not answer"))),
        };
        Ok(refusals.into_iter().map(answer).collect())
    }

    /// Takes jobs in, of which it is known where their ids are. Boxed: the futures of callers are deep enough without it.
    ///
    /// Mostly in one round. What the first fails at is told all; what a later one fails at is told those whose ids came
    /// twice, for the others have been taken in.
    fn take_in<'a>(
        &'a self,
        actor: &'a str,
        jobs: &'a [(JobId, NewJob)],
        found: &'a Found,
    ) -> BoxFuture<'a, Result<Vec<Result<Enqueued>>, BrokenOff>> {
        Box::pin(async move {
            let mut rounds = self.rounds(jobs, found).into_values();
            let Some(first) = rounds.next() else {
                return Ok(self.take_in_by_shard(actor, jobs, found).await?.into_iter().map(Ok).collect());
            };
            let of = |places: &[usize]| -> Vec<(JobId, NewJob)> {
                places.iter().filter_map(|&place| jobs.get(place)).cloned().collect()
            };
            let mut answers = BTreeMap::new();
            let taken = self.take_in_by_shard(actor, &of(&first), found).await?;
            answers.extend(first.into_iter().zip(taken.into_iter().map(Ok)));
            for places in rounds {
                let again = of(&places);
                // Where their ids are has changed with the round before.
                let taken = match self.holders(&chosen(&again)).await {
                    Ok(found) => self.take_in_by_shard(actor, &again, &found).await,
                    Err(error) => Err(error.into()),
                };
                match taken {
                    Ok(taken) => answers.extend(places.into_iter().zip(taken.into_iter().map(Ok))),
                    Err(BrokenOff { error, .. }) => {
                        answers.extend(places.into_iter().map(|place| (place, Err(error.clone()))));
                    }
                }
            }
            Ok(answers.into_values().collect())
        })
    }

    /// The places of the jobs of each round; none at all when one round takes all of them in.
    ///
    /// An id that comes a second time waits for a later round where its jobs have different homes, or where the first of
    /// them moves: one look-up is true of it once only.
    fn rounds(&self, jobs: &[(JobId, NewJob)], found: &Found) -> BTreeMap<usize, Vec<usize>> {
        let mut latest: HashMap<&JobId, (Shard, usize)> = HashMap::new();
        let mut rounds: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, (id, job)) in jobs.iter().enumerate() {
            let mut round = 0;
            if job.id.is_some() {
                let home = self.home(id, job).shard();
                let moves = found.get(id).is_some_and(|held| held.shard != home);
                if let Some(&(before, of)) = latest.get(id) {
                    round = if before != home || moves { of + 1 } else { of };
                }
                latest.insert(id, (home, round));
            }
            rounds.entry(round).or_default().push(place);
        }
        if rounds.len() > 1 { rounds } else { BTreeMap::new() }
    }

    async fn take_in_by_shard(
        &self,
        actor: &str,
        jobs: &[(JobId, NewJob)],
        found: &Found,
    ) -> Result<Vec<Enqueued>, BrokenOff> {
        let mut answers: Vec<Option<Enqueued>> = vec![None; jobs.len()];
        let mut at_home: BTreeMap<Shard, Vec<usize>> = BTreeMap::new();
        for (place, (id, job)) in jobs.iter().enumerate() {
            let home = self.home(id, job);
            match found.get(id).map(|held| held.shard).filter(|&shard| shard != home.shard()) {
                Some(elsewhere) => match self.rehome(actor, id, job, self.shard(elsewhere)).await {
                    Ok(answer) => answers[place] = Some(answer),
                    Err(error) => return Err(BrokenOff::after(answers, error)),
                },
                None => at_home.entry(home.shard()).or_default().push(place),
            }
        }
        for (id, job) in jobs.iter().filter(|(_, job)| job.replace) {
            // An earlier move of it was cut off before its last step. Before the others are taken in: a caller that chose no
            // id must not hear of a failure afterwards.
            let left = found.get(id).and_then(|held| held.leaves);
            if let Some(left) = left.filter(|&left| left != self.home(id, job).shard())
                && let Err(error) = self.shard(left).forget(id).await
            {
                return Err(BrokenOff::after(answers, error));
            }
        }
        for shard in at_home.keys().map(|&shard| self.shard(shard)) {
            if let Err(error) = found.prepare(shard).await {
                return Err(BrokenOff::after(answers, error));
            }
        }
        let steps = at_home.iter().map(|(shard, places)| {
            let theirs = places.iter().filter_map(|&place| jobs.get(place)).collect();
            enqueue_in_steps(self.shard(*shard), actor, theirs)
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
        answers
            .into_iter()
            .map(|answer| answer.ok_or_else(|| Error::codec("enqueue did not answer").into()))
            .collect()
    }

    /// Enqueues a job whose id is taken in another shard than its own.
    ///
    /// A replacement is three steps, each of which can be repeated: the old job is called off with a mark, so that
    /// it cannot run; the new one is taken in; the old one is removed. Cut off in between, the job is shown as
    /// cancelled because it moves, and the caller, who has had no answer, repeats the call.
    async fn rehome(&self, actor: &str, id: &JobId, job: &NewJob, old: &Store) -> Result<Enqueued> {
        let home = self.home(id, job);
        let (mut job, replaces) = (job.clone(), job.replace);
        if replaces {
            match old.leave(id, actor, &job.queue, home.shard()).await? {
                Left::Stays(standing) => return Ok(Enqueued::Exists(standing)),
                Left::Gone(version) => {
                    job.moves = true;
                    home.begin_above(version).await?;
                }
            }
        } else if let Some(standing) = standing_of(old, id).await? {
            return Ok(Enqueued::Exists(standing));
        } else {
            // It was removed there meanwhile.
            Found::among(self.all(), &[id]).await.prepare(home).await?;
        }
        // What an earlier move left behind here, cut off before its end.
        home.forget(id).await?;
        let taken = match home.enqueue(actor, &[(id.clone(), job)]).await {
            Ok(mut answers) => answers.pop(),
            Err(error) => {
                // Where it is not known whether the new one was taken in, the caller repeats the call. The old one is not
                // put back beside it.
                if replaces && !error.is_doubtful() {
                    old.stay(id, actor).await?;
                }
                return Err(error);
            }
        };
        match taken.ok_or_else(|| Error::codec("enqueue did not answer"))? {
            Enqueued::Delayed(standing) | Enqueued::Ready(standing) | Enqueued::Replaced(standing)
                if replaces =>
            {
                old.forget(id).await?;
                Ok(Enqueued::Replaced(standing))
            }
            refused @ (Enqueued::Duplicate { .. } | Enqueued::SubjectFull { .. } | Enqueued::Exists(_))
                if replaces =>
            {
                old.stay(id, actor).await?;
                Ok(refused)
            }
            taken => Ok(taken),
        }
    }
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
fn chosen(jobs: &[(JobId, NewJob)]) -> Vec<&JobId> {
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
    jobs: Vec<&(JobId, NewJob)>,
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
