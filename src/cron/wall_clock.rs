//! Fields on the clocks of a zone, turned into instants.
//!
//! The fields know nothing of zones: they name times on a wall. Between two
//! changes of its offset a zone's wall runs evenly, and there a time on the wall is
//! an instant. At a change the wall jumps forward, so that times are left out (a
//! gap), or back, so that times come twice (a fold):
//!
//! - a time in a gap fires at the first instant after it, several of them once;
//! - a time in a fold fires on its first occurrence only;
//! - fields that name every hour of the day mean a pace, not a time: they keep it
//!   through a fold, and there is nothing to make up for after a gap.

use super::chinese::{self, Chinese};
use crate::model::TickNote;
use croner::{Cron, CronComponent};
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

/// Looks at changes of the offset before a search is given up: two a year until the year 9999.
const CHANGES_MAX: usize = 20_000;
/// How the library notes `LW` in the field of days: the bits of `L` and of `W`, whose names it keeps to itself.
const LAST_WORKDAY: u8 = (1 << 6) | (1 << 7);
const SECOND: SignedDuration = SignedDuration::from_secs(1);
/// No zone is further from UTC than 26 hours: a time on the wall is an instant within this.
const NEAR: SignedDuration = SignedDuration::from_hours(48);

/// Fields of a cron expression in a zone.
#[derive(Debug, Clone)]
pub(super) struct WallClock {
    fields: Cron,
    zone: TimeZone,
    /// The fields name every hour of the day.
    all_day: bool,
}

/// A span without a change of the offset.
struct Stretch {
    offset: Offset,
    /// Its first instant and the offset before; `None` for the first of the zone.
    began: Option<(Timestamp, Offset)>,
    /// The first instant after it; `None` for the last of the zone.
    ends: Option<Timestamp>,
}

/// Five days as the library tells them.
const MONDAY_TO_FRIDAY: &str = "on Monday, Tuesday, Wednesday, Thursday, and Friday";

impl Stretch {
    /// The times that the wall left out when the stretch began, the last exclusive.
    fn gap(&self) -> Option<(Timestamp, DateTime, DateTime)> {
        let (began, before) = self.began?;
        (self.offset > before).then(|| (began, before.to_datetime(began), self.offset.to_datetime(began)))
    }

    /// The first time on the wall that had not been there before the stretch began.
    fn first_new(&self) -> Option<DateTime> {
        let (began, before) = self.began?;
        (self.offset < before).then(|| before.to_datetime(began))
    }
}

impl WallClock {
    pub(super) fn new(fields: Cron, zone: TimeZone) -> Self {
        let all_day = (0..24).all(|hour| fields.pattern.hour_match(hour).unwrap_or(false));
        Self { fields, zone, all_day }
    }

    /// The fields in English words.
    pub(super) fn describe(&self) -> String {
        let told = self.told().describe().replace(MONDAY_TO_FRIDAY, "from Monday to Friday");
        match self.names_last_workday() {
            true => told.replace("the last day of the month", "the last weekday of the month"),
            false => told,
        }
    }

    /// The same in Simplified Chinese.
    pub(super) fn describe_in_chinese(&self) -> String {
        let told = chinese::tidied(&self.told().describe_lang(Chinese));
        match self.names_last_workday() {
            true => told.replace("每月最后一天", "每月最后一个工作日"),
            false => told,
        }
    }

    /// Whether the fields name the last day of the month from Monday to Friday, `LW`. The library notes it as both `L`
    /// and `W`, and tells the first alone.
    fn names_last_workday(&self) -> bool {
        self.fields.pattern.days.is_feature_enabled(LAST_WORKDAY)
    }

    /// The fields as they are to be told. The library tells any field with a step as if it went on evenly from its
    /// beginning, `0-20/5` as `*/5`; where it does not, and of months, the values are told one by one.
    fn told(&self) -> Cron {
        let mut told = self.fields.clone();
        let pattern = &mut told.pattern;
        let of = &self.fields.pattern;
        keep_if_even(&mut pattern.seconds, |second| of.second_match(second).unwrap_or(false));
        keep_if_even(&mut pattern.minutes, |minute| of.minute_match(minute).unwrap_or(false));
        keep_if_even(&mut pattern.hours, |hour| of.hour_match(hour).unwrap_or(false));
        pattern.months.step = 1;
        told
    }

    /// The first tick at or after an instant.
    pub(super) fn next_from(&self, mut from: Timestamp) -> Option<Timestamp> {
        for _ in 0..CHANGES_MAX {
            let stretch = self.stretch(from);
            let mut wall = stretch.offset.to_datetime(from);
            if !self.all_day {
                if stretch.gap().is_some_and(|gap| gap.0 == from && self.named_in(gap.1, gap.2)) {
                    return Some(from);
                }
                wall = stretch.first_new().map_or(wall, |new| new.max(wall));
            }
            let named = self.fields.find_next_occurrence(&wall, true).ok()?;
            let tick = stretch.offset.to_timestamp(named).ok()?;
            let Some(ends) = stretch.ends.filter(|&ends| tick >= ends) else { return Some(tick) };
            // Far away, the changes between here and there do not matter.
            from = tick.checked_sub(NEAR).map_or(ends, |near| near.max(ends));
        }
        None
    }

    /// The latest tick at or before an instant.
    pub(super) fn latest_at(&self, mut at: Timestamp) -> Option<Timestamp> {
        for _ in 0..CHANGES_MAX {
            let stretch = self.stretch(at);
            let named = self.fields.find_previous_occurrence(&stretch.offset.to_datetime(at), true).ok()?;
            let tick = stretch.offset.to_timestamp(named).ok()?;
            let Some((began, _)) = stretch.began else { return Some(tick) };
            let new = self.all_day || stretch.first_new().is_none_or(|new| named >= new);
            if tick >= began && new {
                return Some(tick);
            }
            if !self.all_day && stretch.gap().is_some_and(|gap| self.named_in(gap.1, gap.2)) {
                return Some(began);
            }
            let before = began.checked_sub(SECOND).ok()?;
            at = tick.checked_add(NEAR).map_or(before, |near| near.min(before));
        }
        None
    }

    /// What daylight saving does to a tick.
    pub(super) fn note(&self, tick: Timestamp) -> Option<TickNote> {
        let zoned = tick.to_zoned(self.zone.clone());
        if let AmbiguousOffset::Fold { before, .. } = self.zone.to_ambiguous_zoned(zoned.datetime()).offset()
        {
            return Some(if zoned.offset() == before { TickNote::FirstOfTwo } else { TickNote::SecondOfTwo });
        }
        // Only a gap fires what its time on the wall does not name.
        let named = self.fields.is_time_matching(&zoned.datetime()).unwrap_or(true);
        (!named).then_some(TickNote::Shifted)
    }

    /// Whether the fields name a time from `first` until before `end`.
    fn named_in(&self, first: DateTime, end: DateTime) -> bool {
        self.fields.find_next_occurrence(&first, true).is_ok_and(|named| named < end)
    }

    fn stretch(&self, at: Timestamp) -> Stretch {
        let just_after = at.checked_add(SignedDuration::from_nanos(1)).unwrap_or(at);
        // A zone also notes changes of its name alone.
        let began = self.zone.preceding(just_after).find_map(|change| {
            let began = change.timestamp();
            let before = self.zone.to_offset(began.checked_sub(SECOND).ok()?);
            (before != change.offset()).then_some((began, before))
        });
        let offset = self.zone.to_offset(at);
        let ends = self.zone.following(at).find(|change| change.offset() != offset);
        Stretch { offset, began, ends: ends.map(|change| change.timestamp()) }
    }
}

/// Leaves a field its step only where it names every so many of its whole range, so that the pace is the same from one
/// range to the next.
fn keep_if_even(field: &mut CronComponent, names: impl Fn(u32) -> bool) {
    let (least, step) = (field.min, field.step.max(1));
    let is_even =
        (least..=field.max).all(|value| names(u32::from(value)) == (value - least).is_multiple_of(step));
    let goes_round = (field.max - least + 1).is_multiple_of(step);
    if !(is_even && goes_round) {
        field.step = 1;
    }
}
