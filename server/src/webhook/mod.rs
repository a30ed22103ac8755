//! The webhook sender: due jobs become signed HTTP requests to addresses in the configuration.
//!
//! Makes the built-in worker useful without writing Rust. A job is posted as
//! JSON; the answer decides what becomes of it:
//!
//! | Answer | The job |
//! |---|---|
//! | 2xx | is done |
//! | 429, 503 with `Retry-After` | waits that long, which costs no attempt |
//! | 410 | is dead: the receiver wants no more of it |
//! | anything else, a redirect, a time-out, no connection | is retried, with the answer's text as its error |
//!
//! Signing follows Standard Webhooks: `webhook-id` is the id of the job (a dot
//! in it written as `%2E`), the same on every delivery of the job, so that a
//! receiver can know a repeated one; `webhook-timestamp` in seconds;
//! `webhook-signature`. Beside them `reprieve-token` grows with every attempt:
//! a receiver that keeps the highest it saw can refuse a straggler.

mod client;
mod message;
mod reply;
mod retry_after;

use crate::config::{OutgoingConfig, WebhookConfig};
use crate::public_address::{ALLOW_EITHER, check};
use crate::signature::Secrets;
use anyhow::Context as _;
use client::Clients;
use message::Message;
use reprieve::model::{Delay, Kind, QueueName};
use reprieve::{Failure, JobContext};
use std::sync::Arc;

/// Sends due jobs where the configuration says. Clone is cheap.
#[derive(Debug, Clone)]
pub struct Sender {
    targets: Arc<[Target]>,
    clients: Clients,
}

/// One `[[webhook]]` with its secrets.
#[derive(Debug)]
struct Target {
    config: WebhookConfig,
    secrets: Option<Secrets>,
}

impl Sender {
    /// Checks the addresses and secrets of every webhook.
    ///
    /// # Errors
    /// A secret that is none, or an address that is closed.
    pub fn new(webhooks: Vec<WebhookConfig>) -> anyhow::Result<Self> {
        Self::through(webhooks, &OutgoingConfig::default())
    }

    /// The same, reached as that says.
    ///
    /// # Errors
    /// A secret that is none, an address that is closed, or a proxy or an authority that does not read.
    pub fn through(webhooks: Vec<WebhookConfig>, outgoing: &OutgoingConfig) -> anyhow::Result<Self> {
        let targets = webhooks.into_iter().map(|webhook| Target::new(webhook, outgoing));
        let targets = targets.collect::<anyhow::Result<Vec<_>>>()?;
        let clients = Clients::new(outgoing)?;
        if !targets.is_empty() {
            clients.warn(targets.iter().any(|target| target.config.url.scheme() == "https"));
        }
        Ok(Self { targets: targets.into(), clients })
    }

    /// Whether a job of this kind in this queue has somewhere to go. Those without are parked by the worker.
    #[must_use]
    pub fn accepts(&self, kind: &Kind, queue: &QueueName) -> bool {
        self.target(kind, queue).is_some()
    }

    /// Sends one job and says what its answer means. A cancel or a shutdown breaks the request off.
    ///
    /// # Errors
    /// Whatever the answer makes of the job, if it is not done.
    pub async fn deliver(&self, job: JobContext) -> Result<(), Failure> {
        let Some(target) = self.target(job.kind(), job.queue()) else {
            return Err(Failure::Fatal { error: format!("no webhook takes jobs of kind {}", job.kind()) });
        };
        let message = Message::of(&job, target.secrets.as_ref())
            .map_err(|why| Failure::Fatal { error: format!("the job cannot be written as JSON: {why}") })?;
        let stopped = job.cancelled();
        tokio::select! {
            biased;
            // No failure of the receiver's, so it costs no attempt: if the job was called off it is cancelled, and if
            // the worker stops, another one takes it at once.
            () = stopped => Err(Failure::snooze(Delay::ZERO, "the request was broken off: the job was to stop")),
            outcome = self.clients.post(&target.config, message) => outcome,
        }
    }

    /// The first that fits, in the order of the configuration.
    fn target(&self, kind: &Kind, queue: &QueueName) -> Option<&Target> {
        self.targets.iter().find(|target| {
            target.config.kind.matches(kind.as_str())
                && target.config.queue.as_ref().is_none_or(|wanted| wanted == queue)
        })
    }
}

impl Target {
    fn new(config: WebhookConfig, outgoing: &OutgoingConfig) -> anyhow::Result<Self> {
        let about = format!("the webhook for kind {}", config.kind);
        let checked = check(&config.url, config.allow_private, ALLOW_EITHER, &outgoing.nat64);
        checked.map_err(anyhow::Error::msg).context(about.clone())?;
        let secrets = config.secret.as_ref().map(|secret| Secrets::parse(secret.expose())).transpose();
        let secrets = secrets.map_err(anyhow::Error::msg).context(about)?;
        Ok(Self { config, secrets })
    }
}
