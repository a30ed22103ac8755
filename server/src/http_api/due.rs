//! When a job is to run, as a body says it: one of `due_at`, `due_ms`, `delay_ms`.

use crate::instant::{NoInstant, read_instant};
use crate::parse::join;
use crate::problem::Mistakes;
use reprieve::Due;
use reprieve::model::{Delay, Timestamp};

const OUT_OF_RANGE: &str = "a time lies between 1970 and 9999";
/// Below this, in March 1973, a number of milliseconds is taken for one of seconds, but for 0.
const SECONDS_BELOW: i64 = 100_000_000_000;

/// The time that the three fields of an object at `place` name; `None` when none of them was given.
pub(crate) fn of(
    due_at: Option<&str>,
    due_ms: Option<i64>,
    delay_ms: Option<i64>,
    place: &str,
    mistakes: &mut Mistakes,
) -> Option<Due> {
    let given = [
        due_at.map(|text| ("due_at", at(text))),
        due_ms.map(|ms| ("due_ms", instant(ms).map(Due::At))),
        delay_ms.map(|ms| ("delay_ms", delay(ms).map(Due::In))),
    ];
    let mut given = given.into_iter().flatten();
    let (name, due) = given.next()?;
    if let Some((second, _)) = given.next() {
        let why = "give one of `due_at`, `due_ms` and `delay_ms`, not several";
        mistakes.body(join(place, second), "several_times", why);
        return None;
    }
    due.map_err(|why| mistakes.body(join(place, name), "invalid_time", why)).ok()
}

/// A span in ms that stands in a field.
pub(crate) fn span(ms: Option<i64>, place: &str, field: &str, mistakes: &mut Mistakes) -> Option<Delay> {
    let ms = ms?;
    if (0..=Timestamp::MAX.as_millis()).contains(&ms) {
        return Some(Delay::millis(ms));
    }
    let why = format!("`{field}` is not negative and ends before the year 10000");
    mistakes.body(join(place, field), "invalid_time", why);
    None
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

/// An instant that a body gives in ms.
pub(crate) fn instant(ms: i64) -> Result<Timestamp, String> {
    if (1..SECONDS_BELOW).contains(&ms) {
        return Err(format!(
            "{ms} ms is before March 1973: it looks like seconds; to run at once, leave the time out"
        ));
    }
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

    type Times = (Option<&'static str>, Option<i64>, Option<i64>);

    fn due((at, ms, delay): Times) -> Result<Option<Due>, String> {
        let mut mistakes = Mistakes::default();
        let due = of(at, ms, delay, "", &mut mistakes);
        mistakes.into_result().map(|()| due).map_err(|problem| format!("{problem:?}"))
    }

    fn at(ms: i64) -> Due {
        Due::At(Timestamp::from_millis(ms).unwrap())
    }

    #[test]
    fn each_way_to_say_a_time_is_understood() {
        for (times, expected) in [
            ((None, Some(1_763_690_000_123), None), Some(at(1_763_690_000_123))),
            ((Some("2025-11-21T01:53:20.123Z"), None, None), Some(at(1_763_690_000_123))),
            ((Some("2025-11-21T02:53:20.123+01:00"), None, None), Some(at(1_763_690_000_123))),
            ((None, None, Some(0)), Some(Due::In(Delay::ZERO))),
            ((None, None, None), None),
        ] {
            assert_eq!(due(times), Ok(expected), "{times:?}");
        }
    }

    #[test]
    fn seconds_are_not_taken_for_milliseconds() {
        let refused = due((None, Some(1_763_690_000), None)).unwrap_err();
        assert!(refused.contains("looks like seconds"), "{refused}");
    }

    #[test]
    fn a_part_of_a_millisecond_rounds_up_so_that_nothing_is_early() {
        let times = (Some("2025-11-21T01:53:20.123000001Z"), None, None);
        assert_eq!(due(times), Ok(Some(at(1_763_690_000_124))));
    }
}
