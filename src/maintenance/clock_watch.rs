//! Watches that a shard stays the data that it was, on a clock that only goes forward, and says again what Redis forgot.
//!
//! Any number of processes do so. Each has its own memory of what it acknowledged, and each says it again: what stops
//! jobs at once, what lets them go when all others had the time to do the former.

use super::duty;
use crate::constants::{ALL_LOOK_MS, APART_MAX_MS};
use crate::error::Result;
use crate::model::{Halt, HaltReason};
use crate::store::{ClockSample, Intent, Measured, ServerId, Store, Watched, Watcher};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Between looks: within two seconds a jump is seen.
const PERIOD: Duration = Duration::from_secs(1);
/// How often a look may come early because Redis is back. Who looks more often than others makes these seem to be gone.
const EARLY_PERIOD: Duration = Duration::from_secs(5);
/// A halt that ends by itself does so after this time at the earliest; a little for the way there.
const ALL_LOOK: Duration = Duration::from_millis(ALL_LOOK_MS + 10);

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let name = Uuid::now_v7().simple().to_string();
    let watcher = Watcher { name, known: ServerId::default(), said: 0, measured: None };
    let mut recoveries = store.recoveries();
    let mut watch = Watch {
        store,
        known: None,
        first: None,
        watcher,
        stopped_on: None,
        released_on: None,
        anchor: None,
        home: None,
        claimed: None,
        told: 0,
        off_told: None,
    };
    let mut early = Instant::now();
    while !stop.is_cancelled() {
        let wait = watch.look().await.unwrap_or_else(|error| {
            duty::complain(&error);
            PERIOD
        });
        tokio::select! {
            () = stop.cancelled() => {}
            () = duty::rest(wait) => {}
            // Until somebody has looked at what is there now, nothing starts.
            _ = recoveries.changed(), if early.elapsed() >= EARLY_PERIOD => early = Instant::now(),
        }
    }
    let Watch { store, watcher, .. } = watch;
    store.expect_looks(false);
    store.stand_back(false);
    if let Err(error) = store.leave_watch(&watcher).await {
        tracing::debug!(%error, "could not say that this process looks no more: {error}");
    }
}

/// A process that is younger may have come when the clock was wrong already, and does not know which is right unless it
/// saw both. In ms.
const YOUNG_MS: i64 = 10_000;

/// One that finds the clock where nobody saw it before looks for so long before it believes it: a process that knows better
/// looks meanwhile, and says so. In ms.
const DOUBTS_MS: i64 = 2_000;

/// A clock that is so near to where it was has not moved, in ms: the way there and back of two looks.
const HOME_MS: i64 = 1_000;
/// Between two times that this is said.
const OFF_SAID_PERIOD: Duration = Duration::from_secs(60);

/// What earlier looks showed.
#[derive(Clone)]
struct Known {
    /// The latest look at a clock that was right.
    right: ClockSample,
    /// The uptime at the first of them.
    since_ms: i64,
    /// How many halts there were at the latest look.
    halts: u64,
    /// How wrong the clock was then, if that is why nothing starts.
    wrong: Option<(HaltReason, i64)>,
    /// Whether it was wrong at any look of that halt.
    saw_it_wrong: bool,
}

impl Known {
    /// Whether this process has looked for long enough to have known the clock before it jumped.
    const fn is_old(&self) -> bool {
        self.right.received_ms - self.since_ms >= YOUNG_MS
    }

    /// Whether a clock that is as wrong as at the latest look is one that a person took for right. Otherwise it came back
    /// and jumped once more, which a process that has not looked for a while may have missed.
    fn went_on_with(&self, jump: (HaltReason, i64), watched: &Watched) -> bool {
        watched.allowed == watched.halts && self.wrong.is_some_and(|wrong| is_same(wrong, jump))
    }
}

/// The first look.
#[derive(Clone, Copy)]
struct First {
    /// The uptime then.
    at_ms: i64,
    /// Whether the clock was not where somebody had seen it last.
    is_strange: bool,
}

struct Watch {
    store: Store,
    /// Nothing before the first look that was believed.
    known: Option<Known>,
    /// `None` before the first look.
    first: Option<First>,
    watcher: Watcher,
    /// On which ground what stops jobs was said again.
    stopped_on: Option<ServerId>,
    /// The same for what lets them go.
    released_on: Option<ServerId>,
    /// The first look that told the time well: how far Redis's clock has moved since is told from it.
    anchor: Option<ClockSample>,
    /// The first right clock since a person last said that Redis's is, and how many halts there were then.
    home: Option<(ClockSample, u64)>,
    /// The jump for which this process began the latest halt, and how many halts there were before; `None` once the clock is
    /// right by what it knows.
    claimed: Option<((HaltReason, i64), u64)>,
    /// The number of the latest halt that was told in the log.
    told: u64,
    /// When it was last said that the clock of this machine is too far from Redis's; `None` while it is not.
    off_told: Option<Instant>,
}

impl Watch {
    /// Returns how long the next look can wait.
    async fn look(&mut self) -> Result<Duration> {
        let watched = self.store.watch(&self.watcher).await?;
        self.measure(&watched);
        let next = if self.stop_again(&watched).await? { Duration::ZERO } else { until_next(&watched) };
        let right = match self.known.clone() {
            Some(known) => match self.judge(&known, &watched).await? {
                Some(right) => right,
                None => return Ok(next),
            },
            None if self.off_told.is_some() || self.doubts(&watched) => return Ok(next),
            None => watched.put_right(),
        };
        self.store.learn_clock(watched.sample.clone(), right.clone());
        if self.home.is_none() && right.is_sharp() {
            self.home = Some((right.clone(), watched.allowed));
        }
        let before = self.known.as_ref();
        let since_ms = before.map_or(right.received_ms, |known| known.since_ms);
        let clock_stands = watched.halt.as_ref().is_some_and(|standing| standing.why.is_clock());
        // Without a halt at this look, it has begun one.
        let is_why = clock_stands || watched.halt.is_none();
        let wrong = watched.sample.jump_since(&right).filter(|_| is_why);
        let saw_it_wrong = wrong.is_some() || clock_stands && before.is_some_and(|known| known.saw_it_wrong);
        self.known = Some(Known { right, since_ms, halts: watched.halts, wrong, saw_it_wrong });
        self.watcher.known = watched.server;
        Ok(next)
    }

    /// Takes down where Redis's clock is, for the next look to tell the others; and stands back where it is too far from that
    /// of this machine. A look that took long tells neither.
    fn measure(&mut self, watched: &Watched) {
        let sample = &watched.sample;
        self.watcher.measured = None;
        let Some(ahead_ms) = sample.ahead_ms.filter(|_| sample.is_sharp()) else { return };
        let moved_ms = sample.moved_since(self.anchor.get_or_insert_with(|| sample.clone()));
        if self.home.as_ref().is_some_and(|(_, allowed)| *allowed != watched.allowed) {
            self.home = Some((sample.clone(), watched.allowed));
        }
        self.watcher.measured = Some(Measured { at: sample.time, ahead_ms, moved_ms });
        let is_off = (ahead_ms - watched.base_ms).abs() > APART_MAX_MS;
        self.store.stand_back(is_off);
        if !is_off {
            if self.off_told.take().is_some() {
                tracing::warn!(
                    "the clock of this machine agrees with redis's again: this process starts jobs"
                );
            }
        } else if self.off_told.is_none_or(|at| at.elapsed() >= OFF_SAID_PERIOD) {
            let side = if ahead_ms > 0 { "ahead of" } else { "behind" };
            let seconds = ahead_ms.abs() / 1_000;
            tracing::error!(
                "this process starts no jobs: redis's clock is {seconds} s {side} that of this machine; set the wrong one by NTP"
            );
            self.off_told = Some(Instant::now());
        }
    }

    /// Whether a look of one that knows nothing is not to be believed yet: the clock may have jumped, or a halt that
    /// says so be about to end, because it is right again. While clocks are apart nobody says which way, and the halt ends
    /// without this process.
    fn doubts(&mut self, watched: &Watched) -> bool {
        let now_ms = watched.sample.received_ms;
        let first = *self.first.get_or_insert(First { at_ms: now_ms, is_strange: watched.is_strange() });
        let patience_ms = match &watched.halt {
            Some(standing) if standing.why == HaltReason::ClockApart => return true,
            Some(standing) if standing.why.is_clock() => YOUNG_MS,
            _ if first.is_strange => DOUBTS_MS,
            _ => 0,
        };
        now_ms - first.at_ms < patience_ms
    }

    /// Compares a look with what is known, and does what is to be done. Returns the latest look at a right clock, or `None`
    /// where this process does not know that any more.
    async fn judge(&mut self, known: &Known, watched: &Watched) -> Result<Option<ClockSample>> {
        let jump = watched.sample.jump_since(&known.right).filter(|_| !self.is_home(&watched.sample));
        if jump.is_none() {
            self.claimed = None;
        }
        if let Some(standing) = &watched.halt {
            if known.halts < watched.halts {
                say_halt(standing);
                self.told = watched.halts;
            }
            if standing.why.is_clock() {
                return self.judge_clock(known, watched, agrees(jump, standing.by_ms)).await.map(Some);
            }
        }
        if jump.is_none() || watched.halt.is_none() {
            self.release_again(watched).await?;
        }
        Ok(Some(match jump {
            None if watched.sample.is_sharp() || !known.right.is_sharp() => watched.sample.clone(),
            None => known.right.clone(),
            // One who saw the clock jump knows more than that clocks are apart: which way, and what time it is.
            Some(_)
                if watched.halt.as_ref().is_some_and(|standing| {
                    standing.until.is_none() && standing.why != HaltReason::ClockApart
                }) =>
            {
                known.right.clone()
            }
            // A person ended the halt, and with it said that the clock is right.
            Some(jump) if known.went_on_with(jump, watched) => watched.sample.clone(),
            Some(jump) if self.is_contradicted(jump, watched) => {
                tracing::warn!("other processes find redis's clock right: this one met a wrong one");
                self.forget(&watched.sample);
                return Ok(None);
            }
            Some(jump @ (why, by_ms)) => {
                let seconds = by_ms.unsigned_abs() / 1_000;
                tracing::error!(%why, by_ms, "nothing starts: redis's clock jumped by {seconds} s");
                if self.store.set_halt(why, by_ms).await? {
                    self.claimed = Some((jump, watched.halts));
                }
                known.right.clone()
            }
        }))
    }

    /// Whether the halt that this process began for a jump was ended by another one, which knows the clock too.
    fn is_contradicted(&self, jump: (HaltReason, i64), watched: &Watched) -> bool {
        self.claimed.is_some_and(|(claimed, halts)| is_same(claimed, jump) && watched.halts > halts)
    }

    /// Begins anew, as one that finds the clock where nobody saw it: who knows better has the time to say so.
    fn forget(&mut self, sample: &ClockSample) {
        self.known = None;
        self.home = None;
        self.claimed = None;
        self.first = Some(First { at_ms: sample.received_ms, is_strange: true });
    }

    /// Whether Redis's clock is where this process met it, by a look that tells. After it has crept away the way back there is no
    /// jump.
    fn is_home(&self, sample: &ClockSample) -> bool {
        let met = self.home.as_ref().map(|(met, _)| met);
        sample.is_sharp() && met.is_some_and(|met| sample.moved_since(met).abs() <= HOME_MS)
    }

    /// Ends a halt of the clock when that is right again, and this process can tell.
    async fn judge_clock(&self, known: &Known, watched: &Watched, agrees: bool) -> Result<ClockSample> {
        let agrees = agrees && watched.sample.is_sharp() && known.right.is_sharp();
        if !agrees || !(known.is_old() || known.saw_it_wrong) {
            return Ok(known.right.clone());
        }
        self.clear_halt(watched.halts, "the clock agrees again").await?;
        Ok(watched.sample.clone())
    }

    /// Says again what stops jobs, once on each ground. Returns whether it did.
    async fn stop_again(&mut self, watched: &Watched) -> Result<bool> {
        if self.stopped_on.as_ref() == Some(&watched.server) {
            return Ok(false);
        }
        let done = self.store.reassert(true).await?;
        if done.again > 0 || done.too_late > 0 {
            tracing::warn!(
                done.again,
                done.too_late,
                "acknowledged acts that redis had forgotten were done again"
            );
        }
        self.stopped_on = Some(watched.server.clone());
        self.watcher.said = watched.server.epoch;
        Ok(true)
    }

    /// Says again what lets jobs go, once on each ground, when jobs are to start or do; and ends the halt then.
    async fn release_again(&mut self, watched: &Watched) -> Result<()> {
        let until = watched.halt.as_ref().map(|standing| standing.until);
        let is_over = until.is_none_or(|until| until.is_some_and(|until| watched.sample.time >= until));
        if !is_over {
            return Ok(());
        }
        if self.released_on.as_ref() != Some(&watched.server) {
            self.store.reassert(false).await?;
            self.released_on = Some(watched.server.clone());
        }
        if watched.halt.is_some() {
            self.clear_halt(watched.halts, "what was acknowledged is there again").await?;
        }
        Ok(())
    }

    async fn clear_halt(&self, number: u64, why: &str) -> Result<()> {
        let mut intent = Intent::of("reprieve");
        why.clone_into(&mut intent.why);
        if self.store.clear_halt(Some(number), &intent).await? {
            // One that was there at the first look, as after each start of a Redis, was no news.
            if self.told == number {
                tracing::warn!("jobs start again: {why}");
            } else {
                tracing::info!("jobs start: {why}");
            }
        }
        Ok(())
    }
}

/// How long the look after this one can wait: where jobs wait for nothing but that everybody has looked, until that may be
/// so.
fn until_next(watched: &Watched) -> Duration {
    let Some(standing) = watched.halt.as_ref().filter(|standing| standing.until.is_some()) else {
        return PERIOD;
    };
    let lasted_ms = u64::try_from(watched.sample.time.millis_since(standing.at)).unwrap_or_default();
    let rest = ALL_LOOK.saturating_sub(Duration::from_millis(lasted_ms));
    if rest.is_zero() { PERIOD } else { rest.min(PERIOD) }
}

/// Whether two jumps are one, looked at twice.
fn is_same((why, by_ms): (HaltReason, i64), (other, other_ms): (HaltReason, i64)) -> bool {
    why == other && by_ms.abs_diff(other_ms) <= 2_000
}

/// Whether a clock that had jumped so far is where it was, within a tenth or two seconds.
fn agrees(jump: Option<(HaltReason, i64)>, by_ms: u64) -> bool {
    jump.is_none_or(|(_, left_ms)| left_ms.unsigned_abs() <= (by_ms / 10).clamp(2_000, 60_000))
}

/// Says in the log that nothing starts. What ends by itself asks nobody to act.
fn say_halt(halt: &Halt) {
    let (why, by_ms) = (halt.why, halt.by_ms);
    let words = match why {
        HaltReason::ClockAhead => "redis's clock jumped ahead",
        HaltReason::ClockBack => "redis's clock jumped back",
        HaltReason::ClockApart => "redis's clock is not where it was against those of the processes",
        HaltReason::WentBack => "redis's data is older than it was",
        HaltReason::TookOver => "redis was started again, or another server has its data now",
        HaltReason::Replaced => "redis's data is gone, or other data is there",
        HaltReason::Restored => "redis's data was restored from a backup",
    };
    if halt.until.is_some() {
        tracing::warn!(%why, by_ms, "nothing starts: {words}; it ends by itself");
    } else {
        tracing::error!(%why, by_ms, "nothing starts: {words}; `reprieve halt clear` ends it");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;
    use HaltReason::{ClockAhead, ClockBack};

    #[test]
    fn a_clock_agrees_when_it_is_about_where_it_was() {
        assert!(agrees(None, 3_600_000));
        assert!(agrees(Some((ClockBack, 1_000)), 3_600_000));
        assert!(agrees(Some((ClockAhead, 1_500)), 5_000));
        assert!(!agrees(Some((ClockAhead, 3_600_000)), 3_600_000));
        assert!(!agrees(Some((ClockAhead, 600_000)), 3_600_000));
        assert!(!agrees(Some((ClockBack, 4_000)), 5_000));
    }

    #[test]
    fn a_jump_that_a_person_took_for_right_says_nothing_of_another_one() {
        let hour = 3_600_000;
        assert!(is_same((ClockBack, hour), (ClockBack, hour)));
        assert!(is_same((ClockBack, hour), (ClockBack, hour + 2_000)));
        assert!(is_same((ClockBack, hour), (ClockBack, hour - 2_000)));
        assert!(!is_same((ClockBack, hour), (ClockBack, hour + 2_001)));
        assert!(!is_same((ClockBack, hour), (ClockAhead, hour)));
        assert!(!is_same((ClockBack, hour), (ClockBack, 2 * hour)));
    }

    fn sample(received_ms: i64) -> ClockSample {
        ClockSample {
            generation: "g".to_owned(),
            heartbeat: 1,
            time: Timestamp::from_millis(1_000_000).unwrap(),
            sent_ms: received_ms,
            received_ms,
            ahead_ms: None,
        }
    }

    fn known(received_ms: i64) -> Known {
        Known {
            right: sample(received_ms),
            // A machine that has been up for a day.
            since_ms: 86_400_000,
            halts: 0,
            wrong: None,
            saw_it_wrong: false,
        }
    }

    #[test]
    fn a_jump_that_nobody_allowed_is_another_one_however_much_it_is_like_the_one_before() {
        let (jump, day) = ((ClockBack, 3_600_000), 86_400_000);
        let saw = Known { wrong: Some(jump), ..known(day) };
        let watched = |allowed| Watched {
            sample: sample(day + 1_000),
            server: ServerId::default(),
            halts: 2,
            halt: None,
            before: None,
            allowed,
            base_ms: 0,
        };
        assert!(saw.went_on_with(jump, &watched(2)));
        assert!(!saw.went_on_with(jump, &watched(1)), "the second ended by itself");
        assert!(!saw.went_on_with((ClockAhead, 3_600_000), &watched(2)));
        assert!(!known(day).went_on_with(jump, &watched(2)));
    }

    #[test]
    fn who_has_looked_for_ten_seconds_is_no_newcomer() {
        assert!(!known(86_400_000).is_old());
        assert!(!known(86_400_000 + YOUNG_MS - 1).is_old());
        assert!(known(86_400_000 + YOUNG_MS).is_old());
    }
}
