//! Watches that a cell stays the data that it was, on a clock that only goes forward, and says again what Redis forgot.
//!
//! Any number of processes do so. Each has its own memory of what it acknowledged, and each says it again: what stops
//! jobs at once, what lets them go when all others had the time to do the former.

use super::duty;
use crate::error::Result;
use crate::model::StandstillReason;
use crate::store::{Intent, Pulse, Store, Watched};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Between looks: within two seconds a jump is seen.
const PERIOD: Duration = Duration::from_secs(1);

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let watch = tokio::sync::Mutex::new(Watch { store, latest: None, stopped: 0, released: 0 });
    let round = || async {
        watch.lock().await.look().await?;
        Ok(false)
    };
    duty::repeat(PERIOD, stop, round).await;
}

struct Watch {
    store: Store,
    /// The latest look, and how many standstills there were by then.
    latest: Option<(Pulse, u64)>,
    /// The number of the latest standstill for which what stops jobs was said again.
    stopped: u64,
    /// The same for what lets them go.
    released: u64,
}

impl Watch {
    async fn look(&mut self) -> Result<()> {
        let watched = self.store.watch().await?;
        let is_first = self.latest.is_none();
        if let Some((earlier, number)) = self.latest.take() {
            let was = (earlier.clone(), number);
            if let Err(error) = self.judge(&earlier, number, &watched).await {
                // What was not judged is compared with the same look again.
                self.latest = Some(was);
                return Err(error);
            }
        }
        if is_first {
            (self.stopped, self.released) = (watched.standstills, watched.standstills);
        }
        self.store.believe(watched.pulse.clone());
        self.latest = Some((watched.pulse, watched.standstills));
        Ok(())
    }

    async fn judge(&mut self, earlier: &Pulse, number: u64, watched: &Watched) -> Result<()> {
        let jump =
            watched.pulse.jump_since(earlier).filter(|_| watched.pulse.generation == earlier.generation);
        match &watched.standstill {
            Some(standing) => {
                if number < watched.standstills {
                    tracing::error!(why = %standing.why, "nothing starts: {} ({} ms)", standing.why, standing.by_ms);
                }
                if standing.why.is_clock() {
                    if jump.is_some_and(|(why, by)| is_way_back(standing.why, standing.by_ms, why, by)) {
                        self.go_on(watched.standstills, "the clock agrees again").await?;
                    }
                } else {
                    self.say_again(watched).await?;
                }
            }
            // It has ended, perhaps before it was seen here.
            None if self.released < watched.standstills => self.say_again(watched).await?,
            None => {
                if let Some((why, by_ms)) = jump {
                    tracing::error!(%why, "nothing starts: redis's clock jumped by {by_ms} ms");
                    self.store.stand_still(why, by_ms).await?;
                }
            }
        }
        Ok(())
    }

    /// What stops jobs is said again once for each standstill, what lets them go when it is to end.
    async fn say_again(&mut self, watched: &Watched) -> Result<()> {
        if self.stopped < watched.standstills {
            let done = self.store.reassert(true).await?;
            if done.again > 0 || done.too_late > 0 {
                tracing::warn!(
                    done.again,
                    done.too_late,
                    "acknowledged acts that redis had forgotten were done again"
                );
            }
            self.stopped = watched.standstills;
        }
        let is_over = match &watched.standstill {
            Some(standing) => standing.until.is_some_and(|until| watched.pulse.time >= until),
            None => true,
        };
        if is_over && self.released < watched.standstills {
            self.store.reassert(false).await?;
            self.released = watched.standstills;
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

/// Whether a clock that jumped has jumped back to where it was, within a tenth or two seconds.
fn is_way_back(there: StandstillReason, there_ms: u64, back: StandstillReason, back_ms: i64) -> bool {
    there != back && there_ms.abs_diff(back_ms.unsigned_abs()) <= (there_ms / 10).clamp(2_000, 60_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use StandstillReason::{ClockAhead, ClockBack};

    #[test]
    fn only_the_same_way_back_is_a_way_back() {
        assert!(is_way_back(ClockAhead, 3_600_000, ClockBack, 3_599_000));
        assert!(is_way_back(ClockBack, 5_000, ClockAhead, 6_500));
        assert!(!is_way_back(ClockAhead, 3_600_000, ClockAhead, 3_600_000));
        assert!(!is_way_back(ClockAhead, 3_600_000, ClockBack, 3_000_000));
        assert!(!is_way_back(ClockAhead, 5_000, ClockBack, 9_000));
    }
}
