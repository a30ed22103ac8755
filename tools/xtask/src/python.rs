//! Python with what tests need: the Redis client of the examples, and schemas of Kubernetes.

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

/// An interpreter that has the packages of the examples, for the tests of consumers that nobody here wrote.
///
/// # Errors
///
/// When Python is missing and cannot be installed, or the packages cannot be fetched.
pub(crate) fn ensure() -> Result<PathBuf> {
    Ok(environment("python", "examples/python/requirements.txt")?.join("python"))
}

/// The programs of an environment under `target/` that has what a file of requirements names.
pub(crate) fn environment(name: &str, requirements: &str) -> Result<PathBuf> {
    let folder = target_dir().join(name);
    let programs = folder.join("bin");
    let requirements = root().join(requirements);
    let mut hasher = DefaultHasher::new();
    std::fs::read(&requirements).with_context(|| requirements.display().to_string())?.hash(&mut hasher);
    let wanted = hasher.finish().to_string();
    let stamp = folder.join(".installed-from-requirements");
    if programs.exists() && std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(programs);
    }
    if !makes_environments() {
        package(&PYTHON)?;
        if !makes_environments() {
            bail!("the package was installed, but `python3 -m venv` still cannot make an environment");
        }
    }
    Step::new("making an environment for Python (python3 -m venv)")
        .run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    Step::new(format!("installing its packages (pip install, {name})")).run(
        Command::new(programs.join("python"))
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
            .arg(&requirements),
    )?;
    std::fs::write(stamp, wanted)?;
    Ok(programs)
}

/// Debian's `venv` without its package is there and fails for want of `ensurepip`.
fn makes_environments() -> bool {
    on_path("python3").is_some()
        && output(Command::new("python3").args(["-c", "import venv, ensurepip"])).is_ok()
}
