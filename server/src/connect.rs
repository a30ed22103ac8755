//! From the configuration to a working engine: the embedded Redis started, or the other one reached.

use crate::config::{Config, RedisConfig, RedisUrl};
use crate::demo;
use crate::redis_child::{DataDir, RedisChild, RedisProgram, own_program};
use anyhow::Context;
use reprieve::{Engine, EngineConfig, Error};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Between attempts to reach a Redis that does not answer.
const RETRY: Duration = Duration::from_secs(1);
/// How often a person who waits is told so.
const PROGRESS: Duration = Duration::from_secs(10);

/// An engine, and the Redis that has to end with it.
pub(crate) struct Connected {
    /// Ready for work.
    pub(crate) engine: Engine,
    /// The embedded Redis, if that is the one.
    pub(crate) child: Option<RedisChild>,
    /// Which Redis, for people; without a password.
    pub(crate) redis: String,
}

/// Starts or reaches Redis. `Ok(None)` if `stop` came first.
///
/// A Redis elsewhere may still be starting, so one that does not answer is waited for. One that
/// refuses us, or that we refuse, is an error at once.
pub(crate) async fn connect(config: &Config, stop: &CancellationToken) -> anyhow::Result<Option<Connected>> {
    match &config.redis {
        RedisConfig::Embedded { program, maxmemory } => {
            let program = RedisProgram::find(program.as_deref(), &config.data)?.within(maxmemory.as_deref());
            let data = DataDir::hold(&config.data)?;
            if config.demo {
                demo::Day::begin(data.path())?;
            }
            let redis = format!("{} in {}", program.version, data.path().display());
            let child = RedisChild::start(data, program, own_program()).await?;
            let engine = Engine::connect(engine_config(child.url(), config)).await;
            match engine {
                Ok(engine) => Ok(Some(Connected { engine, child: Some(child), redis })),
                Err(why) => {
                    child.stop().await;
                    Err(why).context("the embedded Redis cannot be used")
                }
            }
        }
        RedisConfig::External(url) => {
            let Some(engine) = reach(url, config, stop).await? else { return Ok(None) };
            if config.demo {
                // Before anything of the configuration is written there. Boxed: what starts a program is deep enough without it.
                let claimed = Box::pin(demo::claim(&engine)).await;
                claimed.with_context(|| format!("the Redis at {url} cannot have a demo"))?;
            }
            Ok(Some(Connected { engine, child: None, redis: url.to_string() }))
        }
    }
}

async fn reach(url: &RedisUrl, config: &Config, stop: &CancellationToken) -> anyhow::Result<Option<Engine>> {
    let (start, mut said) = (Instant::now(), None::<(Instant, Error)>);
    loop {
        let attempt = Engine::connect(engine_config(url.expose().to_owned(), config));
        let Some(outcome) = stop.run_until_cancelled(attempt).await else { return Ok(None) };
        let error = match outcome {
            Ok(engine) => {
                // Each that is missing is logged, and keeps the program from being ready. What needs none of them goes on.
                engine.missing_rights().await;
                return Ok(Some(engine));
            }
            // Waiting helps against none of these.
            Err(error) if error.is_denied() => {
                return Err(error).with_context(|| format!("the Redis at {url} cannot be used"));
            }
            Err(error @ Error::Unavailable { .. }) => error,
            Err(why) => return Err(why).with_context(|| format!("the Redis at {url} cannot be used")),
        };
        // What breaks off a connection that was refused before says less than the refusal.
        let error = match &said {
            Some((_, before)) if broke_off(&error) && !broke_off(before) => before.clone(),
            _ => error,
        };
        if said.as_ref().is_none_or(|(at, before)| at.elapsed() >= PROGRESS || *before != error) {
            let seconds = start.elapsed().as_secs();
            tracing::warn!(
                "the Redis at {url} does not answer yet ({error}); waiting for {seconds} s so far"
            );
            said = Some((Instant::now(), error));
        }
        if stop.run_until_cancelled(tokio::time::sleep(RETRY)).await.is_none() {
            return Ok(None);
        }
    }
}

/// Whether a connection ended without a word of why.
fn broke_off(error: &Error) -> bool {
    let said = error.to_string().to_lowercase();
    ["broken pipe", "connection reset", "unexpected end of file"].iter().any(|words| said.contains(words))
}

/// How long ended jobs are kept is written with the rest of the configuration, which waits while Redis is full.
fn engine_config(url: String, config: &Config) -> EngineConfig {
    config.engine(url).keep_rules()
}
