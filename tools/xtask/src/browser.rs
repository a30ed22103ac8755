//! Chromium and Playwright for the tests in `end2end`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::install::{Package, on_path, package};
use crate::step::{output, root, succeed};
use crate::{npm, site};

/// Debian has one without windows, which takes half as long for each page. Who lacks that package has the whole one.
const HEADLESS: Package = Package {
    title: "Chromium without windows",
    apt: "chromium-headless-shell",
    dnf: "chromium-headless",
    apk: "chromium",
    pacman: "chromium",
    brew: "chromium",
};
const CHROMIUM: Package = Package {
    title: "Chromium",
    apt: "chromium",
    dnf: "chromium",
    apk: "chromium",
    pacman: "chromium",
    brew: "chromium",
};

/// What Chromium is called where, the quickest first.
const BROWSERS: [&str; 6] = [
    "chromium-headless-shell",
    "headless_shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// The folder of the browser tests.
pub(crate) fn folder() -> PathBuf {
    root().join("end2end")
}

/// Makes sure that there are Playwright's packages and a Chromium; returns the Chromium.
///
/// # Errors
///
/// When Node, its packages or a browser are missing and cannot be installed.
pub(crate) fn ensure() -> Result<PathBuf> {
    packages()?;
    chromium()
}

/// Playwright, ready to run: packages installed and `CHROMIUM` naming a browser.
///
/// # Errors
///
/// When Node, its packages or a browser are missing and cannot be installed.
pub(crate) fn playwright(arguments: &[&str]) -> Result<Command> {
    let chromium = ensure()?;
    let mut command = Command::new("npx");
    command
        .args(["--no-install", "playwright"])
        .args(arguments)
        .current_dir(folder())
        .env("CHROMIUM", chromium);
    Ok(command)
}

/// Reads the browser tests as TypeScript does: running them leaves types aside.
///
/// # Errors
///
/// When something has another type than is said, or Node or its packages are missing and cannot be installed.
pub(crate) fn types() -> Result<()> {
    packages()?;
    site::packages()?;
    let check =
        |folder| succeed(Command::new("npx").args(["--no-install", "tsc", "--noEmit"]).current_dir(folder));
    check(folder())?;
    check(site::script())
}

/// Playwright's packages.
///
/// # Errors
///
/// When npm is missing, or the packages cannot be fetched.
pub(crate) fn packages() -> Result<()> {
    npm::install(&folder(), "the tests in the browser")
}

/// A Chromium: the one that `CHROMIUM` names, one on PATH, Playwright's own, or one installed now.
fn chromium() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Ok(named.into());
    }
    if let Some(found) = installed() {
        return Ok(found);
    }
    if package(&HEADLESS).is_err() || installed().is_none() {
        package(&CHROMIUM)?;
    }
    // Ubuntu's package is a pointer to a snap, which containers cannot run.
    installed().context(
        "the package was installed, but no Chromium is on PATH; \
         install one with: npx --prefix end2end playwright install --with-deps chromium",
    )
}

fn installed() -> Option<PathBuf> {
    let on_path = BROWSERS.iter().find_map(|browser| on_path(browser));
    on_path.or_else(|| {
        let ask = "console.log(require('@playwright/test').chromium.executablePath())";
        let own = output(Command::new("node").args(["-e", ask]).current_dir(folder())).ok()?;
        let own = PathBuf::from(own.trim());
        own.is_file().then_some(own)
    })
}
