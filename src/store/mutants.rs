//! Mutants of the scripts: the library with one small thing wrong, by the thousand, for tests to catch.
//!
//! Comparisons, `and` and `or`, plus and minus, `true` and `false` change places, a `not` is dropped, a call whose value
//! nobody takes is left out. Comments and texts stay as they are, and so does every line's number.
//!
//! Compiled in by the feature `flaws` alone, which nothing that ships asks for.

use super::library::Library;
use std::ops::Range;

/// How a mutant is named in `REPRIEVE_FLAW`, before its number.
pub(super) const NAME_PREFIX: &str = "mutant:";

/// Words of Lua that are no names. `true`, `false` and `nil` are not among them: like names they stand for a value.
const KEYWORDS: [&str; 18] = [
    "and", "break", "do", "else", "elseif", "end", "for", "function", "if", "in", "local", "not", "or",
    "repeat", "return", "then", "until", "while",
];
/// Behind these a statement begins on the same line.
const OPENING: [&str; 5] = ["then", "do", "else", "repeat", ";"];
/// With these it ends on the same line.
const CLOSING: [&str; 5] = ["end", "else", "elseif", "until", ";"];
/// Signs of more than one character, a longer one before those it begins with.
const LONG_SIGNS: [&str; 6] = ["...", "..", "==", "~=", "<=", ">="];

/// One way to write the library with one thing wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mutant {
    /// `REPRIEVE_FLAW=mutant:<number>` builds it in. Another text of the scripts numbers them anew.
    pub number: usize,
    /// The file below `lua/`, such as `lib/job.lua`.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// The line as it is, without the space around it.
    pub before: String,
    /// The line as the mutant has it; empty when nothing is left of it.
    pub after: String,
}

/// All mutants of the library, in the order of its text.
#[must_use]
pub fn mutants() -> Vec<Mutant> {
    let (text, library) = Library::as_written();
    let told = changes(&text).into_iter().enumerate().filter_map(|(number, change)| {
        let before_it = text.get(..change.at.start)?;
        let (file, line) = library.place_behind_head(before_it.matches('\n').count())?;
        let begins = before_it.rfind('\n').map_or(0, |at| at + 1);
        let ends = text.get(change.at.end..)?.find('\n').map_or(text.len(), |at| change.at.end + at);
        let (head, tail) = (text.get(begins..change.at.start)?, text.get(change.at.end..ends)?);
        Some(Mutant {
            number,
            file: format!("{file}.lua"),
            line,
            before: text.get(begins..ends)?.trim().to_owned(),
            after: format!("{head}{}{tail}", change.instead).trim().to_owned(),
        })
    });
    told.collect()
}

/// The text with the mutant of that number built in; `None` when there is no such number.
pub(super) fn built_in(text: &str, number: &str) -> Option<String> {
    let number: usize = number.parse().ok()?;
    let change = changes(text).into_iter().nth(number)?;
    let mut text = text.to_owned();
    text.replace_range(change.at, change.instead);
    Some(text)
}

/// What is written instead of what.
struct Change {
    at: Range<usize>,
    instead: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    /// A number or a text.
    Literal,
    Sign,
}

#[derive(Clone, Copy)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
    at: usize,
    line: usize,
}

impl Token<'_> {
    const fn end(&self) -> usize {
        self.at + self.text.len()
    }

    fn is_name(&self) -> bool {
        self.kind == Kind::Word && !KEYWORDS.contains(&self.text)
    }

    /// Whether an expression, or a statement, may end here.
    fn is_an_end(&self) -> bool {
        self.is_name()
            || self.kind == Kind::Literal
            || matches!(self.text, ")" | "]" | "}" | "..." | "end" | "break")
    }

    /// Whether a statement begins here, if this is the first of its line.
    fn is_a_beginning(&self) -> bool {
        self.kind == Kind::Word && !matches!(self.text, "and" | "or")
    }
}

fn changes(text: &str) -> Vec<Change> {
    let tokens = tokens(text);
    let mut changes = Vec::new();
    for index in 0..tokens.len() {
        changes.extend(swap(&tokens, index));
        changes.extend(call_left_out(&tokens, index));
    }
    changes
}

/// A sign or a word in another's place.
fn swap(tokens: &[Token], index: usize) -> Option<Change> {
    let token = tokens.get(index)?;
    if token.kind == Kind::Literal {
        return None;
    }
    let instead = match token.text {
        "==" => "~=",
        "~=" => "==",
        "<" => "<=",
        "<=" => "<",
        ">" => ">=",
        ">=" => ">",
        "and" => "or",
        "or" => "and",
        "true" => "false",
        "false" => "true",
        "+" => "-",
        // The minus of a negative number has no partner.
        "-" if tokens.get(index.checked_sub(1)?)?.is_an_end() => "+",
        "not" => return Some(Change { at: token.at..tokens.get(index + 1)?.at, instead: "" }),
        _ => return None,
    };
    Some(Change { at: token.at..token.end(), instead })
}

/// No call, where a statement on one line is nothing else.
fn call_left_out(tokens: &[Token], first: usize) -> Option<Change> {
    let name = tokens.get(first)?;
    let begins = match first.checked_sub(1).and_then(|before| tokens.get(before)) {
        Some(before) => OPENING.contains(&before.text) || (before.is_an_end() && before.line < name.line),
        None => true,
    };
    if !begins || !name.is_name() {
        return None;
    }
    let (mut behind, mut is_call) = (first + 1, false);
    while let Some(next) = tokens.get(behind) {
        (behind, is_call) = match next.text {
            "." | ":" => (behind + 2, false),
            "[" => (behind_bracket(tokens, behind)?, false),
            "(" => (behind_bracket(tokens, behind)?, true),
            _ => break,
        };
    }
    let last = tokens.get(behind - 1)?;
    let ends = match tokens.get(behind) {
        Some(next) => CLOSING.contains(&next.text) || (next.is_a_beginning() && last.line < next.line),
        None => true,
    };
    (is_call && ends && last.line == name.line).then(|| Change { at: name.at..last.end(), instead: "" })
}

/// What follows the bracket that closes the one that opens there.
fn behind_bracket(tokens: &[Token], opening: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(opening) {
        if token.kind != Kind::Sign {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

/// The text in its parts, without space and comments.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut tokens, mut at, mut line) = (Vec::new(), 0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (kind, length) = part(rest);
        let part = rest.get(..length).unwrap_or(rest);
        if let Some(kind) = kind {
            tokens.push(Token { kind, text: part, at, line });
        }
        line += part.matches('\n').count();
        at += part.len();
    }
    tokens
}

/// What a text begins with, `None` for space and comments, and how long that is.
fn part(rest: &str) -> (Option<Kind>, usize) {
    let length = |ends: &dyn Fn(char) -> bool| rest.find(ends).unwrap_or(rest.len());
    match rest.chars().next().unwrap_or_default() {
        c if c.is_whitespace() => (None, length(&|c| !c.is_whitespace())),
        '-' if rest.starts_with("--") => {
            let comment = rest.get(2..).unwrap_or_default();
            (None, long(comment).map_or_else(|| length(&|c| c == '\n'), |long| 2 + long))
        }
        c if c.is_ascii_digit() => (Some(Kind::Literal), length(&|c| !c.is_ascii_alphanumeric() && c != '.')),
        c if c.is_ascii_alphabetic() || c == '_' => {
            (Some(Kind::Word), length(&|c| !c.is_ascii_alphanumeric() && c != '_'))
        }
        '"' | '\'' => (Some(Kind::Literal), quoted(rest)),
        c => match (long(rest), LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign))) {
            (Some(length), _) => (Some(Kind::Literal), length),
            (None, Some(sign)) => (Some(Kind::Sign), sign.len()),
            (None, None) => (Some(Kind::Sign), c.len_utf8()),
        },
    }
}

/// The length of a text in quotation marks, with them.
fn quoted(rest: &str) -> usize {
    let mut characters = rest.char_indices();
    let mark = characters.next().map(|(_, c)| c);
    while let Some((at, c)) = characters.next() {
        if c == '\\' {
            characters.next();
        } else if Some(c) == mark {
            return at + 1;
        }
    }
    rest.len()
}

/// The length of what stands in long brackets, `[[` or `[==[`, with them; `None` when none begin here.
fn long(rest: &str) -> Option<usize> {
    let signs = rest.strip_prefix('[')?;
    let level = signs.len() - signs.trim_start_matches('=').len();
    let inside = signs.get(level..)?.strip_prefix('[')?;
    let closing = format!("]{}]", "=".repeat(level));
    let opening = closing.len();
    Some(inside.find(&closing).map_or(rest.len(), |at| opening + at + closing.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// What becomes of a text, a mutant each.
    fn mutated(text: &str) -> Vec<String> {
        (0..).map_while(|number: usize| built_in(text, &number.to_string())).collect()
    }

    #[test]
    fn comparisons_words_and_signs_change_places() {
        for (text, mutant) in [
            ("a == b", "a ~= b"),
            ("a ~= b", "a == b"),
            ("a < b", "a <= b"),
            ("a <= b", "a < b"),
            ("a > b", "a >= b"),
            ("a >= b", "a > b"),
            ("a and b", "a or b"),
            ("a or b", "a and b"),
            ("a + 1", "a - 1"),
            ("a - 1", "a + 1"),
            ("f()-1", "f()+1"),
            ("return true", "return false"),
            ("x = { y = false }", "x = { y = true }"),
            ("if not a then", "if a then"),
        ] {
            assert_eq!(mutated(text), [mutant], "{text}");
        }
    }

    #[test]
    fn what_stands_twice_is_changed_at_one_place_each() {
        assert_eq!(mutated("a < b and b < c"), ["a <= b and b < c", "a < b or b < c", "a < b and b <= c"]);
    }

    #[test]
    fn comments_texts_names_and_negative_numbers_are_left_alone() {
        for text in [
            "-- a == b and not c",
            "--[[ a == b\n  f()\n]]",
            "--[==[ ]] a < b ]==]",
            "x = \"a \\\" == b\"",
            "x = 'not a' .. [[ or ]]",
            "x = -1",
            "return -x",
            "f = g(-1, ...)",
            "x = notes .. order .. band",
        ] {
            assert!(mutated(text).is_empty(), "{text}: {:?}", mutated(text));
        }
    }

    #[test]
    fn a_call_whose_value_nobody_takes_is_left_out() {
        for (text, mutant) in [
            ("f()", ""),
            ("  redis.call(\"DEL\", key)\n", "  \n"),
            ("x = 1\njob.move(j, { a = { 1 } })\nreturn x", "x = 1\n\nreturn x"),
            ("if x then a:b(1) end", "if x then  end"),
            ("a[1].b(2)(3)", ""),
            ("function f(a)\n  g(a)\nend", "function f(a)\n  \nend"),
        ] {
            assert_eq!(mutated(text), [mutant], "{text}");
        }
    }

    #[test]
    fn what_is_more_or_less_than_a_call_stays() {
        for text in [
            "local x = f()",
            "x = y\n  .. f()",
            "return\n  f()",
            "f(\n  1\n)",
            "x = {\n  f(),\n  g()\n}",
            "f().x = 1",
            "local function f(a)",
            "function f.g(a)",
            "local a, b =\n  f()",
            "if f() then",
        ] {
            assert!(mutated(text).is_empty(), "{text}: {:?}", mutated(text));
        }
    }

    #[test]
    fn each_mutant_of_the_library_is_another_text_and_names_its_place() {
        let (text, all) = (Library::as_written().0, mutants());
        assert_eq!(all.len(), changes(&text).len(), "each has a place");
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("lua");
        let mut seen = HashSet::new();
        for mutant in &all {
            let file = std::fs::read_to_string(root.join(&mutant.file)).unwrap();
            let line = file.lines().nth(mutant.line - 1).unwrap_or_default();
            let place = format!("{}:{}", mutant.file, mutant.line);
            assert!(mutant.before.contains(line.trim()), "{place} is {line:?}, not {mutant:?}");
            assert_ne!(mutant.before, mutant.after, "{place}");
        }
        for change in changes(&text) {
            assert!(seen.insert((change.at.start, change.instead)), "at {}", change.at.start);
        }
    }

    #[test]
    fn a_number_beyond_the_last_builds_nothing() {
        assert_eq!(built_in("a == b", "1"), None);
        assert_eq!(built_in("a == b", "one"), None);
    }
}
