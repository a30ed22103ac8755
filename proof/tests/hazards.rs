//! The page that says how each hazard is tested names tests that there are.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

#[path = "../../tests/support/functions.rs"]
mod named;

use named::tests;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Commands, paths and a setting stand in the same marks.
fn is_test(name: &str) -> bool {
    let word =
        name.contains('_') && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    word && name != "confirm_replicas"
}

fn is_fault(word: &str) -> bool {
    word.strip_prefix('F')
        .is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

#[test]
fn every_hazard_names_a_test_that_there_is_or_what_is_missing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut known = BTreeSet::new();
    for folder in ["src", "tests", "server/src", "server/tests", "proof/model/tests", "xtask/src"] {
        tests(&root.join(folder), &mut known);
    }
    let rig = fs::read_to_string(root.join("proof/src/faults.rs")).unwrap();
    let page = fs::read_to_string(root.join("docs/reliability.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| H")).collect();
    assert_eq!(rows.len(), 79, "every hazard");
    for row in rows {
        let columns: Vec<&str> = row.split('|').collect();
        let [_, number, _, shown, _] = columns.as_slice() else { panic!("{row:?} has other columns") };
        assert!(!shown.trim().is_empty(), "{number} is neither shown nor said to be missing");
        let named: Vec<&str> = shown.split('`').skip(1).step_by(2).filter(|name| is_test(name)).collect();
        for name in &named {
            assert!(known.contains(*name), "{number} names {name}, which there is not");
        }
        let faults: Vec<&str> =
            shown.split(|c: char| !c.is_alphanumeric()).filter(|word| is_fault(word)).collect();
        for fault in &faults {
            assert!(rig.contains(&format!("= \"{fault} ")), "{number} names {fault}, which the rig has not");
        }
        let open = shown.contains("not proven yet");
        let by_rig = shown.contains("rig: ");
        assert!(open || by_rig || !named.is_empty(), "{number} has no proof and does not say so: {shown}");
    }
}

#[test]
fn a_function_that_is_no_test_proves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let text = "fn helps() {}\n#[test]\n#[ignore]\nfn shows() {}\n#[tokio::test(flavor = \"x\")]\nasync fn waits() {}\n";
    fs::write(folder.path().join("some.rs"), text).unwrap();
    let mut found = BTreeSet::new();
    tests(folder.path(), &mut found);
    assert_eq!(found, BTreeSet::from(["shows".to_owned(), "waits".to_owned()]));
}
