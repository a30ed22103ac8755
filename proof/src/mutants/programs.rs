//! The programs that meet the mutants: integration tests of the engine, built with the feature `flaws`.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What cargo builds here, tests besides: the features of everything are those of the whole workspace, so that what does
/// not depend on the engine is not compiled once more.
const SELECTION: [&str; 7] = [
    "build",
    "--locked",
    "--workspace",
    "--features=reprieve/flaws,proof/flaws",
    "--message-format=json-render-diagnostics",
    "--bin",
    "proof",
];

/// A built integration test.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// How long it runs when nothing is wrong; zero while nobody knows.
    pub(crate) takes: Duration,
}

/// The tests of these names, built now if they are not.
pub(crate) fn built(names: &[&str]) -> Result<Vec<Program>> {
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.current_dir(root()).args(SELECTION).stdin(Stdio::null()).stderr(Stdio::inherit());
    for name in names {
        build.args(["--test", name]);
    }
    let output = build.output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the tests do not compile");
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let built: Vec<(String, PathBuf)> = said.lines().filter_map(test).collect();
    let named = |name: &&str| {
        let found = built.iter().find(|(known, _)| known == name);
        let (name, path) = found.with_context(|| format!("there is no test {name}"))?.clone();
        Ok(Program { name, path, takes: Duration::ZERO })
    };
    names.iter().map(named).collect()
}

/// Tests that somebody else has built.
pub(crate) fn given(paths: &[PathBuf]) -> Result<Vec<Program>> {
    let program = |path: &PathBuf| {
        let path = path.canonicalize().with_context(|| path.display().to_string())?;
        Ok(Program { name: name_of(&path), path, takes: Duration::ZERO })
    };
    paths.iter().map(program).collect()
}

/// The workspace's folder, where cargo would start the tests of the engine.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The name of a test, without what cargo adds to it.
fn name_of(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    file.rsplit_once('-').map_or(file.as_ref(), |(name, _)| name).to_owned()
}

/// Name and program of the integration test that a line of cargo's messages tells of.
fn test(line: &str) -> Option<(String, PathBuf)> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["target"]["kind"].as_array()?.iter().any(|kind| kind == "test");
    if message["reason"] != "compiler-artifact" || !is_test {
        return None;
    }
    Some((message["target"]["name"].as_str()?.to_owned(), message["executable"].as_str()?.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_cargo_s_messages_those_of_built_tests_are_read() {
        let artifact = |kind: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","target":{{"name":"walk","kind":["{kind}"]}},"executable":"/t/walk-1"}}"#
            )
        };
        assert_eq!(test(&artifact("test")), Some(("walk".to_owned(), "/t/walk-1".into())));
        assert_eq!(test(&artifact("bin")), None);
        assert_eq!(test("Compiling"), None);
    }

    #[test]
    fn a_test_is_called_what_its_file_is_called_before_the_hash() {
        assert_eq!(name_of(Path::new("/t/deps/transitions-0123456789abcdef")), "transitions");
        assert_eq!(name_of(Path::new("/t/transitions")), "transitions");
    }
}
