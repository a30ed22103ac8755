//! The documents as a site, by mdBook.

use std::process::Command;

use anyhow::Result;

use crate::step::{Step, root, target_dir};
use crate::supply::installed;

/// Builds the site into `target/book`.
pub(crate) fn book() -> Result<()> {
    installed("mdbook")?;
    let book = target_dir().join("book");
    let mut build = Command::new("mdbook");
    Step::new("the book").run(build.arg("build").arg("--dest-dir").arg(&book).current_dir(root()))?;
    println!("{}", book.join("index.html").display());
    Ok(())
}
