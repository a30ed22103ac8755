//! Where the connections of a process live.

use std::pin::pin;
use tokio::runtime::Handle;

/// The runtime that the connections were opened in, which is often not the caller's: handlers have a runtime
/// of their own, whose threads they may block. What begins here goes on meanwhile.
#[derive(Debug, Clone)]
pub(crate) struct Home(Handle);

impl Home {
    /// The runtime of the caller, who must be in one.
    pub(super) fn here() -> Self {
        Self(Handle::current())
    }

    /// Whether the caller is there.
    pub(crate) fn is_here(&self) -> bool {
        Handle::try_current().is_ok_and(|runtime| runtime.id() == self.0.id())
    }

    /// Has it go on there, whether or not somebody waits for it.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.0.spawn(task));
    }

    /// Makes something there whose task is begun at once.
    pub(super) fn makes<T>(&self, make: impl FnOnce() -> T) -> T {
        let _home = self.0.enter();
        make()
    }

    /// Waits for it where the caller is; what it begins, such as the task behind a new connection, is begun there.
    pub(super) async fn begins<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        std::future::poll_fn(|context| {
            let _home = self.0.enter();
            future.as_mut().poll(context)
        })
        .await
    }
}
