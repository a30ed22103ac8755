//! The way in before there is anybody: a link that is printed once, and is good for a quarter of an hour.

use rand::Rng as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the link is good: the person who starts the program is in front of it.
const GOOD_FOR: Duration = Duration::from_secs(15 * 60);
/// Wrong keys until the link is good no more.
const FAILURES_MAX: u8 = 10;

/// The link of this process, if there is one.
#[derive(Debug, Clone, Default)]
pub struct FirstRun(Arc<Mutex<Option<Link>>>);

struct Link {
    secret: String,
    until: Instant,
    failures: u8,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Link(…)")
    }
}

impl Link {
    fn is_over(&self) -> bool {
        Instant::now() >= self.until || self.failures >= FAILURES_MAX
    }
}

impl FirstRun {
    /// Makes the link; returns what it ends with.
    #[must_use]
    pub fn open() -> (Self, String) {
        let secret = format!("{:032x}", rand::rng().random::<u128>());
        let link = Link { secret: secret.clone(), until: Instant::now() + GOOD_FOR, failures: 0 };
        (Self(Arc::new(Mutex::new(Some(link)))), format!("/first?key={secret}"))
    }

    /// Whether there is a link still.
    pub(super) fn is_open(&self) -> bool {
        let place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        place.as_ref().is_some_and(|link| !link.is_over())
    }

    /// Whether that is the secret of the link, now.
    pub(super) fn is_good(&self, shown: &str) -> bool {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(link) = place.as_mut() else { return false };
        if link.is_over() {
            *place = None;
            return false;
        }
        // All of it is looked at, however early it differs.
        let same = shown.len() == link.secret.len()
            && shown.bytes().zip(link.secret.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0;
        if !same {
            link.failures += 1;
        }
        same
    }

    /// There is somebody now: the link is good no more.
    pub(super) fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_is_good_until_it_was_used_or_guessed_at() {
        let (first, link) = FirstRun::open();
        let secret = link.strip_prefix("/first?key=").unwrap();
        assert_eq!(secret.len(), 32);
        assert!(first.is_good(secret));
        assert!(!first.is_good("") && !first.is_good(&secret[1..]));
        // Wrong in two places by the same bit, which would not show in a sum without carries.
        let mut wrong = secret.as_bytes().to_vec();
        (wrong[3], wrong[7]) = (wrong[3] ^ 1, wrong[7] ^ 1);
        assert!(!first.is_good(std::str::from_utf8(&wrong).unwrap()));
        first.close();
        assert!(!first.is_good(secret));

        let (first, link) = FirstRun::open();
        let secret = link.strip_prefix("/first?key=").unwrap();
        for _ in 0..FAILURES_MAX {
            assert!(!first.is_good("wrong"));
        }
        assert!(!first.is_good(secret), "it was guessed at too often");
        assert!(!FirstRun::default().is_good(""));
    }
}
