//! Rules of the architecture that the compiler cannot see.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::cycles;
use crate::step::root;

/// One rule: which files it reads, what must not stand in them, and why.
struct Rule {
    folders: &'static [&'static str],
    extension: &'static str,
    /// Whether a line, without its comment, breaks the rule.
    breaks: fn(&str) -> bool,
    why: &'static str,
}

const RULES: [Rule; 4] = [
    Rule {
        folders: &["app"],
        extension: "rs",
        breaks: names_store,
        why: "the screens reach the engine through access, never its store",
    },
    Rule {
        folders: &["server"],
        extension: "rs",
        breaks: names_store,
        why: "the server reaches the engine through its public types, never its store",
    },
    Rule {
        folders: &["src/model"],
        extension: "rs",
        breaks: imports_more_than_serde,
        why: "model is plain data: it depends on serde alone",
    },
    Rule {
        folders: &["lua", "crates"],
        extension: "lua",
        breaks: calls_keys,
        why: "KEYS reads the whole of Redis while everybody waits",
    },
];

/// Crates of which no module may import another in a circle.
const WITHOUT_CIRCLES: [&str; 6] =
    ["src", "crates/access/src", "crates/import/src", "crates/sinks/src", "app/src", "server/src"];

/// Fails with every line that breaks a rule, and with every circle.
pub(crate) fn check() -> Result<()> {
    let folders = WITHOUT_CIRCLES.map(|folder| root().join(folder));
    cycles::check(&folders.each_ref().map(|folder| folder.as_path()))?;
    let mut broken = Vec::new();
    for rule in &RULES {
        let mut files = Vec::new();
        for folder in rule.folders {
            collect(&root().join(folder), rule.extension, &mut files)?;
        }
        for file in files {
            let name = file.strip_prefix(root()).unwrap_or(&file).to_owned();
            let text = std::fs::read_to_string(&file).with_context(|| name.display().to_string())?;
            for (number, line) in text.lines().enumerate() {
                if (rule.breaks)(without_comment(line)) {
                    broken.push(format!("{}:{}: {}", name.display(), number + 1, rule.why));
                }
            }
        }
    }
    if !broken.is_empty() {
        bail!("{}", broken.join("\n"));
    }
    Ok(())
}

/// Whether the engine's module `store` or `internals` is named, by path or in a list of imports; `no_store` is another word.
fn names_store(line: &str) -> bool {
    let mut words = line.split(|sign: char| !sign.is_alphanumeric() && sign != '_' && sign != ':');
    words.any(|word| {
        word.split("::").any(|part| part == "store" || part == "internals") && word.contains("::")
    }) || line.contains("reprieve::Store")
}

/// Whether a file of the model imports what is neither of the model nor serde's: a name in capitals is a type of the file,
/// and proptest is for its tests.
fn imports_more_than_serde(line: &str) -> bool {
    let allowed = ["crate::model", "proptest::", "self::", "serde::", "std::", "super::"];
    let Some(path) = line.trim_start().strip_prefix("use ") else { return false };
    path.starts_with(char::is_lowercase) && !allowed.iter().any(|start| path.starts_with(start))
}

/// Whether a script calls KEYS; its table of the same name is no call.
fn calls_keys(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    line.contains("call('keys'") || line.contains("call(\"keys\"")
}

fn without_comment(line: &str) -> &str {
    let code = line.split("//").next().unwrap_or_default();
    code.split("--").next().unwrap_or_default()
}

fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, extension, files)?;
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_is_seen_by_path_and_by_import() {
        assert!(names_store("use reprieve::store::Store;"));
        assert!(names_store("    store::claim::run(&redis).await"));
        assert!(names_store("use reprieve::{Engine, store::Store};"));
        assert!(!names_store("layer(from_fn(no_store::layer))"));
        assert!(!names_store("/// keeps its store of sessions"));
        assert!(!names_store("let storage = StorageFull;"));
    }

    #[test]
    fn the_model_imports_itself_and_serde() {
        assert!(imports_more_than_serde("use tokio::time::Instant;"));
        assert!(imports_more_than_serde("    use crate::store::Store;"));
        assert!(!imports_more_than_serde("use crate::model::JobId;"));
        assert!(!imports_more_than_serde("use Permission as P;"));
        assert!(!imports_more_than_serde("use serde::{Deserialize, Serialize};"));
    }

    #[test]
    fn every_rule_holds_for_the_code_as_it_stands() {
        check().unwrap();
    }

    #[test]
    fn the_table_of_keys_is_not_the_command() {
        assert!(calls_keys("local all = redis.call('KEYS', '*')"));
        assert!(!calls_keys("local prefix = KEYS[1]"));
    }
}
