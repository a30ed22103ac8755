//! What the machine needs, installed where it is missing and we may.
//!
//! Nothing is installed twice: each need is looked for first. Where the
//! platform's package manager wants a password, the exact command is the error.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::step::{Step, output, succeed};

/// A package that every package manager calls by its own name.
pub(crate) struct Package {
    /// What a person calls it.
    pub(crate) title: &'static str,
    pub(crate) apt: &'static str,
    pub(crate) dnf: &'static str,
    pub(crate) apk: &'static str,
    pub(crate) pacman: &'static str,
    pub(crate) brew: &'static str,
}

/// Package managers in the order in which they are looked for, and how each installs without asking.
const MANAGERS: [(&str, &[&str]); 5] = [
    ("apt-get", &["install", "--yes", "--no-install-recommends"]),
    ("dnf", &["install", "--assumeyes"]),
    ("apk", &["add"]),
    ("pacman", &["-S", "--noconfirm", "--needed"]),
    ("brew", &["install"]),
];

/// Installs a package through the platform's package manager.
///
/// # Errors
///
/// When there is no package manager we know, when it wants a password (the
/// message is the command to type), or when it fails.
pub(crate) fn package(package: &Package) -> Result<()> {
    let found = MANAGERS.iter().find(|(manager, _)| on_path(manager).is_some());
    let Some((manager, arguments)) = found else {
        bail!("{} is missing, and no package manager was found to install it", package.title);
    };
    let name = package.name(manager);
    let typed = format!("{manager} {} {name}", arguments.join(" "));
    let Some(prefix) = privilege(manager)? else {
        bail!("{} is missing; install it with: sudo {typed}", package.title);
    };
    if *manager == "apt-get" && !apt_knows_packages() {
        apt_update(prefix)?;
    }
    let install = || command(prefix, manager, arguments.iter().chain([&name]));
    let first = Step::new(format!("installing {} ({typed})", package.title)).run(&mut install());
    match first {
        // Lists that are a month old name files that are gone.
        Err(_) if *manager == "apt-get" => {
            apt_update(prefix)?;
            Step::new(format!("installing {} once more", package.title)).run(&mut install())
        }
        outcome => outcome,
    }
}

impl Package {
    fn name(&self, manager: &str) -> &'static str {
        match manager {
            "apt-get" => self.apt,
            "dnf" => self.dnf,
            "apk" => self.apk,
            "pacman" => self.pacman,
            _ => self.brew,
        }
    }
}

/// Words to put before the package manager; `None` if it would ask for a password.
pub(crate) fn privilege(manager: &str) -> Result<Option<&'static [&'static str]>> {
    // Homebrew refuses to run as root and needs no rights.
    if manager == "brew" || output(Command::new("id").arg("-u"))?.trim() == "0" {
        return Ok(Some(&[]));
    }
    let asks_nothing = on_path("sudo").is_some() && output(Command::new("sudo").args(["-n", "true"])).is_ok();
    Ok(asks_nothing.then_some(&["sudo", "-n"]))
}

/// Makes sure that a program of Debian's is on PATH, out of the package of this name.
pub(crate) fn needed(program: &str, name: &'static str) -> Result<()> {
    if on_path(program).is_some() {
        return Ok(());
    }
    package(&Package { title: name, apt: name, dnf: name, apk: name, pacman: name, brew: name })
}

fn command<'a>(prefix: &[&str], manager: &str, arguments: impl Iterator<Item = &'a &'a str>) -> Command {
    // `env` and not `Command::env`: sudo drops what it does not know.
    let mut words = prefix.to_vec();
    words.extend(["env", "DEBIAN_FRONTEND=noninteractive", manager]);
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(arguments);
    command
}

fn apt_knows_packages() -> bool {
    let Ok(lists) = Path::new("/var/lib/apt/lists").read_dir() else { return false };
    lists.flatten().any(|list| list.file_name().to_string_lossy().contains("_Packages"))
}

fn apt_update(prefix: &[&str]) -> Result<()> {
    Step::new("fetching the lists of packages (apt-get update)").run(&mut command(
        prefix,
        "apt-get",
        ["update"].iter(),
    ))
}

/// Where a program is on PATH.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Makes sure that a component of the toolchain (rustfmt, clippy) is there.
pub(crate) fn component(name: &str, program: &str) -> Result<()> {
    if on_path(program).is_some() && output(Command::new(program).arg("--version")).is_ok() {
        return Ok(());
    }
    succeed(Command::new("rustup").args(["component", "add", name]))
        .with_context(|| format!("{name} is missing and could not be installed"))
}
