//! The sentences that each area of pages says: of every language those alone whose keys stand in its code.
//!
//! `t!("jobs-empty")` leaves its key in the data of the piece that calls it, whole and for nothing else. What stands in the
//! application itself is said on every page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aho_corasick::AhoCorasick;
use anyhow::{Context, Result, anyhow, ensure};
use fluent_syntax::ast::{Entry, Resource};
use fluent_syntax::{parser, serializer};
use wasmparser::{Parser, Payload};

/// What is said on every page has a file of its own, by that name.
const EVERY: &str = "every";

/// The file of each area in each language, `jobs.en.ftl`, and that of every page. `locales` has a folder for each language.
pub(crate) fn files(
    locales: &Path,
    application: &[u8],
    areas: &BTreeMap<&str, Vec<&[u8]>>,
) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for language in std::fs::read_dir(locales).with_context(|| locales.display().to_string())? {
        let folder = language?.path();
        let language = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let sentences = Sentences::read(&folder)?;
        let everywhere = sentences.asked_in(application)?;
        ensure!(!everywhere.is_empty(), "no page says anything in {language}");
        files.insert(format!("{EVERY}.{language}.ftl").into(), sentences.text(&everywhere));
        for (area, pieces) in areas {
            let mut asked = BTreeSet::new();
            for piece in pieces {
                asked.extend(sentences.asked_in(piece)?);
            }
            asked.retain(|key| !everywhere.contains(key));
            files.insert(format!("{area}.{language}.ftl").into(), sentences.text(&asked));
        }
    }
    Ok(files)
}

/// All sentences of a language.
struct Sentences {
    /// Their keys, in the order of the files.
    keys: Vec<String>,
    files: Vec<Resource<String>>,
    finder: AhoCorasick,
}

impl Sentences {
    fn read(folder: &Path) -> Result<Self> {
        let mut paths = Vec::new();
        for file in folder.read_dir().with_context(|| folder.display().to_string())? {
            paths.push(file?.path());
        }
        paths.sort();
        let mut files = Vec::new();
        for path in paths {
            let file = parser::parse(std::fs::read_to_string(&path)?)
                .map_err(|(_, mistakes)| anyhow!("{}: {mistakes:?}", path.display()))?;
            files.push(file);
        }
        let keys: Vec<String> =
            files.iter().flat_map(|file| file.body.iter().filter_map(key)).cloned().collect();
        let finder = AhoCorasick::new(&keys)?;
        Ok(Self { keys, files, finder })
    }

    /// The keys that stand in the data of a module. One that is the beginning of another counts along with it.
    fn asked_in(&self, module: &[u8]) -> Result<BTreeSet<&str>> {
        let mut asked = BTreeSet::new();
        for payload in Parser::new(0).parse_all(module) {
            if let Payload::DataSection(section) = payload? {
                for data in section {
                    let found = self.finder.find_overlapping_iter(data?.data);
                    asked.extend(found.map(|key| self.keys[key.pattern()].as_str()));
                }
            }
        }
        Ok(asked)
    }

    /// The sentences of these keys as one file.
    fn text(&self, keys: &BTreeSet<&str>) -> Vec<u8> {
        let asked = |entry: &&Entry<String>| key(entry).is_some_and(|key| keys.contains(key.as_str()));
        let body = self.files.iter().flat_map(|file| file.body.iter().filter(asked)).cloned().collect();
        serializer::serialize(&Resource { body }).into_bytes()
    }
}

fn key(entry: &Entry<String>) -> Option<&String> {
    match entry {
        Entry::Message(message) => Some(&message.id.name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::files;
    use std::collections::BTreeMap;
    use wasm_encoder::{ConstExpr, DataSection, Module};

    /// A module with that data.
    fn module(data: &[&str]) -> Vec<u8> {
        let mut section = DataSection::new();
        for data in data {
            section.active(0, &ConstExpr::i32_const(8), data.bytes());
        }
        let mut module = Module::new();
        module.section(&section);
        module.finish()
    }

    #[test]
    fn an_area_gets_what_its_pieces_say_and_no_page_says_anyway() {
        let folder = std::env::temp_dir().join(format!("reprieve-words-{}", std::process::id()));
        let english = folder.join("en");
        std::fs::create_dir_all(&english).unwrap();
        std::fs::write(
            english.join("b.ftl"),
            "# Says nothing.\n\nload = Load\nload-more = More of { $name }\n",
        )
        .unwrap();
        std::fs::write(
            english.join("a.ftl"),
            "jobs = { $count ->\n    [one] Job\n   *[other] Jobs\n}\nrest = Rest\n",
        )
        .unwrap();
        let (application, first, second) =
            (module(&["xload"]), module(&["", "jobsload"]), module(&["load-morex"]));
        let areas = BTreeMap::from([("one", vec![&first[..], &second]), ("two", vec![&second[..]])]);

        let files = files(&folder, &application, &areas).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();

        let text = |name: &str| std::str::from_utf8(&files[std::path::Path::new(name)]).unwrap();
        assert_eq!(files.len(), 3);
        assert_eq!(text("every.en.ftl"), "load = Load\n");
        assert_eq!(text("two.en.ftl"), "load-more = More of { $name }\n");
        let both = "jobs =\n    { $count ->\n        [one] Job\n       *[other] Jobs\n    }\nload-more = More of { $name }\n";
        assert_eq!(text("one.en.ftl"), both);
    }
}
