//! What fires when, as the screen shows it.

mod calendar;
mod read;

use reprieve::model::{Capacity, DueSpan, Kind, QueueName, Subject, Timestamp};

pub use read::read as outlook;

reprieve::words! {
    /// How much of the calendar is shown, and in which steps; from near to far.
    #[derive(Default)]
    pub enum View or "one of " {
        /// One day by the quarter of an hour.
        Day = "day",
        /// Seven days by the hour.
        Week = "week",
        /// Six weeks, a day each cell.
        #[default]
        Month = "month",
        /// 400 days, a day each bar.
        Year = "400d",
    }
}

impl View {
    /// The view of a word; a month for any other.
    pub fn from_word(word: &str) -> Self {
        word.parse().unwrap_or_default()
    }
}

/// What somebody asks to see.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// How much.
    pub view: View,
    /// A date in it, `2026-11-21`; empty for today.
    pub date: String,
    /// IANA name of the zone whose days are meant; empty for UTC.
    pub zone: String,
    /// Of one queue; `None` for all.
    pub queue: Option<QueueName>,
    /// Of one subject; `None` for all.
    pub subject: Option<Subject>,
}

impl Asked {
    /// The address of it.
    pub fn href(&self) -> String {
        self.at(crate::routes::FORECAST)
    }

    /// The address of the same as a file for spreadsheets.
    pub fn file(&self) -> String {
        self.at("/export/forecast.csv")
    }

    fn at(&self, path: &str) -> String {
        let queue = self.queue.as_ref().map_or("", QueueName::as_str);
        let subject = self.subject.as_ref().map_or("", Subject::as_str);
        let (date, zone) = (self.date.as_str(), self.zone.as_str());
        let asked = [
            ("view", self.view.as_str()),
            ("date", date),
            ("zone", zone),
            ("queue", queue),
            ("subject", subject),
        ];
        crate::routes::query(path, asked)
    }
}

/// What has become of a span that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// Attempts that began in it.
    pub started: u64,
    /// How many were expected at its beginning; `None` where nobody wrote that down.
    pub expected: Option<u64>,
}

/// One cell or bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bar {
    /// What is due in it.
    pub span: DueSpan,
    /// Its date on the zone's calendar, `2026-11-21`.
    pub date: String,
    /// Distance of the zone's clocks from UTC at its beginning, minutes east.
    pub minutes_east: i32,
    /// Belongs to the month before or after.
    pub outside: bool,
    /// Ticks of cron entries to come in it.
    pub ticks: u64,
    /// Kinds whose delivery window is closed in the middle of it.
    pub quiet: Vec<Kind>,
    /// By how many minutes the clocks are put forward (or back, negative) within it.
    pub clock_change: Option<i32>,
    /// What has become of it, if it has begun and that is still known.
    pub past: Option<Past>,
}

/// A part of the calendar with what is due in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    /// What was asked, with date and zone filled in.
    pub asked: Asked,
    /// Dates that lead to the part before and the part behind; `None` where no forecast reaches.
    pub before_after: [Option<String>; 2],
    /// The views that a forecast reaches around the same date.
    pub views: Vec<View>,
    /// The cells or bars, in order.
    pub bars: Vec<Bar>,
    /// Kinds by how much of them is due, most first; at most five, and what is of other kinds has no name.
    pub kinds: Vec<Kind>,
    /// Whether the numbers by kind are those of all jobs, and not of a sample.
    pub exact_by_kind: bool,
    /// Whether all ticks were worked out.
    pub exact_ticks: bool,
    /// Whether the past is missing because its hours are not those of the zone.
    pub is_between_hours: bool,
    /// What the workers of the queue that was asked for can run, or all of them.
    pub capacity: Option<Capacity>,
    /// Whether some of them claim by themselves: then `capacity` is not known, for only they know what they can run.
    pub has_claimants: bool,
    /// Jobs due before the first bar that still wait.
    pub earlier: u64,
    /// The first due time behind the last bar.
    pub next: Option<Timestamp>,
    /// When this was read, by Redis's clock.
    pub read_at: Timestamp,
}

impl Outlook {
    /// Jobs due in all bars.
    pub fn total(&self) -> u64 {
        self.bars.iter().map(|bar| bar.span.due).fold(0, u64::saturating_add)
    }

    /// The largest bar, ticks and what has been included.
    pub fn largest(&self) -> u64 {
        let height = |bar: &Bar| {
            let past = bar.past.as_ref().map_or(0, |past| past.started.max(past.expected.unwrap_or(0)));
            bar.span.due.saturating_add(bar.ticks).max(past)
        };
        self.bars.iter().map(height).max().unwrap_or(0)
    }

    /// Whether any bar has jobs of other kinds than [`kinds`](Self::kinds), or of none that was looked up.
    pub fn has_other_kinds(&self) -> bool {
        self.bars.iter().any(|bar| self.by_kind(bar).last().is_some_and(|count| *count > 0))
    }

    /// How many of a bar's jobs are of each of [`kinds`](Self::kinds), and behind them how many of others.
    pub fn by_kind(&self, bar: &Bar) -> Vec<u64> {
        let of = |kind: &Kind| bar.span.kinds.iter().find(|(name, _)| name == kind).map_or(0, |(_, n)| *n);
        let mut counts: Vec<u64> = self.kinds.iter().map(of).collect();
        counts.push(bar.span.due.saturating_sub(counts.iter().sum()));
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_restores_what_was_asked() {
        let asked = Asked {
            view: View::Week,
            date: "2026-11-21".to_owned(),
            zone: "Europe/Berlin".to_owned(),
            queue: None,
            subject: Some(Subject::new("customer:47@11").unwrap()),
        };
        let address = "/forecast?view=week&date=2026-11-21&zone=Europe/Berlin&subject=customer:47%4011";
        assert_eq!(asked.href(), address);
        let east = Asked { zone: "Etc/GMT+5".to_owned(), date: "1&2".to_owned(), ..Asked::default() };
        assert_eq!(east.href(), "/forecast?view=month&date=1%262&zone=Etc/GMT%2B5");
        assert_eq!(Asked::default().href(), "/forecast?view=month");
        for view in View::ALL {
            assert_eq!(View::from_word(view.as_str()), view);
        }
    }
}
