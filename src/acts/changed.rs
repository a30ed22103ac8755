//! Which parts of a payload an edit changes, by their names alone.
//!
//! What the audit says can never be taken back, so that it has neither values nor what may be a value: of a key that is no
//! plain name, as an address or a number is none, it says that there is one.

use crate::redaction::UNNAMED_PART;
use crate::tree::{Tree, read_last};
use std::collections::BTreeMap;

/// Parts that are named; where there are more, the last name is [`MORE`].
const NAMES_MAX: usize = 20;
/// How deep a name goes: what lies deeper is named by the part that holds it.
const DEPTH_MAX: usize = 5;
/// Characters of a key.
const KEY_CHARS_MAX: usize = 40;
/// Stands for the parts that are not named.
const MORE: &str = "…";

/// `amount, customer.email`; empty where nothing differs, and where either is no JSON or all of it is another.
pub(super) fn names(before: &[u8], after: &[u8]) -> String {
    let (Some(before), Some(after)) = (read_last(before), read_last(after)) else {
        return String::new();
    };
    let mut found = Vec::new();
    compare(&mut Vec::new(), &before, &after, &mut found);
    if is_full(&found) {
        found.truncate(NAMES_MAX);
        found.push(MORE.to_owned());
    }
    found.join(", ")
}

/// Whether there are more parts than are named, so that no other has to be looked at.
fn is_full(found: &[String]) -> bool {
    found.len() > NAMES_MAX
}

/// Names a part once: several keys that are no plain names have one name.
fn name(path: &[String], found: &mut Vec<String>) {
    let name = path.join(".");
    // The latest is the likeliest.
    if !found.iter().rev().any(|known| *known == name) {
        found.push(name);
    }
}

fn compare(path: &mut Vec<String>, before: &Tree, after: &Tree, found: &mut Vec<String>) {
    if is_full(found) || before == after {
        return;
    }
    match (before, after) {
        (Tree::Object(old), Tree::Object(new)) if path.len() < DEPTH_MAX => {
            for key in keys(old, new) {
                let (old, new) = (old.get(key), new.get(key));
                step(path, plain(key), old, new, found);
            }
        }
        (Tree::List(old), Tree::List(new)) if path.len() < DEPTH_MAX => {
            for place in 0..old.len().max(new.len()) {
                step(path, place.to_string(), old.get(place), new.get(place), found);
            }
        }
        // The whole of it has no name.
        _ if path.is_empty() => {}
        _ => name(path, found),
    }
}

/// One part: what is there on one side alone is not `null`.
fn step(
    path: &mut Vec<String>,
    part: String,
    before: Option<&Tree>,
    after: Option<&Tree>,
    found: &mut Vec<String>,
) {
    if is_full(found) {
        return;
    }
    path.push(part);
    match (before, after) {
        (Some(before), Some(after)) => compare(path, before, after, found),
        (None, None) => {}
        _ => name(path, found),
    }
    path.pop();
}

/// Those of both, in order.
fn keys<'a>(old: &'a BTreeMap<String, Tree>, new: &'a BTreeMap<String, Tree>) -> Vec<&'a String> {
    let mut keys: Vec<&String> = old.keys().chain(new.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn plain(key: &str) -> String {
    let begins = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_word = key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if begins && is_word && key.len() <= KEY_CHARS_MAX { key.to_owned() } else { UNNAMED_PART.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value};

    fn names_of(before: &Value, after: &Value) -> String {
        names(before.to_string().as_bytes(), after.to_string().as_bytes())
    }

    #[test]
    fn parts_that_differ_are_named_and_their_values_are_not() {
        let before = serde_json::json!({
            "amount": 12, "same": [1], "gone": null, "customer": { "email": "ann@example.com", "id": 7 }, "lines": [1, 2],
        });
        let after = serde_json::json!({
            "amount": 13, "same": [1], "new": 1, "customer": { "email": "bob@example.com", "id": 7 }, "lines": [1, 3, 4],
        });
        assert_eq!(names_of(&before, &after), "amount, customer.email, gone, lines.1, lines.2, new");
        assert_eq!(names_of(&before, &before), "");
    }

    #[test]
    fn numbers_differ_by_every_digit() {
        let (before, after) = (br#"{"id":100000000000000000001}"#, br#"{"id":100000000000000000002}"#);
        assert_eq!(names(before, after), "id");
        assert_eq!(names(before, before), "");
    }

    #[test]
    fn what_may_be_a_value_is_no_name() {
        let before = serde_json::json!({ "of": {} });
        let after =
            serde_json::json!({ "of": { "ann@example.com": 1, "4915112345678": 2, "customer:7": 3 } });
        assert_eq!(names_of(&before, &after), "of.*");
    }

    #[test]
    fn parts_of_one_name_hide_no_other() {
        let of = |value: u32| -> Value {
            (0..100).map(|n| (format!("{n}@example.com"), value.into())).collect::<Map<_, _>>().into()
        };
        let before = serde_json::json!({ "of": of(1), "zz": 1 });
        let after = serde_json::json!({ "of": of(2), "zz": 2 });
        assert_eq!(names_of(&before, &after), "of.*, zz");
        assert_eq!(names_of(&serde_json::json!({ "of": {} }), &after), "of.*, zz");
    }

    #[test]
    fn what_has_no_parts_has_no_names() {
        for (before, after) in [("{}", "[]"), ("1", "2"), ("no JSON", "{}"), ("{}", "no JSON"), ("", "{}")] {
            assert_eq!(names(before.as_bytes(), after.as_bytes()), "", "{before} {after}");
        }
    }

    #[test]
    fn many_parts_are_cut_off_and_deep_ones_named_by_what_holds_them() {
        let many = |n: u8| Value::Object((0..n).map(|n| (format!("k{n:02}"), n.into())).collect());
        let cut = names_of(&many(0), &many(30));
        assert_eq!(cut.split(", ").count(), NAMES_MAX + 1, "{cut}");
        assert!(cut.starts_with("k00, k01") && cut.ends_with(MORE), "{cut}");
        let deep = |value: u8| serde_json::json!({ "a": { "b": { "c": { "d": { "e": { "f": value } } } } } });
        assert_eq!(names_of(&deep(1), &deep(2)), "a.b.c.d.e");
    }
}
