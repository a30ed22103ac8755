//! The page that says what proves each feature names tests that exist.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/functions.rs"]
mod named;

use named::tests;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn every_test_that_the_page_of_features_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut known = BTreeSet::new();
    for folder in ["src", "tests", "server/src", "server/tests", "app/src"] {
        tests(&root.join(folder), &mut known);
    }
    let page = fs::read_to_string(root.join("docs/features.md")).unwrap();
    let rows: Vec<Vec<&str>> =
        page.lines().filter(|line| line.starts_with("| A")).map(|line| line.split('|').collect()).collect();
    assert_eq!(rows.len(), 74, "every row of the field's features for engines");
    for row in rows {
        let [_, handle, _, _, proof, _] = row.as_slice() else { panic!("{row:?} has other columns") };
        let named: Vec<&str> = proof.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "{handle} is not proved");
        for test in named {
            assert!(known.contains(test), "{handle} names {test}, which there is not");
        }
    }
}
