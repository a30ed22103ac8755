//! What the checks have in common: messages are short lines, and what is sent as JSON reads back as it was.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// Longest message to a person, bytes: a megabyte of input is answered by no megabyte, nor is a log.
const MESSAGE_BYTES_MAX: usize = 1_000;

/// A message is there, is short, and is one line.
pub(crate) fn message(text: &str) {
    assert!(!text.trim().is_empty(), "a message says nothing");
    assert!(text.len() <= MESSAGE_BYTES_MAX, "a message has {} bytes: {text:.200}", text.len());
    assert!(!text.contains(['\n', '\r', '\0', '\u{1b}']), "a message is more than a line: {text:?}");
}

/// What screens are sent reads back as it was.
pub(crate) fn crosses<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = serde_json::to_string(value).expect("what screens are sent has a JSON form");
    let read: T = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert_eq!(&read, value, "{text}");
}

/// The parts of an input, which a line with two bars separates.
pub(crate) fn parts(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(data);
    std::iter::from_fn(move || {
        let all = rest?;
        match all.windows(4).position(|window| window == b"\n||\n") {
            Some(at) => {
                rest = Some(&all[at + 4..]);
                Some(&all[..at])
            }
            None => rest.take(),
        }
    })
}
