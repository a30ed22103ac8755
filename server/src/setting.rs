//! Reads a setting as somebody gives it, over HTTP or in a shell.

use crate::parse::words;
use reprieve::model::Setting;
use serde_json::{Value, json};

/// The setting of that name with this value. A name in it that the setting does not have is refused: what is kept may hold
/// one of another version, but a setting on the command line was mistyped.
///
/// # Errors
/// What is wrong with the value.
pub(crate) fn read(name: &str, value: &Value) -> Result<Setting, String> {
    let setting: Setting =
        serde_json::from_value(json!({ "name": name, "value": value })).map_err(|error| in_words(&error))?;
    let known = setting.members();
    let items = match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut given = items.iter().filter_map(Value::as_object).flat_map(serde_json::Map::keys);
    match given.find(|name| !known.contains(&name.as_str())) {
        Some(unknown) => Err(format!("there is no {unknown:?} in it; there are {}", known.join(", "))),
        None => Ok(setting),
    }
}

/// What serde says of a value.
fn in_words(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let unknown = said.strip_prefix("unknown variant `").and_then(|rest| rest.split_once("`, expected "));
    match unknown {
        Some((word, expected)) => {
            format!("the word {word:?} is not known here; known are {}", words(expected))
        }
        None => said,
    }
}
