//! How often an address may send tokens that are not good.

use reprieve_access::counted_address;
use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failures of one address in one span. A mistyped token in a loop is stopped; a person is not.
const FAILURES_MAX: u32 = 20;
/// The span, after which an address begins anew.
const SPAN: Duration = Duration::from_secs(60);
/// Addresses and good tokens kept in mind; beyond that everything is forgotten and begins anew.
const KEPT_MAX: usize = 4_096;

/// The failures of this process.
#[derive(Debug, Clone, Default)]
pub(super) struct Failures {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    by_address: HashMap<Option<IpAddr>, (Instant, u32)>,
    /// Hashes of tokens that were good: they stay welcome where others fail.
    good: HashSet<[u8; 32]>,
}

impl Failures {
    /// Whether a token from there is looked at.
    ///
    /// # Errors
    /// How many seconds to wait.
    pub(super) fn admit(&self, address: Option<IpAddr>, print: &[u8; 32]) -> Result<(), u16> {
        self.admit_at(address, print, Instant::now())
    }

    fn admit_at(&self, address: Option<IpAddr>, print: &[u8; 32], now: Instant) -> Result<(), u16> {
        let address = address.map(counted_address);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((since, count)) = kept.by_address.get(&address) else { return Ok(()) };
        let left = SPAN.saturating_sub(now.saturating_duration_since(*since));
        if *count < FAILURES_MAX || left.is_zero() || kept.good.contains(print) {
            return Ok(());
        }
        Err(u16::try_from(left.as_secs()).unwrap_or(u16::MAX).max(1))
    }

    /// Notes a token that was good.
    pub(super) fn worked(&self, print: [u8; 32]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.good.len() >= KEPT_MAX {
            kept.good.clear();
        }
        kept.good.insert(print);
    }

    /// Notes one that was not, or is not any more.
    pub(super) fn failed(&self, address: Option<IpAddr>, print: &[u8; 32]) {
        self.failed_at(address, print, Instant::now());
    }

    fn failed_at(&self, address: Option<IpAddr>, print: &[u8; 32], now: Instant) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.good.remove(print);
        if kept.by_address.len() >= KEPT_MAX {
            kept.by_address.clear();
        }
        let (since, count) = kept.by_address.entry(address.map(counted_address)).or_insert((now, 0));
        if now.saturating_duration_since(*since) >= SPAN {
            (*since, *count) = (now, 0);
        }
        *count = count.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_fails_too_often_waits_and_a_good_token_does_not() {
        let (failures, start) = (Failures::default(), Instant::now());
        let (here, there) = ("127.0.0.1".parse().ok(), "10.0.0.1".parse().ok());
        let (bad, good) = ([0; 32], [1; 32]);
        failures.worked(good);
        for _ in 0..FAILURES_MAX {
            assert_eq!(failures.admit_at(here, &bad, start), Ok(()));
            failures.failed_at(here, &bad, start);
        }
        assert_eq!(failures.admit_at(here, &bad, start), Err(60));
        assert_eq!(failures.admit_at(here, &good, start), Ok(()));
        assert_eq!(failures.admit_at(there, &bad, start), Ok(()));
        assert_eq!(failures.admit_at(here, &bad, start + SPAN), Ok(()));
        failures.failed_at(here, &good, start);
        assert_eq!(
            failures.admit_at(here, &good, start),
            Err(60),
            "a token that was revoked is like any other"
        );
    }

    #[test]
    fn addresses_of_one_network_fail_together() {
        let (failures, start) = (Failures::default(), Instant::now());
        for number in 0..FAILURES_MAX {
            failures.failed_at(format!("2001:db8:0:1::{number:x}").parse().ok(), &[0; 32], start);
        }
        assert_eq!(failures.admit_at("2001:db8:0:1:ffff::1".parse().ok(), &[0; 32], start), Err(60));
        assert_eq!(failures.admit_at("2001:db8:0:2::1".parse().ok(), &[0; 32], start), Ok(()));
    }

    #[test]
    fn every_token_that_was_good_stays_welcome_until_too_many_are_kept() {
        let (failures, start) = (Failures::default(), Instant::now());
        for _ in 0..FAILURES_MAX {
            failures.failed_at(None, &[0; 32], start);
        }
        let token = |number: usize| {
            let mut print = [0; 32];
            print[..8].copy_from_slice(&(number + 1).to_le_bytes());
            print
        };
        let are_welcome = |numbers: std::ops::Range<usize>| {
            numbers.filter(|&number| failures.admit_at(None, &token(number), start).is_ok()).count()
        };
        for number in 0..KEPT_MAX {
            failures.worked(token(number));
        }
        assert_eq!(are_welcome(0..KEPT_MAX), KEPT_MAX);
        failures.worked(token(KEPT_MAX));
        assert_eq!(are_welcome(0..KEPT_MAX), 0, "it begins anew");
        assert_eq!(are_welcome(KEPT_MAX..KEPT_MAX + 1), 1);
    }
}
