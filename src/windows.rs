//! Delivery windows: from hours on a wall clock to instants. The instants are kept in Redis, where the scripts judge
//! by Redis's clock alone; any process may work them out, for all come to the same.

use crate::error::{Error, Result};
use crate::model::{Opening, Timestamp, Window};
use crate::zones;
use jiff::ToSpan;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

/// Openings that are kept: two weeks and more of a daily window.
const OPENINGS_MAX: usize = 16;
/// Days that are looked at: a window of one day a week opens five times in them.
const DAYS_AHEAD: i32 = 40;
/// Minutes of a day.
const DAY_MINUTES: u16 = 1_440;

/// Checks a window and finds its zone.
///
/// # Errors
/// [`Error::Invalid`].
pub(crate) fn check(window: &Window) -> Result<TimeZone> {
    if !window.days.contains(&true) {
        return Err(Error::invalid("days", "are none: such a window would never open"));
    }
    if window.opens >= DAY_MINUTES || window.closes > DAY_MINUTES {
        return Err(Error::invalid("opens", "and `closes` are minutes after midnight, up to 1,440"));
    }
    if window.opens == window.closes {
        return Err(Error::invalid(
            "closes",
            "is when it opens: such a window would never or always be open",
        ));
    }
    if window.spread.as_millis() > 86_400_000 {
        return Err(Error::invalid("spread_ms", "is at most a day"));
    }
    zones::get(&window.zone).ok_or_else(|| {
        Error::invalid("zone", format!("{:?} is not a time zone, such as Europe/Berlin", window.zone))
    })
}

/// Checks a window that is to be set: its jobs are spread over less than it is open, too.
///
/// # Errors
/// [`Error::Invalid`].
pub(crate) fn check_new(window: &Window) -> Result<()> {
    check(window)?;
    if window.spread >= window.open_for() {
        return Err(Error::invalid("spread_ms", "is shorter than the window is open"));
    }
    Ok(())
}

/// The openings from `now` on, the present one first; at most 16, those that touch each other joined.
///
/// Daylight saving: a time that the clock skips is the first instant after the gap; a time it shows twice is the
/// first of them.
///
/// # Errors
/// As [`check`].
pub(crate) fn openings(window: &Window, now: Timestamp) -> Result<Vec<Opening>> {
    let zone = check(window)?;
    let out = || Error::invalid("window", "lies outside the calendar");
    let instant = jiff::Timestamp::from_millisecond(now.as_millis()).map_err(|_| out())?;
    let mut day = instant.to_zoned(zone.clone()).date().checked_sub(1.day()).map_err(|_| out())?;
    let mut found: Vec<Opening> = Vec::new();
    for _ in 0..DAYS_AHEAD {
        let next = day.tomorrow().map_err(|_| out())?;
        let weekday = usize::try_from(day.weekday().to_monday_zero_offset()).unwrap_or(0);
        if window.days.get(weekday).copied().unwrap_or(false) {
            let last = if window.closes > window.opens { day } else { next };
            let from = at(&zone, day, window.opens).ok_or_else(out)?;
            let to = at(&zone, last, window.closes).ok_or_else(out)?;
            match found.last_mut() {
                Some((_, end)) if *end >= from => *end = to.max(*end),
                _ if to > now && to > from => found.push((from, to)),
                _ => {}
            }
        }
        if found.len() > OPENINGS_MAX {
            break;
        }
        day = next;
    }
    found.truncate(OPENINGS_MAX);
    Ok(found)
}

fn at(zone: &TimeZone, day: Date, minutes: u16) -> Option<Timestamp> {
    let (day, minutes) = if minutes == DAY_MINUTES { (day.tomorrow().ok()?, 0) } else { (day, minutes) };
    let time = Time::new(i8::try_from(minutes / 60).ok()?, i8::try_from(minutes % 60).ok()?, 0, 0).ok()?;
    let wall = day.to_datetime(time);
    let ambiguous = zone.to_ambiguous_timestamp(wall);
    let instant = match ambiguous.offset() {
        // The clock skips it: the first instant after the gap is where it would have been by the offset before,
        // less what was skipped beyond it.
        jiff::tz::AmbiguousOffset::Gap { before, after } => {
            let late = before.to_timestamp(wall).ok()?;
            let early = after.to_timestamp(wall).ok()?;
            zone.following(early.checked_sub(1.second()).ok()?)
                .next()
                .map_or(late, |transition| transition.timestamp())
        }
        _ => ambiguous.earlier().ok()?,
    };
    Timestamp::from_millis(instant.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Delay;

    fn t(text: &str) -> Timestamp {
        let instant: jiff::Timestamp = text.parse().unwrap();
        Timestamp::from_millis(instant.as_millisecond()).unwrap()
    }

    fn day() -> Window {
        Window::daily("Europe/Berlin", 8 * 60, 21 * 60)
    }

    #[test]
    fn the_present_opening_comes_first_and_the_next_is_that_of_the_next_day() {
        let open = openings(&day(), t("2026-01-15T12:00:00Z")).unwrap();
        assert_eq!(open[0], (t("2026-01-15T07:00:00Z"), t("2026-01-15T20:00:00Z")));
        assert_eq!(open[1], (t("2026-01-16T07:00:00Z"), t("2026-01-16T20:00:00Z")));
        assert_eq!(open.len(), OPENINGS_MAX);
        let night = openings(&day(), t("2026-01-15T20:00:00Z")).unwrap();
        assert_eq!(night[0].0, t("2026-01-16T07:00:00Z"));
    }

    #[test]
    fn an_opening_keeps_its_hours_on_the_wall_when_the_clocks_change() {
        // 29 March 2026: from +1 to +2 at 2 o'clock; 25 October: back at 3.
        let spring = openings(&day(), t("2026-03-28T12:00:00Z")).unwrap();
        assert_eq!([spring[0].0, spring[1].0], [t("2026-03-28T07:00:00Z"), t("2026-03-29T06:00:00Z")]);
        let autumn = openings(&day(), t("2026-10-24T12:00:00Z")).unwrap();
        assert_eq!([autumn[0].0, autumn[1].0], [t("2026-10-24T06:00:00Z"), t("2026-10-25T07:00:00Z")]);
    }

    #[test]
    fn a_time_that_the_clock_skips_is_the_end_of_the_gap_and_one_shown_twice_the_first() {
        let early = Window::daily("Europe/Berlin", 150, 300);
        let spring = openings(&early, t("2026-03-28T12:00:00Z")).unwrap();
        assert_eq!(spring[0].0, t("2026-03-29T01:00:00Z"), "half past two is not there: three o'clock");
        let autumn = openings(&early, t("2026-10-24T12:00:00Z")).unwrap();
        assert_eq!(autumn[0].0, t("2026-10-25T00:30:00Z"), "the first half past two");
    }

    #[test]
    fn a_window_over_midnight_closes_on_the_next_day_and_days_can_be_left_out() {
        let night = Window::daily("UTC", 22 * 60, 6 * 60);
        let open = openings(&night, t("2026-01-15T01:00:00Z")).unwrap();
        assert_eq!(open[0], (t("2026-01-14T22:00:00Z"), t("2026-01-15T06:00:00Z")));
        let weekdays = Window::daily("UTC", 480, 1_260).on([true, true, true, true, true, false, false]);
        // A Friday evening.
        let open = openings(&weekdays, t("2026-01-16T21:00:00Z")).unwrap();
        assert_eq!(open[0].0, t("2026-01-19T08:00:00Z"));
    }

    #[test]
    fn openings_that_touch_are_one_and_a_whole_day_is_always_open() {
        let all = Window::daily("America/New_York", 0, 1_440);
        let open = openings(&all, t("2026-03-07T12:00:00Z")).unwrap();
        assert_eq!(open.len(), 1);
        assert!(open[0].1.millis_since(open[0].0) > 30 * 86_400_000);
    }

    #[test]
    fn windows_that_make_no_sense_are_refused() {
        for bad in [
            day().on([false; 7]),
            Window::daily("Europe/Berlin", 1_440, 1),
            Window::daily("Europe/Berlin", 1, 1_441),
            Window::daily("Europe/Berlin", 60, 60),
            Window::daily("Mars/Olympus", 1, 2),
            Window::daily("", 1, 2),
            day().spread(Delay::days(2)),
        ] {
            assert!(check(&bad).is_err(), "{bad:?} was let in");
        }
    }

    #[test]
    fn a_spread_is_shorter_than_the_window_is_open() {
        let night = Window::daily("UTC", 22 * 60, 6 * 60);
        for (window, most) in [(day(), Delay::hours(13)), (night, Delay::hours(8))] {
            assert!(check_new(&window.clone().spread(most)).is_err(), "{window:?}");
            assert!(check_new(&window.clone().spread(Delay::millis(most.as_millis() - 1))).is_ok());
        }
    }
}
