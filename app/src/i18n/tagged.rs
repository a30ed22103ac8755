//! Sentences about tagged values, such as errors and what was found of a Redis: the tag names the sentence, the fields fill it.

use fluent_bundle::FluentArgs;
use serde::Serialize;
use serde_json::Value;

use super::words::known_with;
use crate::format;

/// A tag and the fields beside it, as JSON has them.
pub(crate) struct Tagged {
    /// Which sentence of a set says it.
    pub(crate) word: String,
    fields: FluentArgs<'static>,
}

impl Tagged {
    /// Reads a value whose tag has that name.
    pub(crate) fn of(value: &impl Serialize, tag: &str) -> Self {
        let mut tagged = Self { word: String::new(), fields: FluentArgs::new() };
        let Ok(Value::Object(fields)) = serde_json::to_value(value) else { return tagged };
        for (name, value) in fields {
            match value {
                Value::String(word) if name == tag => tagged.word = word,
                value => tagged.fill(name, value),
            }
        }
        tagged
    }

    /// Bytes and times have units; a list is given with its count and its first.
    fn fill(&mut self, name: String, value: Value) {
        match (value.as_i64(), value) {
            (Some(ms), _) if name.ends_with("_ms") => self.fields.set(name, format::span(ms)),
            (Some(bytes), _) if name.starts_with("bytes") => {
                self.fields.set(name, format::bytes(bytes.unsigned_abs()));
            }
            (Some(number), _) => self.fields.set(name, number),
            (_, Value::String(text)) => self.fields.set(name, text),
            (_, Value::Bool(is)) => self.fields.set(name, is.to_string()),
            (_, Value::Array(list)) => {
                let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                self.fields.set("count", words.len());
                self.fields.set("first", words.first().copied().unwrap_or_default().to_owned());
                // Rights are copied into a command.
                self.fields.set(name.clone(), words.join(if name == "rights" { " " } else { ", " }));
            }
            _ => {}
        }
    }

    /// The same with another value in its sentence.
    pub(crate) fn with(
        mut self,
        name: &'static str,
        value: impl Into<fluent_bundle::FluentValue<'static>>,
    ) -> Self {
        self.fields.set(name, value);
        self
    }

    /// Its sentence among those of a set; `None` where that has none.
    pub(crate) fn said(&self, set: &str) -> Option<String> {
        known_with(set, &self.word, Some(&self.fields))
    }
}

/// A value that is one word in JSON, as that.
pub(crate) fn json_word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// All tags of a type.
#[cfg(test)]
pub(crate) fn tags<T: serde::de::DeserializeOwned + std::fmt::Debug>(tag: &str) -> Vec<String> {
    let wrong = serde_json::from_value::<T>(serde_json::json!({ tag: "" })).unwrap_err().to_string();
    wrong.split('`').skip(3).step_by(2).map(str::to_owned).collect()
}
