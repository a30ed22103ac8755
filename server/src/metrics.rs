//! `GET /metrics`: what a Prometheus scrapes. Needs the permission to view.
//!
//! Counts and times come from Redis, so every server of a namespace tells the same: scrape one of them, or take the
//! maximum, not the sum. Counters begin at zero when the program starts and grow by what Redis counted since.

use crate::http_api::{Access, Problem};
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header;
use reprieve::Engine;
use reprieve::model::{BUCKETS_MS, Histogram, JobState, MinuteStats, Timestamp};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Queues told apart; the others are added up as `other`: every label is memory in whoever scrapes.
const QUEUES_MAX: usize = 100;
/// Minutes read at most between two scrapes: a day. What was counted before is not made up for.
const MINUTES_MAX: u16 = 1_440;

/// Counters since the program started.
#[derive(Default)]
struct Totals {
    /// Sums of minutes that are over.
    past: Option<MinuteStats>,
    /// The minute up to which `past` reaches; that minute itself is not in it.
    upto: Option<Timestamp>,
}

/// The route.
pub(crate) fn router(engine: Engine) -> Router {
    let totals: Arc<Mutex<Totals>> = Arc::default();
    let answer =
        move |State(engine): State<Engine>, access: Access| metrics(access, engine, Arc::clone(&totals));
    Router::new().route("/metrics", get(answer)).with_state(engine)
}

async fn metrics(access: Access, engine: Engine, totals: Arc<Mutex<Totals>>) -> Result<Response, Problem> {
    let inspector = access.inspector()?;
    let asked = Instant::now();
    engine.now().await.map_err(|error| Problem::engine(&error))?;
    let latency = asked.elapsed();
    let queues = inspector.queues().await.map_err(|error| Problem::engine(&error))?;
    let workers = inspector.workers().await.map_err(|error| Problem::engine(&error))?;
    let forwarder = inspector.forwarder_age().await.map_err(|error| Problem::engine(&error))?;
    let now = engine.now().await.map_err(|error| Problem::engine(&error))?;
    let minutes = {
        let totals = totals.lock().unwrap_or_else(PoisonError::into_inner);
        let missed = totals.upto.map_or(0, |upto| now.millis_since(upto) / 60_000);
        u16::try_from(missed.saturating_add(1)).unwrap_or(MINUTES_MAX).clamp(1, MINUTES_MAX)
    };
    let stats = inspector.stats(None, minutes).await.map_err(|error| Problem::engine(&error))?;
    let sum = totals.lock().unwrap_or_else(PoisonError::into_inner).add(&stats);

    let mut text = Text::default();
    text.head("reprieve_jobs", "gauge", "Jobs in each state of each queue.");
    let mut other = [0_u64; JobState::ALL.len()];
    for (place, queue) in queues.iter().enumerate() {
        for (index, state) in JobState::ALL.into_iter().enumerate() {
            let count = queue.counts.of(state);
            if place < QUEUES_MAX {
                text.line(
                    "reprieve_jobs",
                    &[("queue", queue.name.as_str()), ("state", state.as_str())],
                    count,
                );
            } else {
                other[index] += count;
            }
        }
    }
    if queues.len() > QUEUES_MAX {
        for (state, count) in JobState::ALL.into_iter().zip(other) {
            text.line("reprieve_jobs", &[("queue", "other"), ("state", state.as_str())], count);
        }
    }
    text.head(
        "reprieve_oldest_ready_age_ms",
        "gauge",
        "For how long the first ready job of each queue has waited.",
    );
    for queue in queues.iter().take(QUEUES_MAX) {
        let age = queue.oldest_ready.map_or(0, |since| now.millis_since(since).max(0));
        text.line("reprieve_oldest_ready_age_ms", &[("queue", queue.name.as_str())], age);
    }
    for (name, help, value) in [
        ("enqueued", "Jobs taken in.", sum.enqueued),
        ("started", "Attempts begun.", sum.started),
        ("done", "Jobs done.", sum.done),
        ("failed", "Attempts failed.", sum.failed),
        ("dead", "Jobs that became dead.", sum.dead),
        ("cancelled", "Jobs called off.", sum.cancelled),
        ("parked", "Jobs put back because no handler knows their kind.", sum.parked),
    ] {
        let name = format!("reprieve_{name}_total");
        text.head(&name, "counter", help);
        text.line(&name, &[], value);
    }
    text.histogram("reprieve_lateness_ms", "From the due time to the start.", &sum.late);
    text.histogram("reprieve_wait_ms", "From ready to the start.", &sum.wait);
    text.histogram("reprieve_run_ms", "From the start to done or failed.", &sum.run);
    text.single("reprieve_workers", "Workers seen in the last day.", workers.len());
    text.single(
        "reprieve_worker_slots",
        "Jobs they may run at once.",
        workers.iter().map(|w| w.slots).sum::<u64>(),
    );
    text.single("reprieve_worker_busy", "Jobs they run.", workers.iter().map(|w| w.busy).sum::<u64>());
    let stuck = workers.iter().map(|worker| worker.stuck).sum::<u64>();
    text.single("reprieve_stuck_handlers", "Handlers that run on although they should have ended.", stuck);
    if let Some(age) = forwarder {
        text.single("reprieve_forwarder_age_ms", "Since any forwarder looked for due jobs.", age.as_millis());
    }
    text.single("reprieve_event_streams", "Open live streams of this server.", crate::sse::open_streams());
    text.single("reprieve_redis_latency_us", "One round trip to Redis, just now.", latency.as_micros());
    let outage = u8::from(engine.outage().is_some());
    text.single("reprieve_redis_outage", "1 while Redis does not work.", outage);
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text.0).into_response())
}

impl Totals {
    /// Takes in the latest minutes, of which the last is still running, and returns the sum with it.
    fn add(&mut self, minutes: &[MinuteStats]) -> MinuteStats {
        let epoch = || MinuteStats::empty(Timestamp::EPOCH);
        let Some((running, over)) = minutes.split_last() else {
            return self.past.clone().unwrap_or_else(epoch);
        };
        let upto = *self.upto.get_or_insert(running.at);
        let past = self.past.get_or_insert_with(epoch);
        for minute in over.iter().filter(|minute| minute.at >= upto) {
            add(past, minute);
        }
        // Another scrape may have been quicker.
        self.upto = Some(upto.max(running.at));
        let mut sum = past.clone();
        if running.at >= upto {
            add(&mut sum, running);
        }
        sum
    }
}

fn add(sum: &mut MinuteStats, minute: &MinuteStats) {
    sum.enqueued += minute.enqueued;
    sum.started += minute.started;
    sum.done += minute.done;
    sum.failed += minute.failed;
    sum.dead += minute.dead;
    sum.cancelled += minute.cancelled;
    sum.parked += minute.parked;
    sum.late.add(&minute.late);
    sum.wait.add(&minute.wait);
    sum.run.add(&minute.run);
}

/// The text format of Prometheus, version 0.0.4. Names of queues hold nothing that would need escaping.
#[derive(Default)]
struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing into a text cannot fail.
        writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}").ok();
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        let labels: Vec<_> = labels.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        writeln!(self.0, "{name}{labels} {value}").ok();
    }

    fn single(&mut self, name: &str, help: &str, value: impl std::fmt::Display) {
        self.head(name, "gauge", help);
        self.line(name, &[], value);
    }

    /// Without a sum: only buckets are counted.
    fn histogram(&mut self, name: &str, help: &str, histogram: &Histogram) {
        self.head(name, "histogram", help);
        let bucket = format!("{name}_bucket");
        let mut so_far = 0;
        for (bound, count) in BUCKETS_MS.iter().zip(&histogram.counts) {
            so_far += count;
            self.line(&bucket, &[("le", &bound.to_string())], so_far);
        }
        self.line(&bucket, &[("le", "+Inf")], histogram.total());
        self.line(&format!("{name}_count"), &[], histogram.total());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minute(number: i64, done: u64) -> MinuteStats {
        let mut minute = MinuteStats::empty(Timestamp::saturating_from_millis(number * 60_000));
        minute.done = done;
        minute
    }

    #[test]
    fn a_counter_never_falls_and_counts_each_minute_once() {
        let mut totals = Totals::default();
        assert_eq!(totals.add(&[minute(10, 5)]).done, 5);
        assert_eq!(totals.add(&[minute(10, 7)]).done, 7);
        assert_eq!(totals.add(&[minute(10, 9), minute(11, 0)]).done, 9);
        assert_eq!(totals.add(&[minute(10, 9), minute(11, 2)]).done, 11);
        assert_eq!(totals.add(&[minute(11, 2), minute(12, 0), minute(13, 4)]).done, 15);
    }

    #[test]
    fn a_histogram_is_cumulative_and_ends_with_all() {
        let mut histogram = Histogram::default();
        (histogram.counts[0], histogram.counts[16]) = (3, 1);
        let mut text = Text::default();
        text.histogram("x", "y", &histogram);
        assert!(text.0.contains("x_bucket{le=\"1\"} 3\n") && text.0.contains("x_bucket{le=\"300000\"} 3\n"));
        assert!(text.0.contains("x_bucket{le=\"+Inf\"} 4\nx_count 4\n"), "{}", text.0);
    }
}
