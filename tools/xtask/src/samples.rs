//! The samples of `deploy` that need no machine of their own: the image of containers, and the manifests of Kubernetes.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::dist::folder;
use crate::install::needed;
use crate::machine::{as_root, distribution};
use crate::python;
use crate::step::{Step, captured, root, succeed};

/// Compares the manifests with the schemas of Kubernetes; nothing here runs them.
pub(crate) fn manifests() -> Result<()> {
    let programs = python::environment("deploy-python", "deploy/tests/requirements.txt")?;
    let mut validate = Command::new(programs.join("kubernetes-validate"));
    validate.arg("--strict");
    for file in root().join("deploy/kubernetes").read_dir()? {
        validate.arg(file?.path());
    }
    Step::new("the manifests of Kubernetes").measure(|| succeed(&mut validate))
}

/// Builds the image of the package, and runs it.
pub(crate) fn image(deb: &Path) -> Result<()> {
    for program in ["mmdebstrap", "podman", "runc", "jq"] {
        needed(program, program)?;
    }
    let work = folder().join("image");
    let context = work.join("context");
    if context.exists() {
        fs::remove_dir_all(&context)?;
    }
    fs::create_dir_all(&context)?;
    fs::copy(deb, context.join(deb.file_name().context("a package has a name")?))?;
    let (_, suite) = distribution()?;
    let script = root().join("deploy/tests/image.sh").display().to_string();
    let work = work.display().to_string();
    Step::new("the image").measure(|| {
        let (succeeded, told) = captured(&mut as_root(&[&script, &work, &suite])?)?;
        print!("{told}");
        anyhow::ensure!(succeeded, "the image is not as it should be, see above");
        Ok(())
    })
}
