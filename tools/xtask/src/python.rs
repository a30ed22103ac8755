//! Python with the Redis client of the examples, for the tests of consumers that nobody here wrote.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::install::{Package, on_path, package};
use crate::step::{Step, output, root, target_dir};

/// Debian keeps the module that makes environments in a package of its own, which brings Python along.
const PYTHON: Package = Package {
    title: "Python 3 with venv",
    apt: "python3-venv",
    dnf: "python3",
    apk: "python3",
    pacman: "python",
    brew: "python3",
};

/// The packages of the examples, with their versions.
const REQUIREMENTS: &str = "examples/python/requirements.txt";

/// An interpreter that has them, in an environment under `target/`.
///
/// # Errors
///
/// When Python is missing and cannot be installed, or the packages cannot be fetched.
pub(crate) fn ensure() -> Result<PathBuf> {
    let folder = target_dir().join("python");
    let python = folder.join("bin/python");
    let requirements = root().join(REQUIREMENTS);
    let mut hasher = DefaultHasher::new();
    std::fs::read(&requirements).context(REQUIREMENTS)?.hash(&mut hasher);
    let wanted = hasher.finish().to_string();
    let stamp = folder.join(".installed-from-requirements");
    if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    if !makes_environments() {
        package(&PYTHON)?;
        if !makes_environments() {
            bail!("the package was installed, but `python3 -m venv` still cannot make an environment");
        }
    }
    Step::new("making an environment for Python (python3 -m venv)")
        .run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    Step::new("installing the packages of the Python examples (pip install)").run(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
            .arg(&requirements),
    )?;
    std::fs::write(stamp, wanted)?;
    Ok(python)
}

/// Debian's `venv` without its package is there and fails for want of `ensurepip`.
fn makes_environments() -> bool {
    on_path("python3").is_some()
        && output(Command::new("python3").args(["-c", "import venv, ensurepip"])).is_ok()
}
