//! How many tests passed and failed, and which failed, over tools that each count in their own way.

use std::fmt;
use std::ops::AddAssign;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// Counts of one tool, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    /// Names of what failed, where they are known: at most as many as failed.
    pub(crate) failures: Vec<String>,
}

impl Tally {
    /// One check that passed.
    pub(crate) fn passed() -> Tally {
        Tally { passed: 1, ..Tally::default() }
    }

    /// One check or test that failed.
    pub(crate) fn failed(name: impl Into<String>) -> Tally {
        Tally { failed: 1, failures: vec![name.into()], ..Tally::default() }
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
        self.failures.extend(other.failures);
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
                failures: Vec::new(),
            };
        } else if let Some(name) =
            line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            self.tally.failures.push(name.to_owned());
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
            self.tally += Tally::failed(format!("no result from: {crashed}"));
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
    let report: Value = serde_json::from_str(&text).context("Playwright's report")?;
    let figure = |name: &str| report["stats"][name].as_u64().unwrap_or(0);
    Ok(Tally {
        passed: figure("expected") + figure("flaky"),
        failed: figure("unexpected"),
        skipped: figure("skipped"),
        failures: unexpected(&report["suites"]).collect(),
    })
}

/// Where the tests are that failed, and what they are called, over suites within suites.
fn unexpected(suites: &Value) -> Box<dyn Iterator<Item = String> + '_> {
    Box::new(suites.as_array().into_iter().flatten().flat_map(|suite| {
        let own =
            suite["specs"].as_array().into_iter().flatten().filter(|spec| spec["ok"] == false).map(|spec| {
                let text = |name: &str| spec[name].as_str().unwrap_or_default();
                format!("{}:{} {}", text("file"), spec["line"], text("title"))
            });
        own.chain(unexpected(&suite["suites"]))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        assert_eq!(reader.finish(false), Tally { passed: 15, failed: 3, skipped: 1, failures: Vec::new() });
    }

    #[test]
    fn a_binary_without_a_result_is_a_failure() {
        let reader = read(&[
            "     Running tests/walk.rs (target/debug/deps/walk-1)",
            "     Running tests/runtime.rs (target/debug/deps/runtime-1)",
            "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s",
        ]);
        let tally = reader.finish(false);
        assert_eq!((tally.passed, tally.failed), (4, 1));
        assert_eq!(tally.failures, ["no result from: Running tests/walk.rs (target/debug/deps/walk-1)"]);
    }

    #[test]
    fn what_failed_is_named() {
        let reader = read(&[
            "     Running tests/walk.rs (target/debug/deps/walk-1)",
            "test long::walk ... ok",
            "test short::walk ... FAILED",
            "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s",
        ]);
        assert_eq!(reader.finish(false).failures, ["short::walk"]);

        let spec =
            |title: &str, ok: bool| json!({ "title": title, "ok": ok, "file": "a.spec.ts", "line": 7 });
        let inner = json!([{ "title": "phone", "specs": [spec("dies", false), spec("lives", true)] }]);
        let suites = json!([{ "title": "a.spec.ts", "specs": [spec("fails", false)], "suites": inner }]);
        assert_eq!(unexpected(&suites).collect::<Vec<_>>(), ["a.spec.ts:7 fails", "a.spec.ts:7 dies"]);
    }

    #[test]
    fn what_does_not_compile_is_a_failure() {
        let reader = read(&["error: could not compile `reprieve` (lib test) due to 1 previous error"]);
        assert_eq!(reader.finish(false), Tally { failed: 1, ..Tally::default() });
    }

    #[test]
    fn the_last_line_mentions_skipped_tests_only_if_there_are_any() {
        let failures = Vec::new();
        let mut tally = Tally { passed: 3, failed: 0, skipped: 0, failures };
        assert_eq!(tally.to_string(), "3 passed, 0 failed");
        tally += Tally { skipped: 2, ..Tally::failed("walk") };
        assert_eq!(tally.to_string(), "3 passed, 1 failed, 2 skipped");
    }
}
