//! One look at an entry: which ticks to fire, which to pass over, when to look again.

use super::CronSchedule;
use crate::model::{Delay, Missed, Timestamp};

/// A tick later than this is missed: a restart of Redis or of the last process takes seconds.
const ON_TIME: Delay = Delay::minutes(1);
/// Ticks of one script call; more follow at once.
pub(crate) const TICKS_MAX: usize = 50;
/// Missed ticks that are made up for at most: an entry of every second that stood still for a month would
/// else enqueue millions.
const CATCH_UP_MAX: usize = 1_000;

/// What to do about an entry now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Round {
    /// To be fired, oldest first.
    pub(crate) ticks: Vec<Timestamp>,
    /// The first tick that is passed over, because it was missed.
    pub(crate) passed_over: Option<Timestamp>,
    /// Every tick up to here has been dealt with.
    pub(crate) until: Timestamp,
    /// The next tick after that.
    pub(crate) next: Option<Timestamp>,
}

impl Round {
    /// Judges the ticks later than `last`, up to `now`.
    pub(crate) fn judge(schedule: &CronSchedule, missed: Missed, last: Timestamp, now: Timestamp) -> Self {
        let just_missed = now - ON_TIME;
        let first = schedule.next_after(last).filter(|&tick| tick <= just_missed);
        let mut ticks = Vec::new();
        let mut from = last;
        if let Some(first) = first {
            from = match missed {
                Missed::Skip => just_missed,
                Missed::Once => {
                    ticks.extend(schedule.latest_at(just_missed));
                    just_missed
                }
                Missed::All => last.max(catch_up_from(schedule, just_missed)),
            };
            let fired_first = ticks.first().copied().or_else(|| schedule.next_after(from));
            if fired_first == Some(first) {
                return Self::fire(schedule, ticks, from, now, None);
            }
            return Self::fire(schedule, ticks, from, now, Some(first));
        }
        Self::fire(schedule, ticks, from, now, None)
    }

    fn fire(
        schedule: &CronSchedule,
        mut ticks: Vec<Timestamp>,
        from: Timestamp,
        now: Timestamp,
        passed_over: Option<Timestamp>,
    ) -> Self {
        let mut until = from;
        let mut next = schedule.next_after(from);
        while let Some(tick) = next.filter(|&tick| tick <= now && ticks.len() < TICKS_MAX) {
            ticks.push(tick);
            until = tick;
            next = schedule.next_after(tick);
        }
        Self { ticks, passed_over, until, next }
    }
}

/// The instant before the first of the latest missed ticks that are made up for.
fn catch_up_from(schedule: &CronSchedule, just_missed: Timestamp) -> Timestamp {
    let before = |tick: Timestamp| tick - Delay::millis(1);
    let earlier = |&tick: &Timestamp| schedule.latest_at(before(tick));
    let ticks = std::iter::successors(schedule.latest_at(just_missed), earlier);
    ticks.take(CATCH_UP_MAX).last().map_or(just_missed, before)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;
    /// 1 January 2027, midnight.
    const DAY: i64 = 1_798_761_600_000;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(DAY + ms).unwrap()
    }

    fn judge(text: &str, missed: Missed, last: i64, now: i64) -> Round {
        Round::judge(&CronSchedule::parse(text, "UTC").unwrap(), missed, at(last), at(now))
    }

    #[test]
    fn a_tick_is_fired_when_its_time_has_come_and_not_before() {
        let early = judge("* * * * *", Missed::Skip, 0, MINUTE - 1);
        assert_eq!((early.ticks, early.next), (vec![], Some(at(MINUTE))));
        let due = judge("* * * * *", Missed::Skip, 0, MINUTE);
        assert_eq!((due.ticks, due.next), (vec![at(MINUTE)], Some(at(2 * MINUTE))));
    }

    #[test]
    fn ticks_that_are_seconds_late_are_all_fired_whatever_the_rule() {
        for missed in [Missed::Skip, Missed::Once, Missed::All] {
            let round = judge("*/10 * * * * *", missed, 0, 35_000);
            assert_eq!(round.ticks, [at(10_000), at(20_000), at(30_000)]);
            assert_eq!(round.passed_over, None);
        }
    }

    #[test]
    fn missed_ticks_are_passed_over() {
        let round = judge("0 * * * *", Missed::Skip, 0, 5 * 60 * MINUTE + 30_000);
        assert_eq!(round.ticks, [at(5 * 60 * MINUTE)], "half a minute late is on time");
        assert_eq!(round.passed_over, Some(at(60 * MINUTE)));
        let round = judge("0 * * * *", Missed::Skip, 0, 5 * 60 * MINUTE + 2 * MINUTE);
        assert_eq!((round.ticks, round.passed_over), (vec![], Some(at(60 * MINUTE))));
        assert_eq!(round.next, Some(at(6 * 60 * MINUTE)));
    }

    #[test]
    fn missed_ticks_are_made_up_for_once() {
        let round = judge("0 * * * *", Missed::Once, 0, 5 * 60 * MINUTE + 2 * MINUTE);
        assert_eq!(round.ticks, [at(5 * 60 * MINUTE)]);
        assert_eq!(round.passed_over, Some(at(60 * MINUTE)));
        let only = judge("0 * * * *", Missed::Once, 0, 62 * MINUTE);
        assert_eq!((only.ticks, only.passed_over), (vec![at(60 * MINUTE)], None));
    }

    #[test]
    fn all_missed_ticks_are_made_up_for_in_steps() {
        let round = judge("* * * * *", Missed::All, 0, 120 * MINUTE);
        assert_eq!(round.ticks.len(), TICKS_MAX);
        assert_eq!((round.ticks[0], round.passed_over), (at(MINUTE), None));
        let rest = Round::judge(
            &CronSchedule::parse("* * * * *", "UTC").unwrap(),
            Missed::All,
            round.until,
            at(120 * MINUTE),
        );
        assert_eq!(rest.ticks[0], at(51 * MINUTE));
    }

    #[test]
    fn making_up_ends_at_a_thousand() {
        let round = judge("* * * * * *", Missed::All, 0, 86_400_000);
        let first_kept = 86_400_000 - MINUTE - 999_000;
        assert_eq!((round.ticks[0], round.passed_over), (at(first_kept), Some(at(1_000))));
    }
}
