//! What CI runs: everything that does not change the tree, then the tests.

use std::process::ExitCode;

use anyhow::Result;

use crate::install::{self, WASM};
use crate::site::Profile;
use crate::step::{cargo, succeed};
use crate::tally::Tally;
use crate::test::{check, conclude};
use crate::{architecture, browser, fuzz, proof, test, wasm_tree};

/// Runs all checks and all tests; each check counts as one test, and a failing one stops none of the others.
pub(crate) fn ci() -> ExitCode {
    let ahead = test::Ahead::start();
    let mut tally = lints();
    tally += test::everything(false, ahead, || check("faults under load", proof::short_run));
    conclude(&tally)
}

/// The checks alone, with those of the documents and of the browser's part, which compile everything once more: a pull
/// request runs all of these beside the tests.
pub(crate) fn lint() -> ExitCode {
    let mut tally = lints();
    tally += check("documents", documents);
    tally += check("lints of the browser's part", browser_lints);
    conclude(&tally)
}

fn lints() -> Tally {
    let mut tally = Tally::default();
    tally += check("formatting", formatting);
    tally += check("architecture", architecture::check);
    tally += check("dependencies of the browser's part", wasm_tree::check);
    tally += check("lints", server_lints);
    tally += check("types of the tests in the browser", browser::types);
    tally
}

fn formatting() -> Result<()> {
    install::component("rustfmt", "rustfmt")?;
    succeed(&mut cargo(["fmt", "--all", "--check"]))?;
    fuzz::formatting()
}

fn server_lints() -> Result<()> {
    install::component("clippy", "cargo-clippy")?;
    succeed(&mut cargo(["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn browser_lints() -> Result<()> {
    install::wasm_target()?;
    install::component("clippy", "cargo-clippy")?;
    let mut clippy = cargo(["clippy", "--locked", "--package", "app", "--lib", "--target", WASM]);
    clippy.args(["--profile", Profile::Dev.cargo(), "--no-default-features", "--features", "hydrate"]);
    succeed(clippy.args(["--", "-D", "warnings"]))
}

/// Libraries only: the program and the engine share a name, and so would their pages.
fn documents() -> Result<()> {
    succeed(
        cargo(["doc", "--locked", "--workspace", "--lib", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"),
    )
}
