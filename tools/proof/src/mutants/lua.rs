//! The mutator: every small change it can make to a text in Lua.
//!
//! Comparisons, `and` and `or`, plus and minus, `true` and `false` swap, a `not` goes, and so does a call whose value is
//! not used. Comments and strings stay as they are, and so does the number of lines.

use std::ops::Range;

/// Keywords of Lua, without `true`, `false` and `nil`, which are values as names are.
const KEYWORDS: [&str; 18] = [
    "and", "break", "do", "else", "elseif", "end", "for", "function", "if", "in", "local", "not", "or",
    "repeat", "return", "then", "until", "while",
];
/// After these a statement begins on the same line.
const OPENING: [&str; 5] = ["then", "do", "else", "repeat", ";"];
/// Before these a statement ends on the same line.
const CLOSING: [&str; 5] = ["end", "else", "elseif", "until", ";"];
/// Operators of more than one character, the longest first.
const LONG_OPERATORS: [&str; 6] = ["...", "..", "==", "~=", "<=", ">="];

/// One change to a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// The bytes that it replaces.
    pub(super) at: Range<usize>,
    pub(super) replacement: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A name or a keyword.
    Word,
    /// A number or a string.
    Literal,
    Operator,
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

    /// Whether a statement begins here, if this is the first token of its line.
    fn is_a_beginning(&self) -> bool {
        self.kind == Kind::Word && !matches!(self.text, "and" | "or")
    }
}

/// All of them, in the order of the text.
pub(super) fn changes(text: &str) -> Vec<Change> {
    let tokens = tokens(text);
    let mut changes = Vec::new();
    for index in 0..tokens.len() {
        changes.extend(swap(&tokens, index));
        changes.extend(call_removed(&tokens, index));
    }
    changes
}

/// An operator or a keyword in another's place.
fn swap(tokens: &[Token], index: usize) -> Option<Change> {
    let token = tokens.get(index)?;
    if token.kind == Kind::Literal {
        return None;
    }
    let replacement = match token.text {
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
        // A minus that negates has no partner.
        "-" if tokens.get(index.checked_sub(1)?)?.is_an_end() => "+",
        "not" => return Some(Change { at: token.at..tokens.get(index + 1)?.at, replacement: "" }),
        _ => return None,
    };
    Some(Change { at: token.at..token.end(), replacement })
}

/// A call is removed where it is a whole statement on one line.
fn call_removed(tokens: &[Token], first: usize) -> Option<Change> {
    let name = tokens.get(first)?;
    let begins = match first.checked_sub(1).and_then(|before| tokens.get(before)) {
        Some(before) => OPENING.contains(&before.text) || (before.is_an_end() && before.line < name.line),
        None => true,
    };
    if !begins || !name.is_name() {
        return None;
    }
    let (mut next_index, mut is_call) = (first + 1, false);
    while let Some(next) = tokens.get(next_index) {
        (next_index, is_call) = match next.text {
            "." | ":" => (next_index + 2, false),
            "[" => (after_bracket(tokens, next_index)?, false),
            "(" => (after_bracket(tokens, next_index)?, true),
            _ => break,
        };
    }
    let last = tokens.get(next_index - 1)?;
    let ends = match tokens.get(next_index) {
        Some(next) => CLOSING.contains(&next.text) || (next.is_a_beginning() && last.line < next.line),
        None => true,
    };
    (is_call && ends && last.line == name.line).then(|| Change { at: name.at..last.end(), replacement: "" })
}

/// The index after the bracket that closes the one at `opening`.
fn after_bracket(tokens: &[Token], opening: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(opening) {
        if token.kind != Kind::Operator {
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

/// The tokens of a text, without space and comments.
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

/// The kind of what a text begins with, `None` for space and comments, and its length in bytes.
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
        c => match (long(rest), LONG_OPERATORS.iter().find(|operator| rest.starts_with(**operator))) {
            (Some(length), _) => (Some(Kind::Literal), length),
            (None, Some(operator)) => (Some(Kind::Operator), operator.len()),
            (None, None) => (Some(Kind::Operator), c.len_utf8()),
        },
    }
}

/// The length of a string in quotation marks, including these.
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

/// The length of what stands in long brackets, `[[` or `[==[`, including these; `None` if the text begins with none.
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

    /// The text with one change each.
    fn mutated(text: &str) -> Vec<String> {
        let mutant = |change: Change| {
            let mut text = text.to_owned();
            text.replace_range(change.at, change.replacement);
            text
        };
        changes(text).into_iter().map(mutant).collect()
    }

    #[test]
    fn comparisons_keywords_and_operators_swap() {
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
    fn an_operator_that_stands_twice_is_changed_at_one_place_each() {
        assert_eq!(mutated("a < b and b < c"), ["a <= b and b < c", "a < b or b < c", "a < b and b <= c"]);
    }

    #[test]
    fn comments_strings_names_and_negative_numbers_stay() {
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
    fn a_call_whose_value_is_not_used_is_removed() {
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
}
