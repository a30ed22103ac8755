//! How many tests passed and failed, over tools that each count in their own way.

use std::fmt;
use std::ops::AddAssign;
use std::path::Path;

use anyhow::{Context, Result};

/// Counts of one tool, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Tally {
    /// One check that passed or failed.
    pub(crate) fn of(passed: bool) -> Tally {
        Tally { passed: u64::from(passed), failed: u64::from(!passed), skipped: 0 }
    }

    /// Counts what a failing tool did not: it may have stopped before any test ran.
    pub(crate) fn failing_unless(mut self, succeeded: bool) -> Tally {
        if !succeeded && self.failed == 0 {
            self.failed = 1;
        }
        self
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

/// Reads the output of `cargo test` line by line.
///
/// Every test binary is announced and ends with its result. One that was
/// announced and has none crashed, and counts as a failure.
#[derive(Default)]
pub(crate) struct CargoTest {
    tally: Tally,
    /// The announcement whose result has not come yet.
    waiting: Option<String>,
}

impl CargoTest {
    pub(crate) fn read(&mut self, line: &str) {
        if line.starts_with("     Running ") || line.starts_with("   Doc-tests ") {
            self.give_up_waiting();
            self.waiting = Some(line.trim().to_owned());
        } else if let Some(result) = line.strip_prefix("test result: ") {
            self.waiting = None;
            self.tally += Tally {
                passed: figure_before(result, " passed"),
                failed: figure_before(result, " failed"),
                skipped: figure_before(result, " ignored"),
            };
        }
    }

    /// The counts, once the output has ended.
    pub(crate) fn finish(mut self, succeeded: bool) -> Tally {
        self.give_up_waiting();
        self.tally.failing_unless(succeeded)
    }

    fn give_up_waiting(&mut self) {
        if let Some(crashed) = self.waiting.take() {
            eprintln!("  no result from: {crashed}");
            self.tally.failed += 1;
        }
    }
}

/// The number before a word: 3 in `ok. 3 passed; 0 failed`.
fn figure_before(text: &str, word: &str) -> u64 {
    let before = text.split(word).next().unwrap_or_default();
    before.rsplit(' ').next().and_then(|figure| figure.parse().ok()).unwrap_or(0)
}

/// Reads the report that Playwright's reporter `json` left.
pub(crate) fn playwright(report: &Path) -> Result<Tally> {
    let text = std::fs::read_to_string(report).context("Playwright left no report")?;
    let report: serde_json::Value = serde_json::from_str(&text).context("Playwright's report")?;
    let figure = |name: &str| report["stats"][name].as_u64().unwrap_or(0);
    Ok(Tally {
        passed: figure("expected") + figure("flaky"),
        failed: figure("unexpected"),
        skipped: figure("skipped"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> CargoTest {
        let mut reader = CargoTest::default();
        lines.iter().for_each(|line| reader.read(line));
        reader
    }

    #[test]
    fn results_of_all_binaries_add_up() {
        let reader = read(&[
            "     Running unittests src/lib.rs (target/debug/deps/reprieve-1)",
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s",
            "   Doc-tests reprieve",
            "test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s",
            "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s",
        ]);
        assert_eq!(reader.finish(false), Tally { passed: 15, failed: 3, skipped: 1 });
    }

    #[test]
    fn a_binary_without_a_result_is_a_failure() {
        let reader = read(&[
            "     Running tests/walk.rs (target/debug/deps/walk-1)",
            "     Running tests/runtime.rs (target/debug/deps/runtime-1)",
            "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s",
        ]);
        assert_eq!(reader.finish(false), Tally { passed: 4, failed: 1, skipped: 0 });
    }

    #[test]
    fn what_does_not_compile_is_a_failure() {
        let reader = read(&["error: could not compile `reprieve` (lib test) due to 1 previous error"]);
        assert_eq!(reader.finish(false), Tally { passed: 0, failed: 1, skipped: 0 });
    }

    #[test]
    fn the_last_line_mentions_skipped_tests_only_if_there_are_any() {
        assert_eq!(Tally { passed: 3, failed: 0, skipped: 0 }.to_string(), "3 passed, 0 failed");
        assert_eq!(Tally { passed: 3, failed: 1, skipped: 2 }.to_string(), "3 passed, 1 failed, 2 skipped");
    }
}
