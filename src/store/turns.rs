//! Scripts that look at hundreds of jobs take turns.

use crate::error::{Error, Result};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

/// Such scripts before one Redis at a time: it does one thing after another, and whatever an index answers would wait behind
/// all of them.
const AT_ONCE: usize = 2;
/// How long one waits for its turn: longer than Redis takes for those of a crowd.
const TURN_WAIT_MAX: Duration = Duration::from_secs(5);

/// The turns before one Redis, in the order in which they are asked for.
#[derive(Debug)]
pub(super) struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Turns {
    /// Runs a script when its turn comes. One that is waited for no more, because it took too long or its page was closed,
    /// lies before Redis all the same: its turn ends when Redis has answered, of which `answered` tells after a failure.
    ///
    /// # Errors
    /// Those of the script; [`Error::Unavailable`] where the turn does not come.
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
