//! The two commands of the README, and what CI runs.
//!
//! `cargo xtask demo` and `cargo xtask test` work on a machine that has Rust,
//! Node and a package manager, and nothing of ours: what is missing is
//! installed first, what is there is left alone. Every other verb is a part of
//! those two, for people who work on Reprieve.

mod architecture;
mod book;
mod browser;
mod browsers;
mod ci;
mod clients;
#[cfg(test)]
mod colours;
mod cycles;
mod demo;
mod dist;
mod fuzz;
mod install;
#[cfg(test)]
mod links;
mod machine;
mod nightly;
mod npm;
mod openssl;
mod peers;
mod programs;
mod proof;
mod python;
mod redis;
mod samples;
mod screenshots;
mod servers;
mod site;
mod speed;
mod step;
mod supply;
mod tally;
mod test;
mod tested;

use std::process::ExitCode;

use anyhow::{Result, bail};

use step::Step;

const USAGE: &str = "\
usage: cargo xtask <verb>

  demo [ARG…]        install what is missing, build, and start the live demo; ARGs go to `reprieve demo`
  test [ARG…]        install what is missing and run every test, the browser's included;
                     ARGs: --rust or --browser for one half, --shard K/N of the browser's, --release for the program that ships
  serve [ARG…]       build without optimisation and start `reprieve serve`; ARGs go to it
  release            build the program that ships into target/release/reprieve
  dist [ARG…]        make the archive and the Debian package of it in target/dist;
                     ARGs: --program FILE for one that is built already, --check to install and use it in a machine of its own

  lint               formatting, lints, documents
  ci                 what CI runs: lint, test, and a minute of faults under load
  nightly [PART…]    what takes longer: models, rig, fuzz, soak, browser, browsers, dist, features, peers,
                     servers
  deny               licences, bans and sources of what we depend on; --advisories adds known faults, and needs a network
  book               build the documents into a site, target/book, by mdBook
  sbom               write the bill of materials into target/reprieve.cdx.json

  model              check every state of the models in tools/proof/model
  proof [ARG…]       let faults happen to a Reprieve under load and judge it; ARGs go to `proof run`
  soak [ARG…]        hours of load on what ships; ARGs go to `proof soak`: [--minutes N], [--ledger FOLDER] …
  mutants [ARG…]     build the scripts wrongly in one small thing after the other, for the tests to catch; ARGs: [--sample N] …
  fuzz [ARG…]        feed every reader of bytes from outside with random input; ARGs: [--seconds N] [TARGET…]

  site               build what the browser loads into server/site
  screenshots        take the pictures of docs/screenshots from a running demo
  speed              measure what ships in the browser, for docs/explanation/benchmarks.md
  python             prepare target/python for the tests of examples/python
  peers              install what the tests of importers run beside them
  clients [ARG…]     test the clients in Python and TypeScript against the program;
                     ARGs: --program FILE for one that is built already, --generate to write their types, --pack to make packages
  architecture       fail if a crate reaches past its neighbour, or modules import each other in a circle
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
    match verb {
        "demo" => demo::demo(rest)?,
        "serve" => demo::serve(rest)?,
        "dist" => dist::dist(rest)?,
        "release" => println!("{}", demo::release()?.display()),
        "test" => return test::test(rest),
        "lint" => return Ok(ci::lint()),
        "ci" => return Ok(ci::ci()),
        "nightly" => return nightly::nightly(rest),
        "deny" => supply::deny(rest)?,
        "sbom" => supply::bill()?,
        "book" => book::book()?,
        "site" => site::build()?,
        "model" => proof::model()?,
        "proof" => proof::rig(rest)?,
        "mutants" => proof::mutants(rest)?,
        "soak" => proof::soak(rest)?,
        "fuzz" => fuzz::fuzz(rest)?,
        "peers" => peers::install()?,
        "clients" => return clients::clients(rest),
        "python" => println!("{}", python::ensure()?.display()),
        "screenshots" => screenshots::take()?,
        "speed" => speed::measure()?,
        "architecture" => Step::new("architecture").measure(architecture::check)?,
        "" | "help" | "-h" | "--help" => print!("{USAGE}"),
        unknown => bail!("there is no verb {unknown:?}\n\n{USAGE}"),
    }
    Ok(ExitCode::SUCCESS)
}
