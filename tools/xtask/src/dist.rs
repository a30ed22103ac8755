//! What people install: an archive and a Debian package, both in `target/dist`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::step::{Step, cargo, output, root, succeed};
use crate::supply::installed;
use crate::{demo, machine, samples};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What stands beside the program.
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// What is in `deploy` for those who make the packages.
const OURS: [&str; 2] = ["debian", "tests"];

/// Shells, and what each calls the file of its completions.
const SHELLS: [(&str, &str); 3] =
    [("bash", "reprieve.bash"), ("zsh", "_reprieve"), ("fish", "reprieve.fish")];

/// What somebody asked for: `[--program FILE] [--check]`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    /// A program that is there already, instead of one that is built now.
    program: Option<PathBuf>,
    /// Whether what was made is installed and used, in a machine of its own.
    check: bool,
}

fn read(arguments: &[String]) -> Result<Wanted> {
    let mut wanted = Wanted::default();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--program" => wanted.program = Some(words.next().context("--program wants a file")?.into()),
            "--check" => wanted.check = true,
            other => bail!("dist does not know {other:?}; it knows --program FILE and --check"),
        }
    }
    Ok(wanted)
}

/// Makes the archive and the package, and prints where they are.
pub(crate) fn dist(arguments: &[String]) -> Result<()> {
    let wanted = read(arguments)?;
    installed("cargo-about")?;
    installed("cargo-deb")?;
    let program = wanted.program.map_or_else(demo::release, Ok)?;
    Step::new("collecting what ships").measure(|| collect(&program))?;
    let archive = Step::new("the archive").measure(pack)?;
    let deb = Step::new("the Debian package").measure(|| package(&folder(), VERSION, &[]))?;
    println!("{}\n{}", archive.display(), deb.display());
    if wanted.check {
        let newer = Step::new("a newer Debian package").measure(newer)?;
        samples::manifests()?;
        machine::check(&archive, &deb, &newer)?;
        samples::image(&deb)?;
    }
    Ok(())
}

/// Where everything goes. Not cargo's own folder, which can be elsewhere: the manifest of the package names files in it.
pub(crate) fn folder() -> PathBuf {
    root().join("target/dist")
}

/// Puts together what both contain, in a folder of its own.
fn collect(program: &Path) -> Result<()> {
    let tree = folder().join("tree");
    if tree.exists() {
        fs::remove_dir_all(&tree)?;
    }
    fs::create_dir_all(tree.join("completions"))?;
    let ours = tree.join("reprieve");
    fs::copy(program, &ours).with_context(|| program.display().to_string())?;
    // One that was not built to ship can be five times as large.
    succeed(Command::new("strip").arg(&ours))?;
    for text in TEXTS {
        fs::copy(root().join(text), tree.join(text))?;
    }
    succeed(Command::new(&ours).arg("man").arg(tree.join("man")))?;
    for (shell, file) in SHELLS {
        let file = File::create(tree.join("completions").join(file))?;
        let status = Command::new(&ours).args(["completions", shell]).stdout(file).status()?;
        anyhow::ensure!(status.success(), "the completions of {shell} could not be written");
    }
    // The README leads into the documents.
    for folder in ["deploy", "docs"] {
        succeed(Command::new("cp").arg("--recursive").arg(root().join(folder)).arg(tree.join(folder)))?;
    }
    for folder in OURS {
        fs::remove_dir_all(tree.join("deploy").join(folder))?;
    }
    notices(&tree.join("THIRD-PARTY.txt"))
}

/// Writes whose work the program contains, and under which licences.
fn notices(file: &Path) -> Result<()> {
    let mut write =
        cargo(["about", "generate", "--locked", "--fail", "--manifest-path", "server/Cargo.toml"]);
    write.args(["--features", "embed", "--config", "about.toml", "--output-file"]);
    succeed(write.arg(file).arg("tools/xtask/src/third-party.hbs"))
}

/// The archive of what was collected. The same commit makes the same archive from the same program.
fn pack() -> Result<PathBuf> {
    let name = format!("reprieve-{VERSION}-{}", target()?);
    let archive = folder().join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--create", "--gzip", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--mtime=@{}", committed_at()?)).arg(format!("--transform=s,^tree,{name},"));
    succeed(tar.arg("--file").arg(&archive).arg("--directory").arg(folder()).arg("tree"))?;
    Ok(archive)
}

/// The Debian package of what was collected; `server/Cargo.toml` says what goes where.
fn package(to: &Path, version: &str, options: &[&str]) -> Result<PathBuf> {
    let machine = output(Command::new("dpkg").arg("--print-architecture"))?;
    let package = to.join(format!("reprieve_{version}_{}.deb", machine.trim()));
    let mut deb =
        cargo(["deb", "--locked", "--no-build", "--package", "reprieve-server", "--deb-version", version]);
    deb.args(options);
    output(deb.env("SOURCE_DATE_EPOCH", committed_at()?).arg("--output").arg(&package))?;
    Ok(package)
}

/// The same under a version above every other, for the check to upgrade to, and not beside what ships.
fn newer() -> Result<PathBuf> {
    package(&folder().join("newer"), "999", &["--fast"])
}

/// The machine that this is built for, as Rust calls it.
fn target() -> Result<String> {
    let said = output(Command::new("rustc").arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say its host")?.to_owned())
}

/// When the commit was made, in seconds since 1970.
pub(crate) fn committed_at() -> Result<String> {
    let said = output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root()))?;
    Ok(said.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_and_a_check_can_be_asked_for() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let both = Wanted { program: Some("/r/reprieve".into()), check: true };
        assert_eq!(read(&words("--check --program /r/reprieve")).unwrap(), both);
        assert_eq!(read(&[]).unwrap(), Wanted::default());
        assert!(read(&words("--program")).is_err());
        assert!(read(&words("--chek")).unwrap_err().to_string().contains("--check"));
    }
}
