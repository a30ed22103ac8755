//! Puts right what other hands have damaged: jobs that no set names, and ids without a record.

use super::duty;
use crate::store::Store;
use rand::Rng;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Keys a call: about a millisecond of Redis.
const KEYS: u32 = 150;
/// Before the first call, and after one that failed. What starts has other things to do.
const PAUSE: Duration = Duration::from_secs(5);

pub(super) async fn run(store: Store, stop: CancellationToken) {
    let mut wait = PAUSE;
    loop {
        // As long as it is told to and up to a tenth longer, so that of several processes one makes the steps.
        let longer = wait.mul_f64(rand::rng().random_range(1.0..1.1));
        if stop.run_until_cancelled(tokio::time::sleep(longer)).await.is_none() {
            return;
        }
        wait = match store.mend(KEYS).await {
            Ok(step) => {
                if step.put_right > 0 {
                    tracing::warn!(
                        count = step.put_right,
                        "put {} entries that somebody had damaged back to where the records say",
                        step.put_right
                    );
                }
                if step.set_aside > 0 {
                    tracing::warn!(
                        count = step.set_aside,
                        "set {} ids aside that have no record which can be used",
                        step.set_aside
                    );
                }
                step.again_in.as_duration()
            }
            Err(error) => {
                duty::complain(&error);
                PAUSE
            }
        };
    }
}
