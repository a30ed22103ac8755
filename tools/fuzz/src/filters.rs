//! The language of filters, and judging jobs by them: a filter, then a payload, then a path into it.

use crate::bounds::{crosses, message, parts};
use reprieve::fuzzing::fits;
use reprieve::model::filter::{PayloadPath, SEALED_BYTES_MAX, TERMS_MAX};
use reprieve::model::{Filter, JobRow};
use std::sync::LazyLock;

/// Characters that a column shows.
const COLUMN_CHARS_MAX: usize = 120;

static ROW: LazyLock<JobRow> = LazyLock::new(|| {
    let row = r#"{"id":"a1","queue":"mail","kind":"notice","subject":"resource:4711","state":"dead","version":7,
        "attempt":2,"max_attempts":25,"priority":5,"due":1795203690030,"created":1795203680000,"ready":null,
        "started":1795203690040,"ended":1795203690050,"kept_until":null,"lease_until":null,"worker":"w-1",
        "error_line":"Timed OUT ẞ","cancel_requested":null,"by":"ann","reason":"","preview":"","created_by":"ann","percent":40,
        "held":null}"#;
    serde_json::from_str(row).expect("a row")
});

/// What reads is shown as a text that reads as the same; what does not read is pointed at; a term and its opposite
/// never both hold.
pub fn check(data: &[u8]) {
    let mut parts = parts(data);
    let mut text = || std::str::from_utf8(parts.next().unwrap_or_default()).unwrap_or_default();
    let (line, payload, path) = (text(), text(), text());
    let filter: Filter = match line.parse() {
        Ok(filter) => filter,
        Err(wrong) => {
            let wrong: reprieve::model::FilterError = wrong;
            message(&wrong.to_string());
            let end = wrong.at + wrong.bytes;
            assert!(line.get(wrong.at..end).is_some(), "{wrong:?} is no place of {line:?}");
            crosses(&wrong);
            return;
        }
    };
    let shown = filter.to_string();
    assert_eq!(shown.parse::<Filter>().as_ref(), Ok(&filter), "{line:?} is shown as {shown:?}");
    assert_eq!(shown.parse::<Filter>().map(|filter| filter.to_string()), Ok(shown.clone()));
    assert!(filter.terms().len() <= TERMS_MAX && line.len() <= SEALED_BYTES_MAX);
    crosses(&filter);

    let path: Option<PayloadPath> = path.parse().ok();
    let (held, column) = fits(&filter, &ROW, payload.as_bytes(), path.as_ref());
    assert!(column.chars().count() <= COLUMN_CHARS_MAX && !column.contains(char::is_control), "{column:?}");
    let turned = filter.terms().iter().fold(Filter::default(), |all, term| all.and(term.clone().turned()));
    if turned.terms().len() == filter.terms().len() {
        let (opposite, _) = fits(&turned, &ROW, payload.as_bytes(), None);
        assert!(held.iter().zip(opposite).all(|(held, opposite)| *held != opposite), "{shown}");
    }
}
