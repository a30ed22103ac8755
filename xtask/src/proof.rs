//! The proof: the protocol's models, every state of which is looked at, and the rig, which breaks the real thing.

use std::process::Command;

use anyhow::Result;

use crate::step::{Step, cargo, root, succeed, succeed_or_tell, target_dir};
use crate::{redis, tested};

/// Looks at every state of the models. Optimised, for there are tens of millions: ten minutes unoptimised.
pub(crate) fn model() -> Result<()> {
    Step::new("every state of the models").run(&mut cargo([
        "run",
        "--release",
        "--locked",
        "--quiet",
        "--package",
        "proof-model",
    ]))
}

/// Lets faults happen to a Reprieve under load, and judges it; arguments go to `proof run`.
pub(crate) fn rig(rest: &[String]) -> Result<()> {
    redis::ensure()?;
    succeed_or_tell(Command::new(tested::program("proof")?).arg("run").args(rest).current_dir(root()))
}

/// Tries mutants of the scripts; arguments go to `proof mutants`.
///
/// The engine, its tests and the proof are compiled once more, with a feature that no other build asks for.
pub(crate) fn mutants(rest: &[String]) -> Result<()> {
    redis::ensure()?;
    let features = "--features=reprieve/flaws,proof/flaws";
    // One test, so that cargo chooses the same features as the program will for its tests.
    let targets = ["--bin", "proof", "--test", "transitions"];
    let mut build = cargo(["build", "--locked", "--workspace", features]);
    Step::new("compiling proof with its flaws (dev)").run(build.args(targets))?;
    let program = target_dir().join("debug").join("proof");
    succeed(Command::new(program).arg("mutants").args(rest).current_dir(root()))
}

/// The run that every suite includes: two minutes, with faults that are new every time. Its report names the seed.
pub(crate) fn short_run() -> Result<()> {
    rig(&["--minutes".to_owned(), "2".to_owned()])
}
