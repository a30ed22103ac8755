//! One answer to a scrape.

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeGaugeValue, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use reprieve::model::{BUCKETS_MS, Histogram, MinuteStats};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// How a queue is called in labels, of queues and of states.
const QUEUE: &str = "queue";
const STATE: &str = "state";

/// Everything a scrape is told.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Whether Redis does not answer: then only what this server knows by itself is told.
    pub(super) is_away: bool,
    /// By label of queue and state.
    pub(super) jobs: BTreeMap<(String, &'static str), u64>,
    /// By label of queue.
    pub(super) oldest_ready_age_ms: BTreeMap<String, i64>,
    /// What happened since the program started, by label of queue.
    pub(super) sums: BTreeMap<String, MinuteStats>,
    pub(super) workers: usize,
    pub(super) worker_slots: u64,
    pub(super) worker_busy: u64,
    pub(super) stuck_handlers: u64,
    /// `None` if none has ever looked.
    pub(super) forwarder_age_ms: Option<i64>,
    pub(super) event_streams: usize,
    pub(super) redis_latency: Duration,
    pub(super) redis_outage: bool,
    pub(super) halt: bool,
}

impl Page {
    /// In the text format of OpenMetrics.
    pub(super) fn text(self) -> String {
        let (mut registry, mut text) = (Registry::default(), String::new());
        registry.register_collector(Box::new(self));
        // Writing into a text cannot fail.
        encode(&mut text, &registry).ok();
        text
    }

    /// What this server knows without Redis.
    fn own(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let help = "What this server is, in the labels.";
        let mut build = encoder.encode_descriptor("reprieve_build", help, None, MetricType::Info)?;
        let zones = &reprieve::zones::version().version;
        build.encode_info(&[
            ("version", app::VERSION),
            ("commit", app::COMMIT),
            ("zones", zones.as_str()),
        ])?;
        single(encoder, "reprieve_event_streams", "Open live streams of this server.", &self.event_streams)?;
        let outage = u32::from(self.redis_outage);
        single(encoder, "reprieve_redis_outage", "1 while Redis does not work.", &outage)
    }

    fn gauges(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let mut jobs = encoder.encode_descriptor(
            "reprieve_jobs",
            "Jobs in each state of each queue.",
            None,
            MetricType::Gauge,
        )?;
        for ((queue, state), count) in &self.jobs {
            jobs.encode_family(&[(QUEUE, queue.as_str()), (STATE, *state)])?.encode_gauge(count)?;
        }
        let help = "For how long the first ready job of each queue has waited.";
        let mut oldest =
            encoder.encode_descriptor("reprieve_oldest_ready_age_seconds", help, None, MetricType::Gauge)?;
        for (queue, age) in &self.oldest_ready_age_ms {
            oldest.encode_family(&[(QUEUE, queue.as_str())])?.encode_gauge(&seconds(*age))?;
        }
        single(encoder, "reprieve_workers", "Workers seen in the last day.", &self.workers)?;
        single(encoder, "reprieve_worker_slots", "Jobs they may run at once.", &self.worker_slots)?;
        single(encoder, "reprieve_worker_busy", "Jobs they run.", &self.worker_busy)?;
        let help = "Handlers that run on although they should have ended.";
        single(encoder, "reprieve_stuck_handlers", help, &self.stuck_handlers)?;
        if let Some(age) = &self.forwarder_age_ms {
            let help = "Since any forwarder looked for due jobs.";
            single(encoder, "reprieve_forwarder_age_seconds", help, &seconds(*age))?;
        }
        single(
            encoder,
            "reprieve_redis_latency_seconds",
            "One round trip to Redis, just now.",
            &self.redis_latency.as_secs_f64(),
        )?;
        let halt = u32::from(self.halt);
        single(encoder, "reprieve_halt", "1 while the namespace starts no jobs.", &halt)
    }

    fn counter(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        of: fn(&MinuteStats) -> u64,
    ) -> fmt::Result {
        let mut counter = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        for (queue, sum) in &self.sums {
            let labels = [(QUEUE, queue.as_str())];
            let mut one = counter.encode_family(&labels)?;
            one.encode_counter::<NoLabelSet, u64, f64>(&of(sum), None)?;
        }
        Ok(())
    }

    fn histogram(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        of: fn(&MinuteStats) -> &Histogram,
    ) -> fmt::Result {
        let mut histogram = encoder.encode_descriptor(name, help, None, MetricType::Histogram)?;
        for (queue, sum) in &self.sums {
            let of_queue = of(sum);
            let bounds =
                BUCKETS_MS.iter().map(|&ms| Duration::from_millis(ms).as_secs_f64()).chain([f64::MAX]);
            let buckets: Vec<(f64, u64)> = bounds.zip(of_queue.counts).collect();
            let labels = [(QUEUE, queue.as_str())];
            let mut one = histogram.encode_family(&labels)?;
            let sum = Duration::from_millis(of_queue.sum_ms()).as_secs_f64();
            one.encode_histogram::<NoLabelSet>(sum, of_queue.total(), &buckets, None)?;
        }
        Ok(())
    }
}

impl Collector for Page {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let encoder = &mut encoder;
        self.own(encoder)?;
        if self.is_away {
            return Ok(());
        }
        self.gauges(encoder)?;
        self.counter(encoder, "reprieve_enqueued", "Jobs taken in.", |sum| sum.enqueued)?;
        self.counter(encoder, "reprieve_started", "Attempts begun.", |sum| sum.started)?;
        self.counter(encoder, "reprieve_done", "Jobs done.", |sum| sum.done)?;
        self.counter(encoder, "reprieve_failed", "Attempts failed.", |sum| sum.failed)?;
        self.counter(encoder, "reprieve_dead", "Jobs that became dead.", |sum| sum.dead)?;
        self.counter(encoder, "reprieve_cancelled", "Jobs called off.", |sum| sum.cancelled)?;
        self.counter(encoder, "reprieve_expired", "Jobs too late to start.", |sum| sum.expired)?;
        let help = "Jobs put back because no handler knows their kind.";
        self.counter(encoder, "reprieve_parked", help, |sum| sum.parked)?;
        self.histogram(encoder, "reprieve_lateness_seconds", "From the due time to ready.", |sum| &sum.late)?;
        self.histogram(encoder, "reprieve_wait_seconds", "From ready to the start.", |sum| &sum.wait)?;
        self.histogram(encoder, "reprieve_run_seconds", "From the start to done or failed.", |sum| &sum.run)
    }
}

fn single(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    value: &impl EncodeGaugeValue,
) -> fmt::Result {
    encoder.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(value)
}

/// A number of ms in the base unit of the format; what lies ahead, by a clock that was set back, is 0.
fn seconds(ms: i64) -> f64 {
    Duration::from_millis(ms.try_into().unwrap_or(0)).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::Timestamp;

    #[test]
    fn a_histogram_is_cumulative_and_ends_with_all_and_their_sum() {
        let mut sum = MinuteStats::empty(Timestamp::EPOCH);
        (sum.wait.counts[0], sum.wait.counts[3], sum.wait.counts[16]) = (3, 2, 1);
        let page = Page { sums: BTreeMap::from([("mail".to_owned(), sum)]), ..Page::default() };
        let text = page.text();
        for line in [
            "# TYPE reprieve_wait_seconds histogram",
            "reprieve_wait_seconds_bucket{le=\"0.001\",queue=\"mail\"} 3",
            "reprieve_wait_seconds_bucket{le=\"0.01\",queue=\"mail\"} 5",
            "reprieve_wait_seconds_bucket{le=\"300.0\",queue=\"mail\"} 5",
            "reprieve_wait_seconds_bucket{le=\"+Inf\",queue=\"mail\"} 6",
            "reprieve_wait_seconds_count{queue=\"mail\"} 6",
            // Three of 0 ms, two of 7 ms, one of 300 s: the middles of their buckets.
            "reprieve_wait_seconds_sum{queue=\"mail\"} 300.014",
            "reprieve_done_total{queue=\"mail\"} 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
        assert!(text.ends_with("# EOF\n"), "{text}");
    }
}
