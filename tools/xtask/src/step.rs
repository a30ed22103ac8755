//! Saying what is being done while it is done, and how long it took.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, PipeReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// One thing a person waits for: announced before, timed after.
pub(crate) struct Step {
    name: String,
    started: Instant,
}

impl Step {
    /// Announces the step.
    pub(crate) fn new(name: impl Into<String>) -> Step {
        let name = name.into();
        eprintln!("▸ {name}");
        Step { name, started: Instant::now() }
    }

    /// Does the work and says how long it took, or that it went wrong.
    pub(crate) fn measure<T>(self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let result = work();
        let took = self.started.elapsed().as_secs_f64();
        match &result {
            Ok(_) => eprintln!("  {} took {took:.1} s", self.name),
            Err(_) => eprintln!("  {} failed after {took:.1} s", self.name),
        }
        result.with_context(|| self.name)
    }

    /// Runs a command with its output going where ours goes.
    pub(crate) fn run(self, command: &mut Command) -> Result<()> {
        self.measure(|| succeed(command))
    }
}

/// Runs a command to its end; an exit code other than zero is an error that names the command.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let status =
        command.stdin(Stdio::null()).status().with_context(|| format!("cannot start {}", words(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", words(command));
    }
    Ok(())
}

/// The same, with the command's last lines in the error: for what says at its end what was wrong.
pub(crate) fn succeed_or_tell(command: &mut Command) -> Result<()> {
    let mut last = VecDeque::new();
    let succeeded = read_lines(command, |line| {
        if last.len() == LAST_LINES {
            last.pop_front();
        }
        last.push_back(line.to_owned());
    })?;
    if !succeeded {
        bail!("{} failed:\n{}", words(command), Vec::from(last).join("\n"));
    }
    Ok(())
}

/// So many lines of what failed are told.
const LAST_LINES: usize = 60;

/// The standard output of a command that succeeds.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .with_context(|| format!("cannot start {}", words(command)))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{} ended with {}: {}", words(command), output.status, said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command, prints its lines as they come, and shows each to `read`. Returns whether it succeeded.
pub(crate) fn read_lines(command: &mut Command, mut read: impl FnMut(&str)) -> Result<bool> {
    let (mut child, output) = spawn(command)?;
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        print!("{text}");
        read(text.trim_end());
        line.clear();
    }
    Ok(child.wait()?.success())
}

/// Runs a command to its end, without printing. Returns whether it succeeded, and its output.
pub(crate) fn captured(command: &mut Command) -> Result<(bool, String)> {
    captured_within(command, Duration::MAX)
}

/// The same; what takes longer than that is killed, and its output says so at the end.
pub(crate) fn captured_within(command: &mut Command, longest: Duration) -> Result<(bool, String)> {
    let (mut child, mut output) = spawn(command)?;
    std::thread::scope(|scope| {
        let reading = scope.spawn(move || {
            let mut bytes = Vec::new();
            output.read_to_end(&mut bytes).map(|_| bytes)
        });
        let began = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if began.elapsed() > longest {
                child.kill()?;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        };
        let bytes = reading.join().map_err(|_| anyhow::anyhow!("what reads its output panicked"))??;
        let mut said = String::from_utf8_lossy(&bytes).into_owned();
        if began.elapsed() > longest {
            said.push_str(&format!("\nended after {} s: it would not end by itself\n", longest.as_secs()));
        }
        Ok((status.success(), said))
    })
}

const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Starts a command whose standard output and standard error share one pipe: only then do their lines keep the order in
/// which they were written.
fn spawn(command: &mut Command) -> Result<(Child, PipeReader)> {
    let (reader, writer) = std::io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let child = command.spawn().with_context(|| format!("cannot start {}", words(command)))?;
    // `command` holds our ends of the pipe; the reader would wait for them for ever.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    Ok((child, reader))
}

/// The workspace's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."))
}

/// Where cargo puts what it builds.
pub(crate) fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

static LINTS: OnceLock<()> = OnceLock::new();

/// From now on, compiles the workspace with `clippy-driver`: rustc with more lints, so that one build does both. What was
/// compiled without it before is compiled again.
pub(crate) fn lint_what_is_compiled() {
    LINTS.get_or_init(|| ());
}

/// A cargo command in the workspace's folder.
pub(crate) fn cargo<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(arguments);
    if LINTS.get().is_some() {
        command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    }
    command
}

/// The command as one would type it.
fn words(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut words = program.to_string_lossy().into_owned();
    for argument in command.get_args() {
        words.push(' ');
        words.push_str(&argument.to_string_lossy());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_ended_and_its_output_kept() {
        let mut endless = Command::new("sh");
        endless.args(["-c", "echo said; exec sleep 600"]);
        let (succeeded, said) = captured_within(&mut endless, Duration::from_millis(300)).unwrap();
        assert!(!succeeded);
        assert!(said.starts_with("said\n\nended after"), "{said}");
    }
}
