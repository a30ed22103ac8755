//! The functions of Redis, compared with a plain state machine. Random steps are done to both; their answers and their jobs
//! must be the same after every step. A difference is shrunk to the few steps that show it.
//!
//! `PROPTEST_CASES=<number>` runs more of them than usual.

mod machine;
mod steps;

use machine::{Job, Machine, Ms, Name, New, Report, Rules, Word};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use reprieve::model::{
    ConcurrencyKey, Delay, JobId, JobRow, JobState, Kind, Priority, QueueLimits, QueueName, Subject,
    SubjectCancelled, Timestamp, Token, UniqueKey,
};
use reprieve::store::{Intent, ReleaseWord, Store};
use reprieve::testing::{TestRedis, breaches};
use reprieve::{Due, Error, NewJob, Result};
use std::collections::BTreeMap;
use steps::{Back, IDS, Step};

const START: i64 = 1_700_000_040_000;
const LEASE: Ms = 12_000;
const RETRY_AFTER: Ms = 1_000;
const STALLS_MAX: u32 = 3;
const MANY: u32 = 1_000;
const STEPS: usize = 120;
const CASES: u32 = 64;

fn time(ms: Ms) -> Timestamp {
    Timestamp::from_millis(START + ms).unwrap()
}

fn ms(time: Timestamp) -> Ms {
    time.as_millis() - START
}

fn id_of(name: Name) -> JobId {
    JobId::new(format!("j{name}")).unwrap()
}

fn name_of(id: &JobId) -> Name {
    id.as_str()[1..].parse().unwrap()
}

fn queue_of(name: Name) -> QueueName {
    QueueName::new(format!("q{name}")).unwrap()
}

fn new_job(new: &New, now: Ms) -> NewJob {
    let mut job = NewJob::new(Kind::new("notice").unwrap(), "{}");
    job.queue = queue_of(new.queue);
    job.due = new.due.map_or(Due::Now, |wait| Due::At(time(now + wait)));
    job.priority = Priority::new(new.priority).unwrap();
    job.max_attempts = new.max_attempts;
    job.subject = new.subject.map(|name| Subject::new(format!("s{name}")).unwrap());
    job.unique = new.unique.map(|name| (UniqueKey::new(format!("u{name}")).unwrap(), Delay::days(1_000)));
    job.concurrency_key = new.concurrency_key.map(|name| ConcurrencyKey::new(format!("c{name}")).unwrap());
    job
}

/// The word of an outcome, or of the errors that are answers.
fn word<T>(answer: Result<T>, of: impl Fn(&T) -> Word) -> Word {
    match answer {
        Ok(outcome) => of(&outcome),
        Err(Error::NotFound { .. }) => "missing",
        Err(Error::Duplicate { .. }) => "duplicate",
        Err(error) => panic!("{error}"),
    }
}

/// In `complete` and `release` an earlier report that sent the job elsewhere is one word.
fn as_release(word: Word) -> Word {
    if matches!(word, "retrying" | "dead" | "delayed") { "ended" } else { word }
}

/// What both can say of a job.
#[derive(Debug, PartialEq)]
struct Told {
    id: JobId,
    state: JobState,
    version: u64,
    attempt: u32,
    max_attempts: Option<u32>,
    due: Ms,
    ended: Option<Ms>,
    leased_until: Option<Ms>,
    is_asked_to_stop: bool,
}

impl Told {
    fn of_machine(name: Name, job: &Job) -> Self {
        Self {
            id: id_of(name),
            state: job.state,
            version: job.version,
            attempt: job.attempt,
            max_attempts: job.max_attempts,
            due: job.due,
            ended: job.has_ended,
            leased_until: job.lease_until,
            is_asked_to_stop: job.cancel_asked,
        }
    }

    fn of_engine(row: JobRow) -> Self {
        Self {
            id: row.id,
            state: row.state,
            version: row.version.0,
            attempt: row.attempt,
            max_attempts: row.max_attempts,
            due: ms(row.due),
            ended: row.ended.map(ms),
            leased_until: row.lease_until.map(ms),
            is_asked_to_stop: row.cancel_requested.is_some(),
        }
    }
}

/// The engine and the machine, side by side.
struct Pair {
    redis: TestRedis,
    machine: Machine,
    /// Leases of all claims so far, also those that have ended.
    leases: Vec<(Name, u64)>,
}

impl Pair {
    fn store(&self) -> Store {
        self.redis.store().at(time(self.machine.now))
    }

    /// Leases from the latest on, not two of the same job; none while nothing was claimed.
    fn some(&self, backs: &[Back]) -> Vec<(Name, u64)> {
        let mut some: Vec<(Name, u64)> = Vec::new();
        for lease in backs.iter().filter_map(|back| self.leases.iter().rev().nth(*back)) {
            if some.iter().all(|other| other.0 != lease.0 || other == lease) {
                some.push(*lease);
            }
        }
        some
    }

    fn given(leases: &[(Name, u64)]) -> Vec<(JobId, Token)> {
        leases.iter().map(|(name, token)| (id_of(*name), Token(*token))).collect()
    }

    fn claimed(&mut self, started: &[(Name, u64)]) -> String {
        self.leases.extend(started);
        format!("{started:?}")
    }

    /// Does it to both. What the engine answered, and what the machine did.
    async fn act(&mut self, step: &Step) -> (String, String) {
        let (store, now, ann) = (self.store(), self.machine.now, Intent::of("ann"));
        let (lease, machine) = (Delay::millis(LEASE), &mut self.machine);
        let words = |engine: Word, machine: Word| (engine.to_owned(), machine.to_owned());
        match step {
            Step::Wait(wait) => {
                machine.now += wait;
                Default::default()
            }
            Step::Enqueue(name, new) => {
                let batch = [(id_of(*name), new_job(new, now))];
                words(store.enqueue("client", &batch).await.unwrap()[0].word(), machine.enqueue(*name, new))
            }
            Step::Forward => {
                let tick = store.forward(MANY, 0).await.unwrap();
                (tick.moved.to_string(), machine.forward().to_string())
            }
            Step::Claim { most, queues } => {
                let asked: Vec<_> = queues.iter().map(|queue| (queue_of(*queue), *most)).collect();
                let jobs = store.claim("w", lease, *most, &asked).await.unwrap();
                let started: Vec<_> = jobs.iter().map(|job| (name_of(&job.id), job.token.0)).collect();
                let expected = machine.claim(*most as usize, queues, LEASE);
                (self.claimed(&started), format!("{expected:?}"))
            }
            Step::CompleteAndClaim { leases, most, queues } => {
                let reports = self.some(leases);
                let asked: Vec<_> = queues.iter().map(|queue| (queue_of(*queue), *most)).collect();
                let given = Self::given(&reports);
                let answer = store.complete_and_claim("w", lease, &given, *most, &asked).await.unwrap();
                let ended: Vec<_> = answer.words.iter().map(|word| word.as_str()).collect();
                let started: Vec<_> = answer.jobs.iter().map(|job| (name_of(&job.id), job.token.0)).collect();
                let (words, expected) =
                    self.machine.complete_and_claim(&reports, *most as usize, queues, LEASE);
                let words: Vec<_> = words.into_iter().map(as_release).collect();
                (format!("{ended:?} {}", self.claimed(&started)), format!("{words:?} {expected:?}"))
            }
            Step::Complete(leases) => {
                let reports = self.some(leases);
                let answer = store.complete(&Self::given(&reports)).await.unwrap();
                self.reported(answer, &reports, Report::Complete)
            }
            Step::Release(leases) => {
                let reports = self.some(leases);
                let answer = store.release("stopped", &Self::given(&reports)).await.unwrap();
                self.reported(answer, &reports, Report::Release)
            }
            Step::Extend(leases) => {
                let reports = self.some(leases);
                let answer = store.extend(lease, &Self::given(&reports)).await.unwrap();
                let engine: Vec<_> = answer.iter().map(|word| word.as_str()).collect();
                let expected: Vec<_> =
                    reports.iter().map(|(name, token)| self.machine.extend(*name, *token, LEASE)).collect();
                (format!("{engine:?}"), format!("{expected:?}"))
            }
            Step::Fail(back, wait) => {
                let Some((name, token)) = self.some(&[*back]).pop() else { return Default::default() };
                let delay = wait.map(Delay::millis);
                let engine = store.fail(&id_of(name), Token(token), "it failed", delay).await.unwrap();
                let expected = self.machine.report(name, token, Report::Fail(*wait));
                let is_another = matches!(expected, "done" | "ready" | "delayed");
                words(engine.as_str(), if is_another { "lost" } else { expected })
            }
            Step::Snooze(back, wait) => {
                let Some((name, token)) = self.some(&[*back]).pop() else { return Default::default() };
                let delay = Delay::millis(*wait);
                let engine = store.snooze(&id_of(name), Token(token), delay, "later", false).await.unwrap();
                let expected = self.machine.report(name, token, Report::Snooze(*wait));
                let is_another = matches!(expected, "done" | "ready" | "retrying" | "dead");
                words(engine.as_str(), if is_another { "lost" } else { expected })
            }
            Step::Recover => {
                let count = store.recover(MANY, Delay::millis(RETRY_AFTER), STALLS_MAX).await.unwrap();
                (count.to_string(), machine.recover(RETRY_AFTER, STALLS_MAX).to_string())
            }
            Step::Purge => (store.purge(MANY).await.unwrap().to_string(), machine.purge().to_string()),
            Step::Cancel(name) => {
                let engine = word(store.cancel(&id_of(*name), &ann).await, |outcome| outcome.word());
                words(engine, machine.cancel(*name))
            }
            Step::CancelSubject(name) => {
                let subject = Subject::new(format!("s{name}")).unwrap();
                let answer = store.cancel_subject(&subject, &ann, MANY).await.unwrap();
                let SubjectCancelled::Cancelled { jobs } = answer else { panic!("{answer:?}") };
                let of_job = |job: &reprieve::model::SubjectJob| {
                    (name_of(&job.cancelled.standing().id), job.cancelled.word())
                };
                let engine: BTreeMap<Name, Word> = jobs.iter().map(of_job).collect();
                (format!("{engine:?}"), format!("{:?}", machine.cancel_subject(*name)))
            }
            Step::Reinstate(name, wait) => {
                let due = wait.map(|wait| time(now + wait));
                let answer = store.reinstate(&id_of(*name), &ann, due).await;
                words(word(answer, |outcome| outcome.word()), machine.reinstate(*name, *wait))
            }
            Step::RetryNow(name) => {
                let engine = word(store.retry_now(&id_of(*name), &ann).await, |outcome| outcome.word());
                words(engine, machine.retry_now(*name))
            }
            Step::Reschedule(name, wait) => {
                let due = Due::In(Delay::millis(*wait));
                let answer = store.reschedule(&id_of(*name), &ann, due).await;
                words(word(answer, |outcome| outcome.word()), machine.reschedule(*name, *wait))
            }
            Step::Hold(name) => {
                let engine = word(store.hold(&id_of(*name), &ann).await, |outcome| outcome.word());
                words(engine, machine.hold(*name))
            }
            Step::Unhold(name) => {
                let engine = word(store.unhold(&id_of(*name), &ann).await, |outcome| outcome.word());
                words(engine, machine.unhold(*name))
            }
            Step::Pause(name, pauses) => {
                let queue = queue_of(*name);
                let engine = match pauses {
                    true => store.pause(&queue, &ann).await.unwrap(),
                    false => store.resume(&queue, &ann).await.unwrap(),
                };
                (engine.to_string(), machine.pause(*name, *pauses).to_string())
            }
            Step::Limit(name, rules) => {
                store.limit(&queue_of(*name), &ann, &limits(*rules)).await.unwrap();
                machine.limit(*name, *rules);
                Default::default()
            }
        }
    }

    fn reported(
        &mut self,
        answer: Vec<ReleaseWord>,
        reports: &[(Name, u64)],
        report: Report,
    ) -> (String, String) {
        let engine: Vec<_> = answer.into_iter().map(ReleaseWord::as_str).collect();
        let expected: Vec<_> = reports
            .iter()
            .map(|(name, token)| as_release(self.machine.report(*name, *token, report)))
            .collect();
        (format!("{engine:?}"), format!("{expected:?}"))
    }

    /// How all jobs stand, in the engine and in the machine.
    async fn standing(&mut self) -> (Vec<Told>, Vec<Told>) {
        let ids: Vec<JobId> = (0..IDS).map(id_of).collect();
        let rows: Vec<JobRow> = self.redis.store().rows(&ids).await.unwrap().into_iter().flatten().collect();
        for row in rows.iter().filter(|row| row.state.is_final()) {
            if let Some(job) = self.machine.jobs.get_mut(&name_of(&row.id)) {
                job.kept_until = row.kept_until.map(ms);
            }
        }
        let engine = rows.into_iter().map(Told::of_engine).collect();
        let machine = self.machine.jobs.iter().map(|(name, job)| Told::of_machine(*name, job)).collect();
        (engine, machine)
    }
}

fn limits(rules: Rules) -> QueueLimits {
    QueueLimits {
        concurrency: rules.concurrency,
        rate: None,
        concurrency_per_key: rules.per_key,
        ordered: rules.is_ordered,
    }
}

async fn compare(steps: &[Step]) -> std::result::Result<(), TestCaseError> {
    let redis = TestRedis::namespace().await;
    let mut pair = Pair { redis, machine: Machine::default(), leases: Vec::new() };
    for (number, step) in steps.iter().enumerate() {
        let (engine, machine) = pair.act(step).await;
        prop_assert_eq!(engine, machine, "the answers to step {}, {:?}", number, step);
        let (engine, machine) = pair.standing().await;
        prop_assert_eq!(engine, machine, "the jobs after step {}, {:?}", number, step);
    }
    let found = breaches(&pair.redis.snapshot().await);
    prop_assert!(found.is_empty(), "{:#?}", found);
    Ok(())
}

#[test]
fn the_functions_of_redis_do_what_a_plain_state_machine_does() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let cases = std::env::var("PROPTEST_CASES").map_or(CASES, |cases| cases.parse().unwrap());
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let steps = steps::steps(STEPS);
    if let Err(failure) = TestRunner::new(config).run(&steps, |steps| runtime.block_on(compare(&steps))) {
        panic!("{failure}");
    }
}
