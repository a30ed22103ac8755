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

/// Runs it with that flaw built into the scripts, up to the first test that fails, and fails again when it is alone: on a
/// busy machine a test may be too late for itself, whatever the scripts do.
pub(crate) async fn run(program: &Program, flaw: Option<&str>) -> Result<Ended> {
    let mut left_out: Vec<String> = Vec::new();
    loop {
        let mut arguments = vec!["--exact"];
        arguments.extend(left_out.iter().flat_map(|test| ["--skip", test.as_str()]));
        let ended = once(program, flaw, &arguments).await?;
        let Ended::Failed(Some(test)) = &ended else { return Ok(ended) };
        if once(program, flaw, &["--exact", test.as_str()]).await? != Ended::Passed {
            return Ok(ended);
        }
        left_out.push(test.clone());
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
