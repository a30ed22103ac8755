//! What takes longer than anybody waits for: a scheduled workflow runs it, each part in a job of its own.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::step::{cargo, root, succeed};
use crate::tally::Tally;
use crate::test::conclude;
use crate::{browsers, dist, fuzz, peers, proof, servers, site, test};

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
    succeed(
        cargo(["test", "--locked", "--workspace", "--test", "failures"]).env("REPRIEVE_TEST_LARGE", "1"),
    )?;
    mounted_elsewhere()
}

/// A program that mounts the dashboard, built outside this workspace: without its flags, and with what docs/how-to/mount.md
/// says.
fn mounted_elsewhere() -> Result<()> {
    site::build()?;
    let folder = std::env::temp_dir().join(format!("reprieve-mounted-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("src"))?;
    let path = root().display();
    let manifest = format!(
        "[package]\nname = \"shop\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nanyhow = \"1\"\n\
         axum = \"0.8\"\nreprieve = {{ path = \"{path}\" }}\n\
         reprieve-server = {{ path = \"{path}/server\", features = [\"embed\"] }}\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"net\", \"rt-multi-thread\"] }}\ntokio-util = \"0.7\"\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    std::fs::copy(root().join("examples/embedded/shop.rs"), folder.join("src/main.rs"))?;
    // What it is built from takes gigabytes, most of them for debuggers.
    let mut build = Command::new("cargo");
    build.arg("build").current_dir(&folder).env_remove("RUSTFLAGS").env("CARGO_PROFILE_DEV_DEBUG", "0");
    build.env("CARGO_TARGET_DIR", folder.join("target")).env("CARGO_INCREMENTAL", "0");
    let built = succeed(&mut build);
    std::fs::remove_dir_all(&folder)?;
    built
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
