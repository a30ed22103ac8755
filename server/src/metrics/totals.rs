//! Counters since the minute of the first scrape, from what Redis counts by the minute.

use reprieve::model::{MinuteStats, QueueName, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Queues told apart; every label is memory in the scraper, and each has some 70 lines.
const QUEUES_MAX: usize = 100;
/// The label of all others together.
const OTHER: &str = "other";
/// Minutes read at most between two scrapes: a day. What was counted before is not made up for.
const MINUTES_MAX: u16 = 1_440;

/// Counters since the minute of the first scrape.
#[derive(Default)]
pub(super) struct Totals {
    /// Queues with a label of their own: the first that were seen, for good, so that no counter ever falls.
    labelled: BTreeSet<QueueName>,
    /// Sums of minutes that are over, by label.
    past: BTreeMap<String, MinuteStats>,
    /// The minute up to which `past` reaches; that minute itself is not in it.
    upto: Option<Timestamp>,
}

impl Totals {
    /// How a queue is called: by its name, or as one of the others.
    pub(super) fn label(&mut self, queue: &QueueName) -> String {
        if !self.labelled.contains(queue) {
            if self.labelled.len() >= QUEUES_MAX {
                return OTHER.to_owned();
            }
            self.labelled.insert(queue.clone());
        }
        queue.to_string()
    }

    /// How many of the latest minutes are to be read next: with the running one, and one more that has begun when they
    /// are read. What is known already is passed over then.
    pub(super) fn minutes_missed(&self, now: Timestamp) -> u16 {
        let missed = self.upto.map_or(0, |upto| now.millis_since(upto) / 60_000);
        u16::try_from(missed.saturating_add(2)).unwrap_or(MINUTES_MAX).clamp(2, MINUTES_MAX)
    }

    /// Takes in the latest minutes, of which the last is still running, and returns the sums with it.
    pub(super) fn add(
        &mut self,
        minutes: &[(Timestamp, BTreeMap<QueueName, MinuteStats>)],
    ) -> BTreeMap<String, MinuteStats> {
        let Some(((running, of_running), over)) = minutes.split_last() else { return self.past.clone() };
        let upto = *self.upto.get_or_insert(*running);
        for (_, queues) in over.iter().filter(|(at, _)| *at >= upto) {
            for (queue, minute) in queues {
                let label = self.label(queue);
                add(&mut self.past, label, minute);
            }
        }
        // Another scrape may have been quicker.
        self.upto = Some(upto.max(*running));
        let mut sums = self.past.clone();
        if *running >= upto {
            for (queue, minute) in of_running {
                add(&mut sums, self.label(queue), minute);
            }
        }
        sums
    }
}

fn add(sums: &mut BTreeMap<String, MinuteStats>, label: String, minute: &MinuteStats) {
    sums.entry(label).or_insert_with(|| MinuteStats::empty(Timestamp::EPOCH)).add(minute);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(name: &str) -> QueueName {
        QueueName::new(name).unwrap()
    }

    fn minute(number: i64, queues: &[(&str, u64)]) -> (Timestamp, BTreeMap<QueueName, MinuteStats>) {
        let at = Timestamp::saturating_from_millis(number * 60_000);
        let counted = queues.iter().map(|&(name, done)| {
            let mut minute = MinuteStats::empty(at);
            minute.done = done;
            (queue(name), minute)
        });
        (at, counted.collect())
    }

    fn done(sums: &BTreeMap<String, MinuteStats>) -> Vec<(&str, u64)> {
        sums.iter().map(|(label, sum)| (label.as_str(), sum.done)).collect()
    }

    #[test]
    fn a_counter_never_falls_and_counts_each_minute_once() {
        let mut totals = Totals::default();
        assert_eq!(done(&totals.add(&[minute(10, &[("a", 5)])])), [("a", 5)]);
        assert_eq!(done(&totals.add(&[minute(10, &[("a", 7)])])), [("a", 7)]);
        assert_eq!(done(&totals.add(&[minute(10, &[("a", 9)]), minute(11, &[])])), [("a", 9)]);
        let next = [minute(10, &[("a", 9)]), minute(11, &[("a", 2), ("b", 1)])];
        assert_eq!(done(&totals.add(&next)), [("a", 11), ("b", 1)]);
        let far = [minute(11, &[("a", 2), ("b", 1)]), minute(12, &[]), minute(13, &[("b", 4)])];
        assert_eq!(done(&totals.add(&far)), [("a", 11), ("b", 5)]);
    }

    #[test]
    fn a_minute_that_turns_between_two_looks_at_the_clock_is_not_lost() {
        let mut totals = Totals::default();
        let kept = [minute(9, &[("a", 1)]), minute(10, &[("a", 5)]), minute(11, &[("a", 2)])];
        // What the latest minutes are when that one runs, as many as were asked for.
        let latest = |running: usize, asked: u16| {
            let from = (running + 1).saturating_sub(usize::from(asked));
            &kept[from..=running]
        };
        let of_ten = Timestamp::saturating_from_millis(10 * 60_000 + 59_999);
        let first = totals.minutes_missed(of_ten);
        assert_eq!(done(&totals.add(latest(1, first))), [("a", 5)], "what was before is not told");

        let asked = totals.minutes_missed(of_ten);

        assert_eq!(done(&totals.add(latest(2, asked))), [("a", 7)]);
    }

    #[test]
    fn queues_beyond_the_limit_are_one_and_the_first_keep_their_labels() {
        let mut totals = Totals::default();
        for number in 0..QUEUES_MAX {
            totals.label(&queue(&format!("q{number}")));
        }
        let sums = totals.add(&[minute(1, &[("a-new-one", 2), ("another", 3), ("q7", 1)])]);
        assert_eq!(done(&sums), [(OTHER, 5), ("q7", 1)]);
    }

    #[test]
    fn a_scrape_reads_what_it_missed_and_no_more_than_a_day() {
        let mut totals = Totals::default();
        let at = |minutes: i64| Timestamp::saturating_from_millis(minutes * 60_000 + 30_000);
        assert_eq!(totals.minutes_missed(at(100)), 2);
        totals.add(&[minute(99, &[]), minute(100, &[])]);
        assert_eq!((totals.minutes_missed(at(100)), totals.minutes_missed(at(103))), (2, 5));
        assert_eq!(totals.minutes_missed(at(1_000_000)), MINUTES_MAX);
    }
}
