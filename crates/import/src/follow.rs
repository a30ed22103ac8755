//! Follow: the importer stays on, and producers keep their client.

use super::Importer;
use super::take_over::Run;
use crate::ImportWarning;
use reprieve::internals::redact;
use reprieve::model::Delay;
use reprieve::{Error, Result};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Between rounds: what it costs an item in lateness that is due at once.
const PERIOD: Duration = Duration::from_millis(200);
/// Between rounds after one that met more items it cannot take than this: reading them again is all it would do. After rounds
/// that fail the time grows to this.
const SLOW_PERIOD: Duration = Duration::from_secs(10);
const LEFT_MANY: u64 = 1_000;
/// Rounds between looks at what the journal may forget: about a minute.
const FORGET_EVERY: u32 = 300;

/// After so many rounds in a row that failed, half a minute at least, somebody must look.
const FAILURES_LAST: u32 = 8;

/// Between rounds after so many in a row that failed: a source that is away for a moment is not left alone for long.
fn period_after(failures: u32) -> Duration {
    PERIOD.saturating_mul(2_u32.saturating_pow(failures)).min(SLOW_PERIOD)
}

impl Importer {
    /// Takes over what comes, round after round, until told to stop; and forgets what is older than `keep`. Any
    /// number of processes may do it. A roll back stops them all; only [`take_over`](Self::take_over) opens again.
    pub async fn follow(&self, keep: Delay, stop: CancellationToken) {
        self.say_warnings().await;
        let mut run = Run::until(stop.clone());
        let mut round = 0_u32;
        let mut failures = 0_u32;
        while !stop.is_cancelled() {
            run.next_round();
            let outcome = self.round(&mut run, keep, round.is_multiple_of(FORGET_EVERY)).await;
            round = round.wrapping_add(1);
            match outcome {
                Ok(()) => {
                    if failures > 0 {
                        tracing::info!(import = %self.name, "importer {} takes over again", self.name);
                    }
                    failures = 0;
                }
                Err(error) => {
                    self.say_failed(&error, failures);
                    failures = failures.saturating_add(1);
                }
            }
            let many = run.report.left_count > LEFT_MANY;
            let period = if many || run.closed { SLOW_PERIOD } else { period_after(failures) };
            stop.run_until_cancelled(tokio::time::sleep(period)).await;
        }
    }

    /// Says in the log that a round failed after so many others: what may pass is a warning until it lasts.
    fn say_failed(&self, error: &Error, failures: u32) {
        let from = || self.source.url.as_deref().map_or_else(|| "this redis".to_owned(), redact);
        let name = &self.name;
        match (failures, error.is_transient()) {
            (0, true) => {
                tracing::warn!(import = %name, %error, "importer {name} cannot take over from {}: {error}", from());
            }
            (0, false) | (FAILURES_LAST, true) => {
                tracing::error!(import = %name, %error, "importer {name} cannot take over from {}: {error}", from());
            }
            _ => {}
        }
    }

    /// Says in the log what speaks against taking this source over. Who follows it was not asked.
    async fn say_warnings(&self) {
        let Ok(seen) = self.observe().await else { return };
        for ImportWarning { code, detail, .. } in &seen.warnings {
            tracing::warn!(import = %self.name, %code, "importer {} is followed, but: {detail}", self.name);
        }
    }

    async fn round(&self, run: &mut Run, keep: Delay, forget: bool) -> Result<()> {
        let units = self.units_to_take().await?;
        self.meet(&units, true).await?;
        self.sweep(&units, run, &mut |_| {}).await?;
        for note in run.report.notes.clone() {
            if run.is_new(&note) {
                tracing::info!(import = %self.name, "importer {}: {note}", self.name);
            }
        }
        let report = &run.report;
        if report.taken + report.resumed > 0 {
            tracing::debug!(
                import = %self.name, taken = report.taken, resumed = report.resumed, left = report.left_count,
                "importer {} took {} items", self.name, report.taken + report.resumed
            );
        }
        if forget {
            let before = self.source_now().await? - keep;
            self.forget(&before.as_millis().to_string()).await?;
        }
        Ok::<(), Error>(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_was_away_for_a_moment_is_looked_at_soon() {
        let periods = [0, 1, 2, 6, 40].map(|failures| period_after(failures).as_millis());
        assert_eq!(periods, [200, 400, 800, 10_000, 10_000]);
    }
}
