//! JSON of payloads with its numbers as they were written.
//!
//! [`serde_json::Value`] keeps of a number no more than 64 bits hold: two ids of 21 digits would be one, and
//! `19.90` would be `19.9`. Whatever leaves a payload by its path goes through here.

use crate::model::filter::PayloadPath;
use serde::de::{self, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;

/// A payload in which each path leads to one value; `None` for what is no JSON, and for JSON that others may
/// read and we cannot be sure of: a name that is twice in an object, half a surrogate, more than 127 levels.
pub(crate) fn read(payload: &[u8]) -> Option<Tree> {
    tree(payload, Doubled::Refused)
}

/// The same for a reader: of a name that is twice in an object the last one counts.
pub fn read_last(payload: &[u8]) -> Option<Tree> {
    tree(payload, Doubled::LastCounts)
}

fn tree(payload: &[u8], doubled: Doubled) -> Option<Tree> {
    let read = |text: &[u8]| {
        let mut json = serde_json::Deserializer::from_slice(text);
        let tree = Reader { numbers: &mut Numbers(payload), doubled }.deserialize(&mut json).ok()?;
        json.end().ok().map(|()| tree)
    };
    read(payload).or_else(|| read(&with_small_numbers(payload)?))
}

/// The same text with 0 in place of each number that no `f64` holds, as long as it was: the parser refuses those, although
/// what counts of a number is how it is written. `None` where there is none.
fn with_small_numbers(payload: &[u8]) -> Option<Vec<u8>> {
    let (mut text, mut numbers) = (payload.to_vec(), Numbers(payload));
    let mut is_changed = false;
    while let Some(number) = numbers.next() {
        let is_huge = number.parse::<f64>().is_ok_and(f64::is_infinite)
            && serde_json::from_str::<de::IgnoredAny>(&number).is_ok();
        if !is_huge {
            continue;
        }
        let end = payload.len() - numbers.0.len();
        let place = text.get_mut(end - number.len()..end)?;
        place.fill(b' ');
        *place.first_mut()? = b'0';
        is_changed = true;
    }
    is_changed.then_some(text)
}

/// A value with its numbers as they were written.
#[derive(PartialEq, Serialize)]
#[serde(untagged)]
pub enum Tree {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// As it was written.
    Number(Number),
    /// Without its quotation marks.
    Text(String),
    /// In their order.
    List(Vec<Self>),
    /// By name.
    Object(BTreeMap<String, Self>),
}

impl Tree {
    /// A text by itself, anything else as JSON: how filters, columns and importers read a value.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.as_str().to_owned(),
            // Names are texts, so that this always goes well.
            other => serde_json::to_string(other).unwrap_or_default(),
        }
    }

    /// What a JSON pointer leads to.
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        let steps = pointer.strip_prefix('/')?.split('/');
        steps.map(|step| step.replace("~1", "/").replace("~0", "~")).try_fold(self, |value, step| match value
        {
            Self::Object(members) => members.get(&step),
            Self::List(items) => {
                let index: usize = step.parse().ok()?;
                if index.to_string() == step { items.get(index) } else { None }
            }
            _ => None,
        })
    }
}

/// A number as it was written. Two are equal if they are written alike.
pub struct Number(Box<RawValue>);

impl Number {
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// What becomes of an object in which a name is twice.
#[derive(Clone, Copy, PartialEq)]
enum Doubled {
    Refused,
    LastCounts,
}

/// Reads one value, and takes the numbers in it from the text.
struct Reader<'a, 't> {
    numbers: &'a mut Numbers<'t>,
    doubled: Doubled,
}

impl Reader<'_, '_> {
    fn number<E: de::Error>(self) -> Result<Tree, E> {
        let number = self.numbers.next().ok_or_else(|| E::custom("a number is not in the text"))?;
        RawValue::from_string(number).map(|number| Tree::Number(Number(number))).map_err(E::custom)
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_, '_> {
    type Value = Tree;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_, '_> {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, it: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(it))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Tree, E> {
        self.number()
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Tree, E> {
        self.number()
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Tree, E> {
        self.number()
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        let Reader { numbers, doubled } = self;
        while let Some(item) = items.next_element_seed(Reader { numbers: &mut *numbers, doubled })? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Tree, A::Error> {
        let mut object = BTreeMap::new();
        let Reader { numbers, doubled } = self;
        while let Some(name) = members.next_key::<String>()? {
            let member = members.next_value_seed(Reader { numbers: &mut *numbers, doubled })?;
            if object.insert(name, member).is_some() && doubled == Doubled::Refused {
                return Err(A::Error::custom("a name is there twice"));
            }
        }
        Ok(Tree::Object(object))
    }
}

/// The numbers of a text in JSON, one after the other, as they are written: in the order in which a reader
/// meets them.
struct Numbers<'t>(&'t [u8]);

impl Iterator for Numbers<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        while let Some((&first, rest)) = self.0.split_first() {
            let is_in_number = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
            match first {
                b'"' => self.0 = behind_text(rest),
                b'-' | b'0'..=b'9' => {
                    let end = self.0.iter().position(|byte| !is_in_number(byte)).unwrap_or(self.0.len());
                    let (number, behind) = self.0.split_at(end);
                    self.0 = behind;
                    return String::from_utf8(number.to_vec()).ok();
                }
                _ => self.0 = rest,
            }
        }
        None
    }
}

/// What follows the text that begins there.
fn behind_text(mut json: &[u8]) -> &[u8] {
    while let Some((&byte, rest)) = json.split_first() {
        json = rest;
        match byte {
            b'"' => break,
            // Whatever is escaped ends nothing.
            b'\\' => json = json.get(1..).unwrap_or_default(),
            _ => {}
        }
    }
    json
}

/// What stands at a path of a payload.
pub(crate) fn at<'a>(path: &PayloadPath, whole: &'a Tree) -> Option<&'a Tree> {
    path.steps().iter().try_fold(whole, |value, step| match value {
        Tree::Object(fields) => fields.get(step),
        Tree::List(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_what_was_written() {
        let payload = br#"{"a":19.90,"b":[1e1,-0,100000000000000000002],"c":"1"}"#;
        let tree = read_last(payload).unwrap();
        let at = |pointer| tree.pointer(pointer).map(Tree::text);
        for (pointer, text) in [
            ("/a", "19.90"),
            ("/b/0", "1e1"),
            ("/b/1", "-0"),
            ("/b/2", "100000000000000000002"),
            ("/b", "[1e1,-0,100000000000000000002]"),
            ("/c", "1"),
        ] {
            assert_eq!(at(pointer).as_deref(), Some(text), "{pointer}");
        }
        assert_eq!((at("/b/01"), at("/d"), at("a")), (None, None, None));
    }

    #[test]
    fn a_number_that_no_double_holds_is_a_number_as_any_other() {
        let digits = "7".repeat(400);
        let payload = format!(r#"{{"s":"a 1e999","n":-1e400,"more":[{digits},2],"b":1}}"#);
        let tree = read(payload.as_bytes()).unwrap();
        let at = |pointer| tree.pointer(pointer).map(Tree::text);
        assert_eq!((at("/n").as_deref(), at("/more/0").as_deref()), (Some("-1e400"), Some(&*digits)));
        assert_eq!((at("/s").as_deref(), at("/b").as_deref()), (Some("a 1e999"), Some("1")));
        for bad in ["[01e999]", "[1.e999]", "[1e999", "[1e999 2]"] {
            assert!(read(bad.as_bytes()).is_none(), "{bad}");
        }
    }

    #[test]
    fn of_a_name_that_is_twice_the_last_counts_for_a_reader() {
        let payload = br#"{"a":1,"a":2,"b":3}"#;
        assert!(read(payload).is_none());
        let tree = read_last(payload).unwrap();
        assert_eq!(tree.pointer("/a").map(Tree::text).as_deref(), Some("2"));
        assert_eq!(tree.pointer("/b").map(Tree::text).as_deref(), Some("3"));
    }
}
