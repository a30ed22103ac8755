//! Hides parts of payloads from whoever looks: the one place, on the way from the store to every reader.
//!
//! Workers and outlets get payloads whole. A part that was hidden reads `•••• 4567 (hidden)`, and a payload that holds
//! such a mark is refused where jobs come in, so that a copy of what somebody saw never replaces what is there.

use crate::error::{Error, Result};
use crate::model::{Job, JobRow, Kind, RedactedSample, RedactionRule};
use serde_json::Value;

/// What stands for the hidden part.
const DOTS: &str = "••••";
/// What tells people that it is not the value itself.
const SAYS: &str = "(hidden)";
/// How deep a payload is looked into; what lies deeper is hidden whole where a rule asks for any depth.
const DEPTH_MAX: usize = 64;

/// The rules of a namespace, ready to be applied.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redaction {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    kinds: String,
    path: Vec<String>,
    keep: usize,
}

impl Rule {
    /// Whether all of a payload is hidden, JSON or not.
    fn is_of_everything(&self) -> bool {
        matches!(self.path.as_slice(), [one] if one == "*" || one == "**")
    }
}

impl Redaction {
    pub(crate) fn new(rules: &[RedactionRule]) -> Self {
        let rule = |rule: &RedactionRule| Rule {
            kinds: rule.kinds.clone(),
            path: rule.path.split('.').map(ToOwned::to_owned).collect(),
            keep: rule.keep.min(RedactionRule::KEEP_MAX).into(),
        };
        Self { rules: rules.iter().map(rule).collect() }
    }

    fn of_kind<'a>(&'a self, kind: &'a Kind) -> impl Iterator<Item = &'a Rule> {
        self.rules.iter().filter(|rule| fits(rule.kinds.as_bytes(), kind.as_str().as_bytes()))
    }

    /// Hides what is to be hidden of a job.
    pub(crate) fn job(&self, job: &mut Job) {
        self.payload(&job.kind, &mut job.payload);
    }

    /// Hides what is to be hidden of rows of a list.
    pub(crate) fn rows<'a>(&self, rows: impl IntoIterator<Item = &'a mut JobRow>) {
        if self.rules.is_empty() {
            return;
        }
        rows.into_iter().for_each(|row| self.row(row));
    }

    /// Hides what is to be hidden of a row. The beginning of a longer payload cannot be looked into, so it is hidden
    /// whole where any rule is about its kind.
    pub(crate) fn row(&self, row: &mut JobRow) {
        if row.preview.is_empty() || self.of_kind(&row.kind).next().is_none() {
            return;
        }
        let mut payload = row.preview.clone().into_bytes();
        row.preview = match serde_json::from_slice::<Value>(&payload) {
            Ok(_) => {
                self.payload(&row.kind, &mut payload);
                String::from_utf8(payload).unwrap_or_default()
            }
            Err(_) => format!("{DOTS} {SAYS}"),
        };
    }

    /// Hides what is to be hidden of a payload; answers how many values that were.
    pub(crate) fn payload(&self, kind: &Kind, payload: &mut Vec<u8>) -> u64 {
        let rules: Vec<&Rule> = self.of_kind(kind).collect();
        if rules.is_empty() {
            return 0;
        }
        if rules.iter().any(|rule| rule.is_of_everything()) {
            *payload = format!("\"{DOTS} {SAYS}\"").into_bytes();
            return 1;
        }
        // What is no JSON has no paths; a rule for all of it is the one for those.
        let Ok(mut value) = serde_json::from_slice::<Value>(payload) else { return 0 };
        let hidden = rules.iter().map(|rule| hide_at(&mut value, &rule.path, rule.keep, 0)).sum();
        if hidden > 0
            && let Ok(text) = serde_json::to_vec(&value)
        {
            *payload = text;
        }
        hidden
    }

    /// What people would see of a sample.
    pub(crate) fn sample(&self, kind: &Kind, text: &str) -> RedactedSample {
        let mut payload = text.as_bytes().to_vec();
        let hidden = self.payload(kind, &mut payload);
        RedactedSample { shown: String::from_utf8(payload).unwrap_or_default(), hidden }
    }
}

/// Whether a payload holds the mark of something hidden: it was copied from a screen.
fn is_marked(payload: &[u8]) -> bool {
    let holds = |needle: &str| payload.windows(needle.len()).any(|window| window == needle.as_bytes());
    holds(DOTS) && holds(SAYS)
}

/// Refuses a payload that was copied from where parts of it are hidden: it would put the mark in place of the value.
///
/// # Errors
/// [`Error::Invalid`].
pub(crate) fn refuse_marked(payload: &[u8]) -> Result<()> {
    if is_marked(payload) {
        return Err(Error::invalid("payload", "holds a part that was hidden where it was copied from"));
    }
    Ok(())
}

/// Hides what lies at a path below a value; answers how many values that were.
fn hide_at(value: &mut Value, path: &[String], keep: usize, depth: usize) -> u64 {
    let Some((first, rest)) = path.split_first() else { return hide(value, keep) };
    if depth >= DEPTH_MAX {
        return hide(value, 0);
    }
    let any_depth = first == "**";
    if any_depth && rest.is_empty() {
        return hide(value, keep);
    }
    // Here, or further down.
    let mut hidden = if any_depth { hide_at(value, rest, keep, depth + 1) } else { 0 };
    let path_below = if any_depth { path } else { rest };
    match value {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                if any_depth || first == "*" || name == first {
                    hidden += hide_at(member, path_below, keep, depth + 1);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                if any_depth || first == "*" || index.to_string() == *first {
                    hidden += hide_at(item, path_below, keep, depth + 1);
                }
            }
        }
        _ => {}
    }
    hidden
}

/// Puts the mark in place of a value. The end of a text or number stays where the rule allows it, and where at least as
/// much is hidden as is shown.
fn hide(value: &mut Value, keep: usize) -> u64 {
    let text = match &*value {
        Value::String(text) if is_marked(text.as_bytes()) => return 0,
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null => return 0,
        _ => String::new(),
    };
    let length = text.chars().count();
    let end: String = if keep > 0 && length >= keep * 2 {
        text.chars().skip(length - keep).collect()
    } else {
        String::new()
    };
    let shown = if end.is_empty() { format!("{DOTS} {SAYS}") } else { format!("{DOTS} {end} {SAYS}") };
    *value = Value::String(shown);
    1
}

/// Whether a name fits a pattern in which `*` stands for any characters. Linear in both: it remembers the last star.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while place < name.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, place));
            at += 1;
        } else if pattern.get(at) == Some(&name[place]) {
            (at, place) = (at + 1, place + 1);
        } else if let Some((star_at, from)) = star {
            (at, place) = (star_at + 1, from + 1);
            star = Some((star_at, from + 1));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kinds: &str, path: &str, keep: u8, text: &str) -> String {
        let rules = [RedactionRule { kinds: kinds.to_owned(), path: path.to_owned(), keep }];
        Redaction::new(&rules).sample(&Kind::new("send_sms").unwrap(), text).shown
    }

    #[test]
    fn what_a_path_names_is_hidden_and_nothing_else() {
        for (path, keep, text, expected) in [
            ("phone", 4, r#"{"phone":"+4915112344567","n":1}"#, r#"{"n":1,"phone":"•••• 4567 (hidden)"}"#),
            ("phone", 0, r#"{"phone":"1"}"#, r#"{"phone":"•••• (hidden)"}"#),
            // Showing four of five would hide nothing.
            ("phone", 4, r#"{"phone":"12345"}"#, r#"{"phone":"•••• (hidden)"}"#),
            ("a.b", 0, r#"{"a":{"b":{"c":1}},"b":2}"#, r#"{"a":{"b":"•••• (hidden)"},"b":2}"#),
            (
                "items.*.card",
                0,
                r#"{"items":[{"card":1},{"card":"2"},3]}"#,
                r#"{"items":[{"card":"•••• (hidden)"},{"card":"•••• (hidden)"},3]}"#,
            ),
            ("items.1", 0, r#"{"items":["a","b"]}"#, r#"{"items":["a","•••• (hidden)"]}"#),
            (
                "**.token",
                0,
                r#"{"token":1,"a":[{"b":{"token":"x"}}]}"#,
                r#"{"a":[{"b":{"token":"•••• (hidden)"}}],"token":"•••• (hidden)"}"#,
            ),
            ("phone", 0, r#"{"n":1}"#, r#"{"n":1}"#),
            ("phone", 0, "no json", "no json"),
            ("*", 0, "no json", r#""•••• (hidden)""#),
            ("x", 0, r#"{"x":null}"#, r#"{"x":null}"#),
        ] {
            assert_eq!(shown("*", path, keep, text), expected, "{path} in {text}");
        }
    }

    #[test]
    fn a_rule_is_about_the_kinds_it_names() {
        for (kinds, fits) in [
            ("*", true),
            ("send_*", true),
            ("send_sms", true),
            ("*_sms", true),
            ("s*d*s", true),
            ("send", false),
            ("*mail", false),
            ("", false),
            ("send_sms*x", false),
        ] {
            assert_eq!(shown(kinds, "a", 0, r#"{"a":1}"#) != r#"{"a":1}"#, fits, "{kinds}");
        }
    }

    #[test]
    fn what_was_copied_from_a_screen_is_known_by_its_mark() {
        assert!(is_marked(shown("*", "a", 4, r#"{"a":"12345678"}"#).as_bytes()));
        assert!(!is_marked("{\"a\":\"•••• no\"}".as_bytes()));
        assert!(!is_marked(b""));
    }

    proptest::proptest! {
        #[test]
        fn a_hidden_secret_is_nowhere_in_what_is_shown(
            secret in "[a-z]{12,20}",
            depth in 0_usize..20,
            around in "[0-9]{0,5}",
        ) {
            let mut text = format!(r#"{{"secret":"{secret}","n":"{around}"}}"#);
            for _ in 0..depth {
                text = format!(r#"[{{"in":{text}}}]"#);
            }
            let seen = shown("*", "**.secret", 4, &text);
            proptest::prop_assert!(!seen.contains(&secret), "{}", seen);
        }

        #[test]
        fn no_pattern_takes_long_or_breaks(pattern in "[a*]{0,40}", name in "[ab]{1,60}") {
            let _ = fits(pattern.as_bytes(), name.as_bytes());
        }
    }
}
