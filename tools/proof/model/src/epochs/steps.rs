//! What can happen in a state.

use super::process::{Life, Process};
use super::scripts::{Halt, Since, Stage};
use super::{Act, Epochs, Flaw, Run, State};

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// The replica catches up.
    Replicate,
    /// It takes over; the old server comes back as its replica.
    Failover,
    /// Everybody who lives has had the time to look.
    AllLooked,
    /// Nobody is waited for any more.
    Enough,
    /// A process looks.
    Look(usize),
    /// It looks, and the answer is lost.
    LookUnheard(usize),
    /// It reads the next job of which it has something to say.
    Read(usize),
    /// It says it.
    Say(usize),
    /// It says it, and the answer is lost: at its next look it begins anew.
    SayUnheard(usize),
    /// It lets jobs start again.
    GoOn(usize),
    /// Redis does what a person asked of a job through a process.
    Do(usize, usize, Act),
    /// The person is told.
    Tell(usize, usize),
    /// The answer to that is lost, and the person is not told.
    LoseAnswer(usize, usize),
    /// A process takes a job and begins it.
    Claim(usize, usize),
    /// It takes it, and the answer is lost.
    ClaimUnheard(usize, usize),
    /// An attempt ends well, and its process says so.
    End(usize),
    /// It ends badly.
    Fail(usize),
    /// A job of which nobody has the lease is taken back.
    Recover(usize),
    /// A process dies.
    Crash(usize),
    /// Another one comes.
    Come(usize),
}

/// All that can happen next.
pub(super) fn possible<const J: usize, const P: usize>(
    model: &Epochs<J, P>,
    state: &State<J, P>,
    steps: &mut Vec<Step>,
) {
    servers(model, state, steps);
    for (index, process) in state.processes.iter().enumerate() {
        match process.life {
            Life::ToCome => steps.push(Step::Come(index)),
            Life::Alive => {
                looks(model, state, index, steps);
                works(model, state, index, steps);
            }
            Life::Dead => {}
        }
    }
    for index in 0..state.runs.len() {
        steps.push(Step::End(index));
        if state.left.failures > 0 {
            steps.push(Step::Fail(index));
        }
    }
    if !state.master.stands(state.server(), model.flaw) {
        steps.extend((0..J).filter(|job| is_stalled(state, *job)).map(Step::Recover));
    }
}

/// What happens to servers, and in time.
fn servers<const J: usize, const P: usize>(model: &Epochs<J, P>, state: &State<J, P>, steps: &mut Vec<Step>) {
    let data = &state.master;
    if let Some(replica) = &state.replica {
        if replica != data {
            steps.push(Step::Replicate);
        }
        if replica.is_at(state.server()) {
            steps.push(Step::Failover);
        }
    }
    let owing = |index: &usize| state.processes[*index].owes();
    match data.since {
        Since::Begun if (0..P).filter(owing).all(|index| data.watchers[index].is_some()) => {
            steps.push(Step::AllLooked);
        }
        Since::AllLooked if !model.has(Flaw::DeadAwaited) => {
            let has_spoken = |index: usize| state.processes[index].stopped_on == Some(data.ground);
            if (0..P).filter(owing).all(has_spoken) {
                steps.push(Step::Enough);
            }
        }
        _ => {}
    }
}

/// What a process does as one that watches.
fn looks<const J: usize, const P: usize>(
    model: &Epochs<J, P>,
    state: &State<J, P>,
    index: usize,
    steps: &mut Vec<Step>,
) {
    let (process, data) = (&state.processes[index], &state.master);
    if let Some(saying) = &process.saying {
        if saying.read.is_none() {
            steps.push(Step::Read(index));
            return;
        }
        steps.push(Step::Say(index));
        if state.left.losses > 0 {
            steps.push(Step::SayUnheard(index));
        }
        return;
    }
    let mut after = data.clone();
    after.watch(state.server(), index, process.said(), model.flaw);
    let changes = after != *data;
    if changes || process.learns(after.ground, after.halt) {
        steps.push(Step::Look(index));
    }
    if changes && state.left.losses > 0 {
        steps.push(Step::LookUnheard(index));
    }
    let saw_it_over = process.sees == Some((data.ground, Halt::Over));
    if saw_it_over && process.released_on == Some(data.ground) && data.is_settled(model.flaw) {
        steps.push(Step::GoOn(index));
    }
}

/// What a process does as one that works, and that people talk to.
fn works<const J: usize, const P: usize>(
    model: &Epochs<J, P>,
    state: &State<J, P>,
    index: usize,
    steps: &mut Vec<Step>,
) {
    let (process, data, left) = (&state.processes[index], &state.master, state.left);
    let starts = !data.stands(state.server(), model.flaw);
    for (id, job) in data.jobs.iter().enumerate() {
        if starts && job.stage == Stage::Waiting {
            steps.push(Step::Claim(index, id));
            if left.losses > 0 {
                steps.push(Step::ClaimUnheard(index, id));
            }
        }
        match (process.untold[id], job.act()) {
            (Some(_), _) => {
                steps.push(Step::Tell(index, id));
                if left.losses > 0 {
                    steps.push(Step::LoseAnswer(index, id));
                }
            }
            (None, Some(act)) if left.acts > 0 => steps.push(Step::Do(index, id, act)),
            (None, _) => {}
        }
    }
    let is_another = |(other, process): (usize, &Process<J>)| other != index && process.is_alive();
    if left.crashes > 0 && state.processes.iter().enumerate().any(is_another) {
        steps.push(Step::Crash(index));
    }
}

/// Whether a job is given out, and nobody runs it.
fn is_stalled<const J: usize, const P: usize>(state: &State<J, P>, id: usize) -> bool {
    let job = &state.master.jobs[id];
    let is_it = |run: &Run| usize::from(run.job) == id && run.token == job.token;
    job.stage == Stage::Active && !state.runs.iter().any(is_it)
}
