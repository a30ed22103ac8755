//! The links of the documents: each leads to a file that is there, and to a heading of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::step::root;

/// Every Markdown file of the root, of `docs` and of `deploy`.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("docs"), root().join("deploy")];
    let is_document = |path: &Path| path.extension().is_some_and(|ending| ending == "md");
    found.extend(entries(root()).into_iter().filter(|path| is_document(path)));
    while let Some(folder) = folders.pop() {
        let (below, files): (Vec<_>, Vec<_>) = entries(&folder).into_iter().partition(|path| path.is_dir());
        folders.extend(below);
        found.extend(files.into_iter().filter(|path| is_document(path)));
    }
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// The lines of a document outside of its blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Where the links of a document lead: what stands in parentheses behind a bracket.
fn targets(text: &str) -> Vec<String> {
    let links = prose(text).flat_map(|line| line.split("](").skip(1));
    links.filter_map(|rest| rest.split(')').next().map(str::to_owned)).collect()
}

/// The anchors of a document's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_that_are_there() {
    let mut dead = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for target in targets(&text).into_iter().filter(|target| !target.contains("://")) {
            let (path, heading) = target.split_once('#').unwrap_or((target.as_str(), ""));
            let file = if path.is_empty() { document.clone() } else { document.parent().unwrap().join(path) };
            let is_there = file.exists()
                && (heading.is_empty() || anchors(&fs::read_to_string(&file).unwrap()).contains(heading));
            if !is_there {
                dead.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}

#[test]
fn every_page_stands_in_the_summary() {
    let folder = root().join("docs");
    let listed = targets(&fs::read_to_string(folder.join("SUMMARY.md")).unwrap());
    let listed: BTreeSet<_> = listed.into_iter().map(|target| folder.join(target)).collect();
    let pages =
        documents().into_iter().filter(|path| path.starts_with(&folder) && !path.ends_with("SUMMARY.md"));
    assert_eq!(pages.collect::<BTreeSet<_>>(), listed);
}
