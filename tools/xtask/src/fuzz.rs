//! Fuzzing: the targets of `tools/fuzz`, built with the fuzzer's counters in them and run for a while.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::install::{Package, on_path, package};
use crate::step::{Step, cargo, output, root, succeed, target_dir};

/// What is fuzzed, each a program of `tools/fuzz`.
const TARGETS: [&str; 8] =
    ["bodies", "configuration", "csv", "filters", "foreign", "jobs", "replies", "tokens"];
/// How long each runs when nobody says.
const SECONDS: u64 = 60;
/// Targets at once: the machines of CI have two cores.
const AT_ONCE: usize = 2;
/// Longest input, bytes: everything that is read here is decided by its beginning.
const INPUT_BYTES_MAX: usize = 4_096;
/// One input that takes so many seconds is a finding.
const HANGS_AFTER_SECONDS: u64 = 20;
/// A target that grows beyond so many MiB is a finding.
const MEMORY_MIB_MAX: usize = 1_024;
/// Lines of a fuzzer that show what it found.
const LINES_SHOWN: usize = 40;

/// libFuzzer is C++; libfuzzer-sys compiles it.
const COMPILER: Package =
    Package { title: "a C++ compiler", apt: "g++", dnf: "gcc-c++", apk: "g++", pacman: "gcc", brew: "gcc" };

/// What libFuzzer is led by: a counter for each branch, and what is compared with what. Stable flags all of them; a
/// sanitizer would want the nightly toolchain, and has little to find in a program without `unsafe`.
const FLAGS: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// What somebody asked for.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    seconds: u64,
    targets: Vec<&'static str>,
}

/// Runs the targets that are named, or all of them: `[--seconds N] [TARGET…]`.
pub(crate) fn fuzz(arguments: &[String]) -> Result<()> {
    let wanted = read(arguments)?;
    Fuzzers::build()?.run(&wanted)
}

fn read(arguments: &[String]) -> Result<Wanted> {
    let mut wanted = Wanted { seconds: SECONDS, targets: Vec::new() };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--seconds" {
            let number = words.next().context("--seconds wants a number")?;
            wanted.seconds =
                number.parse().with_context(|| format!("--seconds wants a number, not {number:?}"))?;
        } else if let Some(target) = TARGETS.into_iter().find(|target| target == word) {
            wanted.targets.push(target);
        } else {
            bail!("there is no target {word:?}; there are {}", TARGETS.join(", "));
        }
    }
    if wanted.targets.is_empty() {
        wanted.targets = TARGETS.to_vec();
    }
    Ok(wanted)
}

/// The built programs.
struct Fuzzers {
    programs: PathBuf,
}

impl Fuzzers {
    /// Builds all targets. In a folder of their own: the flags would have everything else compiled anew.
    fn build() -> Result<Self> {
        if on_path("c++").is_none() {
            package(&COMPILER)?;
        }
        let host = host()?;
        let folder = target_dir().join("fuzz");
        // With a target named, neither build scripts nor macros get the flags.
        let mut build = cargo(["build", "--locked", "--quiet", "--bins", "--target", &host]);
        build.arg("--manifest-path").arg(root().join("tools/fuzz/Cargo.toml"));
        build.arg("--target-dir").arg(&folder).env("RUSTFLAGS", FLAGS.join(" "));
        Step::new("building the fuzz targets").run(&mut build)?;
        Ok(Self { programs: folder.join(host).join("debug") })
    }

    /// Runs targets, some at once, and fails with what they found.
    fn run(&self, wanted: &Wanted) -> Result<()> {
        let Wanted { seconds, targets } = wanted;
        let name = format!("fuzzing {} for {seconds} s each", targets.join(", "));
        Step::new(name).measure(|| {
            let mut found = Vec::new();
            for some in targets.chunks(AT_ONCE) {
                let running: Vec<Running> =
                    some.iter().map(|target| self.start(target, *seconds)).collect::<Result<_>>()?;
                for one in running {
                    found.extend(one.finish()?);
                }
            }
            if found.is_empty() { Ok(()) } else { bail!("{}", found.join("\n\n")) }
        })
    }

    fn start(&self, target: &'static str, seconds: u64) -> Result<Running> {
        let work = target_dir().join("fuzz/found").join(target);
        let corpus = work.join("corpus");
        std::fs::create_dir_all(&corpus)?;
        let log = work.join("log");
        let file = std::fs::File::create(&log)?;
        let program = self.programs.join(target);
        let mut command = Command::new(&program);
        command
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-max_len={INPUT_BYTES_MAX}"))
            .arg(format!("-timeout={HANGS_AFTER_SECONDS}"))
            .arg(format!("-rss_limit_mb={MEMORY_MIB_MAX}"))
            .arg(format!("-artifact_prefix={}/", work.display()))
            .arg("-print_final_stats=1")
            // What is found is kept in the first folder; the others are read.
            .arg(&corpus)
            .arg(root().join("tools/fuzz/seeds").join(target));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
        let child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
        Ok(Running { target, program, log, child })
    }
}

/// A target on its way.
struct Running {
    target: &'static str,
    program: PathBuf,
    log: PathBuf,
    child: Child,
}

impl Running {
    /// Says how far it came; what it found, if it found something.
    fn finish(mut self) -> Result<Option<String>> {
        let ended = self.child.wait()?;
        let log = std::fs::read(&self.log)?;
        let log = String::from_utf8_lossy(&log);
        if ended.success() {
            let (inputs, places) = figures(&log);
            eprintln!("  {}: {inputs} inputs, {places} places reached", self.target);
            return Ok(None);
        }
        let lines: Vec<&str> = log.lines().collect();
        let last = lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n");
        let again = match lines.iter().find_map(|line| line.split_once("Test unit written to ")) {
            Some((_, file)) => format!("; once more with: {} {file}", self.program.display()),
            None => String::new(),
        };
        Ok(Some(format!("{last}\n{} found something{again}", self.target)))
    }
}

/// How many inputs were tried, and how many places of the program they reached.
fn figures(log: &str) -> (u64, u64) {
    let tried = log.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let reached = log.lines().rev().find_map(|line| line.split_once(" cov: ")?.1.split(' ').next());
    let number = |text: Option<&str>| text.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    (number(tried), number(reached))
}

/// The machine that compiles, in Rust's words.
fn host() -> Result<String> {
    let said = output(Command::new("rustc").arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(ToOwned::to_owned).context("rustc does not say for which machine it compiles")
}

/// Formatting of what the workspace does not include.
pub(crate) fn formatting() -> Result<()> {
    let manifest: &Path = &root().join("tools/fuzz/Cargo.toml");
    succeed(cargo(["fmt", "--check", "--manifest-path"]).arg(manifest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &[&str]) -> Result<Wanted> {
        read(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn targets_and_seconds_are_read_and_without_any_all_run() {
        assert_eq!(asked(&[]).unwrap(), Wanted { seconds: SECONDS, targets: TARGETS.to_vec() });
        assert_eq!(
            asked(&["csv", "--seconds", "5", "jobs"]).unwrap(),
            Wanted { seconds: 5, targets: vec!["csv", "jobs"] }
        );
        for wrong in [&["cvs"][..], &["--seconds"], &["--seconds", "soon"]] {
            assert!(asked(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn every_target_has_a_program_and_seeds() {
        for target in TARGETS {
            assert!(root().join(format!("tools/fuzz/targets/{target}.rs")).is_file(), "{target}");
            let seeds = root().join("tools/fuzz/seeds").join(target).read_dir().unwrap();
            assert!(seeds.count() >= 3, "{target} has too few seeds");
        }
    }

    #[test]
    fn figures_are_found_in_what_the_fuzzer_says() {
        let log = "#2\tINITED cov: 8 ft: 9 corp: 1/1b\n#90\tDONE   cov: 512 ft: 9 corp: 1/1b lim: 4\n\
                   stat::number_of_executed_units: 90\nstat::average_exec_per_sec:     9\n";
        assert_eq!(figures(log), (90, 512));
    }
}
