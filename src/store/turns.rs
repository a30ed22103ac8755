//! Limits how many scripts that look at hundreds of jobs are queued at Redis.

use crate::error::{Error, Result};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

/// How many such scripts are sent to one Redis at a time. Redis runs one script after another, so every short read waits
/// for those before it.
const AT_ONCE: usize = 2;
/// How long a script waits for its turn. Redis is done with those of many users sooner.
const TURN_WAIT_MAX: Duration = Duration::from_secs(5);

/// The turns at one Redis, first come, first served.
#[derive(Debug)]
pub(super) struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Turns {
    /// Runs a script when its turn comes. A script that timed out, or whose page was closed, is still queued at Redis and
    /// keeps its turn until Redis has answered. After a failure, `answered` completes at that moment.
    ///
    /// # Errors
    /// Those of the script; [`Error::Unavailable`] if the turn does not come in time.
    pub(super) async fn take<T: Send + 'static>(
        &self,
        script: impl Future<Output = Result<T>> + Send + 'static,
        answered: impl Future<Output = ()> + Send + 'static,
    ) -> Result<T> {
        let none_came = |what: &str| Error::Unavailable { what: what.to_owned() };
        let turn = timeout(TURN_WAIT_MAX, self.0.clone().acquire_owned())
            .await
            .map_err(|_| none_came("it has not yet answered others who look through many jobs"))?;
        let (tell, told) = oneshot::channel();
        tokio::spawn(async move {
            let reply = script.await;
            let is_open = reply.is_err();
            drop(tell.send(reply));
            if is_open {
                answered.await;
            }
            drop(turn);
        });
        told.await.unwrap_or_else(|_| Err(none_came("this process ends")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use std::future::{pending, ready};

    /// A further script, which ends at once.
    async fn further(turns: &Turns) -> Result<()> {
        turns.take(ready(Ok(())), ready(())).await
    }

    /// Whether a further script waits for its turn.
    async fn is_full(turns: &Turns) -> bool {
        timeout(Duration::from_millis(50), further(turns)).await.is_err()
    }

    #[tokio::test]
    async fn a_third_script_waits_for_its_turn() {
        let turns = Turns::default();
        let (end, ended) = oneshot::channel::<()>();
        let first = turns.take(ended.map(|_| Ok(())), pending());
        let second = turns.take(pending::<Result<()>>(), pending());
        let third = async {
            assert!(is_full(&turns).await);
            end.send(()).unwrap();
            further(&turns).await.unwrap();
        };
        tokio::select! {
            biased;
            _ = second => unreachable!("it does not end"),
            (first, ()) = async { tokio::join!(first, third) } => first.unwrap(),
        }
    }

    #[tokio::test]
    async fn a_script_that_nobody_waits_for_any_more_keeps_its_turn() {
        let turns = Turns::default();
        for _ in 0..AT_ONCE {
            let closed = turns.take(pending::<Result<()>>(), pending());
            assert!(timeout(Duration::from_millis(10), closed).await.is_err());
        }
        assert!(is_full(&turns).await);
    }

    #[tokio::test]
    async fn a_script_that_is_given_up_keeps_its_turn_until_redis_has_answered() {
        let turns = Turns::default();
        let late = || ready(Err::<(), _>(Error::StorageFull));
        let (answer, answered) = oneshot::channel::<()>();
        turns.take(late(), answered.map(drop)).await.unwrap_err();
        turns.take(late(), pending()).await.unwrap_err();
        assert!(is_full(&turns).await);
        answer.send(()).unwrap();
        further(&turns).await.unwrap();
    }
}
