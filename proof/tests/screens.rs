//! The page that goes through the rules of the screens names tests and files that there are.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::fs;
use std::path::{Path, PathBuf};

/// Rules, those without a number, parts of screens, and checks.
const ROWS: [(&str, usize); 3] = [("R", 56), ("5.", 91), ("A", 20)];

/// The file that a word names, where it names one: tests of the browser stand there without their folder.
fn file(root: &Path, word: &str) -> Option<PathBuf> {
    let path = match word.rsplit_once('.') {
        Some((name, "ts")) if !name.contains('/') => root.join("end2end/tests").join(word),
        Some((_, "ts" | "rs" | "css" | "ftl" | "md" | "lua")) if word.contains('/') => root.join(word),
        _ => return None,
    };
    Some(path)
}

#[test]
fn every_rule_of_the_screens_names_what_there_is_or_what_is_missing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let page = fs::read_to_string(root.join("docs/screens.md")).unwrap();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| |"))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .filter(|columns: &Vec<&str>| columns.len() == 3)
        .collect();
    for (prefix, count) in ROWS {
        let of = |columns: &&Vec<&str>| {
            columns[0].strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        assert_eq!(rows.iter().filter(of).count(), count, "rows that begin with {prefix}");
    }
    for row in &rows {
        let [handle, _, shown] = row[..] else { unreachable!("three columns were asked for") };
        let mut place: Option<(PathBuf, String)> = None;
        let mut names_something = shown.contains("not there yet") || shown.contains("otherwise here");
        for (at, word) in shown.split('`').enumerate() {
            if at % 2 == 0 {
                // A colon leads from a file to what is in it, a comma to the next of it; anything else ends that.
                if !matches!(word, ": " | ", ") {
                    place = None;
                }
                continue;
            }
            if let Some(path) = file(root, word) {
                let text = fs::read_to_string(&path)
                    .unwrap_or_else(|_| panic!("{handle} names {word}, which there is not"));
                place = Some((path, text));
                names_something = true;
            } else if let Some((path, text)) = &place {
                let there = path.display();
                assert!(text.contains(word), "{handle} names {word:?}, which is not in {there}");
            }
        }
        assert!(names_something, "{handle} is neither shown nor said to be missing: {shown}");
    }
}
