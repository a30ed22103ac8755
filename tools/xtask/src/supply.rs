//! What we depend on: `deny.toml` judges it, and the bill of materials lists it.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::dist::committed_at;
use crate::install::on_path;
use crate::step::{Step, cargo, output, root, target_dir};

/// Licences, bans and sources; with `--advisories` known faults too, which are fetched.
pub(crate) fn deny(arguments: &[String]) -> Result<()> {
    let mut checks = vec!["licenses", "bans", "sources"];
    for argument in arguments {
        match argument.as_str() {
            "--advisories" => checks.push("advisories"),
            other => bail!("deny does not know {other:?}; it knows --advisories"),
        }
    }
    installed("cargo-deny")?;
    let mut judge = cargo(["deny", "--locked", "--workspace", "--all-features", "check"]);
    Step::new("what we depend on").run(judge.args(checks))
}

/// Where cargo-cyclonedx writes a bill besides the root: it writes one for each member of the workspace.
const MEMBERS: [&str; 7] =
    ["app", "crates/import", "server", "tools/bench", "tools/proof", "tools/proof/model", "tools/xtask"];
/// The bill, below `target`.
const BILL: &str = "reprieve.cdx.json";

/// Writes the bill of materials of the program: CycloneDX 1.5, JSON.
pub(crate) fn bill() -> Result<()> {
    installed("cargo-cyclonedx")?;
    let bill = target_dir().join(BILL);
    Step::new("the bill of materials").measure(|| {
        let mut write = cargo(["cyclonedx", "--format", "json", "--spec-version", "1.5"]);
        write.args(["--features", "embed", "--override-filename", "reprieve.cdx"]);
        // Without it each bill has another serial number.
        write.env("SOURCE_DATE_EPOCH", committed_at()?).arg("--manifest-path").arg("server/Cargo.toml");
        output(&mut write)?;
        let text =
            std::fs::read_to_string(root().join("server").join(BILL)).context("no bill was written")?;
        // It writes one for each member of the workspace, and the builder's folders into each.
        for folder in [""].iter().chain(&MEMBERS) {
            let other = root().join(folder).join(BILL);
            if other.exists() {
                std::fs::remove_file(other)?;
            }
        }
        Ok(std::fs::write(&bill, without_folder(&text, root()))?)
    })?;
    println!("{}", bill.display());
    Ok(())
}

fn without_folder(text: &str, folder: &Path) -> String {
    text.replace(&format!("path+file://{}", folder.display()), "path+file:///reprieve")
}

/// Makes sure that a command of cargo's is there.
pub(crate) fn installed(name: &str) -> Result<()> {
    if on_path(name).is_some() {
        return Ok(());
    }
    let mut install = cargo(["install", name, "--locked", "--quiet"]);
    // Without that feature it is a library, and nothing is installed.
    if name == "cargo-about" {
        install.args(["--features", "cli"]);
    }
    Step::new(format!("installing {name} (cargo install {name})")).run(&mut install)?;
    // What cargo installs need not be on PATH: cargo finds it.
    output(cargo([name.trim_start_matches("cargo-"), "--version"]).env_remove("RUSTC_WORKSPACE_WRAPPER"))
        .map(drop)
        .with_context(|| format!("cargo install {name} left no {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_does_not_say_where_it_was_made() {
        let told =
            without_folder(r#"{"ref":"path+file:///home/ann/r/server#0.1.0"}"#, Path::new("/home/ann/r"));
        assert_eq!(told, r#"{"ref":"path+file:///reprieve/server#0.1.0"}"#);
    }

    #[test]
    fn only_advisories_can_be_added() {
        assert!(deny(&["--licences".to_owned()]).is_err());
    }
}
