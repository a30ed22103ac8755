//! Holds what callers were told, and what happened outside, against what Redis has in the end.

use crate::bed::Jump;
use crate::history::{Answer, Known};
use crate::sink::{Effect, Effects, wall_ms};
use proof_model::Invariant;
use reprieve::testing::{Snapshot, breaches_beside_events};
use std::collections::BTreeMap;

/// Attempts that a job of the load may fail.
const ATTEMPTS_MAX: u64 = 25;
/// Leases that may run out before a job is dead.
const STALLS_MAX: u64 = 3;
/// How long a lease lasts at least, in ms.
const LEASE_MS: i64 = 12_000;
/// Breaches of one rule that are written out; the rest is counted.
const SHOWN_MAX: usize = 5;

/// What a run is judged by.
pub(crate) struct Evidence<'a> {
    pub(crate) jobs: &'a BTreeMap<String, Known>,
    pub(crate) effects: &'a Effects,
    /// All shards.
    pub(crate) keys: &'a [Snapshot],
    /// Jobs that had not ended when timeout did.
    pub(crate) unended: u64,
    /// When masters died, and when they were back as replicas: what was acknowledged shortly before or in between may be
    /// lost, for replication does not wait, and a master that comes back takes writes until it is told that it is none.
    pub(crate) deaths_ms: &'a [(i64, i64)],
    /// When Redis's clock was wrong: times that it told then are no times.
    pub(crate) jumps: &'a [Jump],
}

/// The verdict.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    breaches: BTreeMap<Invariant, (usize, Vec<String>)>,
    /// Jobs that ran more than once, each with a cause on record.
    pub(crate) reruns: u64,
    /// Effects of runs whose lease was over, after the job was called off: what only fencing can stop.
    pub(crate) late_effects: u64,
    /// Writes acknowledged so shortly before their master died that replication may have lost them.
    pub(crate) lost_by_replication: u64,
}

impl Verdict {
    fn breach(&mut self, rule: Invariant, what: String) {
        let (count, shown) = self.breaches.entry(rule).or_default();
        *count += 1;
        if shown.len() < SHOWN_MAX {
            shown.push(what);
        }
    }

    /// Each broken rule with how often, and some of the cases.
    pub(crate) fn breaches(&self) -> impl Iterator<Item = (Invariant, usize, &[String])> {
        self.breaches.iter().map(|(rule, (count, shown))| (*rule, *count, shown.as_slice()))
    }

    pub(crate) fn breach_count(&self) -> usize {
        self.breaches.values().map(|(count, _)| count).sum()
    }
}

type Fields<'a> = BTreeMap<&'a str, &'a str>;

/// What Redis has of a job.
struct Kept<'a> {
    fields: Fields<'a>,
    /// Attempts that did not end well.
    attempts: Vec<Attempt>,
}

impl Kept<'_> {
    fn text(&self, name: &str) -> &str {
        self.fields.get(name).copied().unwrap_or_default()
    }

    fn number(&self, name: &str) -> u64 {
        self.text(name).parse().unwrap_or_default()
    }
}

/// Judges a run.
pub(crate) fn judge(evidence: &Evidence<'_>) -> Verdict {
    let mut verdict = Verdict::default();
    for keys in evidence.keys {
        for breach in breaches_beside_events(keys) {
            verdict.breach(Invariant::Conservation, breach);
        }
    }
    if evidence.unended > 0 {
        let waiting = waiting(evidence.keys, wall_ms()).join("; ");
        let what = format!("{} jobs have not ended, with no fault for long: {waiting}", evidence.unended);
        verdict.breach(Invariant::Progress, what);
    }
    let kept = kept(evidence.keys);
    let audited = audited(evidence.keys);
    for (id, known) in evidence.jobs {
        let effects = evidence.effects.get(id);
        let Some(kept) = kept.get(id.as_str()) else {
            // It may have run before its record was lost.
            if in_the_lag(evidence, known.accepted_ms) {
                verdict.lost_by_replication += 1;
            } else {
                verdict.breach(Invariant::NoLoss, format!("{id} was accepted and is gone"));
            }
            continue;
        };
        let empty = BTreeMap::new();
        let runs = effects.unwrap_or(&empty);
        for (token, run) in runs.iter().filter(|(_, run)| run.times > 1) {
            verdict.breach(Invariant::Effects, format!("{id} began {} times with token {token}", run.times));
        }
        // What a run did shortly before its master died may be undone, and done again under another token: its claim,
        // which a frozen instance may have had for long, or its end.
        let times = |run: &Effect| [run.claimed_ms, run.first_ms, run.at_ms, run.ended_ms];
        let undone = |run: &Effect| times(run).into_iter().any(|at_ms| in_the_lag(evidence, at_ms));
        if runs.values().any(undone) {
            verdict.lost_by_replication += 1;
        } else {
            check_runs(&mut verdict, evidence, id, kept, runs);
        }
        check_times(&mut verdict, evidence, id, known, runs);
        check_answers(&mut verdict, evidence, id, known, kept, runs);
        let changed =
            known.answers.iter().any(|answer| matches!(answer.word.as_str(), "cancelled" | "requested"));
        let entries = audited.get(id.as_str()).copied().unwrap_or_default();
        if entries != u32::from(changed) && !in_the_lag(evidence, told_ms(known)) {
            verdict
                .breach(Invariant::Audit, format!("{id} has {entries} audit entries, {:?}", known.answers));
        }
    }
    verdict
}

fn told_ms(known: &Known) -> i64 {
    known.answers.first().map_or(known.accepted_ms, |answer| answer.at_ms)
}

/// Whether something happened while replication may have lost it.
fn in_the_lag(evidence: &Evidence<'_>, at_ms: i64) -> bool {
    /// How far a replica may be behind.
    const LAG_MS: i64 = 2_000;
    within(evidence.deaths_ms, at_ms, LAG_MS)
}

fn within(times: &[(i64, i64)], at_ms: i64, before_ms: i64) -> bool {
    times.iter().any(|(from, to)| (from - before_ms..=*to).contains(&at_ms))
}

/// Nothing begins before its time by the clocks of the caller and of the sink, which nobody moves; nor by its record.
fn check_times(
    verdict: &mut Verdict,
    evidence: &Evidence<'_>,
    id: &str,
    known: &Known,
    runs: &BTreeMap<u64, Effect>,
) {
    /// A jump that is shorter is not promised to be noticed.
    const UNNOTICED_MS: i64 = 2_000;
    // Redis's time stands still while its clock is back, and a wait that begins then with it; what was taken in before
    // anybody saw that the clock is ahead has a later time in its record.
    let is_within = |jump: &&Jump, until_ms| jump.from_ms <= until_ms && known.asked_ms <= jump.to_ms;
    let jump = evidence.jumps.iter().find(|jump| is_within(jump, known.accepted_ms));
    let stood_ms = jump.map_or(0, |jump| known.accepted_ms - jump.from_ms);
    for run in runs.values().filter(|run| run.times > 0) {
        let by_caller = known.due_ms - run.first_ms - stood_ms - UNNOTICED_MS;
        // What was written before anybody saw that the clock is ahead has a later time in its record.
        let is_unsure = evidence.jumps.iter().any(|jump| is_within(&jump, run.at_ms));
        let by_record = if is_unsure { 0 } else { run.due_ms - run.at_ms };
        if by_record > 0 || by_caller > 0 {
            let what = format!("{id} began {} ms before its time: {run:?}", by_record.max(by_caller));
            verdict.breach(Invariant::NeverEarly, what);
        }
    }
}

fn check_runs(
    verdict: &mut Verdict,
    evidence: &Evidence<'_>,
    id: &str,
    kept: &Kept<'_>,
    runs: &BTreeMap<u64, Effect>,
) {
    // Each run but one has a reason on record. A run whose claim was never heard of leaves a reason and no effect.
    let reasons = kept.attempts.len();
    verdict.reruns += u64::from(runs.len() > 1);
    if runs.len() > reasons + 1 {
        let what =
            format!("{id} began {} times for {reasons} reasons: {:?}, {runs:?}", runs.len(), kept.attempts);
        verdict.breach(Invariant::Effects, what);
    }
    let stalls = kept.number("stalls");
    let of = |result: &str| {
        let count = kept.attempts.iter().filter(|attempt| attempt.result == result).count();
        u64::try_from(count).unwrap_or(u64::MAX)
    };
    let (failed, stalled) = (of("failed"), of("stalled"));
    if failed > ATTEMPTS_MAX || stalls > STALLS_MAX {
        verdict.breach(Invariant::Counters, format!("{id} failed {failed} times and stalled {stalls} times"));
    }
    // A run that was asked to stop and stalled then is written down as cancelled. The first stall counts as two where the
    // lease before it ended without a word from its worker.
    if stalls < stalled || stalls > stalled + of("cancelled") + of("unheard").min(1) {
        let what = format!("{id} has {stalls} stalls in its record and {stalled} among its attempts");
        verdict.breach(Invariant::Counters, what);
    }
    let is_taken_back = |attempt: &&Attempt| attempt.result == "stalled" || attempt.result == "unheard";
    for attempt in kept.attempts.iter().filter(is_taken_back) {
        let lasted_ms = lease_ms(attempt, runs, evidence.jumps);
        if lasted_ms < LEASE_MS {
            let what = format!(
                "{id} was taken back after {lasted_ms} ms: no lease is that short. {attempt:?}, {runs:?}, {:?}",
                evidence.jumps
            );
            verdict.breach(Invariant::Effects, what);
        }
    }
    if kept.text("state") == "done" {
        let last = runs.iter().next_back();
        // The last worker to get the job must have done it well: a report of anybody else counts nothing.
        let ended_ms: i64 = kept.text("ended_ms").parse().unwrap_or_default();
        let is_good = |run: &Effect| run.well == Some(true) && !is_before(ended_ms, run, evidence.jumps);
        if !last.is_some_and(|(_, run)| is_good(run)) {
            verdict.breach(
                Invariant::Fencing,
                format!("{id} is done since {ended_ms}, and its last run is {last:?}"),
            );
        }
    }
}

/// Whether a job was written down as done before that run of it had ended.
///
/// An end waits to be told while Redis is away, for as long as the lease lasts, and is then written down by the clock of
/// that time: one that jumps meanwhile says nothing of it.
fn is_before(done_ms: i64, run: &Effect, jumps: &[Jump]) -> bool {
    let told = |jump: &Jump| (jump.from_ms - LEASE_MS..=jump.to_ms).contains(&run.ended_ms);
    run.ended_ms > done_ms + STALE_MS && !jumps.iter().any(told)
}

/// A script has the time at which Redis began to look what its connections say, in ms.
const STALE_MS: i64 = 1_000;

/// How long a lease lasted that ran out, in ms: by the record, where the clock was right. Where it was not, since its run
/// asked for the job by the machine's clock, if a run tells. What was claimed while Redis's clock was ahead has a start that
/// is as far ahead.
fn lease_ms(attempt: &Attempt, runs: &BTreeMap<u64, Effect>, jumps: &[Jump]) -> i64 {
    let by_record_ms = attempt.ended_ms - attempt.started_ms;
    let (first_ms, last_ms) =
        (attempt.started_ms.min(attempt.ended_ms), attempt.started_ms.max(attempt.ended_ms));
    let is_within = |jump: &Jump| jump.from_ms <= last_ms && first_ms <= jump.to_ms + jump.by_ms.max(0);
    if !jumps.iter().any(is_within) {
        return by_record_ms;
    }
    let ahead =
        jumps.iter().filter(|jump| jump.by_ms > 0).map(|jump| (attempt.started_ms - jump.by_ms, *jump));
    let told_wrong =
        ahead.filter(|(at_ms, jump)| (jump.from_ms..=jump.to_ms).contains(at_ms)).map(|(at_ms, _)| at_ms);
    let starts: Vec<i64> = std::iter::once(attempt.started_ms).chain(told_wrong).collect();
    let began = |at_ms: i64| {
        let is_it =
            move |run: &&Effect| (run.claimed_ms - STALE_MS..=run.first_ms + STALE_MS).contains(&at_ms);
        // Time stands still where the clock went back: then the lease began a little before its run asked.
        runs.values().find(is_it).map(|run| run.claimed_ms.min(at_ms))
    };
    let since_ms = starts.iter().find_map(|at_ms| began(*at_ms)).or(starts.last().copied());
    since_ms.map_or(by_record_ms, |since_ms| attempt.ended_ms - since_ms)
}

fn check_answers(
    verdict: &mut Verdict,
    evidence: &Evidence<'_>,
    id: &str,
    known: &Known,
    kept: &Kept<'_>,
    runs: &BTreeMap<u64, Effect>,
) {
    let words: Vec<&str> = known.answers.iter().map(|answer| answer.word.as_str()).collect();
    let lag = in_the_lag(evidence, told_ms(known));
    if words.windows(2).any(|two| two[0] != two[1]) && !lag {
        verdict.breach(Invariant::SameAnswer, format!("{id} was answered {words:?} to one operation"));
    }
    let Some(answer) = known.answers.first() else { return };
    match answer.word.as_str() {
        "cancelled" => {
            let started = runs.iter().filter(|(token, _)| **token > answer.version);
            for (token, run) in started {
                if lag {
                    // Tokens of before and after a failover do not compare; see below.
                    verdict.lost_by_replication += 1;
                } else {
                    let what =
                        format!("{id} was called off, and began with token {token}: {run:?}, {answer:?}");
                    verdict.breach(Invariant::HonestReprieve, what);
                }
            }
            // The process that acknowledged it lives: it says it again before anything starts.
            let is_first = kept.number("stalls") == 0 && kept.attempts.is_empty();
            if lag && is_first && runs.values().any(|run| run.first_ms > answer.at_ms) {
                let what =
                    format!("{id} was called off, a failover undid that, and it ran: {runs:?}, {answer:?}");
                verdict.breach(Invariant::HonestReprieve, what);
            }
            // A run of before whose lease was over may still go on; only a fencing token can stop what it does.
            let late = runs.values().filter(|run| run.at_ms > answer.at_ms).count();
            verdict.late_effects += u64::try_from(late).unwrap_or_default();
            if kept.text("state") != "cancelled" && !lag {
                let what = format!("{id} was called off and is {}", kept.text("state"));
                verdict.breach(Invariant::HonestReprieve, what);
            }
            // It ran already when it was called off as one that waits.
            let ended_well = runs.values().find(|run| run.well == Some(true) && run.at_ms < answer.at_ms);
            let is_known = kept.number("stalls") > 0 || !kept.attempts.is_empty();
            let undone =
                |run: &Effect| in_the_lag(evidence, run.claimed_ms) || in_the_lag(evidence, run.at_ms);
            if ended_well.is_some_and(undone) {
                // A failover lost that it had been claimed: nobody could tell the person who called it off.
                verdict.lost_by_replication += 1;
            } else if ended_well.is_some() && !is_known {
                let what = format!("{id} was called off after it had run: {runs:?}, {answer:?}");
                verdict.breach(Invariant::HonestReprieve, what);
            }
        }
        "missing" if !lag => {
            verdict
                .breach(Invariant::NoLoss, format!("{id} was accepted, and was not there to be called off"));
        }
        "requested" | "already_finished" if !answer.started => too_late_without_a_start(verdict, id, answer),
        _ => {}
    }
}

fn too_late_without_a_start(verdict: &mut Verdict, id: &str, answer: &Answer) {
    verdict.breach(
        Invariant::HonestReprieve,
        format!("{id} was said to be too late, and had not begun: {answer:?}"),
    );
}

/// Everything Redis has of each job.
fn kept(keys: &[Snapshot]) -> BTreeMap<&str, Kept<'_>> {
    let all = keys.iter().flat_map(|keys| {
        keys.iter().filter_map(move |(key, lines)| {
            let id = key.strip_prefix("job:")?;
            let fields = lines.iter().filter_map(|line| line.split_once(" = ")).collect();
            let attempts = keys.get(&format!("attempts:{id}")).map(Vec::as_slice).unwrap_or_default();
            let attempts = attempts.iter().filter_map(|line| attempt(line)).collect();
            Some((id, Kept { fields, attempts }))
        })
    });
    all.collect()
}

/// What waits in each set of live jobs: how many, and the times of its first and its last, as seconds from now.
fn waiting(keys: &[Snapshot], now_ms: i64) -> Vec<String> {
    let sets = keys.iter().flatten().filter(|(key, _)| {
        key.strip_prefix("q:")
            .and_then(|rest| rest.rsplit_once(':'))
            .is_some_and(|(_, state)| ["delayed", "ready", "active", "retrying"].contains(&state))
    });
    let told = sets.filter_map(|(key, lines)| {
        let end = |line: Option<&String>| {
            let (score, id) = line?.split_once(' ')?;
            let score_ms: i64 = score.parse().ok()?;
            Some(if key.ends_with(":ready") {
                format!("{id} with score {score}")
            } else {
                format!("{id} at {:+.1} s", (score_ms - now_ms) as f64 / 1_000.0)
            })
        };
        let (first, last) = (end(lines.first())?, end(lines.last())?);
        Some(format!("{} in {key}, from {first} to {last}", lines.len()))
    });
    told.collect()
}

/// An attempt that did not end well, by the record.
#[derive(Debug)]
struct Attempt {
    result: String,
    started_ms: i64,
    ended_ms: i64,
}

fn attempt(line: &str) -> Option<Attempt> {
    let attempt: serde_json::Value = serde_json::from_str(line).ok()?;
    let ms = |name: &str| attempt.get(name)?.as_str()?.parse::<i64>().ok();
    let result = attempt.get("result")?.as_str()?.to_owned();
    Some(Attempt { result, started_ms: ms("started")?, ended_ms: ms("ended")? })
}

/// How many audit entries tell of calling each job off.
fn audited(keys: &[Snapshot]) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for line in keys.iter().filter_map(|keys| keys.get("audit")).flatten() {
        let entry: BTreeMap<String, String> = serde_json::from_str(line).unwrap_or_default();
        if entry.get("verb").is_some_and(|verb| verb == "cancel") {
            let targets = entry.get("targets").or_else(|| entry.get("target"));
            for target in targets.map_or("", String::as_str).split(' ') {
                *counts.entry(target.to_owned()).or_default() += 1;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_was_told_while_the_clock_was_wrong_is_no_breach_and_an_early_one_is() {
        let run = Effect { ended_ms: 100_000, ..Effect::default() };
        let jump = |from_ms, to_ms| [Jump { from_ms, to_ms, by_ms: -60_000 }];

        assert!(is_before(40_000, &run, &[]), "nobody moved the clock");
        assert!(!is_before(40_000, &run, &jump(103_000, 110_000)), "it was told three seconds later");
        assert!(!is_before(40_000, &run, &jump(99_000, 110_000)));
        assert!(is_before(40_000, &run, &jump(100_001 + LEASE_MS, 120_000)), "its lease was over by then");
        assert!(is_before(40_000, &run, &jump(80_000, 99_999)), "the clock was right again");
        assert!(!is_before(99_500, &run, &[]));
    }

    #[test]
    fn a_lease_lasts_since_its_run_asked_for_it_whatever_redis_took_for_the_time() {
        let attempt = |started_ms, ended_ms| Attempt { result: "stalled".to_owned(), started_ms, ended_ms };
        let run = Effect { claimed_ms: 100_000, first_ms: 100_020, ..Effect::default() };
        let runs = BTreeMap::from([(7, run)]);
        let ahead = [Jump { from_ms: 99_500, to_ms: 101_000, by_ms: 10_000 }];

        assert_eq!(lease_ms(&attempt(100_010, 112_510), &runs, &[]), 12_500);
        assert_eq!(
            lease_ms(&attempt(100_010, 104_400), &runs, &ahead),
            4_400,
            "the clock has nothing to do with it"
        );
        assert_eq!(lease_ms(&attempt(110_010, 114_000), &runs, &ahead), 14_000);
        assert_eq!(
            lease_ms(&attempt(110_010, 114_000), &BTreeMap::new(), &ahead),
            13_990,
            "its claim was lost"
        );
        assert_eq!(lease_ms(&attempt(110_010, 114_000), &BTreeMap::new(), &[]), 3_990);
    }
}
