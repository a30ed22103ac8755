//! Watches that a cell stays the data that it was, on a clock that only goes forward, and says again what Redis forgot.
//!
//! Any number of processes do so. Each has its own memory of what it acknowledged, and each says it again: what stops
//! jobs at once, what lets them go when all others had the time to do the former.

use super::duty;
use crate::error::Result;
use crate::model::{StandstillReason, Timestamp};
use crate::store::{Intent, Pulse, Store, Watched};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Between looks: within two seconds a jump is seen.
const PERIOD: Duration = Duration::from_secs(1);

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let watch = tokio::sync::Mutex::new(Watch {
        store,
        known: None,
        stopped: Handled::default(),
        released: Handled::default(),
    });
    let round = || async {
        watch.lock().await.look().await?;
        Ok(false)
    };
    duty::repeat(PERIOD, stop, round).await;
}

/// A process that is younger may have come when the clock was wrong already, and does not know which is right unless it
/// saw both. In ms.
const YOUNG_MS: i64 = 10_000;

/// What earlier looks showed.
#[derive(Clone)]
struct Known {
    /// The latest look at a clock that was right.
    right: Pulse,
    /// The uptime at the first of them.
    since_ms: i64,
    /// How many standstills there were at the latest look.
    standstills: u64,
    /// How wrong the clock was then, if that is why nothing starts.
    wrong: Option<(StandstillReason, i64)>,
    /// Whether it was wrong at any look of that standstill.
    saw_it_wrong: bool,
}

struct Watch {
    store: Store,
    /// Nothing before the first look.
    known: Option<Known>,
    /// The latest standstill for which what stops jobs was said again.
    stopped: Handled,
    /// The same for what lets them go.
    released: Handled,
}

/// A standstill that something was done about: its number, and when it began. The numbers are part of the data, and go back
/// with it: one that began after another may have the same.
#[derive(Clone, Copy, Default)]
struct Handled {
    number: u64,
    began: Option<Timestamp>,
}

impl Handled {
    fn of(watched: &Watched) -> Self {
        Self { number: watched.standstills, began: watched.standstill.as_ref().map(|standing| standing.at) }
    }

    /// Whether the one that this look shows is another. One that has ended is known by its number alone.
    fn is_before(&self, watched: &Watched) -> bool {
        let shown = Self::of(watched);
        self.number < shown.number || shown.began.is_some() && shown.began != self.began
    }
}

impl Watch {
    async fn look(&mut self) -> Result<()> {
        let watched = self.store.watch().await?;
        let right = match self.known.clone() {
            Some(known) => self.judge(&known, &watched).await?,
            None => {
                (self.stopped, self.released) = (Handled::of(&watched), Handled::of(&watched));
                watched.put_right()
            }
        };
        self.store.believe(watched.pulse.clone(), right.clone());
        let before = self.known.as_ref();
        let since_ms = before.map_or(right.received_ms, |known| known.since_ms);
        let clock_stands = watched.standstill.as_ref().is_some_and(|standing| standing.why.is_clock());
        // Without a standstill at this look, it has begun one.
        let is_why = clock_stands || watched.standstill.is_none();
        let wrong = watched.pulse.jump_since(&right).filter(|_| is_why);
        let saw_it_wrong = wrong.is_some() || clock_stands && before.is_some_and(|known| known.saw_it_wrong);
        self.known = Some(Known { right, since_ms, standstills: watched.standstills, wrong, saw_it_wrong });
        Ok(())
    }

    /// Compares a look with what is known, and does what is to be done. Returns the latest look at a right clock.
    async fn judge(&mut self, known: &Known, watched: &Watched) -> Result<Pulse> {
        let jump = watched.pulse.jump_since(&known.right);
        if let Some(standing) = &watched.standstill {
            if known.standstills < watched.standstills {
                tracing::error!(why = %standing.why, "nothing starts: {} ({} ms)", standing.why, standing.by_ms);
            }
            if standing.why.is_clock() {
                return self.judge_clock(known, watched, agrees(jump, standing.by_ms)).await;
            }
            self.say_again(watched).await?;
        } else if self.released.is_before(watched) {
            // It has ended, perhaps before it was seen here.
            self.say_again(watched).await?;
        }
        Ok(match jump {
            None if watched.pulse.is_sharp() || !known.right.is_sharp() => watched.pulse.clone(),
            None => known.right.clone(),
            Some(_) if watched.standstill.is_some() => known.right.clone(),
            // A person ended the standstill, and with it said that the clock is right.
            Some(jump) if known.wrong.is_some_and(|wrong| is_same(wrong, jump)) => watched.pulse.clone(),
            Some((why, by_ms)) => {
                tracing::error!(%why, "nothing starts: redis's clock jumped by {by_ms} ms");
                self.store.stand_still(why, by_ms).await?;
                known.right.clone()
            }
        })
    }

    /// Ends a standstill of the clock when that is right again, and this process can tell.
    async fn judge_clock(&self, known: &Known, watched: &Watched, agrees: bool) -> Result<Pulse> {
        let agrees = agrees && watched.pulse.is_sharp() && known.right.is_sharp();
        let is_old = known.right.received_ms - known.since_ms >= YOUNG_MS;
        if !agrees || !(is_old || known.saw_it_wrong) {
            return Ok(known.right.clone());
        }
        self.go_on(watched.standstills, "the clock agrees again").await?;
        Ok(watched.pulse.clone())
    }

    /// What stops jobs is said again once for each standstill, what lets them go when it is to end.
    async fn say_again(&mut self, watched: &Watched) -> Result<()> {
        if self.stopped.is_before(watched) {
            let done = self.store.reassert(true).await?;
            if done.again > 0 || done.too_late > 0 {
                tracing::warn!(
                    done.again,
                    done.too_late,
                    "acknowledged acts that redis had forgotten were done again"
                );
            }
            self.stopped = Handled::of(watched);
        }
        let is_over = match &watched.standstill {
            Some(standing) => standing.until.is_some_and(|until| watched.pulse.time >= until),
            None => true,
        };
        if is_over && self.released.is_before(watched) {
            self.store.reassert(false).await?;
            self.released = Handled::of(watched);
        }
        if is_over && watched.standstill.is_some() {
            self.go_on(watched.standstills, "what was acknowledged is there again").await?;
        }
        Ok(())
    }

    async fn go_on(&self, number: u64, why: &str) -> Result<()> {
        let mut intent = Intent::of("reprieve");
        why.clone_into(&mut intent.why);
        if self.store.go_on(Some(number), &intent).await? {
            tracing::warn!("jobs start again: {why}");
        }
        Ok(())
    }
}

/// Whether two jumps are one, looked at twice.
fn is_same((why, by_ms): (StandstillReason, i64), (other, other_ms): (StandstillReason, i64)) -> bool {
    why == other && by_ms.abs_diff(other_ms) <= 2_000
}

/// Whether a clock that had jumped so far is where it was, within a tenth or two seconds.
fn agrees(jump: Option<(StandstillReason, i64)>, by_ms: u64) -> bool {
    jump.is_none_or(|(_, left_ms)| left_ms.unsigned_abs() <= (by_ms / 10).clamp(2_000, 60_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use StandstillReason::{ClockAhead, ClockBack};

    /// What a look shows of a standstill, its number and when it began; one that has ended has only the number.
    fn shown(standstills: u64, began_ms: Option<i64>) -> Watched {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let standstill =
            began_ms.map(|ms| crate::model::Standstill::new(StandstillReason::WentBack, at(ms), 0, None));
        let pulse =
            Pulse { generation: "g".to_owned(), beat: 1, time: at(9_000), sent_ms: 0, received_ms: 0 };
        Watched { pulse, standstills, standstill }
    }

    #[test]
    fn a_standstill_that_has_the_number_of_a_forgotten_one_is_another() {
        let handled = Handled::of(&shown(3, Some(1_000)));
        for (watched, is_another) in [
            (shown(3, Some(1_000)), false),
            (shown(3, None), false),
            (shown(4, None), true),
            (shown(4, Some(1_000)), true),
            // A failover took the third one away, and the next has its number, or even a lower one.
            (shown(3, Some(2_000)), true),
            (shown(2, Some(2_000)), true),
            (shown(2, None), false),
        ] {
            let case = format!("{} {:?}", watched.standstills, watched.standstill);
            assert_eq!(handled.is_before(&watched), is_another, "{case}");
        }
    }

    #[test]
    fn a_clock_agrees_when_it_is_about_where_it_was() {
        assert!(agrees(None, 3_600_000));
        assert!(agrees(Some((ClockBack, 1_000)), 3_600_000));
        assert!(agrees(Some((ClockAhead, 1_500)), 5_000));
        assert!(!agrees(Some((ClockAhead, 3_600_000)), 3_600_000));
        assert!(!agrees(Some((ClockAhead, 600_000)), 3_600_000));
        assert!(!agrees(Some((ClockBack, 4_000)), 5_000));
    }
}
