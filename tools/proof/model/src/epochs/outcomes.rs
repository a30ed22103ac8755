//! What comes of a step.

use super::people::Untold;
use super::process::{Life, Noted};
use super::scripts::{Halt, Since, Stage};
use super::{Act, Epochs, Flaw, Run, State, Step};
use crate::Invariant;

/// Takes a step that is possible.
pub(super) fn take<const J: usize, const P: usize>(
    model: &Epochs<J, P>,
    state: &mut State<J, P>,
    step: Step,
) {
    match step {
        Step::Replicate => state.replica = Some(state.master.clone()),
        Step::Failover => {
            state.left.failovers -= 1;
            state.failovers += 1;
            if let Some(replica) = &state.replica {
                state.master.clone_from(replica);
            }
        }
        Step::AllLooked => state.master.since = Since::AllLooked,
        Step::Enough => {
            state.master.since = Since::Enough;
            if state.master.halt == Halt::Standing {
                state.master.halt = Halt::Over;
            }
        }
        Step::Look(process) => look(model, state, process, true),
        Step::LookUnheard(process) => look(model, state, process, false),
        Step::Read(process) => read(model, state, process),
        Step::Say(process) => say(model, state, process, true),
        Step::SayUnheard(process) => say(model, state, process, false),
        Step::GoOn(process) => {
            state.master.halt = Halt::None;
            state.processes[process].sees = Some((state.master.ground, Halt::None));
        }
        Step::Do(process, job, act) => do_act(model, state, process, job, act),
        Step::Tell(process, job) => tell(state, process, job),
        Step::LoseAnswer(process, job) => {
            state.left.losses -= 1;
            state.processes[process].untold[job] = None;
        }
        Step::Claim(process, job) => claim(model, state, process, job),
        Step::ClaimUnheard(_, job) => {
            state.left.losses -= 1;
            state.master.claim(job, model.flaw);
        }
        Step::End(run) => report(model, state, run, true),
        Step::Fail(run) => {
            state.left.failures -= 1;
            report(model, state, run, false);
        }
        Step::Recover(job) => state.master.jobs[job].try_again(model.flaw),
        Step::Crash(process) => crash(state, process),
        Step::Come(process) => state.processes[process].life = Life::Alive,
    }
}

/// A process looks, and begins to say what it has to say.
fn look<const J: usize, const P: usize>(
    model: &Epochs<J, P>,
    state: &mut State<J, P>,
    index: usize,
    is_heard: bool,
) {
    let server = state.server();
    let process = &mut state.processes[index];
    state.master.watch(server, index, process.said(), model.flaw);
    if !is_heard {
        state.left.losses -= 1;
        return;
    }
    // What the old server has answered by now reaches nobody.
    if !model.has(Flaw::LateAnswer) {
        for untold in &mut process.untold {
            *untold = untold.filter(|untold| untold.failovers == state.failovers);
        }
    }
    process.look(state.master.ground, state.master.halt);
}

/// A process reads the next job, and sees whether it has to say anything.
fn read<const J: usize, const P: usize>(model: &Epochs<J, P>, state: &mut State<J, P>, index: usize) {
    let process = &mut state.processes[index];
    let Some((id, _)) = process.next() else { return };
    let job = &state.master.jobs[id];
    // Its person may have decided otherwise meanwhile.
    match process.has_to_say(id) {
        Some(noted) if model.is_forgotten(job, noted, number(index)) => process.has_read(Some(job.version)),
        _ => process.go_on(),
    }
}

/// A process says an act again, unless the job changed since it was read.
fn say<const J: usize, const P: usize>(
    model: &Epochs<J, P>,
    state: &mut State<J, P>,
    index: usize,
    is_heard: bool,
) {
    let process = &mut state.processes[index];
    let Some((id, version)) = process.next() else { return };
    let job = &mut state.master.jobs[id];
    let is_as_read = version == Some(job.version);
    let said = process.has_to_say(id).filter(|_| is_as_read);
    let said = said.map(|noted| model.say_again(job, noted, number(index)));
    if !is_heard {
        state.left.losses -= 1;
        process.saying = None;
        return;
    }
    if let Some(noted) = said {
        process.note(id, noted);
    }
    if is_as_read || model.has(Flaw::ConflictLeaves) {
        process.go_on();
    } else {
        process.has_read(None);
    }
}

/// Redis does what a person asked for; the answer is under way.
fn do_act<const J: usize, const P: usize>(
    model: &Epochs<J, P>,
    state: &mut State<J, P>,
    process: usize,
    job: usize,
    act: Act,
) {
    state.left.acts -= 1;
    let version = state.master.act(state.server(), job, act, number(process), model.flaw);
    let number = state.promises[job].act();
    state.processes[process].untold[job] = Some(Untold { act, version, number, failovers: state.failovers });
}

/// A person is told, and the process remembers of what.
fn tell<const J: usize, const P: usize>(state: &mut State<J, P>, index: usize, job: usize) {
    let process = &mut state.processes[index];
    let Some(untold) = process.untold[job].take() else { return };
    process.note(job, Noted { act: untold.act, version: untold.version });
    state.promises[job].tell(untold, number(index));
}

/// A process takes a job, and begins it.
fn claim<const J: usize, const P: usize>(
    model: &Epochs<J, P>,
    state: &mut State<J, P>,
    process: usize,
    job: usize,
) {
    let token = state.master.claim(job, model.flaw);
    let mark = 1 << token;
    state.broken.expect(Invariant::HonestReprieve, !state.promises[job].is_called_off());
    state.broken.expect(Invariant::Effects, state.begun[job] & mark == 0);
    state.begun[job] |= mark;
    state.runs.push(Run { job: number(job), process: number(process), token });
    state.runs.sort_unstable();
}

/// An attempt has ended. Redis takes its report where it has the lease.
fn report<const J: usize, const P: usize>(
    model: &Epochs<J, P>,
    state: &mut State<J, P>,
    index: usize,
    well: bool,
) {
    let run = state.runs.remove(index);
    let job = &mut state.master.jobs[usize::from(run.job)];
    if job.stage != Stage::Active || job.token != run.token {
        return;
    }
    if well {
        (job.stage, job.version) = (Stage::Done, job.version + 1);
    } else {
        job.try_again(model.flaw);
    }
}

/// A process dies: its attempts and its word with it.
fn crash<const J: usize, const P: usize>(state: &mut State<J, P>, index: usize) {
    state.left.crashes -= 1;
    state.processes[index].die();
    state.runs.retain(|run| usize::from(run.process) != index);
    state.promises.iter_mut().for_each(|promise| promise.forget(number(index)));
}

fn number(index: usize) -> u8 {
    u8::try_from(index).unwrap_or(u8::MAX)
}
