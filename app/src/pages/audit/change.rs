//! What an act changed: before, and after.

use serde_json::Value;

/// Fields that a setting may have and one act may change; more than these are not worth a line each.
const FIELDS_MAX: usize = 20;

/// One thing that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// Which part of it; empty for the whole.
    pub(super) field: String,
    pub(super) before: String,
    pub(super) after: String,
}

/// The fields that differ where both are objects, else both as they are; nothing where nothing changed.
pub(super) fn changes(before: &str, after: &str) -> Vec<Change> {
    if before == after {
        return Vec::new();
    }
    let object = |text: &str| match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Some(fields),
        Err(_) if text.is_empty() => Some(serde_json::Map::new()),
        _ => None,
    };
    match (object(before), object(after)) {
        (Some(old), Some(new)) if !(old.is_empty() && new.is_empty()) => {
            let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
            names.sort_unstable();
            names.dedup();
            let differ = names.into_iter().filter(|name| old.get(*name) != new.get(*name)).take(FIELDS_MAX);
            differ
                .map(|name| Change {
                    field: name.clone(),
                    before: said(old.get(name)),
                    after: said(new.get(name)),
                })
                .collect()
        }
        _ => vec![Change { field: String::new(), before: before.to_owned(), after: after.to_owned() }],
    }
}

fn said(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(field: &str, before: &str, after: &str) -> Change {
        Change { field: field.to_owned(), before: before.to_owned(), after: after.to_owned() }
    }

    #[test]
    fn only_the_fields_that_differ_are_told() {
        let (before, after) =
            (r#"{"title":"Shop","colour":"red","n":1}"#, r#"{"title":"Shop","colour":"blue","m":[1]}"#);
        assert_eq!(
            changes(before, after),
            [change("colour", "red", "blue"), change("m", "", "[1]"), change("n", "1", "")]
        );
        assert_eq!(changes("", r#"{"title":"Shop"}"#), [change("title", "", "Shop")]);
    }

    #[test]
    fn what_is_no_object_is_told_as_it_is() {
        assert_eq!(changes("delayed", "held"), [change("", "delayed", "held")]);
        assert_eq!(changes("", "held"), [change("", "", "held")]);
        assert_eq!(changes("[1]", "[2]"), [change("", "[1]", "[2]")]);
        assert_eq!(changes("held", "held"), []);
        assert_eq!(changes("", ""), []);
    }
}
