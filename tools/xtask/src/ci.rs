//! What CI runs: everything that does not change the tree, then the tests.

use std::process::ExitCode;

use anyhow::Result;

use crate::install;
use crate::step::{cargo, succeed};
use crate::tally::Tally;
use crate::test::{check, conclude};
use crate::{architecture, browser, fuzz, proof, test, tested};

/// Runs all checks and all tests; each check counts as one test, and a failing one stops none of the others.
pub(crate) fn ci() -> ExitCode {
    let mut tally = checks();
    let compile = || check("compiling the tests in Rust, with lints", compile_with_lints);
    tally += test::everything(false, compile, || check("faults under load", proof::short_run));
    conclude(&tally)
}

/// The checks alone, with those of the documents, which compile everything once more: a pull request runs all of these
/// beside the tests.
pub(crate) fn lint() -> ExitCode {
    let mut tally = checks();
    tally += check("lints", clippy);
    tally += check("documents", documents);
    conclude(&tally)
}

/// What needs nothing compiled.
fn checks() -> Tally {
    let mut tally = Tally::default();
    tally += check("formatting", formatting);
    tally += check("architecture", architecture::check);
    tally += check("types of the tests in the browser", browser::types);
    tally
}

fn formatting() -> Result<()> {
    install::component("rustfmt", "rustfmt")?;
    succeed(&mut cargo(["fmt", "--all", "--check"]))?;
    fuzz::formatting()
}

fn compile_with_lints() -> Result<()> {
    install::component("clippy", "clippy-driver")?;
    tested::build_with_lints()
}

fn clippy() -> Result<()> {
    install::component("clippy", "cargo-clippy")?;
    succeed(&mut cargo(["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// Libraries only: the program and the engine share a name, and so would their pages.
fn documents() -> Result<()> {
    succeed(
        cargo(["doc", "--locked", "--workspace", "--lib", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"),
    )
}
