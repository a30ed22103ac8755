//! Firefox and WebKitGTK for the stories in `end2end/browsers`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::browser;
use crate::install::{needed, on_path};
use crate::supply::installed;

/// What Firefox is called where: the long-term release, which companies have, before others.
const FIREFOX: [&str; 2] = ["firefox-esr", "firefox"];

/// Playwright's runner for the stories, with both browsers and their drivers installed.
///
/// # Errors
///
/// When Node, its packages, a browser or a driver are missing and cannot be installed.
pub(crate) fn stories() -> Result<Command> {
    browser::packages()?;
    let firefox = firefox()?;
    installed("geckodriver")?;
    needed("WebKitWebDriver", "webkit2gtk-driver")?;
    // WebKitGTK has windows only.
    needed("xvfb-run", "xvfb")?;
    needed("xauth", "xauth")?;
    let mut command = Command::new("xvfb-run");
    command
        .args(["--auto-servernum", "npx", "--no-install", "playwright", "test"])
        .args(["--config=browsers.config.ts", "--reporter=list,json"])
        .current_dir(browser::folder())
        .env("FIREFOX", firefox);
    Ok(command)
}

fn firefox() -> Result<PathBuf> {
    let found = || FIREFOX.iter().find_map(|name| on_path(name));
    if found().is_none() {
        needed(FIREFOX[0], FIREFOX[0])?;
    }
    found().context("the package was installed, but no Firefox is on PATH")
}
