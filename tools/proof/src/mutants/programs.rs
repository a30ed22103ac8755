//! The programs that meet the mutants: integration tests of the engine, built with the feature `flaws`.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What cargo builds, before the names of tests. `--workspace`, so that dependencies have the features that they have in
/// every other build, and are not compiled once more.
const SELECTION: [&str; 5] = [
    "build",
    "--locked",
    "--workspace",
    "--features=reprieve/flaws",
    "--message-format=json-render-diagnostics",
];

/// The integration tests that meet a mutant, and which tests of each run, first those that catch most.
const TESTS: [(&str, &str); 3] =
    [("engine", "transitions::"), ("services", "runtime::"), ("engine", "scripts::")];

/// A built integration test.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// Its name and its filter.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Only tests whose names begin with this run.
    pub(crate) filter: &'static str,
    /// How long it runs when nothing is wrong; zero while nobody knows.
    pub(crate) takes: Duration,
}

impl Program {
    fn new(name: &str, filter: &'static str, path: PathBuf) -> Self {
        let name = format!("{name} {filter}").trim_end().to_owned();
        Self { name, path, filter, takes: Duration::ZERO }
    }
}

/// The tests, built now if they are not.
pub(crate) fn built() -> Result<Vec<Program>> {
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.current_dir(root()).args(SELECTION).stdin(Stdio::null()).stderr(Stdio::inherit());
    for (name, _) in TESTS {
        build.args(["--test", name]);
    }
    let output = build.output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("the tests do not compile");
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let built: Vec<(String, PathBuf)> = said.lines().filter_map(test).collect();
    let named = |(name, filter): (&'static str, &'static str)| {
        let found = built.iter().find(|(known, _)| known == name);
        let (_, path) = found.with_context(|| format!("there is no test {name}"))?;
        Ok(Program::new(name, filter, path.clone()))
    };
    TESTS.into_iter().map(named).collect()
}

/// Tests that are built already. Of one that is not in [`TESTS`] all run.
pub(crate) fn given(paths: &[PathBuf]) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for path in paths {
        let path = path.canonicalize().with_context(|| path.display().to_string())?;
        let name = name_of(&path);
        let known = TESTS.iter().filter(|(known, _)| *known == name);
        let mut filters: Vec<&str> = known.map(|(_, filter)| *filter).collect();
        if filters.is_empty() {
            filters.push("");
        }
        programs.extend(filters.into_iter().map(|filter| Program::new(&name, filter, path.clone())));
    }
    Ok(programs)
}

/// The folder of the workspace, where cargo starts the tests of the engine.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."))
}

/// The name of a test, without what cargo adds to it.
fn name_of(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    file.rsplit_once('-').map_or(file.as_ref(), |(name, _)| name).to_owned()
}

/// Name and path of the integration test that a line of cargo's messages reports.
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
    fn built_tests_are_read_from_cargo_s_messages() {
        let artifact = |kind: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","target":{{"name":"engine","kind":["{kind}"]}},"executable":"/t/engine-1"}}"#
            )
        };
        assert_eq!(test(&artifact("test")), Some(("engine".to_owned(), "/t/engine-1".into())));
        assert_eq!(test(&artifact("bin")), None);
        assert_eq!(test("Compiling"), None);
    }

    #[test]
    fn a_test_has_the_name_of_its_file_without_the_hash() {
        assert_eq!(name_of(Path::new("/t/deps/engine-0123456789abcdef")), "engine");
        assert_eq!(name_of(Path::new("/t/engine")), "engine");
    }
}
