//! The pictures of the documents, taken from a running demo.

use std::process::Command;

use anyhow::{Result, bail};

use crate::step::{Step, output, root};
use crate::{browser, redis, site, tested};

/// Lets Playwright take pictures of the main screens of a demo.
pub(crate) fn take() -> Result<()> {
    redis::ensure()?;
    has_every_letter()?;
    site::build()?;
    let program = tested::program("reprieve")?;
    let folder = root().join("docs/screenshots");
    std::fs::create_dir_all(&folder)?;
    let mut command = browser::playwright(&["test", "--config=screenshots.config.ts", "--reporter=list"])?;
    command.env("REPRIEVE", program).env("SCREENSHOTS", &folder);
    Step::new("taking the pictures").run(&mut command)
}

/// Whether the machine has letters for all that stands on a page: the switch of languages says one in Chinese, and without
/// a font for it every picture shows an empty box. Elsewhere than on Linux the system has its own.
fn has_every_letter() -> Result<()> {
    let is_known =
        || output(Command::new("fc-list").arg(":lang=zh")).is_ok_and(|fonts| !fonts.trim().is_empty());
    if cfg!(target_os = "linux") && !is_known() {
        bail!(
            "fc-list knows no font for Chinese, and the pictures would show boxes; install one, and fontconfig, such as \
             with: apt-get install fontconfig fonts-noto-cjk"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    /// The names of pictures that a document shows.
    fn named(page: &str) -> BTreeSet<String> {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let words = text.split(['(', ')', '"', ' ', '\n']);
        words.filter_map(|word| word.split_once("screenshots/")).map(|(_, name)| name.to_owned()).collect()
    }

    #[test]
    fn every_picture_that_is_stored_is_shown_and_none_is_missing() {
        let stored = fs::read_dir(root().join("docs/screenshots")).unwrap();
        let stored: BTreeSet<_> =
            stored.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let shown: BTreeSet<_> =
            ["README.md", "docs/how-to/dashboard.md"].into_iter().flat_map(named).collect();
        assert_eq!(stored, shown);
    }

    #[test]
    fn the_pictures_are_few_bytes() {
        let stored = fs::read_dir(root().join("docs/screenshots")).unwrap();
        let bytes: u64 = stored.map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
        assert!(bytes < 500_000, "a clone takes {bytes} bytes of pictures along");
    }
}
