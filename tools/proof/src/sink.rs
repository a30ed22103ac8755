//! The effects of jobs, noted outside of what is tested: a file that every instance appends lines to.
//!
//! `began <job> <token> <attempt> <due ms> <claimed ms> <wall ms> <instance>` stands for the effect; `ended <job> <token>
//! <ok|failed> <wall ms>` says that the handler came to its end.

use anyhow::{Context, Result};
use reprieve::JobContext;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The machine's time in ms, which is Redis's too where nobody moves its clock.
pub(crate) fn wall_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Where an instance writes.
#[derive(Debug)]
pub(crate) struct Sink(File);

impl Sink {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        Ok(Self(file.with_context(|| path.display().to_string())?))
    }

    /// A line in one write: appended whole, no matter who else appends.
    fn line(&self, line: &str) {
        if let Err(error) = (&self.0).write_all(line.as_bytes()) {
            eprintln!("the sink takes no line: {error}");
        }
    }

    pub(crate) fn began(&self, job: &JobContext, instance: &str) {
        let (id, token, attempt, due_ms) = (job.id(), job.token(), job.attempt(), job.due().as_millis());
        let now_ms = wall_ms();
        let claimed_ms = now_ms - i64::try_from(job.held_for().as_millis()).unwrap_or_default();
        self.line(&format!("began {id} {token} {attempt} {due_ms} {claimed_ms} {now_ms} {instance}\n"));
    }

    pub(crate) fn ended(&self, job: &str, token: u64, well: bool) {
        self.line(&format!("ended {job} {token} {} {}\n", if well { "ok" } else { "failed" }, wall_ms()));
    }
}

/// One run of a job, as its handler noted it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effect {
    /// How often this (job, token) began; more than once is a breach.
    pub(crate) times: u32,
    pub(crate) due_ms: i64,
    /// When its claim was asked for, at the latest.
    pub(crate) claimed_ms: i64,
    /// When it began first, and last.
    pub(crate) first_ms: i64,
    pub(crate) at_ms: i64,
    pub(crate) attempt: u32,
    pub(crate) instance: String,
    /// How the handler ended; `None` when its process did not let it.
    pub(crate) well: Option<bool>,
    pub(crate) ended_ms: i64,
}

/// All effects: job, then token.
pub(crate) type Effects = BTreeMap<String, BTreeMap<u64, Effect>>;

/// Reads what the instances wrote. The last line may be cut: its writer was killed.
pub(crate) fn read(path: &Path) -> Result<Effects> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut effects = Effects::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["began", job, token, attempt, due_ms, claimed_ms, at_ms, instance] => {
                let effect = entry(&mut effects, job, token);
                effect.times += 1;
                effect.attempt = attempt.parse().unwrap_or_default();
                effect.due_ms = due_ms.parse().unwrap_or_default();
                effect.claimed_ms = claimed_ms.parse().unwrap_or_default();
                effect.at_ms = at_ms.parse().unwrap_or_default();
                if effect.times == 1 {
                    effect.first_ms = effect.at_ms;
                }
                effect.instance = (*instance).to_owned();
            }
            ["ended", job, token, how, at_ms] => {
                let effect = entry(&mut effects, job, token);
                effect.well = Some(*how == "ok");
                effect.ended_ms = at_ms.parse().unwrap_or_default();
            }
            _ => {}
        }
    }
    Ok(effects)
}

fn entry<'a>(effects: &'a mut Effects, job: &str, token: &str) -> &'a mut Effect {
    effects.entry(job.to_owned()).or_default().entry(token.parse().unwrap_or_default()).or_default()
}
