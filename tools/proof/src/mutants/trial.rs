//! One run of one test program.

use super::programs::{Program, root};
use crate::rig::FLAW_VARIABLE;
use anyhow::{Context, Result};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

/// Has the engine take the text of one file from elsewhere, where the feature `flaws` is.
const FILE_VARIABLE: &str = "REPRIEVE_LUA_FILE";
/// How long a program may run whose usual time is not known yet.
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

/// A file of the library with another text.
#[derive(Debug)]
pub(crate) struct Replaced<'a> {
    /// Below `lua/`.
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
}

/// Runs it up to the first test that fails and, alone, fails again: on a busy machine a test may miss its own deadline,
/// whatever the scripts do.
pub(crate) async fn run(program: &Program, replaced: Option<&Replaced<'_>>, order: &Order) -> Result<Ended> {
    let first: Vec<&str> =
        order.first.iter().map(String::as_str).filter(|test| test.starts_with(program.filter)).collect();
    if !first.is_empty() {
        let ended = once(program, replaced, &exactly(&first)).await?;
        if is_true(program, replaced, &ended).await? {
            return Ok(ended);
        }
    }
    let mut left_out = order.left_out.clone();
    loop {
        let mut arguments = vec![program.filter];
        arguments.extend(left_out.iter().flat_map(|test| ["--skip", test.as_str()]));
        let ended = once(program, replaced, &arguments).await?;
        if ended == Ended::Passed || is_true(program, replaced, &ended).await? {
            return Ok(ended);
        }
        if let Ended::Failed(Some(test)) = ended {
            left_out.push(test);
        }
    }
}

fn exactly<'a>(tests: &[&'a str]) -> Vec<&'a str> {
    [&["--exact"], tests].concat()
}

/// Whether a program did not pass, and the test that failed fails again alone.
async fn is_true(program: &Program, replaced: Option<&Replaced<'_>>, ended: &Ended) -> Result<bool> {
    match ended {
        Ended::Passed => Ok(false),
        Ended::Failed(Some(test)) => Ok(once(program, replaced, &exactly(&[test])).await? != Ended::Passed),
        Ended::Failed(None) | Ended::TimedOut => Ok(true),
    }
}

/// Runs it with these arguments, up to the first test that fails.
async fn once(program: &Program, replaced: Option<&Replaced<'_>>, arguments: &[&str]) -> Result<Ended> {
    // For what a killed test leaves behind.
    let directory = tempfile::tempdir()?;
    let mut command = Command::new(&program.path);
    command.args(arguments).current_dir(root());
    command.env("TMPDIR", directory.path()).env_remove(FLAW_VARIABLE);
    if let Some(Replaced { file, text }) = replaced {
        let path = directory.path().join("mutant.lua");
        std::fs::write(&path, text)?;
        command.env(FILE_VARIABLE, format!("{file}={}", path.display()));
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().with_context(|| format!("cannot start {}", program.path.display()))?;
    let said = child.stdout.take().context("a program without its output")?;
    let most = match program.takes {
        Duration::ZERO => FIRST_PATIENCE,
        takes => takes * PATIENCE_FACTOR + PATIENCE_MORE,
    };
    let ended = timeout(most, end(&mut child, said)).await;
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

/// The test that a line reports as failed.
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
