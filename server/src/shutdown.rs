//! Stopping: a first signal ends everything in order, a second one at once.

use std::future::Future;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// What a shell reports for a program that Ctrl-C ended.
const EXIT_INTERRUPTED: i32 = 130;

/// A token that is cancelled by the first SIGTERM or SIGINT. The second ends the process.
///
/// # Errors
/// If the operating system does not let us listen for signals.
pub(crate) fn on_signal() -> std::io::Result<CancellationToken> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    // Ends with the process: until then somebody may lose patience.
    tokio::spawn(async move {
        for first in [true, false] {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if first {
                tracing::info!("stopping; once more stops at once");
                stopping.cancel();
            }
        }
        tracing::warn!("stopped at once; what was running is taken up again after its lease");
        std::process::exit(EXIT_INTERRUPTED);
    });
    Ok(stop)
}

/// Waits for one step of the stop, but not longer than it may take.
pub(crate) async fn within(limit: Duration, step: &str, work: impl Future<Output = ()>) {
    if tokio::time::timeout(limit, work).await.is_err() {
        tracing::warn!("{step} did not end within {} s and is left", limit.as_secs());
    }
}
