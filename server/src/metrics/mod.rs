//! `GET /metrics`: what a Prometheus scrapes. Needs the permission to see metrics, or to view.
//!
//! Counts and times come from Redis, so every server of a namespace tells the same: scrape one of them, or take the
//! maximum, not the sum. Counters begin with the minute in which the program is first scraped, and grow by what Redis
//! counted since.

mod format;
mod page;
mod totals;

use crate::access::Access;
use crate::problem::Problem;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use format::Format;
use http::{HeaderMap, header};
use page::Page;
use reprieve::model::JobState;
use reprieve::{Engine, Error, Inspector};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use totals::Totals;

/// The route.
pub(crate) fn router(engine: Engine) -> Router {
    let totals: Arc<Mutex<Totals>> = Arc::default();
    let answer = move |State(engine): State<Engine>, access: Access, headers: HeaderMap| {
        metrics(access, engine, Arc::clone(&totals), Format::asked_for(&headers))
    };
    Router::new().route("/metrics", get(answer)).with_state(engine)
}

/// What a Prometheus scrapes
///
/// The text format of Prometheus, or OpenMetrics where it is asked for.
#[utoipa::path(
    get, path = "/metrics", tag = "about",
    responses((status = 200, description = "All metrics.", body = String, content_type = "text/plain")),
    security(("token" = ["metrics.view"]))
)]
#[expect(dead_code, reason = "it describes a route whose handler is a closure")]
pub(crate) fn metrics_page() {}

async fn metrics(
    access: Access,
    engine: Engine,
    totals: Arc<Mutex<Totals>>,
    format: Format,
) -> Result<Response, Problem> {
    let inspector = access.inspector_of_metrics()?;
    let mut page = match of_namespace(&inspector, &engine, &totals).await {
        Ok(page) => page,
        // What this server knows by itself is told all the same.
        Err(Error::Unavailable { .. }) => Page { is_away: true, redis_outage: true, ..Page::default() },
        Err(error) => return Err(Problem::engine(&error)),
    };
    page.event_streams = crate::sse::open_streams();
    let headers = [(header::CONTENT_TYPE, format.content_type()), (header::VARY, "accept")];
    Ok((headers, format.of(page.text())).into_response())
}

/// All that Redis tells.
async fn of_namespace(
    inspector: &Inspector,
    engine: &Engine,
    totals: &Mutex<Totals>,
) -> reprieve::Result<Page> {
    let asked = Instant::now();
    engine.now().await?;
    let latency = asked.elapsed();
    let queues = inspector.queues().await?;
    let workers = inspector.workers().await?;
    let forwarder = inspector.forwarder_age().await?;
    let now = engine.now().await?;
    let minutes = totals.lock().unwrap_or_else(PoisonError::into_inner).minutes_missed(now);
    let stats = inspector.stats_by_queue(minutes).await?;
    let halt = inspector.halt().await?;

    let mut page = Page::default();
    {
        let mut totals = totals.lock().unwrap_or_else(PoisonError::into_inner);
        page.sums = totals.add(&stats);
        for queue in &queues {
            let label = totals.label(&queue.name);
            for state in JobState::ALL {
                *page.jobs.entry((label.clone(), state.as_str())).or_default() += queue.counts.of(state);
            }
            let age = queue.oldest_ready.map_or(0, |since| now.millis_since(since).max(0));
            let oldest = page.oldest_ready_age_ms.entry(label).or_default();
            *oldest = age.max(*oldest);
        }
    }
    page.workers = workers.len();
    page.worker_slots = workers.iter().map(|worker| worker.slots).sum();
    page.worker_busy = workers.iter().map(|worker| worker.busy).sum();
    page.stuck_handlers = workers.iter().map(|worker| worker.stuck).sum();
    page.forwarder_age_ms = forwarder.map(|age| age.as_millis());
    page.redis_latency = latency;
    page.redis_outage = engine.outage().is_some();
    page.halt = halt.is_some();
    Ok(page)
}
