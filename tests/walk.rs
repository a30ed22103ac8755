//! A random walk over all verbs; the rules of a sound namespace are checked on the way.
//!
//! It prints its seeds. `REPRIEVE_SEED=<number>` walks one of them again.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reprieve::model::{
    Cancelled, ConcurrencyKey, Delay, JobId, Kind, Priority, QueueLimits, QueueName, Rate, Subject,
    SubjectCancelled, Timestamp, Token, UniqueKey, Version,
};
use reprieve::store::{Intent, Store};
use reprieve::testing::{TestRedis, breaches};
use reprieve::{Due, Error, LatePolicy, Lateness, NewJob, Result, UniqueMode};
use std::collections::{BTreeMap, HashSet};

const STEPS: u32 = 5_000;
/// The whole keyspace is read then: often enough to name the guilty step, seldom enough to take seconds.
const STEPS_BETWEEN_CHECKS: u32 = 500;
const START: i64 = 1_700_000_040_000;
const LEASE: Delay = Delay::seconds(12);
/// Few ids, so that they meet often.
const IDS: u32 = 40;

struct Walk {
    redis: TestRedis,
    random: StdRng,
    now: i64,
    /// Leases that were given, also those that ended since: stale tokens are part of the walk.
    leases: Vec<(JobId, Token)>,
    /// Told to be cancelled, and not put back since.
    called_off: HashSet<JobId>,
    /// The latest version seen of each job that is there.
    versions: BTreeMap<JobId, Version>,
    claims: u64,
}

impl Walk {
    async fn new(seed: u64) -> Self {
        Self {
            redis: TestRedis::namespace().await,
            random: StdRng::seed_from_u64(seed),
            now: START,
            leases: Vec::new(),
            called_off: HashSet::new(),
            versions: BTreeMap::new(),
            claims: 0,
        }
    }

    fn store(&self) -> Store {
        self.redis.store().at(Timestamp::from_millis(self.now).unwrap())
    }

    fn id(&mut self) -> JobId {
        JobId::new(format!("j{}", self.random.random_range(0..IDS))).unwrap()
    }

    fn subject(&mut self) -> Subject {
        Subject::new(format!("s{}", self.random.random_range(0..6))).unwrap()
    }

    fn queue(&mut self) -> QueueName {
        QueueName::new(["one", "two", "three"][self.random.random_range(0..3)]).unwrap()
    }

    fn wait(&mut self) -> Delay {
        Delay::millis(self.random.random_range(0..20_000))
    }

    /// Of some person, now and then on a version or under an operation id.
    fn intent(&mut self, id: &JobId) -> Intent {
        let mut intent = Intent::of("ann");
        if self.random.random_bool(0.3) {
            intent.seen = self.versions.get(id).copied();
        }
        if self.random.random_bool(0.3) {
            intent.operation = format!("op{}", self.random.random_range(0..2_000));
        }
        intent
    }

    fn job(&mut self) -> NewJob {
        let mut job = NewJob::new(Kind::new("walk").unwrap(), "{}");
        job.queue = self.queue();
        job.due = match self.random.random_range(0..4) {
            0 => Due::Now,
            1 => Due::At(Timestamp::from_millis(self.now - 5).unwrap()),
            _ => Due::In(self.wait()),
        };
        job.priority = Priority::new(self.random.random_range(0..10)).unwrap();
        job.max_attempts = (self.random.random_bool(0.8)).then(|| self.random.random_range(1..4));
        job.subject = self.random.random_bool(0.7).then(|| self.subject());
        if self.random.random_bool(0.3) {
            let key = UniqueKey::new(format!("u{}", self.random.random_range(0..5))).unwrap();
            job.unique = Some((key, Delay::days(1_000)));
            job.unique_mode = match self.random.random_range(0..3) {
                0 => UniqueMode::Throttle,
                1 => UniqueMode::Debounce { max_wait: self.random.random_bool(0.5).then(|| self.wait()) },
                _ => UniqueMode::WhileLive,
            };
        }
        job.concurrency_key = self
            .random
            .random_bool(0.5)
            .then(|| ConcurrencyKey::new(format!("l{}", self.random.random_range(0..3))).unwrap());
        if self.random.random_bool(0.2) {
            job.lateness = Some(Lateness { most: self.wait(), policy: LatePolicy::Skip });
        }
        job.replace = job.unique_mode == UniqueMode::WhileLive && self.random.random_bool(0.3);
        job
    }

    /// Limits of a queue, now and then none.
    fn limits(&mut self) -> QueueLimits {
        let per_key = self.random.random_bool(0.7).then(|| self.random.random_range(1..3));
        QueueLimits {
            concurrency: self.random.random_bool(0.2).then(|| self.random.random_range(1..6)),
            rate: self.random.random_bool(0.2).then(|| Rate {
                jobs: self.random.random_range(1..6),
                per: Delay::millis(self.random.random_range(1..2_000)),
            }),
            concurrency_per_key: per_key,
            ordered: per_key.is_some() && self.random.random_bool(0.5),
        }
    }

    /// Leases to report on: mostly one, sometimes several, sometimes one of them twice.
    fn some_leases(&mut self) -> Vec<(JobId, Token)> {
        let count = if self.random.random_bool(0.8) { 1 } else { 4 };
        let total = self.leases.len();
        (0..count.min(total)).map(|_| self.leases[self.random.random_range(0..total)].clone()).collect()
    }

    async fn step(&mut self) -> Result<()> {
        self.now += match self.random.random_range(0..300) {
            0 => Delay::days(100).as_millis(),
            1..10 => 15_000,
            _ => self.random.random_range(0..400),
        };
        let id = self.id();
        let intent = self.intent(&id);
        let store = self.store();
        match self.random.random_range(0..24) {
            0..3 => {
                let batch: Vec<_> =
                    (0..self.random.random_range(1..4)).map(|_| (self.id(), self.job())).collect();
                for answer in store.enqueue("client", &batch).await? {
                    if let reprieve::model::Enqueued::Delayed(_) | reprieve::model::Enqueued::Ready(_) =
                        &answer
                    {
                        self.called_off.remove(answer.id());
                    }
                }
            }
            3..6 => {
                let limit = self.random.random_range(1..20);
                let turn = self.random.random_range(0..100);
                store.forward(limit, turn).await.map(drop)?;
            }
            6..10 => self.claim(&store).await?,
            10 => {
                if let Cancelled::Now(standing) = store.cancel(&id, &intent).await? {
                    // A repeated operation tells how it was then, so ask how it is.
                    self.note_called_off(&standing.id).await;
                }
            }
            11 => {
                let subject = self.subject();
                if let SubjectCancelled::Cancelled { jobs } =
                    store.cancel_subject(&subject, &intent, 1_000).await?
                {
                    for job in jobs {
                        if let Cancelled::Now(standing) = job.cancelled {
                            self.note_called_off(&standing.id).await;
                        }
                    }
                }
            }
            12 => {
                let due =
                    self.random.random_bool(0.5).then(|| Timestamp::from_millis(self.now + 3_000).unwrap());
                store.reinstate(&id, &intent, due).await.map(drop)?;
                self.called_off.remove(&id);
            }
            13 => {
                store.retry_now(&id, &intent).await.map(drop)?;
                self.called_off.remove(&id);
            }
            14 => store.reschedule(&id, &intent, Due::In(self.wait())).await.map(drop)?,
            15 => store.hold(&id, &intent).await.map(drop)?,
            16 => store.unhold(&id, &intent).await.map(drop)?,
            17 => store.edit(&id, &intent, b"{\"edited\":true}", None).await.map(drop)?,
            18 => store.complete(&self.some_leases()).await.map(drop)?,
            19 => {
                for (id, token) in self.some_leases() {
                    let wait = self.random.random_bool(0.7).then(|| self.wait());
                    store.fail(&id, token, "it failed", wait).await.map(drop)?;
                }
            }
            20 => {
                for (id, token) in self.some_leases() {
                    let wait = self.wait();
                    store.snooze(&id, token, wait, "later", false).await.map(drop)?;
                }
            }
            21 => {
                let leases = self.some_leases();
                match self.random.random_bool(0.5) {
                    true => store.release("stop", &leases).await.map(drop)?,
                    false => store.extend(LEASE, &leases).await.map(drop)?,
                }
            }
            22 => match self.random.random_bool(0.5) {
                true => store.recover(5, Delay::seconds(1), 3).await.map(drop)?,
                false => store.purge(5).await.map(drop)?,
            },
            _ => {
                let queue = self.queue();
                match self.random.random_range(0..5) {
                    0 => store.pause(&queue, &intent).await.map(drop)?,
                    1 | 2 => store.resume(&queue, &intent).await.map(drop)?,
                    _ => {
                        let limits = self.limits();
                        store.limit(&queue, &intent, &limits).await.map(drop)?;
                    }
                }
            }
        }
        Ok(())
    }

    async fn claim(&mut self, store: &Store) -> Result<()> {
        let queues = [(self.queue(), 3), (self.queue(), 2)];
        let claimed = if self.random.random_bool(0.5) {
            store.claim("w", LEASE, 4, &queues).await?
        } else {
            store.complete_and_claim("w", LEASE, &self.some_leases(), 4, &queues).await?.jobs
        };
        for job in claimed {
            assert!(job.due.as_millis() <= self.now, "{:?} is early", job.id);
            assert!(!self.called_off.contains(&job.id), "{:?} runs though it was called off", job.id);
            assert!(job.max_attempts.is_none_or(|most| job.attempt <= most), "{job:?}");
            if self.leases.len() > 60 {
                self.leases.remove(0);
            }
            self.leases.push((job.id, job.token));
            self.claims += 1;
        }
        Ok(())
    }

    async fn note_called_off(&mut self, id: &JobId) {
        let job = self.redis.store().job(id).await.unwrap();
        if job.is_some_and(|(job, ..)| job.state == reprieve::model::JobState::Cancelled) {
            self.called_off.insert(id.clone());
        }
    }

    /// Every history is told to the end, version by version, each step beginning where the one before ended.
    async fn check_histories(&self, seed: u64, step: u32) {
        for n in 0..IDS {
            let id = JobId::new(format!("j{n}")).unwrap();
            let Some((job, _, history)) = self.redis.store().job(&id).await.unwrap() else { continue };
            let case = format!("seed {seed}, by step {step}: {job:?} has the history {history:#?}");
            assert_eq!((history[0].version, history[0].to), (job.version, job.state), "{case}");
            for (later, earlier) in history.iter().zip(&history[1..]) {
                assert_eq!(
                    (later.version.0, later.from),
                    (earlier.version.0 + 1, Some(earlier.to)),
                    "{case}"
                );
                assert!(later.at >= earlier.at, "{case}");
            }
            let first = history.last().unwrap();
            assert!(first.from.is_none() || history.len() >= HISTORY_MAX, "{case}");
        }
    }

    async fn check(&mut self, seed: u64, step: u32) {
        let found = breaches(&self.redis.snapshot().await);
        assert!(found.is_empty(), "seed {seed}, by step {step}: {found:#?}");
        self.check_histories(seed, step).await;
        let ids: Vec<JobId> = (0..IDS).map(|n| JobId::new(format!("j{n}")).unwrap()).collect();
        let rows = self.redis.store().rows(&ids).await.unwrap();
        let there = rows.into_iter().flatten().map(|row| (row.id, row.version));
        self.versions = there.collect();
    }
}

/// Most lines of a history.
const HISTORY_MAX: usize = 50;

async fn walk(seed: u64) {
    println!("seed {seed}");
    let mut walk = Walk::new(seed).await;
    for step in 1..=STEPS {
        match walk.step().await {
            Ok(()) | Err(Error::Conflict(_) | Error::NotFound { .. } | Error::Duplicate { .. }) => {}
            Err(error) => panic!("seed {seed}, step {step}: {error}"),
        }
        if step % STEPS_BETWEEN_CHECKS == 0 {
            walk.check(seed, step).await;
        }
    }
    assert!(walk.claims > u64::from(STEPS) / 50, "seed {seed} hardly ever claims: {}", walk.claims);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whatever_is_done_in_whatever_order_the_namespace_stays_sound() {
    let seeds: Vec<u64> = match std::env::var("REPRIEVE_SEED") {
        Ok(seed) => vec![seed.parse().unwrap()],
        Err(_) => (0..4).map(|_| rand::rng().random()).collect(),
    };
    let walks: Vec<_> = seeds.into_iter().map(|seed| tokio::spawn(walk(seed))).collect();
    for walk in walks {
        walk.await.unwrap();
    }
}
