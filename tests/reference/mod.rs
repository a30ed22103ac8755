//! The functions of Redis, compared with a plain state machine. Random steps are done to both; their answers and their jobs
//! must be the same after every step. A difference is shrunk to the few steps that show it.
//!
//! `PROPTEST_CASES=<number>` runs more of them than usual.

mod groups;
mod machine;
mod steps;

use groups::{COMPLETION, NewStep, PlanAct, PlanTold, STEPS};
use machine::{Job, Machine, Ms, Name, New, Report, Rules, Word};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use reprieve::model::{
    BatchAnswer, BatchId, ConcurrencyKey, Delay, JobId, JobRow, JobState, Kind, Offset, PlanAnswer, PlanId,
    Priority, QueueLimits, QueueName, StepName, Subject, SubjectCancelled, Timestamp, Token, UniqueKey,
    Unmet,
};
use reprieve::store::{Intent, PlanVerb, ReleaseWord, Store};
use reprieve::testing::{TestRedis, breaches};
use reprieve::{Anchor, BatchActs, BatchClose, Due, Engine, Error, NewBatch, NewJob, NewPlan, Result};
use std::collections::BTreeMap;
use std::time::Duration;
use steps::{Back, IDS, Step};

const START: i64 = 1_700_000_040_000;
const LEASE: Ms = 12_000;
/// A lease that outlasts a run in which time goes on by itself.
const LONG_LEASE: Ms = 3_600_000;
const RETRY_AFTER: Ms = 1_000;
const STALLS_MAX: u32 = 3;
const MANY: u32 = 1_000;
const STEPS_MAX: usize = 120;
const CASES: u32 = 48;
const CASES_LIVE: u32 = 12;

fn time(ms: Ms) -> Timestamp {
    Timestamp::from_millis(START + ms).unwrap()
}

fn ms(time: Timestamp) -> Ms {
    time.as_millis() - START
}

const STEP_NAMES: [&str; 3] = ["a", "b", "c"];

/// Ids have the order of the names.
fn id_of(name: Name) -> JobId {
    let id = match STEPS.iter().position(|step| *step == name) {
        Some(place) => format!("p/{}", STEP_NAMES[place]),
        None if name == COMPLETION => "z/completion".to_owned(),
        None => format!("j{name}"),
    };
    JobId::new(id).unwrap()
}

fn names() -> impl Iterator<Item = Name> {
    (0..IDS).chain(STEPS).chain([COMPLETION])
}

fn name_of(id: &JobId) -> Name {
    names().find(|name| id_of(*name) == *id).unwrap()
}

fn plan_id() -> PlanId {
    PlanId::new("p").unwrap()
}

fn batch_id() -> BatchId {
    BatchId::new("z").unwrap()
}

fn step_name(place: usize) -> StepName {
    StepName::new(STEP_NAMES[place]).unwrap()
}

fn queue_of(name: Name) -> QueueName {
    QueueName::new(format!("q{name}")).unwrap()
}

/// The job that a machine's describes; `due` is now where that is none.
fn new_job(new: &New, due: Due) -> NewJob {
    let mut job = NewJob::new(Kind::new("notice").unwrap(), "{}");
    job.queue = queue_of(new.queue);
    job.due = due;
    job.priority = Priority::new(new.priority).unwrap();
    job.max_attempts = new.max_attempts;
    job.subject = new.subject.map(|name| Subject::new(format!("s{name}")).unwrap());
    job.unique = new.unique.map(|name| (UniqueKey::new(format!("u{name}")).unwrap(), Delay::days(1_000)));
    job.concurrency_key = new.concurrency_key.map(|name| ConcurrencyKey::new(format!("c{name}")).unwrap());
    job
}

fn new_step(place: usize, step: &NewStep) -> reprieve::NewStep {
    let job = new_job(&New { subject: Some(0), ..New::default() }, Due::Now);
    reprieve::NewStep::new(step_name(place), Offset::millis(step.offset), job)
        .only_after(step.after.iter().map(|earlier| step_name(*earlier)))
        .otherwise(if step.is_held { Unmet::Hold } else { Unmet::Cancel })
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

/// What an act on the plan or the batch answered; "None" where there is none.
fn if_there<T>(answer: Result<T>, of: impl Fn(&T) -> String) -> String {
    match answer {
        Ok(answer) => of(&answer),
        Err(Error::NoPlan { .. } | Error::NoBatch { .. }) => "None".to_owned(),
        Err(error) => panic!("{error}"),
    }
}

fn batch_told(answer: &BatchAnswer) -> String {
    let head =
        (answer.closed.is_some(), answer.total, answer.live, [answer.done, answer.dead, answer.cancelled]);
    let jobs: Vec<Word> = answer.jobs.iter().map(|job| job.word()).collect();
    format!("Some({:?})", (answer.outcome.as_str(), head, jobs))
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
            is_asked_to_stop: job.cancel_asked.is_some(),
        }
    }

    /// Times that are not the same in both.
    fn forget_times(&mut self) {
        self.due = 0;
        self.ended = self.ended.map(|_| 0);
        self.leased_until = self.leased_until.map(|_| 0);
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
    /// Whether the engine goes by the clock of Redis, and remembers for a second what is true of the namespace. Then no
    /// times are compared, and none comes.
    is_live: bool,
}

impl Pair {
    fn store(&self) -> Store {
        if self.is_live { self.redis.store().clone() } else { self.redis.store().at(time(self.machine.now)) }
    }

    fn engine(&self) -> Engine {
        if self.is_live {
            self.redis.engine().clone()
        } else {
            self.redis.engine().at(time(self.machine.now))
        }
    }

    fn batch(&self) -> BatchActs {
        self.engine().client().batch(&batch_id())
    }

    /// So long from now.
    fn due(&self, wait: Ms) -> Due {
        match u64::try_from(wait) {
            Ok(_) => Due::In(Delay::millis(wait)),
            Err(_) => Due::At(time(self.machine.now + wait)),
        }
    }

    fn new_job(&self, new: &New) -> NewJob {
        new_job(new, new.due.map_or(Due::Now, |wait| self.due(wait)))
    }

    fn jobs(&self, jobs: &[(Name, New)]) -> Vec<NewJob> {
        let job = |(id, new): &(Name, New)| {
            let mut job = self.new_job(new);
            job.id = Some(id_of(*id));
            job
        };
        jobs.iter().map(job).collect()
    }

    fn plan_told(&self, answer: &PlanAnswer) -> String {
        let place = |name: &StepName| STEP_NAMES.iter().position(|known| *known == name.as_str()).unwrap();
        let steps: Vec<_> =
            answer.steps.iter().map(|step| (place(&step.step), step.outcome.as_str())).collect();
        let anchor = if self.is_live { 0 } else { ms(answer.anchor) };
        let told = (answer.outcome.as_str(), answer.version.0, anchor, answer.held.is_some(), steps);
        format!("Some({told:?})")
    }

    fn machine_told(&self, told: Option<PlanTold>) -> String {
        let without_time =
            |told: PlanTold| (told.0, told.1, if self.is_live { 0 } else { told.2 }, told.3, told.4);
        format!("{:?}", told.map(without_time))
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
        let (store, ann, engine) = (self.store(), Intent::of("ann"), self.engine());
        let now = if self.is_live { ms(store.now().await.unwrap()) } else { self.machine.now };
        let lease_ms = if self.is_live { LONG_LEASE } else { LEASE };
        let lease = Delay::millis(lease_ms);
        let batch = self.batch();
        let jobs_of = match step {
            Step::MakeBatch { jobs, .. } | Step::AddToBatch { jobs, .. } => self.jobs(jobs),
            Step::Enqueue(id, new) => self.jobs(&[(*id, new.clone())]),
            _ => Vec::new(),
        };
        let machine = &mut self.machine;
        let words = |engine: Word, machine: Word| (engine.to_owned(), machine.to_owned());
        match step {
            Step::Wait(wait) => {
                machine.now += wait;
                Default::default()
            }
            Step::Enqueue(name, new) => {
                let batch: Vec<_> = jobs_of.into_iter().map(|job| (id_of(*name), job)).collect();
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
                let expected = machine.claim(*most as usize, queues, lease_ms);
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
                    self.machine.complete_and_claim(&reports, *most as usize, queues, lease_ms);
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
                let expected: Vec<_> = reports
                    .iter()
                    .map(|(name, token)| self.machine.extend(*name, *token, lease_ms))
                    .collect();
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
            Step::MakePlan { anchor, past, steps } => {
                let subject = Subject::new("s0").unwrap();
                let mut plan =
                    NewPlan::new(plan_id(), subject).from(Due::In(Delay::millis(*anchor))).past(*past);
                plan.steps = steps.iter().enumerate().map(|(place, step)| new_step(place, step)).collect();
                let told = machine.make_plan(*anchor, *past, steps);
                let answer = store.plan("client", &plan).await;
                (if_there(answer, |answer| self.plan_told(answer)), self.machine_told(Some(told)))
            }
            Step::ActOnPlan(act, past) => {
                let verb = match act {
                    PlanAct::ReanchorTo(wait) => PlanVerb::Reanchor(Anchor::To(Due::At(time(now + wait)))),
                    PlanAct::ReanchorBy(by) => PlanVerb::Reanchor(Anchor::By(Offset::millis(*by))),
                    PlanAct::Hold => PlanVerb::Hold,
                    PlanAct::Unhold => PlanVerb::Unhold,
                    PlanAct::Cancel => PlanVerb::Cancel,
                    PlanAct::Reinstate => PlanVerb::Reinstate,
                };
                let told = machine.act_on_plan(*act, *past);
                let answer = store.act_on_plan(&plan_id(), verb, *past, &ann).await;
                (if_there(answer, |answer| self.plan_told(answer)), self.machine_told(told))
            }
            Step::MakeBatch { asks_for_done, is_held, completion, jobs, closes } => {
                let due = completion.due.map_or(Due::Now, |wait| match wait {
                    0.. => Due::In(Delay::millis(wait)),
                    _ => Due::At(time(now + wait)),
                });
                let mut batch = NewBatch::new(batch_id(), new_job(completion, due)).jobs(jobs_of);
                if *asks_for_done {
                    batch = batch.only_if_done(Unmet::Cancel);
                }
                batch.unmet = if *is_held { Unmet::Hold } else { Unmet::Cancel };
                batch.close = if *closes { BatchClose::Now } else { BatchClose::Later };
                let answer = engine.client().make_batch(&batch).await;
                let told = machine.make_batch(*asks_for_done, *is_held, completion, jobs, *closes);
                (if_there(answer, batch_told), format!("{:?}", Some(told)))
            }
            Step::AddToBatch { jobs, closes } => {
                let close = if *closes { BatchClose::Now } else { BatchClose::Later };
                let answer = batch.add(jobs_of, close).await;
                (if_there(answer, batch_told), format!("{:?}", machine.add_to_batch(jobs, *closes)))
            }
            Step::CloseBatch => {
                (if_there(batch.close().await, batch_told), format!("{:?}", machine.close_batch(false)))
            }
            Step::CancelBatch => {
                (if_there(batch.cancel().await, batch_told), format!("{:?}", machine.close_batch(true)))
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
        let ids: Vec<JobId> = names().map(id_of).collect();
        let rows: Vec<JobRow> = self.redis.store().rows(&ids).await.unwrap().into_iter().flatten().collect();
        for row in rows.iter().filter(|row| row.state.is_final()) {
            if let Some(job) = self.machine.jobs.get_mut(&name_of(&row.id)) {
                job.kept_until = row.kept_until.map(ms);
            }
        }
        let mut engine: Vec<Told> = rows.into_iter().map(Told::of_engine).collect();
        let mut machine: Vec<Told> =
            self.machine.jobs.iter().map(|(name, job)| Told::of_machine(*name, job)).collect();
        if self.is_live {
            engine.iter_mut().chain(&mut machine).for_each(Told::forget_times);
        }
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

async fn compare(steps: Vec<Step>, is_live: bool) -> std::result::Result<(), TestCaseError> {
    let redis = TestRedis::namespace().await;
    let mut pair = Pair { redis, machine: Machine::default(), leases: Vec::new(), is_live };
    for (number, step) in steps.into_iter().enumerate() {
        let step = if is_live { step.far() } else { step };
        let (engine, machine) = pair.act(&step).await;
        pair.machine.settle();
        prop_assert_eq!(engine, machine, "the answers to step {}, {:?}", number, step);
        let (engine, machine) = pair.standing().await;
        prop_assert_eq!(engine, machine, "the jobs after step {}, {:?}", number, step);
        if is_live {
            // What comes later is later in both.
            pair.machine.now += 1;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    let found = breaches(&pair.redis.snapshot().await);
    prop_assert!(found.is_empty(), "{:#?}", found);
    Ok(())
}

fn run(cases: u32, is_live: bool) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let cases = std::env::var("PROPTEST_CASES").map_or(cases, |cases| cases.parse().unwrap());
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let steps = steps::steps(STEPS_MAX);
    let once = |steps| runtime.block_on(compare(steps, is_live));
    if let Err(failure) = TestRunner::new(config).run(&steps, once) {
        panic!("{failure}");
    }
}

#[test]
fn the_functions_of_redis_do_what_a_plain_state_machine_does() {
    run(CASES, false);
}

/// Then they remember for a second what is true of the namespace.
#[test]
fn by_the_clock_of_redis_they_do_the_same() {
    run(CASES_LIVE, true);
}
