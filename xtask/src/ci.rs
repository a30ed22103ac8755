//! What CI runs: everything that does not change the tree, then the tests.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::install::{self, WASM};
use crate::step::{cargo, root, succeed};
use crate::test::{check, conclude, count};
use crate::{architecture, browser, fuzz, tally::Tally, tested};

/// Runs all checks and all tests; each check counts as one test, and a failing one stops none of the others.
pub(crate) fn ci() -> ExitCode {
    let mut tally = Tally::default();
    tally += check("formatting", formatting);
    tally += check("who may name whom", architecture::check);
    tally += check("lints of the server's part", lints);
    tally += check("lints of the engine without people", engine_lints);
    tally += check("lints of the browser's part", browser_lints);
    tally += check("documents", documents);
    tally += check("types of the tests in the browser", browser::types);
    tally += count(false);
    tally += check("what we depend on", supply);
    conclude(&tally)
}

fn formatting() -> Result<()> {
    install::component("rustfmt", "rustfmt")?;
    succeed(&mut cargo(["fmt", "--all", "--check"]))?;
    fuzz::formatting()
}

fn lints() -> Result<()> {
    install::component("clippy", "cargo-clippy")?;
    succeed(&mut cargo(["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// As programs have it that show no screens.
fn engine_lints() -> Result<()> {
    succeed(cargo(["clippy", "--locked", "--package", "reprieve", "--lib"]).args([
        "--no-default-features",
        "--features",
        "engine",
        "--",
        "-D",
        "warnings",
    ]))
}

fn browser_lints() -> Result<()> {
    install::wasm_target()?;
    succeed(cargo(["clippy", "--locked", "--package", "app", "--lib", "--target", WASM]).args([
        "--no-default-features",
        "--features",
        "hydrate",
        "--",
        "-D",
        "warnings",
    ]))
}

fn supply() -> Result<()> {
    succeed(Command::new(tested::program("supply")?).arg("check").current_dir(root()))
}

/// Libraries only: the program and the engine share a name, and so would their pages.
fn documents() -> Result<()> {
    succeed(
        cargo(["doc", "--locked", "--workspace", "--lib", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"),
    )
}
