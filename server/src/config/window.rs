//! Hours and days as people write them: `08:00-21:00`, `mon-fri`.

/// The days of a week, Monday first.
pub(crate) const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// Reads hours: when a window opens and closes, in minutes after midnight.
///
/// # Errors
/// A sentence with an example.
pub(crate) fn read_hours(text: &str) -> Result<(u16, u16), String> {
    let refused = || format!("{text:?} are no hours such as 08:00-21:00");
    let clock = |text: &str, last: u16| {
        let (hours, minutes) = text.trim().split_once(':')?;
        if hours.len() != 2 || minutes.len() != 2 {
            return None;
        }
        let (hours, minutes): (u16, u16) = (hours.parse().ok()?, minutes.parse().ok()?);
        let at = hours * 60 + minutes;
        (minutes < 60 && at <= last).then_some(at)
    };
    let (opens, closes) = text.split_once('-').ok_or_else(refused)?;
    match (clock(opens, 1_439), clock(closes, 1_440)) {
        (Some(opens), Some(closes)) if opens != closes => Ok((opens, closes)),
        _ => Err(refused()),
    }
}

/// Reads days: single ones and spans of them, separated by commas, Monday first.
///
/// # Errors
/// A sentence with an example.
pub(crate) fn read_days(text: &str) -> Result<[bool; 7], String> {
    let refused = || format!("{text:?} are no days such as mon-fri or sat,sun");
    let place = |day: &str| {
        let day = day.trim().to_ascii_lowercase();
        DAYS.iter().position(|known| *known == day).ok_or_else(refused)
    };
    let mut days = [false; 7];
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (place(first)?, place(last)?);
        // A span may go over Sunday.
        let length = (last + 7 - first) % 7;
        (0..=length).for_each(|step| days[(first + step) % 7] = true);
    }
    Ok(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_two_times_of_a_clock() {
        assert_eq!(read_hours("08:00-21:30"), Ok((480, 1_290)));
        assert_eq!(read_hours("22:00 - 06:00"), Ok((1_320, 360)));
        assert_eq!(read_hours("00:00-24:00"), Ok((0, 1_440)));
        for wrong in
            ["", "8-21", "08:00", "8:00-21:00", "08:60-21:00", "24:00-01:00", "08:00-08:00", "99:99-99:99"]
        {
            assert!(read_hours(wrong).is_err(), "{wrong:?} was read");
        }
    }

    #[test]
    fn days_are_single_ones_and_spans() {
        assert_eq!(read_days("mon-fri"), Ok([true, true, true, true, true, false, false]));
        assert_eq!(read_days("Sat, sun"), Ok([false, false, false, false, false, true, true]));
        assert_eq!(read_days("fri-mon"), Ok([true, false, false, false, true, true, true]));
        for wrong in ["", "monday", "mon-", "mon,,tue", "1-5"] {
            assert!(read_days(wrong).is_err(), "{wrong:?} was read");
        }
    }
}
