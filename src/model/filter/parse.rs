//! Reading a filter.

use super::decimal::Decimal;
use super::error::{FilterError, FilterProblem};
use super::field::Field;
use super::moment::Span;
use super::sealed::is_too_long;
use super::term::{Compare, Pattern, PayloadPath, PayloadTest, Term, Test, TimeField};
use super::words::{Piece, Word, split};
use super::{FILTER_BYTES_MAX, TERMS_MAX, VALUES_MAX};
use crate::model::first_bytes;
use crate::model::list::StateGroup;
use crate::model::name::{JobId, Subject};
use crate::model::state::JobState;

type Result<T> = std::result::Result<T, FilterError>;

/// The terms of a filter.
pub(super) fn filter(text: &str) -> Result<Vec<Term>> {
    if is_too_long(text) {
        // What marks the place must not cut a character in two.
        let at = first_bytes(text, FILTER_BYTES_MAX).len();
        return Err(FilterError::new(at, text.len() - at, FilterProblem::TooLong));
    }
    let words = split(text)?;
    if let Some(word) = words.get(TERMS_MAX) {
        return Err(FilterError::new(word.at, word.bytes, FilterProblem::TooManyTerms));
    }
    words.into_iter().map(term).collect()
}

/// One value behind a colon, and where it stands.
struct Value {
    text: String,
    quoted: bool,
    /// A star stands behind the quotation marks.
    and_more: bool,
    at: usize,
    bytes: usize,
}

impl Value {
    const fn wrong(&self, problem: FilterProblem) -> FilterError {
        FilterError::new(self.at, self.bytes, problem)
    }
}

fn term(mut word: Word) -> Result<Term> {
    let dash = word.pieces.first().is_some_and(|piece| !piece.quoted && piece.text.starts_with('-'));
    if dash {
        take_front(&mut word, 1);
    }
    if word.pieces.iter().all(|piece| piece.text.is_empty() && !piece.quoted) {
        return Err(FilterError::new(word.at, word.bytes, FilterProblem::NoValue));
    }
    let test = match field(&word)? {
        Some((field, path, bytes)) => {
            take_front(&mut word, bytes);
            test(field, path.as_deref(), &word)?
        }
        None => text(&word)?,
    };
    Ok(Term { not: dash, test })
}

/// Takes so many bytes off the first piece, which is not quoted.
fn take_front(word: &mut Word, bytes: usize) {
    if let Some(first) = word.pieces.first_mut() {
        first.text.drain(..bytes);
        first.at += bytes;
        first.bytes -= bytes;
        if first.text.is_empty() {
            word.pieces.remove(0);
        }
    }
}

/// The field in front of the first colon, the path behind `payload.`, and how many bytes both take with the colon.
fn field(word: &Word) -> Result<Option<(Field, Option<String>, usize)>> {
    let Some(first) = word.pieces.first().filter(|piece| !piece.quoted) else { return Ok(None) };
    let Some((name, _)) = first.text.split_once(':') else { return Ok(None) };
    let bytes = name.len() + 1;
    if let Some(path) = name.strip_prefix("payload.") {
        return Ok(Some((Field::Payload, Some(path.to_owned()), bytes)));
    }
    if let Some(field) = Field::ALL.into_iter().find(|field| field.as_str() == name) {
        return Ok(Some((field, None, bytes)));
    }
    // Subjects and ids hold colons: what is far from any field is text.
    match Field::ALL.into_iter().find(|field| is_near(field.as_str(), name)) {
        Some(meant) => Err(FilterError::new(first.at, name.len(), FilterProblem::UnknownField { meant })),
        None => Ok(None),
    }
}

/// Whether two words differ by one letter: another, one more, one less; or by their case.
fn is_near(a: &str, b: &str) -> bool {
    if a.eq_ignore_ascii_case(b) {
        return true;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = |skip_a: usize, skip_b: usize| a.get(same + skip_a..) == b.get(same + skip_b..);
    a.len() > 2
        && match a.len().abs_diff(b.len()) {
            0 => tail(1, 1),
            1 if a.len() > b.len() => tail(1, 0),
            1 => tail(0, 1),
            _ => false,
        }
}

fn text(word: &Word) -> Result<Test> {
    let text: String = word.pieces.iter().map(|piece| piece.text.as_str()).collect();
    if text.trim().is_empty() {
        return Err(FilterError::new(word.at, word.bytes, FilterProblem::NoValue));
    }
    Ok(Test::Text(text))
}

fn test(field: Field, path: Option<&str>, word: &Word) -> Result<Test> {
    let values = values(word)?;
    let patterns = || values.iter().map(pattern).collect::<Result<Vec<_>>>();
    let texts = || values.iter().map(|value| value.text.clone()).collect::<Vec<_>>();
    let span = |of: TimeField| {
        let only = only(&values)?;
        let span = Span::read(&only.text, of != TimeField::Due).filter(|_| !only.quoted);
        span.map(|span| Test::Time(of, span)).ok_or_else(|| only.wrong(FilterProblem::BadTime))
    };
    Ok(match field {
        Field::State => Test::State(states(&values)?),
        Field::Queue => Test::Queue(patterns()?),
        Field::Kind => Test::Kind(patterns()?),
        Field::Subject => Test::Subject(values.iter().map(subject).collect::<Result<_>>()?),
        Field::Tag => Test::Tag(patterns()?),
        Field::Worker => Test::Worker(patterns()?),
        Field::Id => {
            let id = |value: &Value| {
                JobId::new(value.text.clone()).map_err(|_| value.wrong(FilterProblem::BadName))
            };
            Test::Id(values.iter().map(id).collect::<Result<_>>()?)
        }
        Field::Error => Test::Error(texts()),
        Field::By => Test::By(texts()),
        Field::Due => span(TimeField::Due)?,
        Field::Created => span(TimeField::Created)?,
        Field::Running => span(TimeField::Running)?,
        Field::Ended => span(TimeField::Ended)?,
        Field::Attempt => {
            let only = only(&values)?;
            let (compare, number) = compared(&only.text);
            let count = number.parse().map_err(|_| only.wrong(FilterProblem::BadNumber))?;
            Test::Attempt(compare, count)
        }
        Field::Payload => payload(path, word, &values)?,
    })
}

/// The values of a term, which commas outside of quotation marks part.
fn values(word: &Word) -> Result<Vec<Value>> {
    let mut values: Vec<Value> = Vec::new();
    let mut open: Option<Value> = None;
    let start = |at: usize| Value { text: String::new(), quoted: false, and_more: false, at, bytes: 0 };
    let add = |value: &mut Value, piece: &Piece, text: &str, bytes: usize| {
        // A star behind quotation marks is no part of the text between them.
        if value.quoted && !piece.quoted && text == "*" {
            value.and_more = true;
        } else {
            value.text.push_str(text);
        }
        value.quoted |= piece.quoted;
        value.bytes += bytes;
    };
    let mut end = word.at + word.bytes;
    for piece in &word.pieces {
        end = piece.at + piece.bytes;
        if piece.quoted {
            add(open.get_or_insert_with(|| start(piece.at)), piece, &piece.text, piece.bytes);
            continue;
        }
        let mut at = piece.at;
        for (place, part) in piece.text.split(',').enumerate() {
            if place > 0 {
                values.push(open.take().unwrap_or_else(|| start(at - 1)));
            }
            if !part.is_empty() {
                add(open.get_or_insert_with(|| start(at)), piece, part, part.len());
            }
            at += part.len() + 1;
        }
        // A comma at the end of a piece waits for what follows it.
        if piece.text.ends_with(',') {
            open = Some(start(end));
        }
    }
    values.push(open.unwrap_or_else(|| start(end)));
    if let Some(empty) = values.iter().find(|value| value.text.is_empty()) {
        return Err(empty.wrong(FilterProblem::NoValue));
    }
    if let Some(value) = values.get(VALUES_MAX) {
        return Err(value.wrong(FilterProblem::TooManyValues));
    }
    Ok(values)
}

fn only(values: &[Value]) -> Result<&Value> {
    match values {
        [only] => Ok(only),
        [_, second, ..] => Err(second.wrong(FilterProblem::TooManyValues)),
        [] => Err(FilterError::new(0, 0, FilterProblem::NoValue)),
    }
}

fn states(values: &[Value]) -> Result<Vec<JobState>> {
    let mut states = Vec::new();
    for value in values {
        let named: Vec<JobState> = match value.text.parse::<JobState>() {
            Ok(state) => vec![state],
            Err(_) if value.text == StateGroup::Delay.as_str() => StateGroup::Delay.states().to_vec(),
            Err(_) => return Err(value.wrong(FilterProblem::UnknownState)),
        };
        states.extend(named);
    }
    states.sort_unstable();
    states.dedup();
    Ok(states)
}

fn pattern(value: &Value) -> Result<Pattern> {
    let (text, starred) = match value.text.strip_suffix('*') {
        Some(text) => (text, true),
        None => (value.text.as_str(), false),
    };
    let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-:/@".contains(&byte));
    if !is_name || (text.is_empty() && !starred) {
        return Err(value.wrong(FilterProblem::BadName));
    }
    Ok(Pattern { text: text.to_owned(), and_more: starred || value.and_more })
}

/// A subject in its one spelling, or how one begins, as people read it.
fn subject(value: &Value) -> Result<Pattern> {
    let (text, starred) = match value.text.strip_suffix('*').filter(|_| !value.quoted) {
        Some(text) => (text, true),
        None => (value.text.as_str(), value.and_more),
    };
    if starred && !text.chars().any(char::is_control) {
        return Ok(Pattern::starting(text));
    }
    let subject = Subject::new(text).map_err(|_| value.wrong(FilterProblem::BadName))?;
    Ok(Pattern::exactly(subject))
}

fn compared(text: &str) -> (Compare, &str) {
    [Compare::AtMost, Compare::AtLeast, Compare::Less, Compare::More]
        .into_iter()
        .find_map(|compare| text.strip_prefix(compare.as_str()).map(|rest| (compare, rest)))
        .unwrap_or((Compare::Equal, text))
}

fn payload(path: Option<&str>, word: &Word, values: &[Value]) -> Result<Test> {
    let wrong = || FilterError::new(word.at, word.bytes, FilterProblem::BadPath);
    let path: PayloadPath = path.ok_or_else(wrong)?.parse().map_err(|_| wrong())?;
    if let [only] = values
        && !only.quoted
    {
        if only.text == "*" {
            return Ok(Test::Payload(path, PayloadTest::Exists));
        }
        let (compare, number) = compared(&only.text);
        if compare != Compare::Equal {
            return if Decimal::read(number).is_some() {
                Ok(Test::Payload(path, PayloadTest::Number(compare, number.to_owned())))
            } else {
                Err(only.wrong(FilterProblem::BadNumber))
            };
        }
    }
    let value = |value: &Value| match value.text.strip_suffix('*').filter(|_| !value.quoted) {
        Some(text) => Pattern::starting(text),
        None => Pattern { text: value.text.clone(), and_more: value.and_more },
    };
    Ok(Test::Payload(path, PayloadTest::Is(values.iter().map(value).collect())))
}
