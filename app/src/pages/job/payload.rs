//! The payload: as a tree where it is JSON, as text, or as bytes.

use std::fmt::Write;

use leptos::prelude::*;
use reprieve::model::{Job, JobId};
use serde_json::value::RawValue;

use super::edit::EditPayload;
use super::json::Json;
use super::tree::tree;
use crate::components::copy::CopyButton;
use crate::payload::no_json;
use crate::{format, t};

/// Bytes of the hexadecimal view; a larger payload is cut.
const HEX_BYTES_MAX: usize = 2_048;
/// Characters of a text that are open at once.
const TEXT_CHARS_OPEN: usize = 2_000;
/// Characters of the raw text of a tree that are there once it is unfolded.
const RAW_CHARS_OPEN: usize = 20_000;
/// Characters of a value that is shown as one text; a larger one is cut.
const TEXT_CHARS_MAX: usize = 20_000;

/// The work itself.
#[component]
pub(super) fn Payload(job: Job) -> impl IntoView {
    let size = format::bytes(u64::try_from(job.payload.len()).unwrap_or(u64::MAX));
    let copied = String::from_utf8_lossy(&job.payload).into_owned();
    let (sort, body) = (sort(&job.payload).word(), body(&job.payload, Some(&job.id)));
    view! {
        <section class="panel" id="payload" aria-label=t!("job-payload")>
            <div class="panel-head">
                <h2>{t!("job-payload")}</h2>
                <small>{sort} " · " {size}</small>
                <CopyButton text=copied what=t!("job-copy-payload")/>
            </div>
            <div class="panel-body">{body} <EditPayload job/></div>
        </section>
    }
}

/// How bytes can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Empty,
    Json,
    Text,
    Bytes,
}

impl Sort {
    fn word(self) -> String {
        match self {
            Self::Empty => t!("job-sort-empty"),
            Self::Json => "JSON".to_owned(),
            Self::Text => t!("job-sort-text"),
            Self::Bytes => t!("job-sort-bytes"),
        }
    }
}

fn sort(bytes: &[u8]) -> Sort {
    match std::str::from_utf8(bytes) {
        Ok("") => Sort::Empty,
        Ok(text) if no_json(text).is_none() => Sort::Json,
        Ok(_) => Sort::Text,
        Err(_) => Sort::Bytes,
    }
}

/// Bytes as a tree where they are JSON, as text, or as digits. Of a job's payload, hidden parts can be looked at.
pub(super) fn body(bytes: &[u8], payload_of: Option<&JobId>) -> AnyView {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return view! { <pre class="payload" tabindex="0">{hex(bytes)}</pre> }.into_any();
    };
    if text.is_empty() {
        return view! { <p class="quiet">{t!("job-carries-nothing")}</p> }.into_any();
    }
    match serde_json::from_str::<&RawValue>(text) {
        Ok(value) => view! {
            {tree(value, payload_of)}
            <details class="raw"><summary>{t!("job-raw")}</summary>{folded(text, RAW_CHARS_OPEN)}</details>
        }
        .into_any(),
        Err(_) => folded(text, TEXT_CHARS_OPEN),
    }
}

/// A text without what only a terminal would obey; what is beyond so many characters has to be unfolded.
fn folded(text: &str, open_chars: usize) -> AnyView {
    let text = format::without_escapes(text);
    let (open, rest) = text.split_at(format::end_of_open(&text, open_chars));
    let rest = (!rest.is_empty()).then(|| {
        let count = rest.chars().count();
        view! {
            <details class="raw">
                <summary>{t!("job-rest-of-text", count = count)}</summary>
                <pre class="payload" tabindex="0">{rest.to_owned()}</pre>
            </details>
        }
    });
    view! { <pre class="payload" tabindex="0">{open.to_owned()}</pre> {rest} }.into_any()
}

/// A value as one text: what a text says, other JSON in lines with its numbers as they are written, and bytes
/// as digits.
pub(crate) fn plain(bytes: &[u8]) -> String {
    match (serde_json::from_slice::<&RawValue>(bytes), std::str::from_utf8(bytes)) {
        (Ok(value), _) => match Json::of(value) {
            Json::Text(text) => raw(&text),
            _ => raw(&in_lines(value, 0)),
        },
        (Err(_), Ok(text)) => raw(text),
        (Err(_), Err(_)) => hex(bytes),
    }
}

/// Deeper than this a value stays on its line.
const DEPTH_MAX: usize = 64;

/// JSON with a line for each member and element.
fn in_lines(value: &RawValue, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let block = |open: char, lines: Vec<String>, close: char| {
        format!("{open}\n{indent}  {}\n{indent}{close}", lines.join(&format!(",\n{indent}  ")))
    };
    match Json::of(value) {
        Json::Object(members) if !members.is_empty() && depth < DEPTH_MAX => {
            let member = |(name, value): (String, &RawValue)| {
                format!("{}: {}", serde_json::Value::String(name), in_lines(value, depth + 1))
            };
            block('{', members.into_iter().map(member).collect(), '}')
        }
        Json::List(items) if !items.is_empty() && depth < DEPTH_MAX => {
            block('[', items.into_iter().map(|item| in_lines(item, depth + 1)).collect(), ']')
        }
        _ => value.get().to_owned(),
    }
}

/// The text without what only a terminal would obey, cut where it grows too long.
fn raw(text: &str) -> String {
    let mut text = format::without_escapes(text);
    if let Some((end, _)) = text.char_indices().nth(TEXT_CHARS_MAX) {
        text.truncate(end);
        text.push_str("\n…");
    }
    text
}

/// Lines of sixteen bytes with their place and what is readable of them.
fn hex(bytes: &[u8]) -> String {
    let mut lines = String::new();
    for (n, line) in bytes[..bytes.len().min(HEX_BYTES_MAX)].chunks(16).enumerate() {
        let mut digits = String::new();
        for byte in line {
            let _ = write!(digits, "{byte:02x} ");
        }
        let readable: String =
            line.iter().map(|&b| if b.is_ascii_graphic() { char::from(b) } else { '.' }).collect();
        let _ = writeln!(lines, "{:06x}  {digits:<48} {readable}", n * 16);
    }
    if bytes.len() > HEX_BYTES_MAX {
        lines.push('…');
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_with_their_place() {
        assert_eq!(hex(b"\xffab"), format!("000000  {:<48} .ab\n", "ff 61 62 "));
        assert!(hex(&[0; 3_000]).ends_with('…'));
    }

    #[test]
    fn a_payload_is_told_by_its_content() {
        assert_eq!(
            [sort(b""), sort(b"{\"a\":1}"), sort(b"hello"), sort(b"\xff")],
            [Sort::Empty, Sort::Json, Sort::Text, Sort::Bytes]
        );
    }

    #[test]
    fn a_value_is_told_as_one_text() {
        assert_eq!(plain(br#""+49 151""#), "+49 151");
        assert_eq!(plain(br#"{"a":1}"#), "{\n  \"a\": 1\n}");
        assert_eq!(
            plain(br#"{"b":[100000000000000000002,{}],"a":19.90}"#),
            "{\n  \"b\": [\n    100000000000000000002,\n    {}\n  ],\n  \"a\": 19.90\n}"
        );
        assert_eq!([plain(b"7"), plain(b"no json"), plain(b"")], ["7", "no json", ""]);
        assert!(plain(b"\xff").starts_with("000000"));
        assert!(!plain(br#""\u001b[31mred""#).contains('\u{1b}'));
    }

    #[test]
    fn escape_sequences_do_not_reach_the_page() {
        assert!(!raw("a\u{1b}[31mb").contains('\u{1b}'));
    }
}
