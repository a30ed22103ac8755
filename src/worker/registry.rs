//! Which handler runs which kind.

use crate::model::{Kind, QueueName};
use crate::worker::{Failure, Job, JobContext};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

type Run = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>>;

/// A handler of any type.
pub(super) type Handler = Arc<dyn Fn(JobContext) -> Run + Send + Sync>;

type Accepts = Box<dyn Fn(&Kind, &QueueName) -> bool + Send + Sync>;

/// The handlers of one worker.
#[derive(Default)]
pub(super) struct Registry {
    by_kind: HashMap<String, Handler>,
    fallback: Option<Handler>,
    accepts: Option<Accepts>,
}

impl Registry {
    pub(super) fn add_job<J: Job>(&mut self) {
        self.add(J::KIND, |context: JobContext| async move { context.json::<J>()?.run(context).await });
    }

    pub(super) fn add<H, F>(&mut self, kind: &str, handler: H)
    where
        H: Fn(JobContext) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        self.by_kind.insert(kind.to_owned(), boxed(handler));
    }

    pub(super) fn set_fallback<H, F>(&mut self, handler: H)
    where
        H: Fn(JobContext) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        self.fallback = Some(boxed(handler));
    }

    pub(super) fn set_accepts(
        &mut self,
        accepts: impl Fn(&Kind, &QueueName) -> bool + Send + Sync + 'static,
    ) {
        self.accepts = Some(Box::new(accepts));
    }

    /// Puts something around every handler.
    pub(super) fn wrap(&mut self, wrap: &dyn Fn(Handler) -> Handler) {
        self.by_kind = self.by_kind.drain().map(|(kind, handler)| (kind, wrap(handler))).collect();
        self.fallback = self.fallback.take().map(wrap);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_kind.is_empty() && self.fallback.is_none()
    }

    /// The handler of a kind, else the one for all others if it accepts it.
    pub(super) fn find(&self, kind: &Kind, queue: &QueueName) -> Option<Handler> {
        if let Some(handler) = self.by_kind.get(kind.as_str()) {
            return Some(Arc::clone(handler));
        }
        let accepted = self.accepts.as_ref().is_none_or(|accepts| accepts(kind, queue));
        self.fallback.as_ref().filter(|_| accepted).map(Arc::clone)
    }
}

fn boxed<H, F>(handler: H) -> Handler
where
    H: Fn(JobContext) -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), Failure>> + Send + 'static,
{
    Arc::new(move |context| Box::pin(handler(context)))
}
