//! The ledger holds runs that passed, and its page adds them up rightly.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::fs;
use std::path::Path;

/// What stands behind a name in a report, up to the next space.
fn figure<'a>(report: &'a str, name: &str) -> &'a str {
    let line = report.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line[name.len()..].split_whitespace().next().unwrap_or_default()
}

#[test]
fn every_run_of_the_ledger_passed_and_its_page_adds_them_up() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/proof");
    let (mut runs, mut jobs, mut faults, mut asked) = (0, 0_u64, 0_u64, 0_u64);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|it| it != "txt") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        // Not a run of the rig.
        if name.starts_with("mutants-") {
            continue;
        }
        let report = fs::read_to_string(&path).unwrap();
        assert_eq!(name, format!("{}-{}", figure(&report, "topology"), figure(&report, "seed")));
        assert!(report.ends_with("verdict    passed, 0 breaches\n"), "{name} did not pass");
        assert!(!report.contains("\nflaw "), "{name} had a flaw built in");
        assert!(!figure(&report, "commit").is_empty(), "{name} names no commit");
        let answers = report.lines().find_map(|line| line.strip_prefix("called off")).unwrap();
        let requested = answers.split(',').find_map(|part| part.trim().strip_suffix(" requested"));
        asked += requested.map_or(0, |count| count.parse().unwrap());
        runs += 1;
        jobs += figure(&report, "jobs").parse::<u64>().unwrap();
        faults += figure(&report, "faults").parse::<u64>().unwrap();
    }
    // A run alone may meet none.
    assert!(asked >= 100, "of all jobs that were called off only {asked} ran at that moment");
    let page = fs::read_to_string(folder.join("README.md")).unwrap();
    let row = format!("| {runs} | {jobs} | {faults} | 0 |");
    assert!(page.contains(&row), "the page should say {row}");
}

#[test]
fn every_kind_of_fault_is_in_a_run_of_the_ledger_or_the_page_says_that_it_is_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let runs: String = fs::read_dir(root.join("docs/proof"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "txt"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let page = fs::read_to_string(root.join("docs/proof/README.md")).unwrap();
    let rig = fs::read_to_string(root.join("proof/src/faults.rs")).unwrap();
    let kinds: Vec<&str> =
        rig.split("= \"F").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0)).collect();
    assert!(kinds.len() > 20, "{kinds:?}");
    for kind in kinds {
        let (is_in_a_run, is_missed) =
            (runs.contains(&format!(" × F{kind}, ")), page.contains(&format!("`F{kind}`")));
        assert!(is_in_a_run != is_missed, "F{kind}: in a run {is_in_a_run}, missed on the page {is_missed}");
    }
}
