//! An object from outside, field by field, so that all its mistakes are told together.

use crate::problem::{Mistakes, Problem};
use crate::strict::plain;
use http::StatusCode;
use reprieve::model::InvalidName;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Most members any object of this API has, with room; a wider one is a bomb or a mistake.
const MEMBERS_MAX: usize = 64;

/// Most jobs one call may bring: as many as the engine enqueues in one step.
pub(crate) const ITEMS_MAX: usize = 500;

/// One object of a body: its members by name, as text, until somebody asks for them.
pub(crate) struct Fields<'a> {
    members: BTreeMap<String, &'a RawValue>,
    pointer: String,
}

impl<'a> Fields<'a> {
    /// Reads the members of an object at `pointer`; `None`, with the mistake noted, if it is none.
    pub(crate) fn of(text: &'a str, pointer: &str, mistakes: &mut Mistakes) -> Option<Self> {
        let members = match serde_json::from_str::<Members<'a>>(text) {
            Ok(members) => members,
            Err(error) => {
                mistakes.body(pointer, "not_an_object", plain(&error));
                return None;
            }
        };
        for key in &members.doubled {
            mistakes.body(join(pointer, key), "doubled", format!("`{key}` is given twice"));
        }
        Some(Self { members: members.by_name, pointer: pointer.to_owned() })
    }

    /// Where a field of this object is.
    pub(crate) fn pointer(&self, name: &str) -> String {
        join(&self.pointer, name)
    }

    /// Whether a field was given, be it null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    /// The text of a field; `None` if it is absent. Null counts as given.
    pub(crate) fn raw(&mut self, name: &str) -> Option<&'a str> {
        self.members.remove(name).map(RawValue::get)
    }

    /// A field of some type; `None` if it is absent, null, or a mistake that was noted.
    pub(crate) fn read<T: Deserialize<'a>>(
        &mut self,
        name: &str,
        expected: &str,
        mistakes: &mut Mistakes,
    ) -> Option<T> {
        let text = self.raw(name)?;
        if text == "null" {
            return None;
        }
        serde_json::from_str(text)
            .map_err(|_| mistakes.body(self.pointer(name), "type", format!("`{name}` is {expected}")))
            .ok()
    }

    /// A field that is a name with a grammar.
    pub(crate) fn name<T: FromStr<Err = InvalidName>>(
        &mut self,
        name: &str,
        mistakes: &mut Mistakes,
    ) -> Option<T> {
        let text: Cow<'a, str> = self.read(name, "a text", mistakes)?;
        T::from_str(&text)
            .map_err(|why| mistakes.body(self.pointer(name), "invalid_name", why.to_string()))
            .ok()
    }

    /// Notes every field nobody asked for.
    pub(crate) fn refuse_the_rest(self, known: &str, mistakes: &mut Mistakes) {
        for name in self.members.keys() {
            mistakes.body(
                join(&self.pointer, name),
                "unknown_field",
                format!("there is no field {name:?} here; there are {known}"),
            );
        }
    }
}

/// Reads a body that may be left out or null, as the document says of it: that is as good as an empty object.
///
/// # Errors
/// As for [`object`].
pub(crate) fn optional<'a, T: Default>(
    text: &'a str,
    read: impl FnOnce(Fields<'a>, &mut Mistakes) -> T,
) -> Result<T, Problem> {
    object(if matches!(text.trim(), "" | "null") { "{}" } else { text }, read)
}

/// Reads a body that is one object.
///
/// # Errors
/// The text is empty or not JSON, or every mistake that was noted.
pub(crate) fn object<'a, T: Default>(
    text: &'a str,
    read: impl FnOnce(Fields<'a>, &mut Mistakes) -> T,
) -> Result<T, Problem> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| malformed(&error))?;
    let mut mistakes = Mistakes::default();
    let read = Fields::of(text, "", &mut mistakes).map(|fields| read(fields, &mut mistakes));
    mistakes.into_result()?;
    Ok(read.unwrap_or_default())
}

/// A JSON pointer one step further down.
pub(crate) fn join(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The items of an array as texts, at most [`ITEMS_MAX`] of them.
///
/// # Errors
/// The whole text is not JSON, or the array is longer than that.
pub(crate) fn items(text: &str) -> Result<Vec<&RawValue>, Problem> {
    let items: Items<'_> = serde_json::from_str(text).map_err(|error| malformed(&error))?;
    if items.0.len() > ITEMS_MAX {
        return Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "batch_too_large",
            "Too many at once",
            format!("one call takes at most {ITEMS_MAX} jobs; send the rest in another"),
        ));
    }
    Ok(items.0)
}

/// The text is not JSON at all.
pub(crate) fn malformed(error: &serde_json::Error) -> Problem {
    if error.is_eof() && error.line() <= 1 && error.column() == 0 {
        return Problem::new(
            StatusCode::BAD_REQUEST,
            "invalid_json",
            "The body is empty",
            "this request needs a JSON body; the document says which: /api/docs",
        );
    }
    Problem::new(
        StatusCode::BAD_REQUEST,
        "invalid_json",
        "The body is not JSON",
        format!("{} at line {}, column {}", plain(error), error.line(), error.column()),
    )
}

struct Members<'a> {
    by_name: BTreeMap<String, &'a RawValue>,
    doubled: Vec<String>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Members { by_name: BTreeMap::new(), doubled: Vec::new() };
        while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
            if members.by_name.len() >= MEMBERS_MAX {
                return Err(serde::de::Error::custom(format!("more than {MEMBERS_MAX} members")));
            }
            if members.by_name.insert(key.clone(), value).is_some() {
                members.doubled.push(key);
            }
        }
        Ok(members)
    }
}

struct Items<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Items<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ItemsVisitor)
    }
}

struct ItemsVisitor;

impl<'de> Visitor<'de> for ItemsVisitor {
    type Value = Items<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Items<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element::<&'de RawValue>()? {
            // One more than allowed is enough to know; the rest is read past without being kept.
            if items.len() <= ITEMS_MAX {
                items.push(item);
            }
        }
        Ok(Items(items))
    }
}
