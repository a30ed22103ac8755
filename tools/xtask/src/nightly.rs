//! What takes longer than anybody waits for: a scheduled workflow runs it, each part in a job of its own.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::step::{cargo, succeed};
use crate::tally::Tally;
use crate::test::conclude;
use crate::{browsers, dist, fuzz, peers, proof, servers, test};

/// A part: its name on the command line, and what it does.
type Part = (&'static str, fn() -> Result<Tally>);

const PARTS: [Part; 10] = [
    ("models", || proof::model().map(|()| Tally::passed())),
    ("rig", || proof::rig(&words("--minutes 20")).map(|()| Tally::passed())),
    ("fuzz", || fuzz::fuzz(&words("--seconds 300")).map(|()| Tally::passed())),
    ("soak", || proof::soak(&words("--minutes 60")).map(|()| Tally::passed())),
    ("browser", || Ok(test::count(test::Scope::Browser, true))),
    ("browsers", || test::in_browser(browsers::stories()?, true)),
    ("dist", || dist::dist(&words("--check")).map(|()| Tally::passed())),
    ("features", || features().map(|()| Tally::passed())),
    ("peers", || peers::nightly().map(|()| Tally::passed())),
    ("servers", servers::nightly),
];

/// Runs the parts that are named, or all of them.
pub(crate) fn nightly(names: &[String]) -> Result<ExitCode> {
    let find = |name: &String| {
        let known = PARTS.iter().find(|(known, _)| known == name);
        let all = || PARTS.map(|(name, _)| name).join(", ");
        known.with_context(|| format!("nightly has no part {name:?}; it has {}", all()))
    };
    let named = names.iter().map(find).collect::<Result<Vec<_>>>()?;
    let parts = if named.is_empty() { PARTS.iter().collect() } else { named };
    let mut tally = Tally::default();
    for (name, work) in parts {
        tally += test::part(name, work);
    }
    Ok(conclude(&tally))
}

/// The feature set that no other build has, the server with OTLP; the drivers of the bench, and tests of sheer number at full
/// size.
fn features() -> Result<()> {
    let traces = words("--package reprieve-server --features otlp");
    succeed(cargo(["clippy", "--locked"]).args(&traces).args(["--", "-D", "warnings"]))?;
    succeed(cargo(["test", "--locked", "--lib"]).args(traces).arg("otlp"))?;
    succeed(&mut cargo([
        "test",
        "--locked",
        "--package",
        "reprieve-bench",
        "--test",
        "smoke",
        "--",
        "--ignored",
    ]))?;
    succeed(cargo(["test", "--locked", "--workspace", "--test", "failures"]).env("REPRIEVE_TEST_LARGE", "1"))
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_part_is_answered_with_those_there_are() {
        let why = nightly(&words("rigg")).unwrap_err().to_string();
        assert!(why.contains("\"rigg\"") && why.contains("models, rig, fuzz"), "{why}");
    }
}
