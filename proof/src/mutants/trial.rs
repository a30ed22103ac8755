//! One run of one program of tests.

use super::programs::{Program, root};
use crate::rig::FLAW_VARIABLE;
use anyhow::{Context, Result};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

/// How long a program may run of which nobody knows how long it takes.
const FIRST_PATIENCE: Duration = Duration::from_secs(900);
/// How many times as long as usual a program may run, and how much longer: others run beside it, and a test that waits
/// in vain for an event takes half a minute to say so.
const PATIENCE_FACTOR: u32 = 4;
const PATIENCE_MORE: Duration = Duration::from_secs(60);

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Passed,
    /// The first test that failed; none where the program ended otherwise.
    Failed(Option<String>),
    TimedOut,
}

/// Which tests of a program run, and when.
#[derive(Debug, Clone, Default)]
pub(crate) struct Order {
    /// These before all others, by their whole names.
    pub(crate) first: Vec<String>,
    /// Those in whose names one of these stands do not.
    pub(crate) left_out: Vec<String>,
}

/// Runs it with that flaw built into the scripts, up to the first test that fails, and fails again when it is alone: on a
/// busy machine a test may be too late for itself, whatever the scripts do.
pub(crate) async fn run(program: &Program, flaw: Option<&str>, order: &Order) -> Result<Ended> {
    if !order.first.is_empty() {
        let ended = once(program, flaw, &exactly(&order.first)).await?;
        if is_true(program, flaw, &ended).await? {
            return Ok(ended);
        }
    }
    let mut left_out = order.left_out.clone();
    loop {
        let arguments: Vec<&str> = left_out.iter().flat_map(|test| ["--skip", test.as_str()]).collect();
        let ended = once(program, flaw, &arguments).await?;
        if ended == Ended::Passed || is_true(program, flaw, &ended).await? {
            return Ok(ended);
        }
        if let Ended::Failed(Some(test)) = ended {
            left_out.push(test);
        }
    }
}

fn exactly(tests: &[String]) -> Vec<&str> {
    let mut arguments = vec!["--exact"];
    arguments.extend(tests.iter().map(String::as_str));
    arguments
}

/// Whether a program did not pass, and the test that failed fails again alone.
async fn is_true(program: &Program, flaw: Option<&str>, ended: &Ended) -> Result<bool> {
    match ended {
        Ended::Passed => Ok(false),
        Ended::Failed(Some(test)) => {
            Ok(once(program, flaw, &exactly(std::slice::from_ref(test))).await? != Ended::Passed)
        }
        Ended::Failed(None) | Ended::TimedOut => Ok(true),
    }
}

/// Runs it with these arguments, up to the first test that fails.
async fn once(program: &Program, flaw: Option<&str>, arguments: &[&str]) -> Result<Ended> {
    // What a killed test leaves behind goes with this.
    let directory = tempfile::tempdir()?;
    let mut command = Command::new(&program.path);
    command.args(arguments).current_dir(root());
    command.env("TMPDIR", directory.path()).env_remove(FLAW_VARIABLE);
    if let Some(flaw) = flaw {
        command.env(FLAW_VARIABLE, flaw);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().with_context(|| format!("cannot start {}", program.path.display()))?;
    let said = child.stdout.take().context("a program without its output")?;
    let patience = match program.takes {
        Duration::ZERO => FIRST_PATIENCE,
        takes => takes * PATIENCE_FACTOR + PATIENCE_MORE,
    };
    let ended = timeout(patience, end(&mut child, said)).await;
    // It has ended by itself, or nothing it may still say matters.
    child.kill().await.ok();
    ended.unwrap_or(Ok(Ended::TimedOut))
}

async fn end(child: &mut Child, said: ChildStdout) -> Result<Ended> {
    let mut lines = BufReader::new(said).lines();
    while let Some(line) = lines.next_line().await? {
        if let Some(test) = failed(&line) {
            return Ok(Ended::Failed(Some(test.to_owned())));
        }
    }
    let status = child.wait().await?;
    Ok(if status.success() { Ended::Passed } else { Ended::Failed(None) })
}

/// The test that a line tells has failed.
fn failed(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_test_that_failed() {
        assert_eq!(failed("test table::a_b ... FAILED"), Some("table::a_b"));
        for other in ["test table::a_b ... ok", "test result: FAILED. 1 passed", "failures:", ""] {
            assert_eq!(failed(other), None);
        }
    }
}
