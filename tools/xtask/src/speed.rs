//! Figures of the screens in a real browser, for docs/explanation/benchmarks.md.

use anyhow::{Context, Result, ensure};

use crate::step::Step;
use crate::{browser, demo, redis, site};

/// What every page loads, compressed with brotli.
const FILES: [&str; 2] = ["live.js.br", "main.css.br"];

/// The bytes of these files together: a tenth above what they are, so that nobody adds a library unseen.
const FILES_BYTES_MAX: u64 = 36_000;

/// Builds what ships and lets Playwright measure it: pages on a slow processor, rows that change, many open tabs.
pub(crate) fn measure() -> Result<()> {
    redis::ensure()?;
    let program = demo::release()?;
    let mut bytes = 0;
    for name in FILES {
        let file = site::folder().join(name);
        let size = std::fs::metadata(&file).with_context(|| file.display().to_string())?.len();
        println!("speed: {name}: bytes={size}");
        bytes += size;
    }
    ensure!(bytes <= FILES_BYTES_MAX, "the browser would load {bytes} bytes besides a page");
    let mut command = browser::playwright(&["test", "--config=speed.config.ts", "--reporter=list"])?;
    command.env("REPRIEVE", program);
    Step::new("measuring the screens").run(&mut command)
}
