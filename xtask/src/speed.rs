//! Figures of the screens in a real browser, for docs/benchmarks.md.

use anyhow::Result;

use crate::site::{self, Profile};
use crate::step::{Step, root};
use crate::{browser, demo, install, redis};

/// Builds what ships and lets Playwright measure it: pages on a slow processor, rows that change, many open tabs.
pub(crate) fn measure() -> Result<()> {
    install::wasm_target()?;
    redis::ensure()?;
    site::build(Profile::Release)?;
    let program = demo::release_server()?;
    for file in root().join("target/site").read_dir()? {
        let file = file?;
        let name = file.file_name();
        if [".br", ".wasm", ".js", ".css"].iter().any(|end| name.to_string_lossy().ends_with(end)) {
            println!("speed: {}: bytes={}", name.display(), file.metadata()?.len());
        }
    }
    let mut command = browser::playwright(&["test", "--config=speed.config.ts", "--reporter=list"])?;
    command.env("REPRIEVE", program);
    Step::new("measuring the screens").run(&mut command)
}
