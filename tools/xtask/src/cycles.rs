//! Modules that import each other in a circle.
//!
//! A module is a file, or a folder with all its files. At the root of a crate, and in every folder of it, the modules beside
//! each other are looked at: a module and those in it may know each other. Only what the code itself
//! imports counts, not its unit tests. A name that a module hands on counts for the module in it that it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The path of a module from the root of its crate.
type Module = Vec<String>;

/// Which modules a module imports, each with one import that shows it.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

/// Every circle of the crate whose root file is `folder/lib.rs`, as text.
pub(crate) fn find(folder: &Path) -> Result<Vec<String>> {
    let mut files = BTreeMap::new();
    read(folder, &Module::new(), &mut files)?;
    Ok(all_circles(&files))
}

/// The code of every file by its module.
fn read(folder: &Path, module: &[String], files: &mut BTreeMap<Module, String>) -> Result<()> {
    for entry in folder.read_dir().with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let inner = || [module, &[name.to_owned()]].concat();
        if path.is_dir() && name == "tests" {
            continue;
        } else if path.is_dir() {
            read(&path, &inner(), files)?;
        } else if path.extension().is_some_and(|found| found == "rs") && !["tests", "main"].contains(&name) {
            let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let module = if ["lib", "mod"].contains(&name) { module.to_vec() } else { inner() };
            files.insert(module, code_of(&text));
        }
    }
    Ok(())
}

fn all_circles(files: &BTreeMap<Module, String>) -> Vec<String> {
    let named: BTreeMap<&Module, Vec<Module>> =
        files.iter().map(|(module, code)| (module, named_in(module, code))).collect();
    files.keys().flat_map(|folder| circles(&imports(folder, files, &named))).collect()
}

/// What the modules of a folder import of each other.
fn imports(
    folder: &Module,
    files: &BTreeMap<Module, String>,
    named: &BTreeMap<&Module, Vec<Module>>,
) -> Imports {
    let children: BTreeSet<&String> = files.keys().filter_map(|module| child_of(folder, module)).collect();
    let mut handed_on = BTreeMap::new();
    for path in &named[folder] {
        if let Some(child) = child_of(folder, path).filter(|child| children.contains(child)) {
            handed_on.insert(path.last(), child);
        }
    }
    let mut found: Imports = children.iter().map(|child| ((*child).clone(), BTreeMap::new())).collect();
    for (module, paths) in named {
        let Some(to) = child_of(folder, module).and_then(|child| found.get_mut(child)) else { continue };
        for path in paths {
            let Some(first) = child_of(folder, path) else { continue };
            let target = if children.contains(first) { Some(&first) } else { handed_on.get(&Some(first)) };
            if let Some(target) = target.filter(|target| Some(**target) != child_of(folder, module)) {
                to.entry((*target).clone()).or_insert_with(|| path.join("::"));
            }
        }
    }
    found
}

/// The module of that folder that a path leads into.
fn child_of<'a>(folder: &Module, path: &'a Module) -> Option<&'a String> {
    path.strip_prefix(folder.as_slice()).and_then(|rest| rest.first())
}

/// Every path that a file names, from the root of the crate on.
fn named_in(module: &Module, code: &str) -> Vec<Module> {
    let mut named = used(code, "crate::");
    for (code, within) in blocks(module, code) {
        // What a file uses of its own modules needs no `self::`.
        for path in used(code, "self::").into_iter().chain(used(code, "use ")) {
            named.push([within.as_slice(), &path].concat());
        }
        for path in used(code, "super::") {
            let more = path.iter().take_while(|part| *part == "super").count();
            let base = &within[..within.len().saturating_sub(more + 1)];
            named.push([base, &path[more..]].concat());
        }
    }
    named
}

/// The code of a file in pieces, each with its module: what stands in a `mod … { }` is one further in.
fn blocks<'a>(module: &Module, code: &'a str) -> Vec<(&'a str, Module)> {
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some((at, name)) = next_block(code, from) {
        let end = code[at..].find("\n}").map_or(code.len(), |end| at + end);
        pieces.push((&code[from..at], module.clone()));
        pieces.push((&code[at..end], [module.as_slice(), &[name]].concat()));
        from = end;
    }
    pieces.push((&code[from..], module.clone()));
    pieces
}

/// Where the next `mod … {` of the file begins, and its name.
fn next_block(code: &str, from: usize) -> Option<(usize, String)> {
    let mut at = from;
    for line in code[from..].split_inclusive('\n') {
        let words = line.trim_end().strip_suffix(" {").and_then(|line| line.split_once("mod "));
        if let Some((before, name)) = words
            && (before.is_empty() || before.starts_with("pub"))
        {
            return Some((at, name.to_owned()));
        }
        at += line.len();
    }
    None
}

/// The code without its comments and without its unit tests, which stand at the end of a file.
fn code_of(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Every path behind `start`, with the trees of `use` taken apart: `crate::a::{b, c::d}` is `a::b` and `a::c::d`.
fn used(code: &str, start: &str) -> Vec<Module> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices(start) {
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

fn take_apart(before: &[String], tree: &str, paths: &mut Vec<Module>) {
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

    fn of(modules: &[(&str, &str)]) -> Vec<String> {
        let path = |name: &str| name.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let files = modules.iter().map(|(name, text)| (path(name), code_of(text))).collect();
        all_circles(&files)
    }

    #[test]
    fn a_circle_is_named_with_its_imports() {
        let modules = [
            ("", ""),
            ("store", "use crate::model::Job;\nfn f() { crate::client::now() }"),
            ("client", "use crate::{model::Id, store::{self, Store as Kept}};"),
            ("model", "use std::fmt;"),
        ];
        let found = of(&modules);
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
        let modules = [("", root), ("engine", "use crate::Reply;"), ("store", "use crate::Engine;")];
        assert_eq!(of(&modules).len(), 1);
        assert_eq!(of(&[&[("", "")], &modules[1..]].concat()).len(), 0);
    }

    #[test]
    fn modules_of_a_folder_are_looked_at_too() {
        let modules = [
            ("", ""),
            ("pages", "pub use list::List;\nmod list;\nmod row;"),
            ("pages/list", "use super::row::Row;"),
            ("pages/row", "mod cells {\n    use super::super::List;\n}\nuse super::NotFound;"),
        ];
        let found = of(&modules);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("row imports list: pages::List"), "{found:?}");
    }

    #[test]
    fn modules_of_different_folders_make_a_circle_of_the_folders() {
        let modules = [
            ("", ""),
            ("api", ""),
            ("api/read", ""),
            ("api/act", "use crate::pages::list;"),
            ("pages", ""),
            ("pages/list", ""),
            ("pages/page", "use crate::api::read;"),
        ];
        assert_eq!(of(&modules).len(), 1);
    }

    #[test]
    fn comments_tests_and_longer_names_are_no_imports() {
        let modules = [
            ("", ""),
            ("a", "use crate::b::B; // crate::c::C"),
            ("b", "/// [`crate::a::A`]\nuse my_crate::a::A;\n#[cfg(test)]\nmod tests { use crate::a::A; }"),
            ("c", "use crate::a::A;"),
        ];
        assert_eq!(of(&modules), Vec::<String>::new());
    }
}
