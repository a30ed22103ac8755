//! `/healthz` and `/readyz`: for whoever watches the program. They say yes or no and nothing else.

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use http::StatusCode;
use reprieve::Engine;
use reprieve::model::Delay;
use std::time::Duration;

/// A Redis that answers later than this is not ready.
const ANSWER_MAX: Duration = Duration::from_secs(2);
/// A forwarder ticks every second; three missed ticks mean that due jobs no longer move.
const TICK_AGE_MAX: Delay = Delay::seconds(3);

/// The two routes.
pub(crate) fn router(engine: Engine) -> Router {
    Router::new().route("/healthz", get(healthz)).route("/readyz", get(readyz)).with_state(engine)
}

/// The program answers. Restarting it would not bring Redis back, so Redis is not asked.
async fn healthz() -> &'static str {
    "ok\n"
}

/// The program can do its work: Redis answers, and due jobs move.
async fn readyz(State(engine): State<Engine>) -> (StatusCode, &'static str) {
    match tokio::time::timeout(ANSWER_MAX, works(&engine)).await {
        Ok(Ok(true)) if engine.outage().is_none() => (StatusCode::OK, "ok\n"),
        _ => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
    }
}

/// Whether due jobs move, or are not to: while the namespace stands still no forwarder ticks, and a person may have to
/// come by this program to end that.
async fn works(engine: &Engine) -> reprieve::Result<bool> {
    let inspector = engine.inspector();
    let moves = inspector.forwarder_age().await?.is_some_and(|age| age <= TICK_AGE_MAX);
    Ok(moves || inspector.halt().await?.is_some())
}
