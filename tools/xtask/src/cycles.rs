//! Modules that import each other in a circle.
//!
//! A module is what stands directly under the root of a crate: a file, or a folder with all its files. Only what the code
//! itself imports counts, not its unit tests. A name that the root hands on counts for the module it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Which modules a module imports, each with one import that shows it.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

/// Every circle of the crate whose root file is `folder/lib.rs`, as text; none in a crate that may stay.
pub(crate) fn find(folder: &Path) -> Result<Vec<String>> {
    let root =
        std::fs::read_to_string(folder.join("lib.rs")).with_context(|| folder.display().to_string())?;
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if !["lib", "main"].contains(&name.as_str()) {
            read(&path, files.entry(name).or_default())?;
        }
    }
    Ok(circles(&imports(&root, &files)))
}

fn read(path: &Path, texts: &mut Vec<String>) -> Result<()> {
    if path.is_dir() {
        for entry in path.read_dir()? {
            read(&entry?.path(), texts)?;
        }
    } else if path.extension().is_some_and(|found| found == "rs") && !path.ends_with("tests.rs") {
        texts.push(std::fs::read_to_string(path).with_context(|| path.display().to_string())?);
    }
    Ok(())
}

fn imports(root: &str, files: &BTreeMap<String, Vec<String>>) -> Imports {
    let mut handed_on = BTreeMap::new();
    for path in used(&code_of(root), "self") {
        if let [module, .., name] = path.as_slice() {
            handed_on.insert(name.clone(), module.clone());
        }
    }
    let mut found = Imports::new();
    for (module, texts) in files {
        let to = found.entry(module.clone()).or_default();
        for text in texts {
            for path in used(&code_of(text), "crate") {
                let Some(first) = path.first() else { continue };
                let target = if files.contains_key(first) { Some(first) } else { handed_on.get(first) };
                if let Some(target) = target.filter(|target| *target != module) {
                    to.entry(target.clone()).or_insert_with(|| path.join("::"));
                }
            }
        }
    }
    found
}

/// The code without its comments and without its unit tests, which stand at the end of a file.
fn code_of(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Every path that begins with `start::`, with the trees of `use` taken apart: `crate::a::{b, c::d}` is `a::b` and
/// `a::c::d`.
fn used(code: &str, start: &str) -> Vec<Vec<String>> {
    let start = format!("{start}::");
    let mut paths = Vec::new();
    for (at, _) in code.match_indices(&start) {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|sign| sign.is_alphanumeric() || sign == '_' || sign == ':') {
            continue;
        }
        take_apart(&[], tree_at(&code[at + start.len()..]), &mut paths);
    }
    paths
}

/// The path or the tree of paths that a text begins with.
fn tree_at(text: &str) -> &str {
    let mut depth = 0;
    let is_end = |sign: char| {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth < 0 || depth == 0 && !(sign.is_alphanumeric() || "_:}".contains(sign))
    };
    &text[..text.find(is_end).unwrap_or(text.len())]
}

fn take_apart(before: &[String], tree: &str, paths: &mut Vec<Vec<String>>) {
    let (plain, group) = match tree.split_once('{') {
        Some((plain, rest)) => (plain, Some(rest.strip_suffix('}').unwrap_or(rest))),
        None => (tree, None),
    };
    let mut path = before.to_vec();
    path.extend(plain.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned));
    let Some(group) = group else {
        if path.len() > before.len() {
            paths.push(path);
        }
        return;
    };
    let (mut depth, mut from) = (0, 0);
    for (at, sign) in group.char_indices().chain([(group.len(), ',')]) {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = group[from..at].trim();
                take_apart(&path, part.split(" as ").next().unwrap_or(part), paths);
                from = at + 1;
            }
            _ => {}
        }
    }
}

/// Each set of modules that reach each other, with the imports among them.
fn circles(imports: &Imports) -> Vec<String> {
    let reach: BTreeMap<&String, BTreeSet<&String>> =
        imports.keys().map(|module| (module, reached(imports, module))).collect();
    let mut told = BTreeSet::new();
    let mut found = Vec::new();
    for module in imports.keys().filter(|module| reach[module].contains(module)) {
        let circle: BTreeSet<&String> =
            reach[module].iter().copied().filter(|other| reach[other].contains(module)).collect();
        if circle.iter().all(|member| told.insert(*member)) {
            let among = circle.iter().flat_map(|from| {
                let inside = imports[*from].iter().filter(|(to, _)| circle.contains(to));
                inside.map(move |(to, path)| format!("\n  {from} imports {to}: {path}"))
            });
            found.push(format!(
                "{} modules import each other in a circle:{}",
                circle.len(),
                among.collect::<String>()
            ));
        }
    }
    found
}

fn reached<'a>(imports: &'a Imports, from: &String) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&String> = imports.get(from).into_iter().flat_map(BTreeMap::keys).collect();
    while let Some(module) = next.pop() {
        if imports.contains_key(module) && reached.insert(module) {
            next.extend(imports[module].keys());
        }
    }
    reached
}

/// Fails with every circle of these crates.
pub(crate) fn check(folders: &[&Path]) -> Result<()> {
    let mut all = Vec::new();
    for folder in folders {
        all.extend(find(folder)?.into_iter().map(|circle| format!("{}: {circle}", folder.display())));
    }
    if !all.is_empty() {
        bail!("{}", all.join("\n"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(root: &str, modules: &[(&str, &str)]) -> Vec<String> {
        let files =
            modules.iter().map(|(name, text)| ((*name).to_owned(), vec![(*text).to_owned()])).collect();
        circles(&imports(root, &files))
    }

    #[test]
    fn a_circle_is_named_with_its_imports() {
        let modules = [
            ("store", "use crate::model::Job;\nfn f() { crate::client::now() }"),
            ("client", "use crate::{model::Id, store::{self, Store as Kept}};"),
            ("model", "use std::fmt;"),
        ];
        let found = of("", &modules);
        assert_eq!(found.len(), 1);
        assert!(
            found[0].contains("2 modules") && found[0].contains("store imports client: client::now"),
            "{found:?}"
        );
        assert!(!found[0].contains("model"), "{found:?}");
    }

    #[test]
    fn what_the_root_hands_on_counts_for_its_module() {
        let root = "pub use self::{engine::Engine, store::{Store, deep::Reply}};";
        let modules = [("engine", "use crate::Reply;"), ("store", "use crate::Engine;")];
        assert_eq!(of(root, &modules).len(), 1);
        assert_eq!(of("", &modules).len(), 0);
    }

    #[test]
    fn comments_tests_and_longer_names_are_no_imports() {
        let modules = [
            ("a", "use crate::b::B; // crate::c::C"),
            ("b", "/// [`crate::a::A`]\nuse my_crate::a::A;\n#[cfg(test)]\nmod tests { use crate::a::A; }"),
            ("c", "use crate::a::A;"),
        ];
        assert_eq!(of("", &modules), Vec::<String>::new());
    }
}
