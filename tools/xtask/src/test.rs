//! Every test there is, and one line that says how they went.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::step::{Step, cargo, read_lines, target_dir};
use crate::tally::{self, CargoTest, Tally};
use crate::{browser, clients, demo, npm, openssl, programs, python, redis, site, tested};

/// Which tests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Everything,
    Rust,
    Browser,
}

/// What somebody asked for: `[--rust | --browser] [--release] [--shard K/N]`.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    scope: Scope,
    /// The browser visits the program that ships. By default it is the unoptimised one, which was compiled for the other
    /// tests anyway.
    release: bool,
    /// Which part of the tests in the browser: `2/4`.
    shard: Option<String>,
}

fn read(arguments: &[String]) -> Result<Wanted> {
    let mut wanted = Wanted { scope: Scope::Everything, release: false, shard: None };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rust" => wanted.scope = Scope::Rust,
            "--browser" => wanted.scope = Scope::Browser,
            "--release" => wanted.release = true,
            "--shard" => wanted.shard = Some(words.next().context("--shard wants K/N, such as 2/4")?.clone()),
            other => {
                bail!("test does not know {other:?}; it knows --rust, --browser, --release and --shard K/N")
            }
        }
    }
    if wanted.shard.is_some() && wanted.scope != Scope::Browser {
        bail!("--shard divides the tests in the browser: say --browser too");
    }
    Ok(wanted)
}

/// Runs the tests and ends with the line `N passed, N failed`.
pub(crate) fn test(arguments: &[String]) -> Result<ExitCode> {
    let Wanted { scope, release, shard } = read(arguments)?;
    Ok(conclude(&match shard {
        Some(shard) => part("tests in the browser", || browser_tests(release, Some(&shard))),
        None => count(scope, release),
    }))
}

/// The last lines of the output, and the exit code that fits them: what failed and why, and how many.
pub(crate) fn conclude(tally: &Tally) -> ExitCode {
    println!();
    tally.failures.iter().for_each(|failure| println!("{failure}"));
    println!("{tally}");
    if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs tests. What cannot run counts as a failure, and the rest runs still.
pub(crate) fn count(scope: Scope, release: bool) -> Tally {
    match scope {
        Scope::Everything => everything(release, compile, Tally::default),
        Scope::Rust => {
            compile();
            part("tests in Rust", rust_tests)
        }
        Scope::Browser => part("tests in the browser", || browser_tests(release, None)),
    }
}

/// Runs all tests: once `compile` is over, those in the browser beside those in Rust, which spend half their time waiting
/// for Redis and for due times, and beside what comes `then`.
pub(crate) fn everything(
    release: bool,
    compile: impl FnOnce() -> Tally,
    then: impl FnOnce() -> Tally,
) -> Tally {
    let mut tally = compile();
    std::thread::scope(|scope| {
        let browser = scope.spawn(move || part("tests in the browser", || browser_tests(release, None)));
        tally += part("tests in Rust", rust_tests);
        tally += then();
        let panicked = |_| Tally::failed("tests in the browser", "what runs them panicked");
        tally += browser.join().unwrap_or_else(panicked);
        tally
    })
}

/// Compiles all tests in Rust. What does not compile fails once more where it is run: here it counts for nothing.
fn compile() -> Tally {
    let _ = part("compiling the tests in Rust", || tested::build().map(|()| Tally::default()));
    Tally::default()
}

/// One check that counts as one test.
pub(crate) fn check(name: &str, work: impl FnOnce() -> Result<()>) -> Tally {
    part(name, || work().map(|()| Tally::passed()))
}

/// Some tests under one name; what keeps them from running is a failure.
pub(crate) fn part(name: &str, work: impl FnOnce() -> Result<Tally>) -> Tally {
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

const RUST_TESTS: [&str; 3] = ["test", "--locked", "--workspace"];
/// Where the harness of Rust's tests looks how many it runs at once.
const THREADS: &str = "RUST_TEST_THREADS";
/// Tests of a program at once for each core: most of what they take is waiting, for due times and for Redis.
const TESTS_A_CORE: usize = 4;

/// Unit, integration and documentation tests of the workspace.
///
/// All that work on a namespace of
/// [`TestRedis`]'s making run as a Redis user that may do no more than the recipe of `reprieve acl` says; each looks at its
/// end that Redis refused nothing.
///
/// [`TestRedis`]: ../../../src/testing/mod.rs
fn rust_tests() -> Result<Tally> {
    redis::ensure()?;
    let (_, mut tally) = prepared("openssl", openssl::ensure);
    let (python, lacking) = prepared("Python for the tests of examples", python::ensure);
    tally += lacking;
    let (_, lacking) = prepared("BullMQ for the tests of importers", npm::peers);
    tally += lacking;
    let threads = threads()?;
    let prepare = |command: &mut Command| {
        command.env("REPRIEVE_TEST_ACL", "1").env(THREADS, &threads);
        command.envs(python.as_ref().map(|python| ("REPRIEVE_PYTHON", python)));
    };
    tally += programs::run(programs::built(&mut cargo(RUST_TESTS))?, prepare);
    tally += clients::tests(&target_dir().join("debug/reprieve"));
    let mut documents = cargo(RUST_TESTS);
    prepare(documents.args(["--doc", "--no-fail-fast"]));
    let mut counting = CargoTest::default();
    let succeeded = read_lines(&mut documents, |line| counting.read(line))?;
    tally += counting.finish(succeeded);
    Ok(tally)
}

/// How many tests of a program run at once.
pub(crate) fn threads() -> Result<String> {
    Ok(match std::env::var(THREADS) {
        Ok(said) => said,
        Err(_) => (std::thread::available_parallelism()?.get() * TESTS_A_CORE).to_string(),
    })
}

/// Prepares what some of the tests need. Where that fails it is a failure by itself, and the rest runs still.
pub(crate) fn prepared<T>(name: &str, work: impl FnOnce() -> Result<T>) -> (Option<T>, Tally) {
    match work() {
        Ok(there) => (Some(there), Tally::default()),
        Err(error) => {
            eprintln!("error: {name}: {error:#}");
            (None, Tally::failed(name, &format!("{error:#}")))
        }
    }
}

fn browser_tests(release: bool, shard: Option<&str>) -> Result<Tally> {
    let mut command = browser::playwright(&["test", "--reporter=list,json"])?;
    command.args(shard.map(|shard| format!("--shard={shard}")));
    in_browser(command, release)
}

/// Playwright against the real program and its embedded Redis.
pub(crate) fn in_browser(mut command: Command, release: bool) -> Result<Tally> {
    redis::ensure()?;
    let program = program(release)?;
    let report = target_dir().join("xtask/playwright.json");
    if report.exists() {
        std::fs::remove_file(&report)?;
    }
    command.env("REPRIEVE", program).env("PLAYWRIGHT_JSON_OUTPUT_NAME", &report);
    // The program that ships is visited at night, when there is time for all.
    if release {
        command.env("REPRIEVE_TEST_LARGE", "1");
    }
    let succeeded = read_lines(&mut command, |_| {})?;
    Ok(tally::playwright(&report)?.failing_unless(succeeded))
}

fn program(release: bool) -> Result<PathBuf> {
    if release {
        return demo::release();
    }
    site::build()?;
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

    #[test]
    fn arguments_choose_the_tests() {
        let asked = |words: &str| read(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let everything = Wanted { scope: Scope::Everything, release: false, shard: None };
        assert_eq!(asked("").unwrap(), everything);
        let shard = Wanted { scope: Scope::Browser, release: true, shard: Some("2/4".to_owned()) };
        assert_eq!(asked("--browser --shard 2/4 --release").unwrap(), shard);
        for wrong in ["--all", "--shard", "--shard 1/2", "--rust --shard 1/2"] {
            assert!(asked(wrong).is_err(), "{wrong}");
        }
    }
}
