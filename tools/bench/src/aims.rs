//! What we set out to reach, in the same run beside the others.

use crate::competitor::Competitor;
use crate::figures::Figures;
use crate::report::number;
use serde::Serialize;

/// An aim and how far we came.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Aim {
    /// In words: `enqueue from 32 producers ≥ 2 × bullmq`.
    pub(crate) text: String,
    /// What it says was measured; `None` when one side of it was not.
    pub(crate) measured: Option<f64>,
    pub(crate) target: f64,
    pub(crate) reached: Option<bool>,
}

enum Goal {
    /// At least so many times another's figure.
    Times(&'static str, f64),
    /// At most, in the unit of the metric.
    Most(f64),
    /// At least.
    Least(f64),
}
use Goal::{Least, Most, Times};

const GOALS: &[(&str, &str, &str, Goal)] = &[
    ("enqueue", "concurrent_per_s", "enqueue from 32 producers", Times("bullmq", 2.0)),
    ("enqueue", "concurrent_per_s", "enqueue from 32 producers", Times("asynq", 1.5)),
    ("enqueue", "concurrent_per_s", "enqueue from 32 producers", Times("apalis", 1.3)),
    ("enqueue", "bulk_per_s", "enqueue in bulk", Times("bullmq", 4.0)),
    ("enqueue", "bulk_per_s", "enqueue in bulk", Times("asynq", 1.3)),
    ("enqueue", "awaiting_per_s", "enqueue, one awaiting", Times("limit", 0.85)),
    ("process", "at_100_per_s", "process at concurrency 100", Times("bullmq", 3.5)),
    ("process", "at_100_per_s", "process at concurrency 100", Times("asynq", 7.0)),
    ("process", "at_100_per_s", "process at concurrency 100", Times("limit", 0.5)),
    ("process", "at_10_per_s", "process at concurrency 10", Times("bullmq", 2.5)),
    ("process", "at_100_redis_us", "Redis µs of claim + complete", Most(8.0)),
    ("process", "at_100_life_redis_us", "Redis µs of a whole life", Most(14.0)),
    ("pickup", "pickup_p50_ms", "idle pickup p50, ms", Most(0.25)),
    ("pickup", "pickup_p99_ms", "idle pickup p99, ms", Most(0.7)),
    ("pickup", "idle_commands_per_s", "commands a second when idle", Most(5.0)),
    ("accuracy", "each_ms_p50_ms", "lateness p50, ms", Most(1.5)),
    ("accuracy", "each_ms_p99_ms", "lateness p99, ms", Most(4.0)),
    ("accuracy", "each_ms_max_ms", "lateness at most, ms", Most(15.0)),
    ("accuracy", "each_ms_early", "jobs that started early", Most(0.0)),
    ("herd", "herd_max_ms", "herd: all started after, ms", Most(1_000.0)),
    ("herd", "slowest_call_ms", "herd: slowest call, ms", Most(5.0)),
    ("backlog", "1000000_times_least", "cost beside 1 M waiting, times that beside 1 k", Most(1.15)),
    ("backlog", "5000000_times_least", "cost beside 5 M waiting, times that beside 1 k", Most(1.3)),
    ("memory", "bytes_per_job", "bytes of a delayed job", Most(500.0)),
    ("cancel", "together_per_s", "cancel from 32 callers", Times("bullmq", 3.0)),
    ("durability", "everysec_ratio", "rate with AOF everysec, times that without", Least(0.75)),
    ("killed", "again_after_s", "a killed worker's jobs run again after, s", Most(15.0)),
];

/// Each aim with what was measured.
pub(crate) fn judge(found: &Figures) -> Vec<Aim> {
    GOALS.iter().map(|(measure, metric, what, goal)| judge_one(found, measure, metric, what, goal)).collect()
}

fn judge_one(found: &Figures, measure: &str, metric: &str, what: &str, goal: &Goal) -> Aim {
    let median = |who: &str| found.find(measure, who, metric).map(|figure| figure.median());
    let own = median(Competitor::OWN);
    let (text, target, measured, least) = match goal {
        Times(who, times) => {
            let ratio = own.zip(median(who)).map(|(own, other)| own / other);
            (format!("{what} ≥ {} × {who}", number(*times)), *times, ratio, true)
        }
        Most(most) => (format!("{what} ≤ {}", number(*most)), *most, own, false),
        Least(least) => (format!("{what} ≥ {}", number(*least)), *least, own, true),
    };
    let reached = measured.map(|value| if least { value >= target } else { value <= target });
    Aim { text, measured, target, reached }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_aim_is_judged_against_the_peer_of_the_same_run() {
        let mut found = Figures::default();
        found.add("enqueue", "reprieve", "concurrent_per_s", 130.0);
        found.add("enqueue", "bullmq", "concurrent_per_s", 50.0);
        found.add("memory", "reprieve", "bytes_per_job", 501.0);
        let aims = judge(&found);
        let of = |start: &str| aims.iter().find(|aim| aim.text.starts_with(start)).unwrap();
        assert_eq!(of("enqueue from 32 producers ≥ 2 × bullmq").reached, Some(true));
        assert_eq!(of("enqueue from 32 producers ≥ 1.50 × asynq").reached, None, "it did not take part");
        assert_eq!(of("bytes").reached, Some(false));
    }
}
