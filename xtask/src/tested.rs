//! Programs and tests as the run of all tests builds them.
//!
//! Cargo chooses the features of dependencies anew for each selection of packages and targets. Whatever is asked for by
//! itself would have half of the workspace compiled once more, with features that differ in nothing that matters.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::step::{Step, cargo, target_dir};

/// A program of the workspace, unoptimised.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    let selection = ["build", "--locked", "--workspace", "--tests", "--bins"];
    Step::new(format!("compiling {name} (dev)")).run(&mut cargo(selection))?;
    Ok(target_dir().join("debug").join(name))
}

/// A built integration test.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    /// The folder of its package, where cargo would start it.
    pub(crate) folder: PathBuf,
}

/// The integration tests of these names, in the order of the names.
pub(crate) fn tests(names: &[&str]) -> Result<Vec<Test>> {
    let selection =
        ["test", "--locked", "--workspace", "--no-run", "--message-format=json-render-diagnostics"];
    let mut build = cargo(selection);
    let output =
        build.stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the tests do not compile");
    }
    let mut built: Vec<Test> = String::from_utf8_lossy(&output.stdout).lines().filter_map(built).collect();
    let mut found = Vec::new();
    for name in names {
        let Some(place) = built.iter().position(|test| test.name == *name) else {
            bail!("there is no test {name}")
        };
        found.push(built.swap_remove(place));
    }
    Ok(found)
}

/// The integration test that a line of cargo's messages tells of.
fn built(line: &str) -> Option<Test> {
    let message: Value = serde_json::from_str(line).ok()?;
    let kinds = message["target"]["kind"].as_array()?;
    if message["reason"] != "compiler-artifact" || !kinds.iter().any(|kind| kind == "test") {
        return None;
    }
    Some(Test {
        name: message["target"]["name"].as_str()?.to_owned(),
        program: message["executable"].as_str()?.into(),
        folder: Path::new(message["manifest_path"].as_str()?).parent()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn of_all_messages_those_of_integration_tests_are_read() {
        let message = |reason: &str, kind: &str, executable: Value| {
            let target = json!({ "name": "walk", "kind": [kind] });
            let manifest = "/project/Cargo.toml";
            json!({ "reason": reason, "target": target, "executable": executable, "manifest_path": manifest })
                .to_string()
        };
        let program = json!("/project/target/debug/deps/walk-1");
        let test = Test {
            name: "walk".to_owned(),
            program: program.as_str().unwrap().into(),
            folder: "/project".into(),
        };
        assert_eq!(built(&message("compiler-artifact", "test", program.clone())), Some(test));
        assert_eq!(built(&message("compiler-artifact", "lib", program.clone())), None);
        assert_eq!(built(&message("compiler-artifact", "test", Value::Null)), None);
        assert_eq!(built(&message("build-script-executed", "test", program)), None);
        assert_eq!(built("running 3 tests"), None);
    }
}
