//! What a person should look at, worked out from a survey.

use crate::model::{Attention, Delay, Halt, RedisHealth, Timestamp, WorkerInfo, WorkerStanding};
use crate::store::Survey;

/// Past due by more than this and not moving is a fault: a forwarder ticks at least once a second.
const OVERDUE_AFTER: Delay = Delay::seconds(1);
/// A forwarder that has not ticked for this long is gone or cannot reach Redis.
const FORWARDER_SILENT_AFTER: Delay = Delay::seconds(5);
/// Redis refuses new jobs at its limit; this leaves time to act.
const MEMORY_PERCENT_MAX: u64 = 90;

/// The list, worst first.
pub(super) fn of(
    survey: &Survey,
    workers: &[WorkerInfo],
    parked: u64,
    redis: &RedisHealth,
    halt: Option<Halt>,
    dying: Vec<Attention>,
) -> Vec<Attention> {
    let now = survey.now;
    // Nothing is forwarded then, and no forwarder is to blame.
    let stands = halt.is_some();
    let mut list: Vec<Attention> = halt.map(Attention::Halt).into_iter().collect();
    if redis.maxmemory_policy != "noeviction" {
        list.push(Attention::EvictionPolicy { policy: redis.maxmemory_policy.clone() });
    }
    if let Some(bytes_max) = redis.memory_bytes_max
        && redis.memory_bytes.saturating_mul(100) > bytes_max.saturating_mul(MEMORY_PERCENT_MAX)
    {
        list.push(Attention::Memory { bytes: redis.memory_bytes, bytes_max });
    }
    let silent = |tick| now.millis_since(tick) > FORWARDER_SILENT_AFTER.as_millis();
    if !stands && survey.forwarder_tick.is_none_or(silent) {
        list.push(Attention::ForwarderSilent { since: survey.forwarder_tick });
    }
    if let Some(key) = survey.damaged_sample.clone() {
        list.push(Attention::DamagedKeys { keys: survey.damaged_keys, key });
    }
    for queue in &survey.queues {
        let overdue = |due: &Timestamp| !stands && now.millis_since(*due) > OVERDUE_AFTER.as_millis();
        if let Some(since) = queue.next_due.filter(overdue) {
            list.push(Attention::Overdue { queue: queue.name.clone(), since });
        }
        if queue.counts.ready > 0 && queue.workers == 0 && queue.paused.is_none() {
            list.push(Attention::NoWorkers { queue: queue.name.clone(), ready: queue.counts.ready });
        }
        if let Some(paused) = queue.paused.clone() {
            list.push(Attention::Paused { queue: queue.name.clone(), paused });
        }
    }
    list.extend(dying);
    // One that is gone is no news any more: its jobs have been taken back.
    let is_silent = |worker: &&WorkerInfo| worker.standing(now) == WorkerStanding::Silent;
    for worker in workers.iter().filter(|worker| worker.busy > 0).filter(is_silent) {
        list.push(Attention::SilentWorker { worker: worker.id.clone(), since: worker.seen });
    }
    if parked > 0 {
        list.push(Attention::Parked { jobs: parked });
    }
    if let Some(sample) = survey.quarantine_sample.clone() {
        list.push(Attention::Quarantined { ids: survey.quarantined, sample });
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Durability, HaltReason, QueueSummary};

    #[test]
    fn no_forwarder_is_blamed_for_a_halt() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let mut queue = QueueSummary::empty("mail".parse().unwrap());
        queue.next_due = Some(at(10_000));
        let survey = Survey {
            queues: vec![queue],
            forwarder_tick: Some(at(10_000)),
            quarantined: 0,
            quarantine_sample: None,
            damaged_keys: 0,
            damaged_sample: None,
            now: at(60_000),
        };
        let redis = RedisHealth::new("7.0.15", "noeviction", 1, None, Durability::default());
        let lines = |halt| of(&survey, &[], 0, &redis, halt, Vec::new());

        let behind = lines(None);
        let expected = [Attention::ForwarderSilent { since: Some(at(10_000)) }];
        assert_eq!((behind.len(), &behind[..1]), (2, &expected[..]), "{behind:?}");
        let standing = Halt::new(HaltReason::WentBack, at(11_000), 0, None);
        assert_eq!(lines(Some(standing.clone())), [Attention::Halt(standing)]);
    }
}
