//! How the browser reads JSON.

use serde::de::DeserializeOwned;
use serde_json::{Error, Value};

/// Reads a text.
///
/// `serde_json` writes its whole reader anew into each type that is read: how a text goes on, what separates fields, where a
/// mistake stands. Here a text becomes a [`Value`] first, by code that is there once, and a type takes its fields out of that.
///
/// # Errors
/// What is wrong with it: it is no JSON, or not that of a `T`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    T::deserialize(&parsed(text)?)
}

fn parsed(text: &str) -> Result<Value, Error> {
    serde_json::from_str(text)
}
