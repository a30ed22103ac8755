//! A lease by this machine's own clock.

use super::LEASE;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// For how long a worker may believe that a job is its own.
///
/// Counted from before Redis was asked, so that it never ends later here than there. A process that was frozen, by a
/// signal or with its whole machine, finds it over when it goes on, before anybody can tell it so.
#[derive(Debug)]
pub(crate) struct Lease {
    claimed: Instant,
    /// How long after the claim its latest extension was asked for, in ms.
    extended_ms: AtomicU64,
}

impl Lease {
    /// Of jobs whose claim was asked for then.
    pub(crate) fn claimed(asked: Instant) -> Arc<Self> {
        Arc::new(Self { claimed: asked, extended_ms: AtomicU64::new(0) })
    }

    /// Redis extended it; that was asked for then.
    pub(crate) fn extend(&self, asked: Instant) {
        let after = asked.saturating_duration_since(self.claimed);
        self.extended_ms.fetch_max(u64::try_from(after.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Since before the claim was asked for.
    pub(crate) fn age(&self) -> Duration {
        self.claimed.elapsed()
    }

    /// Whether somebody else may have the job by now.
    pub(crate) fn is_over(&self) -> bool {
        let extended = Duration::from_millis(self.extended_ms.load(Ordering::Relaxed));
        self.age() >= extended + LEASE.as_duration()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_ends_after_its_latest_extension_and_not_before() {
        let of = |claimed_ago, extended_ago: Option<u64>| {
            let ago = |ms| Instant::now().checked_sub(Duration::from_millis(ms)).unwrap();
            let lease = Lease::claimed(ago(claimed_ago));
            if let Some(extended_ago) = extended_ago {
                lease.extend(ago(extended_ago));
            }
            lease.is_over()
        };
        assert!(!of(0, None));
        assert!(!of(11_000, None));
        assert!(of(12_000, None));
        assert!(!of(60_000, Some(8_000)));
        assert!(of(60_000, Some(12_100)));
        // An answer to an older heartbeat that comes later takes nothing away.
        let lease = Lease::claimed(Instant::now().checked_sub(Duration::from_secs(20)).unwrap());
        lease.extend(Instant::now());
        lease.extend(lease.claimed);
        assert!(!lease.is_over());
    }
}
