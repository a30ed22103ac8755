//! What a run says at its end, and writes into the ledger.

use crate::bed::Topology;
use crate::checker::Verdict;
use crate::faults::Kind;
use crate::strike::Count;
use std::collections::BTreeMap;
use std::fmt;

/// A run and what came of it.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) topology: Topology,
    pub(crate) seed: u64,
    pub(crate) seconds: u64,
    pub(crate) flaw: Option<String>,
    pub(crate) commit: String,
    pub(crate) jobs: usize,
    /// Wishes to call a job off, by what was answered first.
    pub(crate) answers: BTreeMap<String, u64>,
    pub(crate) faults: BTreeMap<Kind, Count>,
    pub(crate) errors: BTreeMap<String, u64>,
    pub(crate) longest_gap_ms: i64,
    pub(crate) settled_s: f64,
    /// Jobs that got their time by a clock that was ahead, before anybody had seen it.
    pub(crate) postponed: u64,
    /// Why the run proves nothing, if so.
    pub(crate) void: Vec<String>,
    pub(crate) verdict: Verdict,
}

impl Report {
    pub(crate) fn passed(&self) -> bool {
        self.void.is_empty() && self.verdict.breach_count() == 0
    }

    fn fault_count(&self) -> u64 {
        self.faults.values().map(|count| count.fired).sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let topology = format!("{:?}", self.topology).to_lowercase();
        writeln!(f, "topology   {topology}")?;
        writeln!(f, "seed       {}", self.seed)?;
        writeln!(f, "commit     {}", self.commit)?;
        if let Some(flaw) = &self.flaw {
            writeln!(f, "flaw       {flaw}, built in on purpose")?;
        }
        writeln!(f, "seconds    {}", self.seconds)?;
        writeln!(f, "jobs       {}", self.jobs)?;
        let answers: Vec<String> =
            self.answers.iter().map(|(word, count)| format!("{count} {word}")).collect();
        writeln!(f, "called off {}", answers.join(", "))?;
        writeln!(f, "faults     {} of {} kinds", self.fault_count(), self.faults.len())?;
        for (kind, count) in &self.faults {
            writeln!(f, "           {} × {}, {} under load", count.fired, kind.name(), count.busy)?;
        }
        writeln!(f, "errors     {} met by callers", self.errors.values().sum::<u64>())?;
        for (error, count) in &self.errors {
            writeln!(f, "           {count} × {error}")?;
        }
        writeln!(
            f,
            "reruns     {} jobs ran more than once, each for a cause on record",
            self.verdict.reruns
        )?;
        writeln!(f, "late       {} effects of runs that had lost their lease", self.verdict.late_effects)?;
        writeln!(
            f,
            "lag        {} writes lost by asynchronous replication",
            self.verdict.lost_by_replication
        )?;
        writeln!(f, "gap        {} ms without any acknowledgement, at the longest", self.longest_gap_ms)?;
        writeln!(f, "settled    {:.1} s after the last fault was taken back", self.settled_s)?;
        if self.postponed > 0 {
            writeln!(f, "postponed  {} jobs that got their time before a jump was seen", self.postponed)?;
        }
        for why in &self.void {
            writeln!(f, "void       {why}")?;
        }
        for (rule, count, shown) in self.verdict.breaches() {
            writeln!(f, "BREACH     {count} × {}", rule.name())?;
            for what in shown {
                writeln!(f, "           {what}")?;
            }
        }
        let verdict = if self.passed() { "passed" } else { "FAILED" };
        writeln!(f, "verdict    {verdict}, {} breaches", self.verdict.breach_count())
    }
}
