//! Which instants bound the days, hours and quarters of a zone's calendar.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp as Instant, ToSpan};
use reprieve::FORECAST_REACH;
use reprieve::model::Timestamp;

use super::View;

/// A part of the calendar, cut into spans.
pub(super) struct Calendar {
    zone: TimeZone,
    view: View,
    /// The day that was asked for.
    date: Date,
    /// One more than there are spans.
    pub(super) bounds: Vec<Timestamp>,
}

/// What the calendar says of a span.
pub(super) struct Label {
    pub(super) date: String,
    pub(super) minutes_east: i32,
    pub(super) outside: bool,
    pub(super) clock_change: Option<i32>,
}

/// Days of the longest view.
const YEAR_DAYS: i32 = 400;

impl Calendar {
    /// The part around a date, today for an empty one; `None` for a zone or a date that is none.
    pub(super) fn new(view: View, date: &str, zone: &str, now: Timestamp) -> Option<Self> {
        let zone = reprieve::zones::get(if zone.is_empty() { "UTC" } else { zone })?;
        let date = match date {
            "" => instant(now)?.to_zoned(zone.clone()).date(),
            text => text.parse::<Date>().ok()?,
        };
        Self::around(view, date, zone)
    }

    fn around(view: View, date: Date, zone: TimeZone) -> Option<Self> {
        let (first, days) = match view {
            View::Month => (monday_of(date.first_of_month())?, 42),
            View::Week => (monday_of(date)?, 7),
            View::Day => (date, 1),
            View::Year => (date, YEAR_DAYS),
        };
        let midnights: Option<Vec<Instant>> = (0..=days)
            .map(|day| Some(first.checked_add(day.days()).ok()?.to_zoned(zone.clone()).ok()?.timestamp()))
            .collect();
        let bounds = match view {
            View::Month | View::Year => midnights?,
            View::Week => steps(&midnights?, SignedDuration::from_hours(1)),
            View::Day => steps(&midnights?, SignedDuration::from_mins(15)),
        };
        let bounds: Option<Vec<_>> =
            bounds.into_iter().map(|bound| Timestamp::from_millis(bound.as_millisecond())).collect();
        Some(Self { zone, view, date, bounds: bounds? })
    }

    /// The date that was asked for.
    pub(super) fn date(&self) -> String {
        self.date.to_string()
    }

    /// Whether a forecast reaches all of it.
    pub(super) fn is_within_reach(&self, now: Timestamp) -> bool {
        let reach_ms = FORECAST_REACH.as_millis();
        self.bounds.iter().all(|bound| bound.millis_since(now).saturating_abs() <= reach_ms)
    }

    /// The views that a forecast reaches around the same date.
    pub(super) fn views_within_reach(&self, now: Timestamp) -> Vec<View> {
        View::ALL.into_iter().filter(|view| self.reaches(*view, self.date, now)).collect()
    }

    fn reaches(&self, view: View, date: Date, now: Timestamp) -> bool {
        Self::around(view, date, self.zone.clone()).is_some_and(|part| part.is_within_reach(now))
    }

    /// Dates that lead to the part before and the part behind; `None` where no forecast reaches.
    pub(super) fn before_after(&self, now: Timestamp) -> [Option<String>; 2] {
        let step = match self.view {
            View::Month => 1.month(),
            View::Week => 1.week(),
            View::Day => 1.day(),
            View::Year => YEAR_DAYS.days(),
        };
        let anchor = if self.view == View::Month { self.date.first_of_month() } else { self.date };
        [anchor.saturating_sub(step), anchor.saturating_add(step)]
            .map(|date| self.reaches(self.view, date, now).then(|| date.to_string()))
    }

    /// The span from a bound to the next.
    pub(super) fn label(&self, from: Timestamp, to: Timestamp) -> Label {
        let offset = |at: Timestamp| instant(at).map_or(0, |at| self.zone.to_offset(at).seconds() / 60);
        let date = instant(from).map(|at| at.to_zoned(self.zone.clone()).date()).unwrap_or_default();
        // A change at midnight belongs to the day that it begins.
        let last = Timestamp::saturating_from_millis(to.as_millis().saturating_sub(1));
        let before = Timestamp::saturating_from_millis(from.as_millis().saturating_sub(1));
        let change = offset(last) - offset(before);
        Label {
            date: date.to_string(),
            minutes_east: offset(from),
            outside: self.view == View::Month && date.month() != self.date.month(),
            clock_change: (change != 0).then_some(change),
        }
    }
}

fn instant(at: Timestamp) -> Option<Instant> {
    Instant::from_millisecond(at.as_millis()).ok()
}

fn monday_of(date: Date) -> Option<Date> {
    date.checked_sub(i32::from(date.weekday().to_monday_zero_offset()).days()).ok()
}

/// Steps of that length from the first midnight to the last; a day in which the clocks change has more or fewer.
fn steps(midnights: &[Instant], step: SignedDuration) -> Vec<Instant> {
    let (Some(&first), Some(&last)) = (midnights.first(), midnights.last()) else { return Vec::new() };
    let mut bounds = vec![first];
    let mut at = first;
    while let Some(next) = at.checked_add(step).ok().filter(|next| *next < last) {
        bounds.push(next);
        at = next;
    }
    bounds.push(last);
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_millis(1_795_255_200_000).unwrap() // 2026-11-21T10:00:00Z
    }

    fn calendar(view: View, date: &str, zone: &str) -> Calendar {
        Calendar::new(view, date, zone, now()).unwrap()
    }

    fn spans(calendar: &Calendar) -> Vec<Label> {
        calendar.bounds.windows(2).map(|pair| calendar.label(pair[0], pair[1])).collect()
    }

    #[test]
    fn a_month_is_six_whole_weeks_around_it() {
        let month = calendar(View::Month, "2026-11-21", "UTC");
        let labels = spans(&month);
        assert_eq!(labels.len(), 42);
        assert_eq!((labels[0].date.as_str(), labels[0].outside), ("2026-10-26", true));
        assert_eq!(labels.iter().filter(|label| !label.outside).count(), 30);
        let around = ["2026-10-01", "2026-12-01"].map(|date| Some(date.to_owned()));
        assert_eq!(month.before_after(now()), around);
    }

    #[test]
    fn nothing_leads_to_where_no_forecast_reaches() {
        let year = calendar(View::Year, "", "UTC");
        assert!(year.is_within_reach(now()));
        assert_eq!(year.before_after(now()), [Some("2025-10-17".to_owned()), None]);
        assert_eq!(year.views_within_reach(now()), View::ALL);
        assert!(!calendar(View::Year, "2027-12-26", "UTC").is_within_reach(now()));
        let late = calendar(View::Day, "2027-12-26", "UTC");
        assert_eq!(late.views_within_reach(now()), [View::Day, View::Week]);
    }

    #[test]
    fn a_day_with_a_change_of_the_clocks_has_more_or_fewer_steps_and_a_mark() {
        let spring = calendar(View::Week, "2027-03-28", "Europe/Berlin");
        assert_eq!(spring.bounds.len(), 7 * 24);
        let marks: Vec<_> = spans(&spring).into_iter().filter_map(|label| label.clock_change).collect();
        assert_eq!(marks, [60]);
        let autumn = calendar(View::Day, "2026-10-25", "Europe/Berlin");
        assert_eq!(autumn.bounds.len(), 25 * 4 + 1);
        assert_eq!(
            spans(&autumn).into_iter().filter_map(|label| label.clock_change).collect::<Vec<_>>(),
            [-60]
        );
        let october = calendar(View::Month, "2026-10-01", "Europe/Berlin");
        assert_eq!(spans(&october).iter().filter(|label| label.clock_change.is_some()).count(), 1);
    }

    #[test]
    fn the_bounds_rise_in_every_zone_and_view() {
        for zone in
            ["UTC", "Europe/Berlin", "America/Santiago", "Asia/Kathmandu", "Pacific/Apia", "Africa/Cairo"]
        {
            for view in View::ALL {
                let calendar = calendar(view, "2026-11-21", zone);
                assert!(calendar.bounds.is_sorted_by(|a, b| a < b), "{zone} {view:?}");
                assert!(calendar.bounds.len() <= 401);
            }
        }
    }

    #[test]
    fn what_is_no_date_and_no_zone_is_refused() {
        let now = Timestamp::EPOCH;
        for (date, zone) in
            [("2026-13-01", "UTC"), ("yesterday", "UTC"), ("", "Mars/Olympus"), ("9999-12-31", "UTC")]
        {
            assert!(Calendar::new(View::Year, date, zone, now).is_none(), "{date} {zone}");
        }
    }
}
