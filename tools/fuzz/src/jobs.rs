//! What is kept of a job: its record, then lines of its history, its attempts, its log, its receipts and of the stream.

use crate::bounds::{crosses, message, parts};
use reprieve::fuzzing;
use reprieve::model::JobId;
use std::collections::HashMap;

/// Characters of a preview.
const PREVIEW_CHARS_MAX: usize = 160;

/// A record that reads is the same when it is written anew; a job that reads is sent to a screen as it is; what does not
/// read is an error that names the field and shows no payload.
pub fn check(data: &[u8]) {
    let mut parts = parts(data);
    if let Some(record) = parts.next() {
        check_record(record);
    }
    for line in parts {
        check_line(line);
    }
}

fn check_record(record: &[u8]) {
    let id = JobId::new("a1").expect("an id");
    let claimed = fuzzing::claimed("a1", record);
    let Some(fields) = fuzzing::record_fields(record) else {
        assert!(claimed.is_err(), "what is no record was claimed");
        return;
    };
    if let Some(written) = written(&fields) {
        assert_eq!(fuzzing::record_fields(&written).as_ref(), Some(&fields), "{written:?}");
    }
    let payload = fields.get("payload").cloned().unwrap_or_default();
    match fuzzing::job(&id, fields) {
        Ok(job) => {
            let job = job.expect("a record has fields");
            assert_eq!(job.payload, payload);
            crosses(&job);
        }
        Err(error) => message(&error.to_string()),
    }
    if let Ok(claimed) = claimed {
        assert_eq!(claimed.payload, payload, "the worker gets another payload than the screen");
    }
    let preview = fuzzing::preview(&payload);
    assert!(
        preview.chars().count() <= PREVIEW_CHARS_MAX && !preview.contains(char::is_control),
        "{preview:?}"
    );
}

/// The record of fields, in the way of the script; `None` where the script would write another one: a word with
/// a blank, or an empty one.
fn written(fields: &HashMap<String, Vec<u8>>) -> Option<Vec<u8>> {
    let number = |name: &str| std::str::from_utf8(fields.get(name)?).ok()?.parse::<i64>().ok();
    let mut text = Vec::new();
    for (place, name) in fuzzing::RECORD_WORDS.into_iter().enumerate() {
        let known = fields.get(name);
        // A line may name a word, too; an empty word says that there is none.
        if known.is_some_and(Vec::is_empty) {
            return None;
        }
        let mut word = known.cloned().unwrap_or_default();
        if name == "created_ms"
            && let (Some(due), Some(created)) = (number("due_ms"), number(name))
        {
            word = due.checked_sub(created)?.to_string().into_bytes();
        }
        if word.iter().any(|byte| b" \n".contains(byte)) {
            return None;
        }
        text.extend_from_slice(if place == 0 { b"" } else { b" " });
        text.extend_from_slice(&word);
    }
    text.push(b'\n');
    for (name, value) in fields {
        if name == "payload" || fuzzing::RECORD_WORDS.contains(&name.as_str()) {
            continue;
        }
        if name.contains(['=', '\n']) || (name.is_empty() && value.is_empty()) {
            return None;
        }
        text.extend_from_slice(name.as_bytes());
        text.push(b'=');
        for &byte in value {
            match byte {
                b'\\' => text.extend_from_slice(b"\\\\"),
                b'\n' => text.extend_from_slice(b"\\n"),
                other => text.push(other),
            }
        }
        text.push(b'\n');
    }
    text.push(b'\n');
    text.extend_from_slice(fields.get("payload").map(Vec::as_slice).unwrap_or_default());
    Some(text)
}

fn check_line(line: &[u8]) {
    let lines = fuzzing::lines(line);
    if let Some(entry) = &lines.history {
        crosses(entry);
    }
    if let Some(attempt) = &lines.attempt {
        crosses(attempt);
    }
    if let Some(log) = &lines.log {
        crosses(log);
    }
    if let Some(receipt) = &lines.receipt {
        crosses(receipt);
    }
    if let Some(outcome) = &lines.outcome {
        crosses(outcome);
    }
    let mut fields = Vec::new();
    for pair in String::from_utf8_lossy(line).split(';') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        fields.push((name.to_owned(), value.as_bytes().to_vec()));
    }
    for event in fuzzing::events(&fields) {
        crosses(&event);
    }
    let counts: HashMap<String, u64> = fields
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), std::str::from_utf8(value).ok()?.parse().ok()?)))
        .collect();
    let (all, each) = fuzzing::counts(&counts);
    assert!(all >= each, "all queues together have done less than each of them");
}
