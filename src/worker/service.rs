//! Handlers as tower services, so that layers can be put around them.

use super::registry::Handler;
use crate::worker::{Failure, JobContext};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tower_layer::Layer;
use tower_service::Service;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A handler as a layer sees it. It is always ready.
#[derive(Clone)]
pub struct HandlerService(Handler);

impl fmt::Debug for HandlerService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HandlerService")
    }
}

/// A [`Failure`] on its way through layers, which want errors to be errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandlerError(pub Failure);

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Failure::Retry { error } | Failure::RetryIn { error, .. } | Failure::Fatal { error } => {
                f.write_str(error)
            }
            Failure::Snooze { why, .. } => write!(f, "snoozed: {why}"),
        }
    }
}

impl std::error::Error for HandlerError {}

impl Service<JobContext> for HandlerService {
    type Response = ();
    type Error = HandlerError;
    type Future = Pin<Box<dyn Future<Output = Result<(), HandlerError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), HandlerError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, context: JobContext) -> Self::Future {
        let run = (self.0)(context);
        Box::pin(async move { run.await.map_err(HandlerError) })
    }
}

/// Puts a layer around a handler.
pub(super) fn wrap<L>(layer: &L, handler: Handler) -> Handler
where
    L: Layer<HandlerService>,
    L::Service: Service<JobContext, Response = ()> + Clone + Send + 'static,
    <L::Service as Service<JobContext>>::Error: Into<BoxError>,
    <L::Service as Service<JobContext>>::Future: Send,
{
    // A clone a call, as services are meant to be used; the lock spares them from being `Sync`.
    let service = Arc::new(Mutex::new(layer.layer(HandlerService(handler))));
    Arc::new(move |context| {
        let mut service = service.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::pin(async move {
            std::future::poll_fn(|cx| service.poll_ready(cx)).await.map_err(|error| failure(error.into()))?;
            service.call(context).await.map_err(|error| failure(error.into()))
        })
    })
}

/// What a layer's error means: the handler's own failure, or a failure of the layer that a retry may mend.
fn failure(error: BoxError) -> Failure {
    match error.downcast::<HandlerError>() {
        Ok(own) => own.0,
        Err(error) => Failure::retry(Failure::chain(&*error)),
    }
}
