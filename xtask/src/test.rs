//! Every test there is, and one line that says how they went.

use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context, Result};

use crate::site::{self, Profile};
use crate::step::{Step, cargo, read_lines, target_dir};
use crate::tally::{self, CargoTest, Tally};
use crate::{browser, demo, fuzz, install, openssl, proof, python, redis, tested, wasm_tree};

/// Runs all tests and ends with the line `N passed, N failed`.
///
/// `release` tests the program that ships, in the browser. By default that
/// part runs unoptimised on both sides: most of it was compiled for the other
/// tests anyway, which saves minutes, and Leptos then warns of its misuse on
/// the console, where the tests in the browser look.
pub(crate) fn test(release: bool) -> ExitCode {
    conclude(&count(release))
}

/// The last lines of the output, and the exit code that fits them: what failed and why, and how many.
pub(crate) fn conclude(tally: &Tally) -> ExitCode {
    println!();
    tally.failures.iter().for_each(|failure| println!("{failure}"));
    println!("{tally}");
    if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs all tests. What cannot run counts as a failure, and the rest runs still.
pub(crate) fn count(release: bool) -> Tally {
    let mut tally = Tally::default();
    tally += check("dependencies of the browser's part", wasm_tree::check);
    tally += part("tests in Rust", || rust_tests(release));
    tally += check("the models", proof::model);
    tally += check("faults under load", proof::short_run);
    tally += check("fuzzing", fuzz::short_run);
    tally += part("tests in the browser", || browser_tests(release));
    tally
}

/// One check that counts as one test.
pub(crate) fn check(name: &str, work: impl FnOnce() -> Result<()>) -> Tally {
    part(name, || work().map(|()| Tally::passed()))
}

fn part(name: &str, work: impl FnOnce() -> Result<Tally>) -> Tally {
    match Step::new(name).measure(work) {
        Ok(tally) => {
            eprintln!("  {name}: {tally}");
            tally
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            Tally::failed(name, &format!("{error:#}"))
        }
    }
}

/// The tests of engine and API, which run as a Redis user that may do no more than the recipe of `reprieve acl` says: all
/// that work on a namespace of [`TestRedis`]'s making. Each looks at the end that Redis refused nothing.
///
/// [`TestRedis`]: ../../src/testing/mod.rs
const CONFINED: &str = "transitions,runtime,walk,cron,cells,outlets,inlets,faults,api";

/// Unit, integration and documentation tests of the workspace.
///
/// `server` switches `ssr` on for `app`, so its tests run as the server sees it.
fn rust_tests(release: bool) -> Result<Tally> {
    redis::ensure()?;
    let (_, mut tally) = prepared("openssl", openssl::ensure);
    let (python, lacking) = prepared("Python for the tests of examples", python::ensure);
    tally += lacking;
    Step::new("compiling the tests in Rust").run(cargo(RUST_TESTS).arg("--no-run"))?;
    let ahead = Ahead::start(release)?;
    let mut tests = cargo(RUST_TESTS);
    tests.env("REPRIEVE_TEST_ACL", CONFINED).envs(python.map(|python| ("REPRIEVE_PYTHON", python)));
    if std::env::var_os(THREADS).is_none() {
        let cores = std::thread::available_parallelism()?.get();
        tests.env(THREADS, (cores * TESTS_A_CORE).to_string());
    }
    let mut counting = CargoTest::default();
    let succeeded = read_lines(&mut tests, |line| {
        counting.read(line);
    });
    ahead.wait()?;
    tally += counting.finish(succeeded?);
    Ok(tally)
}

/// Prepares what some of the tests need. Where that fails it is a failure by itself, and the rest runs still.
fn prepared<T>(name: &str, work: impl FnOnce() -> Result<T>) -> (Option<T>, Tally) {
    match work() {
        Ok(there) => (Some(there), Tally::default()),
        Err(error) => {
            eprintln!("error: {name}: {error:#}");
            (None, Tally::failed(name, &format!("{error:#}")))
        }
    }
}

const RUST_TESTS: [&str; 4] = ["test", "--locked", "--workspace", "--no-fail-fast"];
/// Where the harness of Rust's tests looks how many it runs at once.
const THREADS: &str = "RUST_TEST_THREADS";
/// Tests at once for each core: two thirds of what they take is waiting, for due times and for Redis.
const TESTS_A_CORE: usize = 2;

/// What the later parts need, built with what the tests in Rust leave of the machine.
struct Ahead(Child);

impl Ahead {
    /// Starts [`prepare`] as a process that stands back for every other.
    fn start(release: bool) -> Result<Self> {
        let mut prepare = Command::new("nice");
        prepare.args(["-n", "19"]).arg(std::env::current_exe()?).arg("prepare");
        if release {
            prepare.arg("--release");
        }
        Ok(Self(prepare.stdin(Stdio::null()).spawn().context("cannot start nice")?))
    }

    /// Waits for its end. What could not be built is tried again where it is needed, and fails there.
    fn wait(mut self) -> Result<()> {
        self.0.wait()?;
        Ok(())
    }
}

/// Installs and builds what fuzzing and the tests in the browser need.
pub(crate) fn prepare(release: bool) -> Result<()> {
    fuzz::build()?;
    install::wasm_target()?;
    site::build(if release { Profile::Release } else { Profile::Dev })?;
    browser::ensure().map(drop)
}

/// Playwright against the real program and its embedded Redis.
fn browser_tests(release: bool) -> Result<Tally> {
    install::wasm_target()?;
    redis::ensure()?;
    let program = program(release)?;
    let report = target_dir().join("xtask/playwright.json");
    if report.exists() {
        std::fs::remove_file(&report)?;
    }
    let mut command = browser::playwright(&["test", "--reporter=list,json"])?;
    command.env("REPRIEVE", program).env("PLAYWRIGHT_JSON_OUTPUT_NAME", &report);
    let succeeded = read_lines(&mut command, |_| {})?;
    Ok(tally::playwright(&report)?.failing_unless(succeeded))
}

fn program(release: bool) -> Result<PathBuf> {
    if release {
        site::build(Profile::Release)?;
        return demo::release_server();
    }
    site::build(Profile::Dev)?;
    tested::program("reprieve")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_prepared_is_one_failure_and_the_rest_goes_on() {
        let (there, mut tally) = prepared("openssl", || Ok(1));
        assert_eq!((there, &tally), (Some(1), &Tally::default()));

        let (there, lacking) = prepared::<u8>("Python", || anyhow::bail!("PyPI does not answer"));
        tally += lacking;

        assert_eq!((there, tally.failed, tally.passed), (None, 1, 0));
        assert!(tally.failures.iter().any(|failure| failure.to_string().contains("PyPI does not answer")));
    }
}
