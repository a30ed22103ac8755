//! Reads JSON from outside into its type. Of a mistake it says where it is, its code, and what to do.
//!
//! A body is one struct with `#[derive(Deserialize)]` and `#[serde(deny_unknown_fields)]`. The first value of a wrong
//! type ends the reading; what a type cannot say is checked afterwards, and all of that is told at once.

use crate::problem::{Mistake, Mistakes, Problem};
use crate::strict::plain;
use http::StatusCode;
use serde::de::value::StringDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_path_to_error::{Path, Segment, Track};
use std::fmt;
use std::marker::PhantomData;

/// Between the code and the sentence of a mistake that a type tells of; no sentence has it.
const SEPARATOR: char = '\u{1f}';
/// How much of a name that nobody knows is shown, in characters.
const SHOWN_MAX: usize = 64;

/// Reads a whole text.
///
/// # Errors
/// It is empty, not JSON, or not of that type.
pub(crate) fn whole<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, Problem> {
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| malformed(&error))?;
    let mut mistakes = Mistakes::default();
    part(text, "", &mut mistakes).ok_or_else(|| mistakes.into_problem())
}

/// Reads a whole text for people at a shell, and checks what its type does not say.
///
/// # Errors
/// Its mistakes, in one line.
pub(crate) fn in_shell<'de, T: Deserialize<'de>, R>(
    text: &'de str,
    checked: impl FnOnce(T) -> Result<R, Problem>,
) -> Result<R, String> {
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| format!("not JSON: {}", plain(&error)))?;
    whole(text).and_then(checked).map_err(|problem| problem.in_one_line())
}

/// Reads what stands at `place` of a text that is JSON; `None`, with the mistake noted, if it is not of that type.
pub(crate) fn part<'de, T: Deserialize<'de>>(
    text: &'de str,
    place: &str,
    mistakes: &mut Mistakes,
) -> Option<T> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let mut track = Track::new();
    let read = T::deserialize(AsMap(serde_path_to_error::Deserializer::new(&mut reader, &mut track)));
    read.map_err(|error| mistakes.push(mistake(place, &track.path(), &error))).ok()
}

/// A JSON pointer one step further down.
pub(crate) fn join(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// What a type refuses, with the code of the mistake.
pub(crate) fn refused<E: Error>(code: &str, why: impl fmt::Display) -> E {
    E::custom(format_args!("{code}{SEPARATOR}{why}"))
}

/// A field that may be null, which is then not as good as absent: `Some` is what was given.
pub(crate) fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    reader: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(reader).map(Some)
}

/// The time of a new job, which is not null: who meant to name one, and has none, would have it run at once.
pub(crate) fn a_time<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    reader: D,
) -> Result<Option<T>, D::Error> {
    let read = Option::<T>::deserialize(reader)?;
    if read.is_none() {
        return Err(refused("invalid_time", "a time is not null; leave it out to run the job at once"));
    }
    Ok(read)
}

/// One of few words. The derived reading of an enum would take `{"word": null}` as well.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Word<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        T::deserialize(StringDeserializer::new(String::deserialize(reader)?)).map(Self)
    }
}

/// An object within another. The derived reading of a struct would take an array of its fields as well.
#[derive(Debug)]
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        T::deserialize(AsMap(reader)).map(Self)
    }
}

/// At most that many items; the reading of a longer array ends there.
#[derive(Debug)]
pub(crate) struct AtMost<const MAX: usize, T>(pub(crate) Vec<T>);

impl<const MAX: usize, T> Default for AtMost<MAX, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, const MAX: usize, T: Deserialize<'de>> Deserialize<'de> for AtMost<MAX, T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_seq(Items::<MAX, T>(PhantomData))
    }
}

struct Items<const MAX: usize, T>(PhantomData<T>);

impl<'de, const MAX: usize, T: Deserialize<'de>> Visitor<'de> for Items<MAX, T> {
    type Value = AtMost<MAX, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut read = Vec::new();
        while read.len() < MAX {
            let Some(item) = items.next_element()? else { return Ok(AtMost(read)) };
            read.push(item);
        }
        match items.next_element::<IgnoredAny>()? {
            None => Ok(AtMost(read)),
            Some(_) => {
                let why = format_args!("there are more than {MAX}: send the rest in another request");
                Err(refused("batch_too_large", why))
            }
        }
    }
}

/// Reads a struct out of nothing but an object.
struct AsMap<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for AsMap<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The text is not JSON at all.
fn malformed(error: &serde_json::Error) -> Problem {
    let (title, detail) = if error.is_eof() && error.line() <= 1 && error.column() == 0 {
        let why = "this request needs a JSON body; the document says which: /api/docs";
        ("The body is empty", why.to_owned())
    } else {
        let place = format!("at line {}, column {}", error.line(), error.column());
        ("The body is not JSON", format!("{} {place}", plain(error)))
    };
    Problem::new(StatusCode::BAD_REQUEST, "invalid_json", title, detail)
}

/// A mistake out of the words in which serde tells it.
fn mistake(place: &str, path: &Path, error: &serde_json::Error) -> Mistake {
    let place = path.iter().fold(place.to_owned(), |place, segment| match segment {
        Segment::Seq { index } => join(&place, &index.to_string()),
        Segment::Map { key } => join(&place, key),
        Segment::Enum { .. } | Segment::Unknown => place,
    });
    let said = plain(error);
    let (pointer, code, detail) = match of_member(&said, &place) {
        Some(told) => told,
        None => {
            let (code, detail) = of_value(&said, &place, error.is_data());
            (place, code, detail)
        }
    };
    Mistake { pointer: Some(pointer), parameter: None, code, detail }
}

/// Pointer, code and sentence of a member that is missing or given twice in the object at a place.
fn of_member(said: &str, place: &str) -> Option<(String, &'static str, String)> {
    let name = |of: &str| Some(said.strip_prefix(of)?.rsplit_once('`')?.0);
    match (name("missing field `"), name("duplicate field `")) {
        (Some(name), _) => Some((join(place, name), "required", format!("`{name}` is required"))),
        (_, Some(name)) => Some((join(place, name), "doubled", format!("`{name}` is given twice"))),
        _ => None,
    }
}

/// Code and sentence of a value.
fn of_value(said: &str, place: &str, is_data: bool) -> (&'static str, String) {
    let field = named(place);
    let expected = said.rsplit_once(", expected ").map_or("", |(_, expected)| expected);
    if let Some((code, why)) = said.split_once(SEPARATOR).and_then(|(code, why)| Some((known(code)?, why))) {
        (code, why.to_owned())
    } else if said.starts_with("unknown field `") {
        let name: String = last_of(place).chars().take(SHOWN_MAX).collect();
        ("unknown_field", format!("there is no field {name:?} here; known are {}", words(expected)))
    } else if said.starts_with("unknown variant `") {
        let one_of = if expected.matches('`').count() > 2 { "one of " } else { "" };
        ("unknown_word", format!("{field} is {one_of}{}", words(expected)))
    } else if said.starts_with("invalid type: null") && field.starts_with('`') {
        ("required", format!("{field} is required"))
    } else if said.starts_with("invalid ") && !expected.is_empty() {
        ("type", format!("{field} is {}", in_words(expected)))
    } else if is_data {
        // The engine's names say themselves what is wrong with them.
        ("invalid_name", said.to_owned())
    } else {
        ("type", format!("{field} cannot be read: {said}"))
    }
}

/// The codes that types tell of.
fn known(code: &str) -> Option<&'static str> {
    ["batch_too_large", "invalid_time", "too_long", "type"].into_iter().find(|known| *known == code)
}

/// The last step of a pointer, as it was given.
fn last_of(pointer: &str) -> String {
    let last = pointer.rsplit('/').next().unwrap_or_default();
    last.replace("~1", "/").replace("~0", "~")
}

/// What a place is called in a sentence.
fn named(pointer: &str) -> String {
    let name: String = last_of(pointer).chars().take(SHOWN_MAX).collect();
    match name.as_str() {
        "" => "the body".to_owned(),
        name if name.bytes().all(|byte| byte.is_ascii_digit()) => format!("item {name}"),
        name => format!("`{name}`"),
    }
}

/// The names out of "one of `a`, `b`" and "`a` or `b`".
pub(crate) fn words(expected: &str) -> String {
    expected.split('`').skip(1).step_by(2).collect::<Vec<_>>().join(", ")
}

/// What serde expects, in plain words.
fn in_words(expected: &str) -> &str {
    match expected {
        "a string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "an array",
        "a map" => "an object",
        "i64" => "a whole number",
        "u64" => "a whole number from 0",
        "u32" => "a whole number from 0 to 4294967295",
        "a nonzero u32" => "a whole number from 1 to 4294967295",
        expected if expected.starts_with("struct ") => "an object",
        expected => expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse as _;
    use serde_json::Value;
    use serde_json::value::RawValue;

    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Colour {
        Red,
        DarkBlue,
    }

    #[derive(Debug, Default, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the reading is looked at")]
    struct Inner {
        depth: Option<i64>,
        only: Option<bool>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        name: String,
        count: Option<u32>,
        colour: Option<Word<Colour>>,
        inner: Option<Object<Inner>>,
        few: Option<AtMost<2, Object<Inner>>>,
        #[serde(default, deserialize_with = "given")]
        raw: Option<Box<RawValue>>,
        #[serde(default, deserialize_with = "given")]
        limit: Option<Option<u32>>,
    }

    fn mistake(text: &str) -> (String, &'static str, String) {
        let mut mistakes = Mistakes::default();
        assert!(part::<Body>(text, "", &mut mistakes).is_none(), "{text}");
        let Mistake { pointer, code, detail, .. } = mistakes.all().first().unwrap().clone();
        (pointer.unwrap(), code, detail)
    }

    #[test]
    fn a_body_is_read_and_what_is_raw_or_null_stays_so() {
        let text = r#"{"name":"a","count":null,"colour":"dark_blue","inner":{"depth":-1},"few":[{},{}],
            "raw":{"n": 1e400, "n":2},"limit":null}"#;
        let body: Body = whole(text).unwrap();
        assert_eq!((body.name.as_str(), body.count), ("a", None));
        assert!(matches!(body.colour, Some(Word(Colour::DarkBlue))));
        assert_eq!(body.inner.unwrap().0.depth, Some(-1));
        assert_eq!(body.few.unwrap().0.len(), 2);
        assert_eq!(body.raw.unwrap().get(), r#"{"n": 1e400, "n":2}"#);
        assert_eq!(body.limit, Some(None));
        let body: Body = whole(r#"{"name":"a","raw":null}"#).unwrap();
        assert_eq!((body.raw.unwrap().get(), body.limit), ("null", None));
    }

    #[test]
    fn a_mistake_has_its_place_its_code_and_a_sentence() {
        for (text, place, code, detail) in [
            ("[]", "", "type", "the body is an object"),
            ("5", "", "type", "the body is an object"),
            ("{}", "/name", "required", "`name` is required"),
            (r#"{"name":null}"#, "/name", "required", "`name` is required"),
            (r#"{"name":5}"#, "/name", "type", "`name` is a text"),
            (r#"{"name":"a","name":"b"}"#, "/name", "doubled", "`name` is given twice"),
            (r#"{"name":"\ud800"}"#, "/name", "type", "`name` cannot be read: unexpected end of hex escape"),
            (r#"{"count":1.5}"#, "/count", "type", "`count` is a whole number from 0 to 4294967295"),
            (r#"{"count":"1"}"#, "/count", "type", "`count` is a whole number from 0 to 4294967295"),
            (r#"{"count":4294967296}"#, "/count", "type", "`count` is a whole number from 0 to 4294967295"),
            (r#"{"count":1e999}"#, "/count", "type", "`count` cannot be read: number out of range"),
            (r#"{"colour":"green"}"#, "/colour", "unknown_word", "`colour` is one of red, dark_blue"),
            (r#"{"colour":{"red":null}}"#, "/colour", "type", "`colour` is a text"),
            (r#"{"inner":[1,true]}"#, "/inner", "type", "`inner` is an object"),
            (r#"{"inner":{"depth":true}}"#, "/inner/depth", "type", "`depth` is a whole number"),
            (r#"{"few":[{},{"only":1}]}"#, "/few/1/only", "type", "`only` is true or false"),
            (r#"{"few":[null]}"#, "/few/0", "type", "item 0 is an object"),
            (
                r#"{"few":[{},{},{}]}"#,
                "/few",
                "batch_too_large",
                "there are more than 2: send the rest in another request",
            ),
            (
                r#"{"inner":{"a/b~`":1}}"#,
                "/inner/a~1b~0`",
                "unknown_field",
                r#"there is no field "a/b~`" here; known are depth, only"#,
            ),
        ] {
            assert_eq!(mistake(text), (place.to_owned(), code, detail.to_owned()), "{text}");
        }
    }

    #[test]
    fn no_sentence_is_longer_for_what_was_sent() {
        let long = "x".repeat(10_000);
        for text in [
            format!(r#"{{"{long}":1}}"#),
            format!(r#"{{"count":"{long}"}}"#),
            format!(r#"{{"count":"{long}, expected {long}"}}"#),
            format!(r#"{{"colour":"{long}"}}"#),
        ] {
            assert!(mistake(&text).2.len() < 200, "{text:.50}");
        }
    }

    #[test]
    fn depth_and_width_cost_nothing() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let wide: String = (0..10_000).map(|number| format!(r#""k{number}":0,"#)).collect();
        for text in [format!(r#"{{"few":{deep}}}"#), format!(r#"{{{wide}"name":"a"}}"#), deep] {
            assert!(whole::<Body>(&text).is_err());
        }
        assert!(
            whole::<Value>("[1")
                .is_err_and(|problem| problem.into_response().status() == StatusCode::BAD_REQUEST)
        );
    }
}
