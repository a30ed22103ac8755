//! The pictures of the README, taken from a running demo.

use anyhow::Result;

use crate::site::{self, Profile};
use crate::step::{Step, root};
use crate::{browser, install, redis, tested};

/// Starts the demo and lets Playwright take light, dark and phone pictures of the main screens.
pub(crate) fn take() -> Result<()> {
    install::wasm_target()?;
    redis::ensure()?;
    site::build(Profile::Dev)?;
    let program = tested::program("reprieve")?;
    let folder = root().join("docs/screenshots");
    std::fs::create_dir_all(&folder)?;
    let mut command = browser::playwright(&["test", "--config=screenshots.config.ts", "--reporter=list"])?;
    command.env("REPRIEVE", program).env("SCREENSHOTS", &folder);
    Step::new("taking the pictures").run(&mut command)
}
