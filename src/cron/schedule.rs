//! When an entry fires: its schedule, read once, asked for ticks.
//!
//! Fields and zones are those of two libraries; the rules that are ours are
//! what is refused, and what daylight saving does (`docs/how-to/cron.md`).

use super::chinese;
use super::wall_clock::WallClock;
use crate::error::{Error, Result};
use crate::model::{ScheduleFault, ScheduleField, Tick, Timestamp};
use crate::zones;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp as Instant};

/// Longest schedule, in bytes: every minute of the hour written out takes 170.
const SCHEDULE_BYTES_MAX: usize = 256;
/// Longest name of a zone, in bytes; the longest there is has 32.
const ZONE_BYTES_MAX: usize = 64;
/// The shortest period: one job a second is the most that one entry enqueues.
const PERIOD_MS_MIN: i64 = 1_000;
/// The longest period: beyond a year somebody means a date.
const PERIOD_MS_MAX: i64 = 366 * 86_400_000;

const SECOND: SignedDuration = SignedDuration::from_secs(1);

/// When an entry fires.
#[derive(Debug, Clone)]
pub struct CronSchedule {
    rule: Rule,
    zone: TimeZone,
}

#[derive(Debug, Clone)]
enum Rule {
    Fields(Box<WallClock>),
    /// At every multiple of so many ms since 1970, so that all processes agree without asking each other.
    Every(i64),
}

impl CronSchedule {
    /// Reads a schedule: five fields, six with seconds in front, `@hourly`, `@daily` (or `@midnight`), `@weekly`, `@monthly`,
    /// `@yearly`, or `@every` and a span such as `90s` or `1h30m`; and the IANA name of a zone.
    ///
    /// # Errors
    /// [`Error::Invalid`] for what cannot be read, would never fire, or would fire more than once a second.
    pub fn parse(schedule: &str, zone: &str) -> Result<Self> {
        Self::read(schedule, zone).map_err(|fault| {
            let field = if fault.is_of_the_zone() { "zone" } else { "schedule" };
            Error::invalid(field, fault.to_string())
        })
    }

    /// The same, with the reason as data: each language says it in its own words.
    ///
    /// # Errors
    /// What is wrong, and whether with the schedule or with the zone.
    pub fn read(schedule: &str, zone: &str) -> Result<Self, ScheduleFault> {
        let schedule = schedule.trim();
        if schedule.len() > SCHEDULE_BYTES_MAX {
            return Err(ScheduleFault::TooLong { bytes_max: SCHEDULE_BYTES_MAX as u64 });
        }
        let zone = read_zone(zone)?;
        let rule = match schedule.strip_prefix("@every") {
            Some(span) => Rule::Every(read_period(span.trim())?),
            None => Rule::Fields(Box::new(WallClock::new(read_fields(schedule)?, zone.clone()))),
        };
        let schedule = Self { rule, zone };
        if schedule.next_after(Timestamp::EPOCH).is_none() {
            return Err(ScheduleFault::NeverFires);
        }
        Ok(schedule)
    }

    /// The first tick later than `after`; `None` when there is none before the year 10000.
    #[must_use]
    pub fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        match &self.rule {
            Rule::Every(period) => {
                let ms = after.as_millis();
                Timestamp::from_millis(ms.checked_sub(ms.rem_euclid(*period))?.checked_add(*period)?)
            }
            Rule::Fields(clock) => read(clock.next_from(seconds(after)?.checked_add(SECOND).ok()?)?),
        }
    }

    /// The latest tick that is not later than `at`; `None` when there is none since 1970.
    #[must_use]
    pub fn latest_at(&self, at: Timestamp) -> Option<Timestamp> {
        match &self.rule {
            Rule::Every(period) => {
                let ms = at.as_millis();
                Timestamp::from_millis(ms - ms.rem_euclid(*period))
            }
            Rule::Fields(clock) => read(clock.latest_at(seconds(at)?)?),
        }
    }

    /// The next ticks later than `after`, with what daylight saving does to them.
    #[must_use]
    pub fn preview(&self, after: Timestamp, most: usize) -> Vec<Tick> {
        let ticks = std::iter::successors(self.next_after(after), |&tick| self.next_after(tick));
        ticks.take(most).filter_map(|at| self.tick(at)).collect()
    }

    /// The schedule in English words.
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.rule {
            Rule::Every(ms) => format!("Every {:#}, counted from 1970.", SignedDuration::from_millis(*ms)),
            Rule::Fields(clock) => clock.describe(),
        }
    }

    /// The schedule in Simplified Chinese words.
    #[must_use]
    pub fn describe_in_chinese(&self) -> String {
        match &self.rule {
            Rule::Every(ms) => {
                let span = chinese::span(SignedDuration::from_millis(*ms));
                format!("每隔{span}，自 1970 年起计。")
            }
            Rule::Fields(clock) => clock.describe_in_chinese(),
        }
    }

    fn tick(&self, at: Timestamp) -> Option<Tick> {
        let instant = seconds(at)?;
        let local = instant.to_zoned(self.zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
        let note = match &self.rule {
            Rule::Every(_) => None,
            Rule::Fields(clock) => clock.note(instant),
        };
        Some(Tick::new(at, local, note))
    }
}

/// The whole second of an instant: no tick lies between two.
fn seconds(at: Timestamp) -> Option<Instant> {
    Instant::from_second(at.as_millis().div_euclid(1_000)).ok()
}

fn read(instant: Instant) -> Option<Timestamp> {
    Timestamp::from_millis(instant.as_millisecond())
}

fn read_zone(name: &str) -> Result<TimeZone, ScheduleFault> {
    let unknown = || ScheduleFault::UnknownZone { shown: beginning(name) };
    if name.len() > ZONE_BYTES_MAX {
        return Err(unknown());
    }
    zones::get(name).ok_or_else(unknown)
}

/// Schedules with a name.
const SHORT: [&str; 6] = ["@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@annually"];

fn read_fields(text: &str) -> Result<Cron, ScheduleFault> {
    // Its reader takes `,` for a list of nothing, and then looks for a match until the year 5000.
    if text.split_whitespace().any(|field| field.split(',').any(str::is_empty)) {
        return Err(ScheduleFault::Unreadable { detail: "a list has an empty place".to_owned() });
    }
    no_variable(text)?;
    let text = if text.eq_ignore_ascii_case("@midnight") { "@daily" } else { text };
    let fields = named_fields(text);
    if fields.is_empty() && !text.starts_with('@') {
        let count = text.split_whitespace().count();
        return Err(ScheduleFault::Unreadable { detail: format!("it has {count} fields") });
    }
    if fields.is_empty() && !SHORT.contains(&text.to_ascii_lowercase().as_str()) {
        return Err(ScheduleFault::Unreadable { detail: format!("{} is not known", beginning(text)) });
    }
    within_range(&fields)?;
    let parser = CronParser::builder().seconds(Seconds::Optional).year(Year::Disallowed);
    parser
        .dom_and_dow(needs_both_days(&fields))
        .build()
        .parse(text)
        .map_err(|error| ScheduleFault::Unreadable { detail: error.to_string() })
}

/// The fields with what stands in them; none where there are not five or six.
fn named_fields(text: &str) -> Vec<(ScheduleField, &str)> {
    let parts: Vec<&str> = text.split_whitespace().collect();
    match ScheduleField::ALL.len().checked_sub(parts.len()) {
        Some(first @ 0..=1) => ScheduleField::ALL.into_iter().skip(first).zip(parts).collect(),
        _ => Vec::new(),
    }
}

/// Whether a day has to be named by both fields of days. As in Debian's cron, it has where one of them begins with a star:
/// `*/2` with `MON` are the Mondays with odd dates. Otherwise one is enough.
fn needs_both_days(fields: &[(ScheduleField, &str)]) -> bool {
    let is_of_days = |field| matches!(field, ScheduleField::Day | ScheduleField::Weekday);
    fields.iter().any(|(field, part)| is_of_days(*field) && part.starts_with('*'))
}

/// Refuses `CRON_TZ=…` and its like in front of the fields.
fn no_variable(text: &str) -> Result<(), ScheduleFault> {
    let first = text.split_whitespace().next().unwrap_or_default();
    match first.split_once('=') {
        Some((name, _)) => Err(ScheduleFault::Variable { name: beginning(name) }),
        None => Ok(()),
    }
}

/// Refuses numbers that their field cannot have and ranges that go backwards, which the reader only says of the whole. What
/// is neither a number nor a name is its to judge.
fn within_range(fields: &[(ScheduleField, &str)]) -> Result<(), ScheduleFault> {
    for &(field, part) in fields {
        let (least, most) = field.range();
        for place in part.split(',') {
            // How far apart they are, behind the slash, is not one of them.
            let range = place.split('/').next().unwrap_or_default();
            let numbers: Vec<Option<u32>> = range.split('-').map(|word| number_of(field, word)).collect();
            if let Some(&found) = numbers.iter().flatten().find(|number| !(least..=most).contains(number)) {
                return Err(ScheduleFault::FieldOutOfRange { field, found });
            }
            if let [Some(from), Some(to)] = numbers[..]
                && from > to
            {
                let last = if field == ScheduleField::Weekday { 6 } else { most };
                let instead = format!("{from}-{last},{least}-{to}");
                return Err(ScheduleFault::Backwards { range: beginning(range), instead });
            }
        }
    }
    Ok(())
}

/// The number that a word of a field stands for.
fn number_of(field: ScheduleField, word: &str) -> Option<u32> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
    let (names, first): (&[&str], u32) = match field {
        ScheduleField::Month => (&MONTHS, 1),
        ScheduleField::Weekday => (&WEEKDAYS, 0),
        _ => (&[], 0),
    };
    let named = names.iter().zip(first..).find(|(name, _)| name.eq_ignore_ascii_case(word));
    named.map(|(_, number)| number).or_else(|| word.parse().ok())
}

fn read_period(text: &str) -> Result<i64, ScheduleFault> {
    let span: SignedDuration =
        text.parse().map_err(|_| ScheduleFault::NotASpan { shown: beginning(text) })?;
    i64::try_from(span.as_millis())
        .ok()
        .filter(|ms| (PERIOD_MS_MIN..=PERIOD_MS_MAX).contains(ms))
        .ok_or(ScheduleFault::OutOfRange)
}

/// As much of a text from outside as an answer repeats.
fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(text: &str) -> Timestamp {
        Timestamp::from_millis(text.parse::<jiff::Timestamp>().unwrap().as_millisecond()).unwrap()
    }

    fn ticks(schedule: &str, zone: &str, after: &str, most: usize) -> Vec<String> {
        let schedule = CronSchedule::parse(schedule, zone).unwrap();
        let shown = |tick: Tick| match tick.note {
            None => tick.local,
            Some(note) => format!("{} {note:?}", tick.local),
        };
        schedule.preview(ms(after), most).into_iter().map(shown).collect()
    }

    #[test]
    fn five_fields_six_fields_names_and_spans_are_read() {
        let after = "2027-01-01T00:00:30Z";
        assert_eq!(ticks("30 9 * * MON-FRI", "UTC", after, 1), ["2027-01-01T09:30:00+00:00"]);
        assert_eq!(
            ticks("*/20 * * * * *", "UTC", after, 2),
            ["2027-01-01T00:00:40+00:00", "2027-01-01T00:01:00+00:00"]
        );
        assert_eq!(ticks("@monthly", "Asia/Shanghai", after, 1), ["2027-02-01T00:00:00+08:00"]);
        assert_eq!(
            ticks("@every 90s", "UTC", after, 2),
            ["2027-01-01T00:01:30+00:00", "2027-01-01T00:03:00+00:00"]
        );
        assert_eq!(ticks("0 12 29 2 *", "UTC", after, 1), ["2028-02-29T12:00:00+00:00"]);
    }

    // In Berlin the clock goes from 02:00 to 03:00 on 28 March 2027, and from 03:00 to 02:00 on 31 October.
    #[test]
    fn a_time_in_the_gap_fires_at_the_first_instant_after_it() {
        assert_eq!(
            ticks("30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", 2),
            ["2027-03-28T03:00:00+02:00 Shifted", "2027-03-29T02:30:00+02:00"]
        );
    }

    #[test]
    fn several_times_in_the_gap_are_one_tick() {
        assert_eq!(
            ticks("0,15,45 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", 2),
            ["2027-03-28T03:00:00+02:00 Shifted", "2027-03-29T02:00:00+02:00"]
        );
    }

    #[test]
    fn a_time_beside_the_gap_is_left_alone() {
        assert_eq!(
            ticks("0 3 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", 1),
            ["2027-03-28T03:00:00+02:00"]
        );
        assert_eq!(
            ticks("59 1 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", 1),
            ["2027-03-28T01:59:00+01:00"]
        );
    }

    #[test]
    fn a_doubled_time_fires_on_its_first_occurrence_only() {
        assert_eq!(
            ticks("30 2 * * *", "Europe/Berlin", "2027-10-30T12:00:00Z", 2),
            ["2027-10-31T02:30:00+02:00 FirstOfTwo", "2027-11-01T02:30:00+01:00"]
        );
    }

    #[test]
    fn an_entry_that_runs_all_day_keeps_its_pace_through_the_doubled_hour() {
        assert_eq!(
            ticks("*/30 * * * *", "Europe/Berlin", "2027-10-30T23:45:00Z", 5),
            [
                "2027-10-31T02:00:00+02:00 FirstOfTwo",
                "2027-10-31T02:30:00+02:00 FirstOfTwo",
                "2027-10-31T02:00:00+01:00 SecondOfTwo",
                "2027-10-31T02:30:00+01:00 SecondOfTwo",
                "2027-10-31T03:00:00+01:00"
            ]
        );
    }

    #[test]
    fn an_entry_that_runs_all_day_has_nothing_to_do_in_the_gap() {
        assert_eq!(
            ticks("*/30 * * * *", "Europe/Berlin", "2027-03-28T00:15:00Z", 2),
            ["2027-03-28T01:30:00+01:00", "2027-03-28T03:00:00+02:00"]
        );
    }

    #[test]
    fn half_an_hour_of_summer_time_and_a_skipped_day_are_known() {
        // Lord Howe puts its clock forward by 30 minutes at 02:00 on 3 October 2027.
        assert_eq!(
            ticks("15 2 * * *", "Australia/Lord_Howe", "2027-10-02T12:00:00Z", 1),
            ["2027-10-03T02:30:00+11:00 Shifted"]
        );
        // Samoa left out 30 December 2011.
        assert_eq!(
            ticks("0 12 30 12 *", "Pacific/Apia", "2011-12-01T00:00:00Z", 1),
            ["2011-12-31T00:00:00+14:00 Shifted"]
        );
    }

    #[test]
    fn the_latest_tick_is_the_one_that_next_after_led_to() {
        for (text, zone) in
            [("*/7 3-5 * * *", "Europe/Berlin"), ("@every 45m", "UTC"), ("5 4 L * *", "America/New_York")]
        {
            let schedule = CronSchedule::parse(text, zone).unwrap();
            let mut at = ms("2027-03-20T00:00:00Z");
            for _ in 0..200 {
                let next = schedule.next_after(at).unwrap();
                assert_eq!(schedule.latest_at(next), Some(next), "{text}");
                let before = Timestamp::from_millis(next.as_millis() - 1).unwrap();
                assert!(
                    schedule
                        .latest_at(before)
                        .is_none_or(|tick| tick <= at || at == ms("2027-03-20T00:00:00Z"))
                );
                at = next;
            }
        }
    }

    #[test]
    fn a_schedule_is_told_in_two_languages() {
        for (schedule, english, chinese) in [
            ("30 9 * * *", "At 09:30.", "每天 09:30。"),
            (
                "0 9 * * MON-WED",
                "At 09:00, on Monday, Tuesday, and Wednesday.",
                "09:00，逢星期一、星期二和星期三。",
            ),
            ("30 9 * * MON-FRI", "At 09:30, from Monday to Friday.", "09:30，星期一至星期五。"),
            ("*/5 * * * *", "At every 5 minutes.", "每 5 分钟。"),
            ("0 12 L * *", "At 12:00, on the last day of the month.", "12:00，逢每月最后一天。"),
            ("0 12 LW * *", "At 12:00, on the last weekday of the month.", "12:00，逢每月最后一个工作日。"),
            (
                "0 12 1,LW * *",
                "At 12:00, on day 1 and the last weekday of the month.",
                "12:00，逢每月 1 日和每月最后一个工作日。",
            ),
            (
                "15,45 8-18 1 JAN,JUL *",
                "At minute 15 and 45, of hour 8-18, on day 1, in January and July.",
                "第 15 和 45 分，在 8-18 点，逢每年一月和七月的 1 日。",
            ),
            ("0 9 1 * MON", "At 09:00, on day 1 or Monday.", "09:00，逢每月 1 日，或逢星期一。"),
            (
                "0 9 */10 * MON",
                "At 09:00, on day 1, 11, 21, and 31 (if it is also Monday).",
                "09:00，逢每月 1、11、21 和 31 日（且为星期一）。",
            ),
            ("0 0 1 1 *", "At 00:00, on day 1, in January.", "00:00，逢每年一月的 1 日。"),
            ("0 9 * JUL *", "At 09:00, in July.", "09:00，在七月。"),
            ("@every 1h30m", "Every 1h 30m, counted from 1970.", "每隔 1 小时 30 分钟，自 1970 年起计。"),
            ("@every 1500ms", "Every 1s 500ms, counted from 1970.", "每隔 1 秒 500 毫秒，自 1970 年起计。"),
        ] {
            let schedule = CronSchedule::parse(schedule, "UTC").unwrap();
            assert_eq!(
                (schedule.describe().as_str(), schedule.describe_in_chinese().as_str()),
                (english, chinese)
            );
        }
    }

    #[test]
    fn a_pace_is_told_only_where_it_goes_on_evenly() {
        for (schedule, english, chinese) in [
            (
                "0-20/5 * * * *",
                "At minute 0, 5, 10, 15, and 20 past every hour.",
                "每小时的第 0、5、10、15 和 20 分。",
            ),
            ("*/45 * * * *", "At minute 0 and 45 past every hour.", "每小时的第 0 和 45 分。"),
            (
                "*/20,7 * * * *",
                "At minute 0, 7, 20, and 40 past every hour.",
                "每小时的第 0、7、20 和 40 分。",
            ),
            (
                "0 0 1 2-12/5 *",
                "At 00:00, on day 1, in February, July, and December.",
                "00:00，逢每年二月、七月和十二月的 1 日。",
            ),
            (
                "0 0 1 */3 *",
                "At 00:00, on day 1, in January, April, July, and October.",
                "00:00，逢每年一月、四月、七月和十月的 1 日。",
            ),
        ] {
            let schedule = CronSchedule::parse(schedule, "UTC").unwrap();
            assert_eq!(
                (schedule.describe().as_str(), schedule.describe_in_chinese().as_str()),
                (english, chinese)
            );
        }
        let words = |text: &str| CronSchedule::parse(text, "UTC").unwrap().describe();
        assert_eq!(words("0-59/15 * * * *"), words("*/15 * * * *"));
        assert_eq!(words("0 */5 * * *"), "At minute 0, of hour 0, 5, 10, 15, and 20.");
        assert_eq!(words("*/40 * * * * *"), "At second 0 and 40.");
    }

    #[test]
    fn a_field_of_days_that_begins_with_a_star_narrows_the_other_and_any_other_adds_to_it() {
        let days = |schedule: &str| -> Vec<String> {
            let ticks = ticks(schedule, "UTC", "2027-01-01T12:00:00Z", 4);
            ticks.iter().map(|tick| tick[5..10].to_owned()).collect()
        };
        // Mondays of January and February 2027: 4, 11, 18, 25, 1, 8.
        assert_eq!(days("0 0 */2 * MON"), ["01-11", "01-25", "02-01", "02-15"], "Mondays with odd dates");
        assert_eq!(days("0 0 0 */2 * MON"), days("0 0 */2 * MON"), "with seconds as well");
        assert_eq!(
            days("0 0 1 * */2"),
            ["04-01", "05-01", "06-01", "07-01"],
            "Sun, Tue, Thu, Sat on the first"
        );
        assert_eq!(days("0 0 1 * MON"), ["01-04", "01-11", "01-18", "01-25"]);
        assert_eq!(days("0 0 1,15 * 5"), ["01-08", "01-15", "01-22", "01-29"]);
        assert_eq!(
            days("0 0 1-31/2 * MON"),
            ["01-03", "01-04", "01-05", "01-07"],
            "no star, so either is enough"
        );
        assert_eq!(days("0 0 * * MON"), ["01-04", "01-11", "01-18", "01-25"]);
        assert_eq!(days("0 0 15 * *"), ["01-15", "02-15", "03-15", "04-15"]);
    }

    #[test]
    fn midnight_is_daily() {
        let after = "2027-01-01T00:00:30Z";
        for schedule in ["@midnight", "@Midnight", "@daily"] {
            assert_eq!(ticks(schedule, "UTC", after, 1), ["2027-01-02T00:00:00+00:00"], "{schedule}");
        }
    }

    #[test]
    fn what_never_fires_or_cannot_be_read_is_refused_with_a_reason() {
        for (schedule, part) in [
            ("0 0 30 2 *", "never fires"),
            ("* * * *", "cannot be read"),
            ("* * * * * * *", "cannot be read"),
            ("61 * * * *", "has 61 as its minute, which is 0 to 59"),
            ("0 25 * * *", "has 25 as its hour, which is 0 to 23"),
            ("0 9-24/3 * * *", "has 24 as its hour"),
            ("60 0 0 * * *", "has 60 as its second"),
            ("0 0 0 * *", "has 0 as its day, which is 1 to 31"),
            ("0 0 1,32 * *", "has 32 as its day"),
            ("0 0 * 13 *", "has 13 as its month"),
            ("0 0 * * 8", "has 8 as its weekday, which is 0 to 7"),
            ("*/0 * * * *", "cannot be read"),
            ("0 22-2 * * *", "has 22-2, which ends before it begins; write 22-23,0-2"),
            ("0 0 * * FRI-MON", "has FRI-MON, which ends before it begins; write 5-6,0-1"),
            ("0 0 * NOV-feb *", "write 11-12,1-2"),
            ("0 0 28-3 * *", "write 28-31,1-3"),
            ("50-10/5 * * * *", "write 50-59,0-10"),
            ("CRON_TZ=Europe/Berlin 0 9 * * *", "begins with CRON_TZ=, which belongs into a crontab"),
            ("TZ=UTC @daily", "begins with TZ="),
            ("@reboot", "cannot be read"),
            ("", "cannot be read"),
            ("@every 10ms", "at most once a second"),
            ("@every -1h", "at most once a second"),
            ("@every 900000h", "at least once a year"),
            ("@every", "is not a span"),
            ("\u{0}", "cannot be read"),
            ("*/2 , * * * *", "cannot be read"),
            (", , * * * *", "cannot be read"),
            ("* * , * *", "cannot be read"),
            ("1,,2 * * * *", "cannot be read"),
            ("* * * * MON,", "cannot be read"),
        ] {
            let error = CronSchedule::parse(schedule, "UTC").unwrap_err().to_string();
            assert!(error.contains(part), "{schedule:?}: {error}");
        }
        let long = "1,".repeat(200);
        assert!(CronSchedule::parse(&long, "UTC").unwrap_err().to_string().contains("256 bytes"));
        for zone in ["Mars/Olympus", "", "../../etc/passwd", "Europe/Berlin\n"] {
            let error = CronSchedule::parse("* * * * *", zone).unwrap_err().to_string();
            assert!(error.contains("is not known"), "{zone:?}: {error}");
        }
    }
}
