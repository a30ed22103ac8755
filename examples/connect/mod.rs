//! What every example begins with: the Redis that was named on the command line.

use anyhow::{Context, Result, bail};
use reprieve::model::Namespace;
use reprieve::{Engine, EngineConfig};

/// Connects to the Redis of the first argument, else of `REPRIEVE_REDIS`, in a namespace of its own.
///
/// To watch an example in the browser, start `reprieve serve --redis URL --namespace examples` beside it.
///
/// # Errors
/// A sentence that says what is missing.
pub(crate) async fn connect() -> Result<Engine> {
    let Some(url) = std::env::args().nth(1).or_else(|| std::env::var("REPRIEVE_REDIS").ok()) else {
        bail!(
            "name a Redis, as the first argument or in REPRIEVE_REDIS: redis://127.0.0.1:6379 or \
             unix:///run/redis.sock; to start one: redis-server --port 6379 --save '' --appendonly no"
        );
    };
    let config = EngineConfig::new(url).namespace(Namespace::new("examples")?);
    Engine::connect(config).await.context("this Redis cannot be used")
}
