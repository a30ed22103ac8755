//! Room for so many connections, and no more than a share of it for one visitor.

use crate::middleware::client_ip::TrustedProxies;
use reprieve_access::counted_address;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places that are kept free by asking somebody to leave: as many as may come while they do.
const SPARE_MAX: usize = 32;
/// Connections of one address at once: a proxy with many people behind it, but not all there is.
const SHARE_MAX: usize = 256;

/// All places.
#[derive(Debug)]
pub(super) struct Places {
    free: Arc<Semaphore>,
    /// How many of them should be free.
    spare: usize,
    /// By address; only of those who have one.
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
    proxies: TrustedProxies,
}

impl Places {
    /// So many places, of which those proxies may have any number.
    pub(super) fn new(most: usize, proxies: TrustedProxies) -> Self {
        Self {
            free: Arc::new(Semaphore::new(most)),
            spare: SPARE_MAX.min(most / 4),
            taken: Arc::default(),
            proxies,
        }
    }

    /// Whether the next ones will soon have to wait.
    pub(super) fn run_short(&self) -> bool {
        self.free.available_permits() < self.spare
    }

    /// Waits for a place nobody has.
    pub(super) async fn free(&self) -> Free {
        // The semaphore is never closed.
        let Ok(permit) = Arc::clone(&self.free).acquire_owned().await else { std::future::pending().await };
        Free { permit, taken: Arc::clone(&self.taken), proxies: self.proxies.clone() }
    }
}

/// A place before it is known for whom.
pub(super) struct Free {
    permit: OwnedSemaphorePermit,
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
    proxies: TrustedProxies,
}

impl Free {
    /// Gives it to that visitor; `None` if they have had their share.
    pub(super) fn take(self, visitor: IpAddr) -> Option<Place> {
        let whose = whose(visitor).filter(|_| !self.proxies.has(visitor));
        if let Some(whose) = whose {
            let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
            let count = taken.entry(whose).or_default();
            if *count >= SHARE_MAX {
                return None;
            }
            *count += 1;
        }
        Some(Place { _permit: self.permit, whose, taken: self.taken })
    }
}

/// A place as long as this lives.
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
    whose: Option<IpAddr>,
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(whose) = self.whose else { return };
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&whose) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&whose);
            }
        }
    }
}

/// To whom a place counts. This machine has no share: a proxy or a tunnel on it brings everybody, as those do that the
/// configuration names.
fn whose(visitor: IpAddr) -> Option<IpAddr> {
    (!visitor.to_canonical().is_loopback()).then(|| counted_address(visitor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nobody_has_more_than_a_share_of_the_places() {
        let places = Places::new(1_024, TrustedProxies::new(&["10.0.0.7/32".parse().unwrap()]));
        let take = async |text: &str| places.free().await.take(text.parse().unwrap());
        let mut held = Vec::new();
        for _ in 0..SHARE_MAX {
            held.push(take("10.0.0.1").await.unwrap());
        }
        assert!(take("10.0.0.1").await.is_none());
        assert!(take("::ffff:10.0.0.1").await.is_none(), "the same in other words");
        assert!(take("10.0.0.2").await.is_some());
        held.pop();
        held.push(take("10.0.0.1").await.unwrap());
        for host in 0..SHARE_MAX {
            held.push(take(&format!("2001:db8::{host:x}")).await.unwrap());
        }
        assert!(take("2001:db8::ffff:1").await.is_none(), "one line, however many addresses");
        assert!(take("2001:db8:0:1::1").await.is_some());
        for proxy in ["127.0.0.1", "10.0.0.7"] {
            held.clear();
            for _ in 0..=SHARE_MAX {
                held.push(take(proxy).await.unwrap());
            }
        }
        held.clear();
        assert!(places.taken.lock().unwrap().is_empty(), "nobody is remembered who has no place");
        assert_eq!(places.free.available_permits(), 1_024);
    }
}
