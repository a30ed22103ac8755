//! Splitting a filter into words, and writing a text as one word.

use super::error::{FilterError, FilterProblem};

/// A piece of a word: as it stands, or from between quotation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) quoted: bool,
    /// Its first byte in the filter, and how many it takes there.
    pub(super) at: usize,
    pub(super) bytes: usize,
}

/// What stands between blanks: pieces with and without quotation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) pieces: Vec<Piece>,
    pub(super) at: usize,
    pub(super) bytes: usize,
}

/// The words of a filter.
pub(super) fn split(text: &str) -> Result<Vec<Word>, FilterError> {
    let mut words: Vec<Word> = Vec::new();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some(&(at, c)) = chars.peek() {
        if c.is_whitespace() {
            chars.next();
            finish(&mut words, &mut pieces);
        } else if c == '"' {
            chars.next();
            pieces.push(quotation(text, at, &mut chars)?);
        } else {
            let mut end = text.len();
            while let Some(&(place, c)) = chars.peek() {
                if c.is_whitespace() || c == '"' {
                    end = place;
                    break;
                }
                chars.next();
            }
            pieces.push(Piece { text: text[at..end].to_owned(), quoted: false, at, bytes: end - at });
        }
    }
    finish(&mut words, &mut pieces);
    Ok(words)
}

fn finish(words: &mut Vec<Word>, pieces: &mut Vec<Piece>) {
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return };
    let (at, end) = (first.at, last.at + last.bytes);
    words.push(Word { pieces: std::mem::take(pieces), at, bytes: end - at });
}

/// From behind a quotation mark to the next one; a backslash takes the character behind it as it is.
fn quotation(
    text: &str,
    at: usize,
    chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>,
) -> Result<Piece, FilterError> {
    let mut inside = String::new();
    while let Some((place, c)) = chars.next() {
        match c {
            '"' => return Ok(Piece { text: inside, quoted: true, at, bytes: place + 1 - at }),
            '\\' => inside.extend(chars.next().map(|(_, c)| c)),
            c => inside.push(c),
        }
    }
    Err(FilterError::new(at, text.len() - at, FilterProblem::OpenQuote))
}

/// A text as one word that is read as text: in quotation marks unless it is plain.
pub(super) fn quoted(text: &str) -> String {
    let plain =
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '@'));
    if plain { text.to_owned() } else { in_marks(text) }
}

/// A text as a value behind a colon.
pub(super) fn quoted_value(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '@' | '-' | ':');
    let first = text.chars().next().is_some_and(char::is_alphanumeric);
    if first && text.chars().all(plain) { text.to_owned() } else { in_marks(text) }
}

fn in_marks(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
