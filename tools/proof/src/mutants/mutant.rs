//! The mutants of the engine's scripts: one change to one file below `lua/` each.

use super::lua::{self, Change};
use super::programs::root;
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

/// A file with one small thing wrong.
#[derive(Debug, Clone)]
pub(crate) struct Mutant {
    /// Counted from 0 over all files. Changes with the scripts.
    pub(crate) number: usize,
    /// Below `lua/`, such as `core/job.lua`.
    pub(crate) file: String,
    /// Counted from 1.
    pub(crate) line: usize,
    /// The line as it is, without the space around it.
    pub(crate) before: String,
    /// The line as the mutant has it; empty if nothing is left of it.
    pub(crate) after: String,
    original: Arc<str>,
    change: Change,
}

impl Mutant {
    fn new(number: usize, file: &str, original: &Arc<str>, change: Change) -> Self {
        let (before, after) = (&original[..change.at.start], &original[change.at.end..]);
        let begins = before.rfind('\n').map_or(0, |at| at + 1);
        let ends = after.find('\n').map_or(original.len(), |at| change.at.end + at);
        let changed =
            format!("{}{}{}", &before[begins..], change.replacement, &original[change.at.end..ends]);
        Self {
            number,
            file: file.to_owned(),
            line: 1 + before.matches('\n').count(),
            before: original[begins..ends].trim().to_owned(),
            after: changed.trim().to_owned(),
            original: Arc::clone(original),
            change,
        }
    }

    /// The whole file as the mutant has it.
    pub(crate) fn text(&self) -> String {
        let mut text = self.original.to_string();
        text.replace_range(self.change.at.clone(), self.change.replacement);
        text
    }
}

/// All mutants of the library, by file and place.
pub(crate) fn all() -> Result<Vec<Mutant>> {
    let mut mutants = Vec::new();
    for file in files()? {
        let original: Arc<str> = read(&file)?.into();
        for change in lua::changes(&original) {
            mutants.push(Mutant::new(mutants.len(), &file, &original, change));
        }
    }
    Ok(mutants)
}

/// The files of the library: `lua/core/` is what its functions share, each file below `lua/functions/` is a function.
fn files() -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec!["core".to_owned()];
    for entry in fs::read_dir(lua_folder().join("functions"))? {
        folders.push(format!("functions/{}", entry?.file_name().into_string().unwrap_or_default()));
    }
    for folder in folders {
        for entry in fs::read_dir(lua_folder().join(&folder))? {
            let file = format!("{folder}/{}", entry?.file_name().into_string().unwrap_or_default());
            if file.ends_with(".lua") {
                files.push(file);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The text of a file below `lua/`.
pub(crate) fn read(file: &str) -> Result<String> {
    fs::read_to_string(lua_folder().join(file)).with_context(|| format!("lua/{file}"))
}

fn lua_folder() -> PathBuf {
    root().join("lua")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_those_of_the_library() {
        let files = files().unwrap();
        for file in [
            "functions/jobs/cancel.lua",
            "functions/sinks/look.lua",
            "core/job.lua",
            super::super::BROKEN.file,
        ] {
            assert!(files.iter().any(|known| known == file), "{file}");
        }
        for file in ["import/look.lua", "import/journal.lua", "import/exists.lua"] {
            assert!(!files.iter().any(|known| known == file), "{file}");
        }
    }

    #[test]
    fn a_mutant_differs_from_its_file_in_one_line_and_names_it() {
        for mutant in all().unwrap() {
            let (original, text) = (read(&mutant.file).unwrap(), mutant.text());
            let lines = || original.lines().zip(text.lines()).enumerate();
            let changed: Vec<_> = lines().filter(|(_, (one, other))| one != other).collect();
            let &[(index, (before, after))] = changed.as_slice() else {
                panic!("{mutant:?}");
            };
            assert_eq!(original.lines().count(), text.lines().count());
            assert_eq!(
                (index + 1, before.trim(), after.trim()),
                (mutant.line, &*mutant.before, &*mutant.after)
            );
        }
    }
}
