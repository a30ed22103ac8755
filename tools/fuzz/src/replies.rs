//! What a Redis answers: bytes of its protocol, given to every reader of answers; then a person as they are kept.

use crate::bounds::{crosses, message, parts};
use reprieve::fuzzing;
use reprieve::model::{PersonName, Role};

/// Characters of what rows show of a payload and of an error.
const PREVIEW_CHARS_MAX: usize = 160;
const ERROR_LINE_CHARS_MAX: usize = 200;

/// What is taken for damage is told in a short line; the rows that are read go to a screen as they are, and hold lines
/// of the length they may have; nobody has a role that is not written there.
pub fn check(data: &[u8]) {
    let mut parts = parts(data);
    if let Some(readings) = parts.next().and_then(fuzzing::read_reply) {
        for error in &readings.errors {
            message(&error.to_string());
        }
        for row in &readings.rows {
            assert!(row.preview.chars().count() <= PREVIEW_CHARS_MAX, "{:?}", row.preview);
            assert!(row.error_line.chars().count() <= ERROR_LINE_CHARS_MAX, "{:?}", row.error_line);
            crosses(row);
        }
        for event in &readings.events {
            crosses(event);
        }
    }
    let Some(kept) = parts.next().and_then(|kept| std::str::from_utf8(kept).ok()) else { return };
    let name = PersonName::new("ann").expect("a name");
    match fuzzing::read_person(name, kept) {
        Ok(person) => {
            let role: Role = person.role;
            assert!(kept.contains(role.as_str()) || kept.contains('\\'), "{role:?} out of {kept}");
            crosses(&person);
        }
        Err(error) => message(&error.to_string()),
    }
}
