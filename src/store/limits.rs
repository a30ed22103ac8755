//! Limits of queues.

use super::reply::Reply;
use super::{Intent, Store, script};
use crate::error::{Error, Result};
use crate::model::{Delay, QueueLimits, QueueName, Rate, SetLimits};

/// Most jobs at once or in a span that a limit may allow: more is no limit.
const JOBS_MAX: u32 = 1_000_000;
/// The longest span of a rate: what it has allowed and nobody has used may start at once.
const PERIOD_MAX: Delay = Delay::days(1);

/// Checks what types do not carry.
///
/// # Errors
/// [`Error::Invalid`] names the limit.
pub(crate) fn check(limits: &QueueLimits) -> Result<()> {
    let counts = [
        ("concurrency", limits.concurrency),
        ("rate.jobs", limits.rate.map(|rate| rate.jobs)),
        ("concurrency_per_key", limits.concurrency_per_key),
    ];
    for (field, count) in counts {
        if count.is_some_and(|count| !(1..=JOBS_MAX).contains(&count)) {
            return Err(Error::invalid(
                field,
                format!("is 1 to {JOBS_MAX}; to stop a queue altogether, pause it"),
            ));
        }
    }
    if limits.rate.is_some_and(|rate| rate.per == Delay::ZERO || rate.per > PERIOD_MAX) {
        return Err(Error::invalid("rate.per", "is 1 ms to a day"));
    }
    if limits.ordered && limits.concurrency_per_key.is_none() {
        return Err(Error::invalid("ordered", "needs a limit for each concurrency key"));
    }
    Ok(())
}

impl Store {
    /// Sets the limits of a queue in this shard, in place of those it had: see `lua/functions/queues/limit.lua`. `false` when it has
    /// them already.
    ///
    /// # Errors
    /// [`Error::Invalid`] and [`Error::Unavailable`].
    pub async fn limit(&self, queue: &QueueName, intent: &Intent, limits: &QueueLimits) -> Result<bool> {
        self.limit_having_seen(queue, intent, limits, None).await
    }

    /// The same, refused when it has other limits by now than were seen; `None` for any.
    ///
    /// # Errors
    /// [`Error::SettingChanged`] when it has others, [`Error::Invalid`] and [`Error::Unavailable`].
    pub async fn limit_having_seen(
        &self,
        queue: &QueueName,
        intent: &Intent,
        limits: &QueueLimits,
        seen: Option<&QueueLimits>,
    ) -> Result<bool> {
        check(limits)?;
        self.limit_to(queue, intent, limits, limits, false, seen).await
    }

    /// The same with this shard's share of `whole`, which is what the audit tells, unless another shard `is_told` it.
    ///
    /// # Errors
    /// As for [`limit_having_seen`](Self::limit_having_seen).
    pub(crate) async fn limit_to(
        &self,
        queue: &QueueName,
        intent: &Intent,
        limits: &QueueLimits,
        whole: &QueueLimits,
        is_told: bool,
        seen: Option<&QueueLimits>,
    ) -> Result<bool> {
        let mut call = self.call(&script::LIMIT);
        call.arg(queue.as_str()).arg(&intent.actor).arg(&intent.why);
        for value in values(limits) {
            call.arg(value);
        }
        let text = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
        let is_share = limits != whole;
        call.arg(text(whole.concurrency.filter(|_| is_share)));
        call.arg(text(whole.rate.filter(|_| is_share).map(|rate| rate.jobs)));
        call.arg(if is_told { "1" } else { "" });
        call.arg(seen.map(|seen| values(seen).join(",")).unwrap_or_default());
        call.operation(&intent.operation);
        match self.drain(&call).await?.text()?.as_str() {
            "limited" | "removed" => Ok(true),
            "unchanged" => Ok(false),
            "changed" => Err(CHANGED),
            unknown => Err(super::unknown_word("limit", unknown)),
        }
    }
}

/// What is said to a caller that has seen other limits than there are.
pub(crate) const CHANGED: Error = Error::SettingChanged { name: "the limit" };

/// The fields of limits as they are kept, empty where there is none.
fn values(limits: &QueueLimits) -> [String; 5] {
    let text = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    [
        text(limits.concurrency),
        text(limits.rate.map(|rate| rate.jobs)),
        limits.rate.map(|rate| rate.per.as_millis().to_string()).unwrap_or_default(),
        text(limits.concurrency_per_key),
        if limits.ordered { "1" } else { "" }.to_owned(),
    ]
}

/// The tail of a queue's line in `lua/functions/read/survey.lua`.
pub(super) fn limits(reply: &mut Reply) -> Result<Option<SetLimits>> {
    let concurrency = reply.optional("most active")?;
    let jobs: Option<u32> = reply.optional("rate")?;
    let per: Option<i64> = reply.optional("span of a rate")?;
    let concurrency_per_key = reply.optional("most active with a concurrency key")?;
    let ordered = reply.text()? == "1";
    let at = reply.optional_time("limited since")?;
    let (by, why) = (reply.text()?, reply.text()?);
    let rate = jobs.zip(per).map(|(jobs, per)| Rate { jobs, per: Delay::millis(per) });
    Ok(at.map(|at| SetLimits {
        limits: QueueLimits { concurrency, rate, concurrency_per_key, ordered },
        at,
        by,
        why,
    }))
}

/// The part of limits that one of several shards gets. Each lets at least one job through.
pub(crate) fn share(limits: &QueueLimits, shard: usize, shards: usize) -> QueueLimits {
    let part = |whole: u32| {
        let (shards, shard) = (u32::try_from(shards).unwrap_or(1).max(1), u32::try_from(shard).unwrap_or(0));
        (whole / shards + u32::from(shard < whole % shards)).max(1)
    };
    QueueLimits {
        concurrency: limits.concurrency.map(part),
        rate: limits.rate.map(|rate| Rate { jobs: part(rate.jobs), per: rate.per }),
        ..*limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_all_shards_add_up_and_none_is_nothing() {
        for (whole, shards) in [(10, 4), (3, 4), (1, 1), (256, 16)] {
            let limits = QueueLimits { concurrency: Some(whole), ..QueueLimits::default() };
            let shares: Vec<u32> =
                (0..shards).filter_map(|shard| share(&limits, shard, shards).concurrency).collect();
            let sum: u32 = shares.iter().sum();
            assert!(shares.iter().all(|share| *share >= 1), "{shares:?}");
            assert_eq!(sum, whole.max(u32::try_from(shards).unwrap()), "{shares:?}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let rate = |jobs, per| QueueLimits { rate: Some(Rate { jobs, per }), ..QueueLimits::default() };
        for bad in [
            QueueLimits { concurrency: Some(0), ..QueueLimits::default() },
            QueueLimits { concurrency_per_key: Some(u32::MAX), ..QueueLimits::default() },
            QueueLimits { ordered: true, ..QueueLimits::default() },
            rate(0, Delay::seconds(1)),
            rate(1, Delay::ZERO),
            rate(1, Delay::days(2)),
        ] {
            assert!(matches!(check(&bad), Err(Error::Invalid { .. })), "{bad:?}");
        }
        assert_eq!(check(&QueueLimits::default()), Ok(()));
    }
}
