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
    /// What failed, where that is known: at most as many as failed.
    pub(crate) failures: Vec<Failure>,
}

/// Something that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    name: String,
    /// Lines that say why, as far as they are known. What ran for an hour is read from its end.
    said: Vec<String>,
}

/// So many lines of each failure are repeated at the end.
const SAID_LINES: usize = 64;

impl Failure {
    /// A failure by its name, and what was said of it.
    pub(crate) fn new(name: impl Into<String>, said: &str) -> Failure {
        let mut failure = Failure { name: name.into(), said: Vec::new() };
        said.lines().for_each(|line| failure.read(line));
        failure
    }

    fn read(&mut self, line: &str) {
        match self.said.len() {
            length if length < SAID_LINES => self.said.push(line.to_owned()),
            SAID_LINES => self.said.push("…".to_owned()),
            _ => {}
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed: {}", self.name)?;
        self.said.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}

impl Tally {
    /// One check that passed.
    pub(crate) fn passed() -> Tally {
        Tally { passed: 1, ..Tally::default() }
    }

    /// One check or test that failed.
    pub(crate) fn failed(name: impl Into<String>, said: &str) -> Tally {
        Tally { failed: 1, failures: vec![Failure::new(name, said)], ..Tally::default() }
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
    /// Of whose output the lines are now.
    speaks: Option<String>,
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
            self.tally.failures.push(Failure::new(name, ""));
        } else if let Some(name) =
            line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"))
        {
            self.speaks = Some(name.to_owned());
        } else if line == "failures:" {
            self.speaks = None;
        } else if let Some(name) = &self.speaks
            // The latest of that name: other programs have tests of the same.
            && let Some(failure) = self.tally.failures.iter_mut().rfind(|failure| failure.name == *name)
        {
            failure.read(line);
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
            self.tally += Tally::failed(format!("no result from: {crashed}"), "");
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

/// Where the tests are that failed, what they are called and what they said, over suites within suites. A test that runs in
/// several browsers is one for each.
fn unexpected(suites: &Value) -> Box<dyn Iterator<Item = Failure> + '_> {
    Box::new(each(suites).flat_map(|suite| {
        let tests = each(&suite["specs"]).flat_map(|spec| each(&spec["tests"]).map(move |test| (spec, test)));
        let own = tests.filter(|(_, test)| test["status"] == "unexpected").map(|(spec, test)| {
            let text = |name: &str| spec[name].as_str().unwrap_or_default();
            let place = format!("{}:{} {}", text("file"), spec["line"], text("title"));
            let name = match test["projectName"].as_str() {
                None | Some("") => place,
                Some(browser) => format!("{place} ({browser})"),
            };
            Failure::new(name, &errors(test))
        });
        own.chain(unexpected(&suite["suites"]))
    }))
}

/// What the tries of a test said, without the colours of a terminal.
fn errors(test: &Value) -> String {
    let messages = each(&test["results"]).flat_map(|result| each(&result["errors"]));
    let said: Vec<String> = messages
        .filter_map(|error| {
            error["message"].as_str().map(anstream::adapter::strip_str).map(|text| text.to_string())
        })
        .collect();
    said.join("\n")
}

/// The values of an array; none of what is missing.
fn each(array: &Value) -> impl Iterator<Item = &Value> {
    array.as_array().into_iter().flatten()
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
        assert_eq!(
            tally.failures,
            [Failure::new("no result from: Running tests/walk.rs (target/debug/deps/walk-1)", "")]
        );
    }

    #[test]
    fn what_failed_is_named_and_says_why() {
        let reader = read(&[
            "     Running tests/walk.rs (target/debug/deps/walk-1)",
            "test long::walk ... ok",
            "test short::walk ... FAILED",
            "test wide::walk ... FAILED",
            "",
            "failures:",
            "",
            "---- short::walk stdout ----",
            "thread 'short::walk' panicked at tests/walk.rs:7:9:",
            "too short",
            "---- wide::walk stdout ----",
            "too wide",
            "",
            "failures:",
            "    short::walk",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s",
        ]);
        let short =
            Failure::new("short::walk", "thread 'short::walk' panicked at tests/walk.rs:7:9:\ntoo short");
        let failures = reader.finish(false).failures;
        assert_eq!(failures, [short, Failure::new("wide::walk", "too wide\n\n")]);
        assert_eq!(failures[1].to_string(), "failed: wide::walk\n  too wide\n  ");

        let test = |browser: &str, status: &str| {
            let results = json!([{ "errors": [{ "message": "\u{1b}[31mno row\u{1b}[39m" }] }]);
            json!({ "projectName": browser, "status": status, "results": results })
        };
        let spec = |title: &str, tests: &[Value]| json!({ "title": title, "file": "a.spec.ts", "line": 7, "tests": tests });
        let [dies, lives] = [test("", "unexpected"), test("", "expected")];
        let inner = json!([{ "title": "phone", "specs": [spec("dies", &[dies]), spec("lives", &[lives])] }]);
        let own = spec("hangs", &[test("firefox", "expected"), test("webkitgtk", "unexpected")]);
        let suites = json!([{ "title": "a.spec.ts", "specs": [own], "suites": inner }]);
        let failed = |title: &str| Failure::new(format!("a.spec.ts:7 {title}"), "no row");
        assert_eq!(unexpected(&suites).collect::<Vec<_>>(), [failed("hangs (webkitgtk)"), failed("dies")]);
    }

    #[test]
    fn of_a_failure_only_so_many_lines_are_repeated() {
        let long: Vec<String> = (0..=SAID_LINES).map(|number| number.to_string()).collect();
        let failure = Failure::new("talks", &long.join("\n")).to_string();
        assert!(failure.ends_with(&format!("\n  {}\n  …", SAID_LINES - 1)), "{failure}");
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
        tally += Tally { skipped: 2, ..Tally::failed("walk", "") };
        assert_eq!(tally.to_string(), "3 passed, 1 failed, 2 skipped");
    }
}
