//! The scripts: each reads and writes in one step.

use super::{ATTEMPTS_MAX, Flaw, Job, STALLS_MAX, Stage, Word};
use crate::{Broken, Invariant};

/// The script's `move`: record and sets together, and a new version.
fn shift(job: &mut Job, to: Stage) {
    job.sets = to.set();
    job.stage = to;
    job.version += 1;
    job.lease_over = false;
    if to == Stage::Ready {
        job.hint = true;
    }
}

/// `forward`: what is due becomes ready.
pub(super) fn forward(job: &mut Job, flaw: Option<Flaw>) {
    let before = job.sets;
    shift(job, Stage::Ready);
    if flaw == Some(Flaw::PushBeforeRemove) {
        job.sets |= before;
    }
    job.read_by_forwarder = false;
}

/// `claim`: the first ready job, with its token and the observer's number of this claim.
pub(super) fn claim(jobs: &mut [Job], flaw: Option<Flaw>, broken: &mut Broken) -> Option<(usize, u8, u8)> {
    let index = jobs.iter().position(|job| job.sets & Stage::Ready.set() != 0)?;
    let job = jobs.get_mut(index)?;
    if job.stage == Stage::Ready {
        shift(job, Stage::Active);
    } else {
        // A flaw left it in the set: a process that looks at the set alone gives it out.
        job.sets = Stage::Active.set();
        job.stage = Stage::Active;
        job.version += 1;
    }
    if flaw == Some(Flaw::PopBeforeEntry) {
        job.sets = 0;
    }
    job.attempt += 1;
    job.hint = false;
    job.token = if flaw == Some(Flaw::RecoverWithoutNewToken) { job.attempt } else { job.version };
    job.claims += 1;
    broken.expect(Invariant::HonestReprieve, !job.promised);
    broken.expect(Invariant::Effects, job.claims <= 1 + job.causes);
    Some((index, job.token, job.claims))
}

/// `complete` and `fail`. `claim` is the observer's.
pub(super) fn report(
    job: &mut Job,
    token: u8,
    claim: u8,
    well: bool,
    flaw: Option<Flaw>,
    broken: &mut Broken,
) -> Word {
    if job.spent == Some(token) && flaw != Some(Flaw::ReportForgotten) {
        return Word::Taken;
    }
    let holds = job.stage == Stage::Active && (job.token == token || flaw == Some(Flaw::NoFence));
    if !holds {
        // Its own first report was taken, and now it hears that somebody else has the job.
        broken.expect(Invariant::SameAnswer, job.applied != claim);
        return Word::Lost;
    }
    broken.expect(Invariant::Fencing, job.claims == claim);
    job.spent = Some(token);
    job.applied = claim;
    if well {
        shift(job, Stage::Done);
        return Word::Taken;
    }
    job.failures += 1;
    job.causes += 1;
    let again = job.attempt < ATTEMPTS_MAX || flaw == Some(Flaw::AttemptsUnlimited);
    shift(
        job,
        match (job.cancel_asked, again) {
            (true, _) => Stage::Cancelled,
            (false, true) => Stage::Retrying,
            (false, false) => Stage::Dead,
        },
    );
    Word::Taken
}

/// `recover`: a lease is over.
pub(super) fn recover(job: &mut Job, flaw: Option<Flaw>) {
    if flaw != Some(Flaw::StallsUncounted) {
        job.stalls += 1;
    }
    job.lapses += 1;
    job.attempt -= 1;
    let to = if job.cancel_asked {
        Stage::Cancelled
    } else if job.stalls >= STALLS_MAX {
        Stage::Dead
    } else {
        Stage::Retrying
    };
    shift(job, to);
    if to == Stage::Dead && flaw == Some(Flaw::StalledThrownAway) {
        job.sets = 0;
    }
}

/// `cancel`, under one operation id.
pub(super) fn cancel(job: &mut Job, flaw: Option<Flaw>, broken: &mut Broken) -> Word {
    if let Some(answer) = job.answer
        && flaw != Some(Flaw::OperationForgotten)
    {
        return answer;
    }
    let word = match job.stage {
        stage if stage.is_final() => Word::Final,
        Stage::Active if flaw != Some(Flaw::CancelWithoutStateCheck) => Word::Requested,
        _ => Word::Cancelled,
    };
    broken.expect(Invariant::SameAnswer, job.answer.is_none_or(|first| first == word));
    job.answer.get_or_insert(word);
    match word {
        Word::Cancelled => {
            let in_ready = job.sets & Stage::Ready.set();
            shift(job, Stage::Cancelled);
            if flaw == Some(Flaw::CancelLeavesReady) {
                job.sets |= in_ready;
            }
            job.promised = true;
        }
        Word::Requested => {
            broken.expect(Invariant::HonestReprieve, job.claims > 0);
            job.cancel_asked = true;
        }
        _ => {
            broken.expect(Invariant::HonestReprieve, job.claims > 0);
            return word;
        }
    }
    job.changes += 1;
    if flaw != Some(Flaw::AuditAfterwards) {
        job.entries += 1;
    }
    word
}
