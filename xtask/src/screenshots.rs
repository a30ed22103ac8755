//! The pictures of the README, taken from a running demo, and those of states that nobody sees on a good day.

use anyhow::Result;

use crate::site::{self, Profile};
use crate::step::{Step, root};
use crate::{browser, install, redis, tested};

/// Lets Playwright take light, dark and phone pictures of the main screens of a demo, and of every screen that is empty,
/// waits, is wrong or forbidden.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    /// The names of pictures that a page of words has.
    fn named(page: &str) -> BTreeSet<String> {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let words = text.split(['(', ')', '"', ' ', '\n']);
        words
            .filter_map(|word| word.strip_prefix("docs/").unwrap_or(word).strip_prefix("screenshots/"))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn every_picture_that_is_stored_is_shown_and_none_is_missing() {
        let stored = fs::read_dir(root().join("docs/screenshots")).unwrap();
        let stored: BTreeSet<_> =
            stored.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let shown: BTreeSet<_> = ["README.md", "docs/states.md"].into_iter().flat_map(named).collect();
        assert_eq!(stored, shown);
    }

    #[test]
    fn the_pictures_are_few_bytes() {
        let stored = fs::read_dir(root().join("docs/screenshots")).unwrap();
        let bytes: u64 = stored.map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
        assert!(bytes < 3_500_000, "whoever clones this takes {bytes} bytes of pictures along");
    }
}
