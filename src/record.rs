//! The record of a job as `lua/core/record.lua` writes it, read back: one line of words, a line for each other field,
//! an empty line, the payload. The only other place that knows it is that script.

use std::borrow::Cow;
use std::collections::HashMap;

/// The words of the first line, in their order; an empty one is absent, and the last may be left out. Instead of
/// `created_ms` it tells how long before it was due the job was created.
pub(crate) const WORDS: [&str; 15] = [
    "state",
    "version",
    "attempt",
    "ready_ms",
    "sequence",
    "started_ms",
    "worker",
    "ended_ms",
    "queue",
    "kind",
    "due_ms",
    "subject",
    "created_ms",
    "created_by",
    "first",
];

/// Fields of a record: their names and values, of which most are parts of its text.
pub(crate) type Found<'a> = Vec<(&'a str, Cow<'a, [u8]>)>;

/// Every field that is there; `None` for a text that is no record. Values that were too long for it stand in a hash, whose
/// fields the value of `long` names.
pub(crate) fn found(record: &[u8]) -> Option<Found<'_>> {
    let end = record.iter().position(|&byte| byte == b'\n')?;
    let (first, mut rest) = (&record[..end], &record[end + 1..]);
    let mut fields: Found<'_> = Vec::with_capacity(WORDS.len() + 1);
    let (mut count, mut due) = (0, None);
    for word in first.split(|&byte| byte == b' ') {
        let name = *WORDS.get(count)?;
        count += 1;
        if name == "due_ms" {
            due = number(word);
        }
        if !word.is_empty() {
            let mirrored =
                due.zip(number(word)).filter(|_| name == CREATED).and_then(|(due, ahead)| mirror(due, ahead));
            fields.push((name, mirrored.map_or(Cow::Borrowed(word), Cow::Owned)));
        }
    }
    if count + 1 < WORDS.len() {
        return None;
    }
    loop {
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        let (line, behind) = (&rest[..end], &rest[end + 1..]);
        rest = behind;
        if line.is_empty() {
            break;
        }
        let equals = line.iter().position(|&byte| byte == b'=')?;
        let name = std::str::from_utf8(&line[..equals]).ok()?;
        let value = &line[equals + 1..];
        let value = if value.contains(&b'\\') { Cow::Owned(unescape(value)) } else { Cow::Borrowed(value) };
        // Where a word came as several, its line says what the word should.
        fields.retain(|(known, _)| *known != name);
        fields.push((name, value));
    }
    if !rest.is_empty() {
        fields.retain(|(known, _)| *known != "payload");
        fields.push(("payload", Cow::Borrowed(rest)));
    }
    Some(fields)
}

/// The same by name, to keep them.
pub(crate) fn fields(record: &[u8]) -> Option<HashMap<String, Vec<u8>>> {
    Some(found(record)?.into_iter().map(|(name, value)| (name.to_owned(), value.into_owned())).collect())
}

const CREATED: &str = "created_ms";

fn number(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The time of creation for how long before the due time it was, and the other way round.
fn mirror(due: i64, other: i64) -> Option<Vec<u8>> {
    Some(due.checked_sub(other)?.to_string().into_bytes())
}

/// The time of creation of these fields mirrored; `None` when there is none, or nothing that reads.
#[cfg(feature = "testing")]
fn mirrored(fields: &HashMap<String, Vec<u8>>) -> Option<Vec<u8>> {
    mirror(number(fields.get("due_ms")?)?, number(fields.get(CREATED)?)?)
}

/// One field as text; `None` when it is absent, or the text is no record.
pub(crate) fn field(record: &[u8], name: &str) -> Option<String> {
    String::from_utf8(fields(record)?.remove(name)?).ok()
}

/// The same record with another value of a field, unchecked: for tests that damage it. An empty one is written too.
#[cfg(feature = "testing")]
pub(crate) fn with(record: &[u8], name: &str, value: &str) -> Option<Vec<u8>> {
    let mut fields = fields(record)?;
    fields.insert(name.to_owned(), value.as_bytes().to_vec());
    if let Some(ahead) = mirrored(&fields) {
        fields.insert(CREATED.to_owned(), ahead);
    }
    let mut take = |name: &str| fields.remove(name).unwrap_or_default();
    let mut words: Vec<Vec<u8>> = WORDS.iter().map(|name| take(name)).collect();
    if words.last().is_some_and(Vec::is_empty) {
        words.pop();
    }
    let payload = take("payload");
    let mut text = words.join(&b' ');
    text.push(b'\n');
    for (name, value) in fields {
        let value = String::from_utf8_lossy(&value).replace('\\', "\\\\").replace('\n', "\\n");
        text.extend_from_slice(format!("{name}={value}\n").as_bytes());
    }
    text.push(b'\n');
    text.extend_from_slice(&payload);
    Some(text)
}

/// `\n` stands for the end of a line, `\\` for a backslash.
fn unescape(value: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(value.len());
    let mut bytes = value.iter().copied();
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => b'\n',
                Some(other) => other,
                None => b'\\',
            },
            other => other,
        });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_as_its_fields() {
        let record = b"ready 2 1 17 4    mail notice 17  1 \nby=ann\nwhy=a \\\\ b\\nc=d\n\n{\"a\":1}\n\n";
        let found = fields(record).unwrap();
        let text = |name: &str| found.get(name).map(|value| String::from_utf8_lossy(value).into_owned());
        assert_eq!(text("state").as_deref(), Some("ready"));
        assert_eq!(text("subject"), None);
        assert_eq!(text("due_ms").as_deref(), Some("17"));
        assert_eq!(text("created_ms").as_deref(), Some("16"));
        assert_eq!(text("why").as_deref(), Some("a \\ b\nc=d"));
        assert_eq!(text("payload").as_deref(), Some("{\"a\":1}\n\n"));
        assert_eq!(field(record, "sequence").as_deref(), Some("4"));
        assert_eq!(text("first"), None);
        let later = b"ready 9 1 17 4    mail notice 17  1  8\n\n{}";
        assert_eq!(field(later, "first").as_deref(), Some("8"));
    }

    #[test]
    fn what_is_no_record_has_no_fields() {
        let short = ["", "damage", "ready 2\n\n", "ready 2 1 17 4    mail notice 17  16 \nby=ann\n", "\n\n"];
        for text in short.into_iter().chain(["ready 2 1 17 4    mail notice 17  16  2 2\n\n"]) {
            assert_eq!(fields(text.as_bytes()), None, "{text:?}");
        }
    }
}
