//! When a job is to run, as a body says it: one of `due_at`, `due_ms`, `delay_ms`.

use super::fields::Fields;
use crate::instant::{NoInstant, read_instant};
use crate::problem::Mistakes;
use reprieve::Due;
use reprieve::model::{Delay, Timestamp};
use std::borrow::Cow;

const OUT_OF_RANGE: &str = "a time lies between 1970 and 9999";

/// Takes the three fields out of a body; `None` when none of them was given.
pub(crate) fn read(fields: &mut Fields<'_>, mistakes: &mut Mistakes) -> Option<Due> {
    let before = mistakes.len();
    let at = fields
        .read::<Cow<'_, str>>("due_at", "a text in RFC 3339", mistakes)
        .map(|text| ("due_at", at(&text)));
    let ms = fields
        .read::<i64>("due_ms", "a whole number of milliseconds since 1970", mistakes)
        .map(|ms| ("due_ms", instant(ms).map(Due::At)));
    let delay = fields
        .read::<i64>("delay_ms", "a whole number of milliseconds", mistakes)
        .map(|ms| ("delay_ms", delay(ms).map(Due::In)));
    let given: Vec<_> = [at, ms, delay].into_iter().flatten().collect();
    if mistakes.len() > before {
        return None;
    }
    if let [_, (second, _), ..] = given.as_slice() {
        mistakes.body(
            fields.pointer(second),
            "several_times",
            "give one of `due_at`, `due_ms` and `delay_ms`, not several",
        );
        return None;
    }
    let (name, due) = given.into_iter().next()?;
    due.map_err(|why| mistakes.body(fields.pointer(name), "invalid_time", why)).ok()
}

fn at(text: &str) -> Result<Due, String> {
    let why = |no_instant| match no_instant {
        NoInstant::Unread => {
            "not a time in RFC 3339; they look like 2026-03-01T09:30:00Z or 2026-03-01T10:30:00+01:00"
                .to_owned()
        }
        NoInstant::OutOfRange => OUT_OF_RANGE.to_owned(),
    };
    read_instant(text).map(Due::At).map_err(why)
}

fn instant(ms: i64) -> Result<Timestamp, String> {
    Timestamp::from_millis(ms).ok_or_else(|| OUT_OF_RANGE.to_owned())
}

fn delay(ms: i64) -> Result<Delay, String> {
    match ms {
        ms if ms < 0 => Err("a delay is not negative; leave it out to run at once".to_owned()),
        ms if ms > Timestamp::MAX.as_millis() => Err("a delay ends before the year 10000".to_owned()),
        ms => Ok(Delay::millis(ms)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(body: &str) -> Result<Option<Due>, String> {
        let mut mistakes = Mistakes::default();
        let mut fields = Fields::of(body, "", &mut mistakes).unwrap();
        let due = read(&mut fields, &mut mistakes);
        match mistakes.into_result() {
            Ok(()) => Ok(due),
            Err(problem) => Err(format!("{problem:?}")),
        }
    }

    fn at(ms: i64) -> Due {
        Due::At(Timestamp::from_millis(ms).unwrap())
    }

    #[test]
    fn each_way_to_say_a_time_is_understood() {
        for (body, expected) in [
            (r#"{"due_ms":1763690000123}"#, Some(at(1_763_690_000_123))),
            (r#"{"due_at":"2025-11-21T01:53:20.123Z"}"#, Some(at(1_763_690_000_123))),
            (r#"{"due_at":"2025-11-21T02:53:20.123+01:00"}"#, Some(at(1_763_690_000_123))),
            (r#"{"delay_ms":0}"#, Some(Due::In(Delay::ZERO))),
            (r#"{"delay_ms":null,"due_ms":7}"#, Some(at(7))),
            ("{}", None),
        ] {
            assert_eq!(due(body), Ok(expected), "{body}");
        }
    }

    #[test]
    fn a_part_of_a_millisecond_rounds_up_so_that_nothing_is_early() {
        assert_eq!(due(r#"{"due_at":"2025-11-21T01:53:20.123000001Z"}"#), Ok(Some(at(1_763_690_000_124))));
    }

    #[test]
    fn a_time_that_is_none_is_refused_with_its_place() {
        for (body, code) in [
            (r#"{"due_at":"tomorrow"}"#, "invalid_time"),
            (r#"{"due_at":"2025-11-21T01:53:20"}"#, "invalid_time"),
            (r#"{"due_at":"2025-02-30T00:00:00Z"}"#, "invalid_time"),
            (r#"{"due_at":"1969-12-31T23:59:59Z"}"#, "invalid_time"),
            (r#"{"due_at":5}"#, "type"),
            (r#"{"due_ms":-1}"#, "invalid_time"),
            (r#"{"due_ms":253402300800000}"#, "invalid_time"),
            (r#"{"due_ms":9223372036854775808}"#, "type"),
            (r#"{"due_ms":1.5}"#, "type"),
            (r#"{"due_ms":"7"}"#, "type"),
            (r#"{"delay_ms":-1}"#, "invalid_time"),
            (r#"{"delay_ms":9223372036854775807}"#, "invalid_time"),
            (r#"{"delay_ms":1,"due_ms":1}"#, "several_times"),
        ] {
            let refused = due(body).unwrap_err();
            assert!(refused.contains(code), "{body}: {refused}");
        }
    }
}
