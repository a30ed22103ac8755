//! What changed between two snapshots, and its comparison with a file that was read and found right.
//!
//! `REPRIEVE_WRITE_EXPECTED=1 cargo test --test engine transitions::` writes the files anew; the change is to be reviewed like
//! code.

use super::seed::START;
use reprieve::testing::Snapshot;
use std::path::PathBuf;

/// The lines that left (`-`) and came (`+`), key by key.
pub(crate) fn difference(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let none = Vec::new();
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort();
    keys.dedup();
    let mut lines = Vec::new();
    for key in keys {
        let (old, new) = (before.get(key).unwrap_or(&none), after.get(key).unwrap_or(&none));
        let gone = without(old, new).into_iter().map(|line| ('-', line));
        let come = without(new, old).into_iter().map(|line| ('+', line));
        lines.extend(gone.chain(come).map(|(sign, line)| relative(&format!("{sign} {key}  {line}"))));
    }
    lines
}

/// The lines of `all` beyond those of `taken`, doubles counted.
fn without<'a>(all: &'a [String], taken: &[String]) -> Vec<&'a String> {
    let mut taken = taken.to_vec();
    all.iter()
        .filter(|line| match taken.iter().position(|other| other == *line) {
            Some(place) => {
                taken.remove(place);
                false
            }
            None => true,
        })
        .collect()
}

/// Writes instants as `T+<ms>`, so that they can be read.
pub(crate) fn relative(text: &str) -> String {
    let mut out = String::new();
    let mut digits = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        match digits.parse::<i64>() {
            Ok(ms) if digits.len() == 13 => out.push_str(&format!("T+{}", ms - START)),
            _ => out.push_str(&digits),
        }
        digits.clear();
        out.push(c);
    }
    out.pop();
    out
}

/// Compares with `tests/transitions/expected/<name>.txt`.
pub(crate) fn assert_expected(name: &str, actual: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/transitions/expected")
        .join(format!("{name}.txt"));
    if std::env::var_os("REPRIEVE_WRITE_EXPECTED").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let first = expected.lines().zip(actual.lines()).position(|(a, b)| a != b);
    assert!(expected == actual, "differs from {} first at line {first:?}; now:\n{actual}", path.display());
}
