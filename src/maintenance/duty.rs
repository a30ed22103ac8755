//! A duty that is done again and again, at once while there is more of it.

use crate::error::{Error, Result};
use rand::Rng;
use std::collections::HashSet;
use std::future::Future;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Logs what nobody else does: outages are logged once where they are noticed, damage only here.
pub(super) fn complain(error: &Error) {
    if matches!(error, Error::Codec { .. }) {
        tracing::error!(%error, "maintenance meets damage: {error}");
    }
}

/// Damage stands in the log when it is met, and as long as it lasts once in so long.
const TOLD_AGAIN_AFTER: Duration = Duration::from_secs(600);
/// Different texts that are told in that time: beyond these nobody reads on.
const TOLD_MAX: usize = 100;

/// What was told lately of what is passed over.
pub struct Told {
    texts: HashSet<String>,
    since: Instant,
}

impl Told {
    /// Nothing so far.
    pub fn nothing() -> Self {
        Self { texts: HashSet::new(), since: Instant::now() }
    }

    /// Logs what is wrong with a queue, unless that was done lately.
    pub fn tell(&mut self, damage: Option<&str>) {
        let Some(damage) = damage else { return };
        if self.is_news(damage) {
            tracing::error!("a queue is passed over until this is mended: {damage}");
        }
    }

    /// Whether that text was not told lately; from now on it was.
    pub fn is_news(&mut self, text: &str) -> bool {
        if self.since.elapsed() > TOLD_AGAIN_AFTER {
            *self = Self::nothing();
        }
        self.texts.len() < TOLD_MAX && self.texts.insert(text.to_owned())
    }
}

/// Does `round` every `period`, a little more or less so that processes do not march in step, and again at once
/// while it says that a batch came back full. A failed round is simply followed by the next one.
pub(super) async fn repeat<F, R>(period: Duration, stop: CancellationToken, mut round: R)
where
    R: FnMut() -> F,
    F: Future<Output = Result<bool>>,
{
    while !stop.is_cancelled() {
        match round().await {
            Ok(true) => {
                tokio::task::yield_now().await;
                continue;
            }
            Ok(false) => {}
            Err(error) => complain(&error),
        }
        stop.run_until_cancelled(rest(period)).await;
    }
}

/// Waits for so long, give or take a tenth.
pub(super) async fn rest(period: Duration) {
    let jitter = rand::rng().random_range(0.9..1.1);
    tokio::time::sleep(period.mul_f64(jitter)).await;
}
