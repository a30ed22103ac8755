//! The two commands of the README, and what CI runs.
//!
//! `cargo xtask demo` and `cargo xtask test` work on a machine that has Rust,
//! Node and a package manager, and nothing of ours: what is missing is
//! installed first, what is there is left alone. Every other verb is a part of
//! those two, for whoever works on Reprieve.

mod architecture;
mod browser;
mod ci;
mod demo;
mod fuzz;
mod install;
mod merge;
mod openssl;
mod proof;
mod python;
mod redis;
mod screenshots;
mod shims;
mod site;
mod snip;
mod soak;
mod speed;
mod split;
mod step;
mod style;
mod tally;
mod test;
mod tested;
mod wasm_tree;
mod words;

use std::process::ExitCode;

use anyhow::{Result, bail};

use site::Profile;
use step::Step;

const USAGE: &str = "\
usage: cargo xtask <verb>

  demo [ARG…]        install what is missing, build, and start the live demo; ARGs go to `reprieve demo`
  test [--release]   install what is missing and run every test, the browser's included
  serve [ARG…]       build without optimisation and start `reprieve serve`; ARGs go to it
  site [--release]   build what the browser loads into target/site
  screenshots        take the pictures of docs/screenshots from a running demo
  speed              measure what ships in the browser, for docs/benchmarks.md
  python             prepare target/python for the tests of examples/python
  prepare            install and build what fuzzing and the tests in the browser need
  wasm-tree          fail if the browser's dependencies hold a server's
  architecture       fail if a crate reaches past its neighbour
  model              look at every state of the models in proof/model
  proof [ARG…]       let faults happen to a Reprieve under load and judge it; ARGs go to `proof run`
  mutants [ARG…]     build the scripts wrongly in one small thing after the other, for the tests to catch; ARGs: [--sample N] …
  soak [ARG…]        hours of load on what ships, with --hostile a minute of attacks, with --export a file of a million jobs; ARGs: [--minutes N], [--ledger FOLDER] …
  fuzz [ARG…]        feed the doors for bytes from outside what nobody thinks of; ARGs: [--seconds N] [TARGET…]
  ci                 formatting, lints, documents, and then `test`
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let verb = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    match run(&verb, &rest) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(verb: &str, rest: &[String]) -> Result<ExitCode> {
    let release = rest.iter().any(|argument| argument == "--release");
    match verb {
        "demo" => demo::demo(rest)?,
        "serve" => demo::serve(rest)?,
        "prepare" => test::prepare(release)?,
        "test" => return Ok(test::test(release)),
        "ci" => return Ok(ci::ci()),
        "site" => {
            install::wasm_target()?;
            site::build(if release { Profile::Release } else { Profile::Dev })?;
        }
        "model" => proof::model()?,
        "proof" => proof::rig(rest)?,
        "mutants" => proof::mutants(rest)?,
        "soak" => soak::soak(rest)?,
        "fuzz" => fuzz::fuzz(rest)?,
        "python" => println!("{}", python::ensure()?.display()),
        "screenshots" => screenshots::take()?,
        "speed" => speed::measure()?,
        "wasm-tree" => Step::new("dependencies of the browser's part").measure(wasm_tree::check)?,
        "architecture" => Step::new("who may name whom").measure(architecture::check)?,
        "" | "help" | "-h" | "--help" => print!("{USAGE}"),
        unknown => bail!("there is no verb {unknown:?}\n\n{USAGE}"),
    }
    Ok(ExitCode::SUCCESS)
}
