//! Programs as the run of all tests builds them.
//!
//! Cargo chooses the features of dependencies anew for each selection of packages and targets. Whatever is asked for by
//! itself would have half of the workspace compiled once more, with features that differ in nothing that matters.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::step::{Step, cargo, lint_what_is_compiled, read_lines, succeed, target_dir};

fn command() -> Command {
    cargo(["build", "--locked", "--workspace", "--tests", "--bins", "--examples"])
}

/// Compiles all programs and tests of the workspace, unoptimised.
pub(crate) fn build() -> Result<()> {
    succeed(&mut command())
}

/// The same with all lints; a warning is an error.
pub(crate) fn build_with_lints() -> Result<()> {
    lint_what_is_compiled();
    let mut warned = Vec::new();
    let succeeded = read_lines(&mut command(), |line| {
        if tells_of_warnings(line) {
            warned.push(line.to_owned());
        }
    })?;
    if !succeeded {
        bail!("it does not compile");
    }
    if !warned.is_empty() {
        bail!("{}", warned.join("\n"));
    }
    Ok(())
}

/// Whether this is cargo's last line about the warnings of a package.
fn tells_of_warnings(line: &str) -> bool {
    line.starts_with("warning: `") && line.contains(" generated ")
}

/// A program of the workspace, unoptimised.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    Step::new(format!("compiling {name} (dev)")).measure(build)?;
    Ok(target_dir().join("debug").join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_packages_warnings_is_known() {
        let told = r#"warning: `xtask` (bin "xtask" test) generated 3 warnings (run `cargo fix` to apply 1 suggestion)"#;
        assert!(tells_of_warnings(told));
        for other in
            ["warning: unneeded `return` statement", "   Compiling xtask v0.1.0", "test generated ... ok"]
        {
            assert!(!tells_of_warnings(other), "{other}");
        }
    }
}
