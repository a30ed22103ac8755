//! Handshakes under way: so many at once, and who comes next takes the place of who has needed longest.
//!
//! An honest handshake takes a moment. A client that opens connections and says nothing so crowds out its own kind and
//! nobody else.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Handshakes at once: thousands of honest ones in a second.
const HANDSHAKES_MAX: usize = 128;

/// All that are under way, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Handshakes(Mutex<VecDeque<(u64, CancellationToken)>>);

impl Handshakes {
    /// Does one; `None` if it took longer than it may, or than others wait.
    pub(super) async fn within<T>(&self, longest: Duration, handshake: impl Future<Output = T>) -> Option<T> {
        let under_way = self.enter();
        let crowded_out = under_way.end.clone();
        let handshake = tokio::time::timeout(longest, handshake);
        crowded_out.run_until_cancelled(handshake).await?.ok()
    }

    fn enter(&self) -> UnderWay<'_> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= HANDSHAKES_MAX
            && let Some((_, oldest)) = all.pop_front()
        {
            oldest.cancel();
        }
        let (number, end) = (all.back().map_or(0, |(last, _)| last + 1), CancellationToken::new());
        all.push_back((number, end.clone()));
        UnderWay { number, end, all: self }
    }
}

/// One of them, as long as this lives.
struct UnderWay<'a> {
    number: u64,
    end: CancellationToken,
    all: &'a Handshakes,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let mut all = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Numbers ascend; the one that crowded this one out has taken it from the list.
        if let Ok(place) = all.binary_search_by_key(&self.number, |(number, _)| *number) {
            all.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::{join_all, pending};
    use std::sync::Arc;

    #[tokio::test]
    async fn silence_crowds_out_silence_and_nobody_else() {
        let handshakes = Arc::new(Handshakes::default());
        let longest = Duration::from_secs(3_600);
        let silent = |_| {
            let handshakes = Arc::clone(&handshakes);
            tokio::spawn(async move { handshakes.within(longest, pending::<()>()).await })
        };
        let mut others: Vec<_> = (0..HANDSHAKES_MAX + 7).map(silent).collect();
        let crowded_out: Vec<_> = others.drain(..7).collect();
        for one in join_all(crowded_out).await {
            assert_eq!(one.unwrap(), None);
        }

        assert_eq!(handshakes.within(longest, async { "honest" }).await, Some("honest"));

        others.remove(0).await.unwrap();
        assert!(others.iter().all(|one| !one.is_finished()), "one for one");
        others.iter().for_each(tokio::task::JoinHandle::abort);
        join_all(others).await;
        assert!(handshakes.0.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_handshake_that_takes_too_long_ends() {
        let handshakes = Handshakes::default();
        assert_eq!(handshakes.within(Duration::from_millis(1), pending::<()>()).await, None);
    }
}
