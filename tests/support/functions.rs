//! Names of tests in the code, for pages that name them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What stands before a test.
const MARKS: [&str; 2] = ["#[test]", "#[tokio::test"];

/// Names of all tests below a folder. A function that is none proves nothing.
pub(crate) fn tests(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.extend(named(&fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Names of all tests in a text.
fn named(text: &str) -> Vec<String> {
    let behind = |mark| text.split(mark).skip(1);
    let name = |rest: &str| Some(rest.split_once("fn ")?.1.split_once('(')?.0.to_owned());
    MARKS.into_iter().flat_map(behind).filter_map(name).collect()
}
