//! The proof: the protocol's models, every state of which is looked at, and the rig, which breaks the real thing.

use std::process::Command;

use anyhow::Result;

use crate::step::{Step, cargo, root, succeed, succeed_or_tell};
use crate::{demo, redis, tested};

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

/// Tries mutants of the scripts; arguments go to `proof mutants`, which builds the tests it needs.
pub(crate) fn mutants(rest: &[String]) -> Result<()> {
    redis::ensure()?;
    succeed(Command::new(tested::program("proof")?).arg("mutants").args(rest).current_dir(root()))
}

/// The run that CI includes, with faults that are new every time. Its report names the seed. In less than a minute chance alone
/// could leave too few faults that meet work.
pub(crate) fn short_run() -> Result<()> {
    rig(&["--minutes".to_owned(), "1".to_owned()])
}

/// Lives with the program that ships under load, and judges what it needs; arguments go to `proof soak`.
pub(crate) fn soak(rest: &[String]) -> Result<()> {
    let program = demo::release()?;
    let judge = tested::program("proof")?;
    succeed(Command::new(judge).arg("soak").args(rest).arg("--program").arg(program).current_dir(root()))
}
