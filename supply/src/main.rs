//! What Reprieve is made of, judged and listed without a network.
//!
//! ```sh
//! cargo run -p supply -- check                       # advisories, licences, sources; what CI runs
//! cargo run -p supply -- bill reprieve.cdx.json      # the bill of materials of the program
//! cargo run -p supply -- renew path/to/advisory-db   # a newer copy of the advisories
//! ```

mod advisories;
mod bill;
mod licences;
mod parts;

use anyhow::{Result, bail};
use std::env;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: supply check | supply bill <file> | supply renew <advisory database>";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["check"] => check(),
        ["bill", file] => bill::write(Path::new(file)),
        ["renew", database] => advisories::renew(Path::new(database)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Tells all that is wrong before it fails, not only the first.
fn check() -> Result<()> {
    let parts = parts::all()?;
    let mut wrong = advisories::wrong()?;
    wrong.extend(licences::wrong(&parts));
    if wrong.is_empty() {
        println!("{} packages: no open advisory, every licence and source is allowed", parts.packages.len());
        return Ok(());
    }
    for line in &wrong {
        eprintln!("{line}");
    }
    bail!("{} found; CONTRIBUTING.md says what to do about each", wrong.len())
}
