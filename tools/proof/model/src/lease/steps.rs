//! What may happen next, and what it does.

use super::{Accidents, Flaw, Job, Lease, Packet, Person, Stage, State, Word, Worker, redis};
use crate::Invariant;

/// One step. Numbers are places: of a job, a worker, or a packet under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// The forwarder reads a job that is due: only where it does so apart from writing.
    ReadDue(usize),
    /// A job's time comes, and the forwarder moves it.
    Forward(usize),
    /// An idle worker asks for work.
    Ask(usize),
    /// A packet arrives: Redis does what it says, or its addressee hears it.
    Deliver(usize),
    /// Redis does what a packet says, and the packet stays under way.
    Repeat(usize),
    /// A packet is lost.
    Lose(usize),
    /// A wake hint is lost.
    LoseHint(usize),
    /// A handler has its effect outside and ends well.
    EndWell(usize),
    /// A handler has its effect outside and fails.
    EndBadly(usize),
    /// A worker or a person that got no answer asks again.
    ReportAgain(usize),
    /// A worker dies and comes back.
    Crash(usize),
    /// A lease runs out.
    Expire(usize),
    /// The recoverer takes a job back.
    Recover(usize),
    /// Somebody calls a job off.
    CallOff(usize),
    /// They ask again.
    CallOffAgain(usize),
    /// The audit entry of a change is made after it: only where that is so.
    WriteEntry(usize),
}

fn is_due(job: &Job) -> bool {
    matches!(job.stage, Stage::Delayed | Stage::Retrying)
}

/// Whether somebody still runs the job under its present claim, or is about to hear that they have it.
fn is_owned<const J: usize, const W: usize>(state: &State<J, W>, job: usize) -> bool {
    let current = state.jobs[job].claims;
    let owns = |of: u8, claim: u8| usize::from(of) == job && claim == current;
    state.workers.iter().any(|worker| match worker {
        Worker::Running { job, claim, .. } | Worker::Reporting { job, claim, .. } => owns(*job, *claim),
        Worker::Idle | Worker::Asking => false,
    }) || state.net.iter().any(|packet| match packet {
        Packet::Gave { job, claim, .. } | Packet::Report { job, claim, .. } => owns(*job, *claim),
        _ => false,
    })
}

/// Whether anything of a worker's is under way.
fn speaks<const J: usize, const W: usize>(state: &State<J, W>, worker: usize) -> bool {
    state.net.iter().any(|packet| match packet {
        Packet::Claim(of)
        | Packet::Nothing(of)
        | Packet::Gave { worker: of, .. }
        | Packet::Report { worker: of, .. }
        | Packet::Reported { worker: of, .. } => usize::from(*of) == worker,
        Packet::Cancel(_) | Packet::Answer(..) => false,
    })
}

pub(super) fn possible<const J: usize, const W: usize>(
    model: &Lease<J, W>,
    state: &State<J, W>,
    steps: &mut Vec<Step>,
) {
    let left = state.left;
    for (index, job) in state.jobs.iter().enumerate() {
        if model.flaw == Some(Flaw::ForwardFromMemory) {
            if is_due(job) && !job.read_by_forwarder {
                steps.push(Step::ReadDue(index));
            }
            if job.read_by_forwarder {
                steps.push(Step::Forward(index));
            }
        } else if is_due(job) {
            steps.push(Step::Forward(index));
        }
        if job.stage == Stage::Active {
            let recoverable = job.lease_over || model.flaw == Some(Flaw::RecoverLiveJobs);
            if recoverable && model.flaw != Some(Flaw::NoRecoverer) {
                steps.push(Step::Recover(index));
            }
            if !job.lease_over && (left.early > 0 || !is_owned(state, index)) {
                steps.push(Step::Expire(index));
            }
        }
        if job.entries < job.changes {
            steps.push(Step::WriteEntry(index));
        }
        if job.hint && left.losses > 0 && model.flaw == Some(Flaw::OnlyWhenWoken) {
            steps.push(Step::LoseHint(index));
        }
    }
    for (index, worker) in state.workers.iter().enumerate() {
        match worker {
            Worker::Idle => {
                let looks = |job: &Job| {
                    job.sets & Stage::Ready.set() != 0
                        && (model.flaw != Some(Flaw::OnlyWhenWoken) || job.hint)
                };
                if state.jobs.iter().any(looks) && !speaks(state, index) {
                    steps.push(Step::Ask(index));
                }
            }
            Worker::Asking if !speaks(state, index) => steps.push(Step::Ask(index)),
            Worker::Asking => {}
            Worker::Running { .. } => {
                steps.push(Step::EndWell(index));
                if left.failures > 0 {
                    steps.push(Step::EndBadly(index));
                }
            }
            Worker::Reporting { .. } if !speaks(state, index) => steps.push(Step::ReportAgain(index)),
            Worker::Reporting { .. } => {}
        }
        if left.crashes > 0 && *worker != Worker::Idle {
            steps.push(Step::Crash(index));
        }
    }
    for (index, packet) in state.net.iter().enumerate() {
        steps.push(Step::Deliver(index));
        let is_request = matches!(packet, Packet::Claim(_) | Packet::Report { .. } | Packet::Cancel(_));
        if is_request && left.repeats > 0 {
            steps.push(Step::Repeat(index));
        }
        if left.losses > 0 {
            steps.push(Step::Lose(index));
        }
    }
    for (index, person) in state.people.iter().enumerate().take(model.cancellable) {
        let asks = |packet: &Packet| matches!(packet, Packet::Cancel(job) | Packet::Answer(job, _) if usize::from(*job) == index);
        match person {
            Person::Silent => steps.push(Step::CallOff(index)),
            Person::Waiting if !state.net.iter().any(asks) => steps.push(Step::CallOffAgain(index)),
            Person::Waiting | Person::Told(_) => {}
        }
    }
}

fn number(index: usize) -> u8 {
    u8::try_from(index).unwrap_or(u8::MAX)
}

pub(super) fn take<const J: usize, const W: usize>(model: &Lease<J, W>, state: &mut State<J, W>, step: Step) {
    let spend = |left: &mut Accidents, what: fn(&mut Accidents) -> &mut u8| *what(left) -= 1;
    match step {
        Step::ReadDue(job) => state.jobs[job].read_by_forwarder = true,
        Step::Forward(job) => redis::forward(&mut state.jobs[job], model.flaw),
        Step::Ask(worker) => {
            state.workers[worker] = Worker::Asking;
            state.net.push(Packet::Claim(number(worker)));
        }
        Step::Deliver(index) => {
            let packet = state.net.remove(index);
            deliver(model, state, packet);
        }
        Step::Repeat(index) => {
            spend(&mut state.left, |left| &mut left.repeats);
            let packet = state.net[index];
            // The answer to the first run is dropped by the caller that repeated it.
            let under_way = state.net.clone();
            deliver(model, state, packet);
            state.net = under_way;
        }
        Step::Lose(index) => {
            spend(&mut state.left, |left| &mut left.losses);
            state.net.remove(index);
        }
        Step::LoseHint(job) => {
            spend(&mut state.left, |left| &mut left.losses);
            state.jobs[job].hint = false;
        }
        Step::EndWell(worker) => end(state, worker, true),
        Step::EndBadly(worker) => {
            spend(&mut state.left, |left| &mut left.failures);
            end(state, worker, false);
        }
        Step::ReportAgain(worker) => tell(state, worker),
        Step::Crash(worker) => {
            spend(&mut state.left, |left| &mut left.crashes);
            state.workers[worker] = Worker::Idle;
            // Its connection is closed: what it had sent may still run, what was for it reaches nobody.
            let worker = number(worker);
            state.net.retain(|packet| match packet {
                Packet::Gave { worker: to, .. }
                | Packet::Nothing(to)
                | Packet::Reported { worker: to, .. } => *to != worker,
                _ => true,
            });
        }
        Step::Expire(job) => {
            if is_owned(state, job) {
                spend(&mut state.left, |left| &mut left.early);
            }
            state.jobs[job].lease_over = true;
            state.jobs[job].causes += 1;
        }
        Step::Recover(job) => redis::recover(&mut state.jobs[job], model.flaw),
        Step::CallOff(job) | Step::CallOffAgain(job) => {
            state.people[job] = Person::Waiting;
            state.net.push(Packet::Cancel(number(job)));
        }
        Step::WriteEntry(job) => state.jobs[job].entries += 1,
    }
}

/// A handler ends: by then its effect has happened.
fn end<const J: usize, const W: usize>(state: &mut State<J, W>, worker: usize, well: bool) {
    let Worker::Running { job, token, claim } = state.workers[worker] else { return };
    let seen = &mut state.jobs[usize::from(job)];
    let mark = 1 << (claim - 1);
    state.broken.expect(Invariant::Effects, seen.effects & mark == 0);
    // A run whose lease is over is not the job's any more: that it may still act is what fencing tokens are for, and
    // no promise about the job can take it back.
    let has_lease = claim == seen.claims && seen.claims > seen.causes;
    state.broken.expect(Invariant::HonestReprieve, !(seen.promised && has_lease));
    seen.effects |= mark;
    state.workers[worker] = Worker::Reporting { job, token, claim, well };
    tell(state, worker);
}

fn tell<const J: usize, const W: usize>(state: &mut State<J, W>, worker: usize) {
    let Worker::Reporting { job, token, claim, well } = state.workers[worker] else { return };
    state.net.push(Packet::Report { worker: number(worker), job, token, claim, well });
}

fn deliver<const J: usize, const W: usize>(model: &Lease<J, W>, state: &mut State<J, W>, packet: Packet) {
    match packet {
        Packet::Claim(worker) => {
            let given = redis::claim(&mut state.jobs, model.flaw, &mut state.broken);
            state.net.push(match given {
                Some((job, token, claim)) => Packet::Gave { worker, job: number(job), token, claim },
                None => Packet::Nothing(worker),
            });
        }
        Packet::Gave { worker, job, token, claim } => {
            let hearer = &mut state.workers[usize::from(worker)];
            if *hearer == Worker::Asking {
                *hearer = Worker::Running { job, token, claim };
            }
        }
        Packet::Nothing(worker) => {
            let hearer = &mut state.workers[usize::from(worker)];
            if *hearer == Worker::Asking {
                *hearer = Worker::Idle;
            }
        }
        Packet::Report { worker, job, token, claim, well } => {
            let job = &mut state.jobs[usize::from(job)];
            let word = redis::report(job, token, claim, well, model.flaw, &mut state.broken);
            state.net.push(Packet::Reported { worker, claim, word });
        }
        Packet::Reported { worker, claim, .. } => {
            let hearer = &mut state.workers[usize::from(worker)];
            if matches!(hearer, Worker::Reporting { claim: own, .. } if *own == claim) {
                *hearer = Worker::Idle;
            }
        }
        Packet::Cancel(job) => {
            let word = redis::cancel(&mut state.jobs[usize::from(job)], model.flaw, &mut state.broken);
            state.net.push(Packet::Answer(job, word));
        }
        Packet::Answer(job, word) => {
            let person = &mut state.people[usize::from(job)];
            if let Person::Told(first) = *person {
                state.broken.expect(Invariant::SameAnswer, first == word);
            }
            *person = Person::Told(word);
            // What the person was told must be what Redis keeps.
            let kept = state.jobs[usize::from(job)].answer;
            state.broken.expect(Invariant::SameAnswer, kept == Some(word) || word == Word::Lost);
        }
    }
}
