//! The test programs in Rust, several at once.
//!
//! `cargo test` runs them one after the other, and each ends with a test or two that wait for a lease while a core has
//! nothing to do.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use crate::step::{captured_within, output};
use crate::tally::{CargoTest, Tally};
use crate::test::part;

/// Programs at once: what one leaves of the machine while its last tests wait is enough for one more.
const AT_ONCE: usize = 2;

/// A test that never ends would hang the whole run. What its program has printed by then names the test.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// A compiled test program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    /// `reprieve services`: the package and the target.
    name: String,
    path: PathBuf,
    /// Where cargo would start it.
    folder: PathBuf,
}

/// The programs that this command of cargo's builds, those with the longest tests first.
pub(crate) fn built(build: &mut Command) -> Result<Vec<Program>> {
    let said = output(build.args(["--no-run", "--message-format", "json"]))?;
    let mut programs: Vec<Program> = said.lines().filter_map(program).collect();
    programs.sort_by_key(|program| {
        let longest = ["failures", "engine", "api", "services", "program"];
        longest.iter().position(|name| program.name.ends_with(name)).unwrap_or(longest.len())
    });
    Ok(programs)
}

/// The program that a line of cargo's messages tells of.
fn program(line: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(line).ok()?;
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let package = folder.file_name()?.to_str()?;
    Some(Program {
        name: format!("{package} {}", message["target"]["name"].as_str()?),
        path: message["executable"].as_str()?.into(),
        folder: folder.to_owned(),
    })
}

/// Runs them all with what `prepare` adds to each, and shows what each said when it has ended.
pub(crate) fn run(programs: Vec<Program>, prepare: impl Fn(&mut Command) + Sync) -> Tally {
    let waiting = Mutex::new(VecDeque::from(programs));
    let total = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some(program) = next else { return };
                    let tally = one(&program, &prepare);
                    *total.lock().unwrap_or_else(PoisonError::into_inner) += tally;
                }
            });
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn one(program: &Program, prepare: &impl Fn(&mut Command)) -> Tally {
    part(&format!("tests of {}", program.name), || {
        let mut command = Command::new(&program.path);
        command.current_dir(&program.folder).env("CARGO_MANIFEST_DIR", &program.folder);
        prepare(&mut command);
        let (succeeded, output) = captured_within(&mut command, LONGEST)?;
        let mut counting = CargoTest::default();
        counting.read(&format!("     Running {}", program.name));
        output.lines().for_each(|line| counting.read(line));
        // In one piece, so that the lines of two programs do not mix.
        print!("{output}");
        Ok(counting.finish(succeeded))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_cargo_s_messages_those_of_test_programs_are_read() {
        let message = |test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/r/server/Cargo.toml","profile":{{"test":{test}}},"target":{{"name":"api"}},"executable":"/t/api-1"}}"#
            )
        };
        let api = Program { name: "server api".into(), path: "/t/api-1".into(), folder: "/r/server".into() };
        assert_eq!(program(&message(true)), Some(api));
        assert_eq!(program(&message(false)), None);
        assert_eq!(program("   Compiling app"), None);
    }

    #[test]
    fn each_program_is_run_and_counted() {
        let shell = |name: &str| Program { name: name.into(), path: "/bin/sh".into(), folder: "/".into() };
        let said =
            "test a ... ok\\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
        let good = run(vec![shell("one"), shell("two"), shell("three")], |command| {
            command.args(["-c", &format!("printf '{said}\\n'")]);
        });
        assert_eq!((good.passed, good.failed), (6, 0));

        let broken = run(vec![shell("one")], |command| {
            command.args(["-c", "echo it crashed; exit 3"]);
        });
        assert_eq!((broken.passed, broken.failed), (0, 1));
    }
}
