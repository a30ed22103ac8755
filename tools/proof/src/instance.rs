//! One Reprieve under test, a process of its own: the engine's real worker and maintenance, handlers that note their
//! effects in the sink.

use crate::sink::Sink;
use anyhow::Result;
use clap::Args;
use reprieve::model::{Delay, Namespace, QueueName};
use reprieve::{Engine, EngineConfig, Failure, JobContext, MaintenanceHandle, Worker};
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// Jobs an instance runs at once.
const SLOTS: u32 = 16;
/// Wait before a failed job is tried again: short, for a run of the rig is.
const RETRY_WAIT: Delay = Delay::millis(200);
/// How long handlers may finish at SIGTERM.
const GRACE: Duration = Duration::from_secs(2);

/// What an instance needs to know.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Its name in the sink.
    #[arg(long)]
    name: String,
    /// Where Redis is.
    #[arg(long)]
    url: String,
    /// Which Reprieve.
    #[arg(long)]
    namespace: String,
    /// In how many shards.
    #[arg(long, default_value_t = 1)]
    shards: u16,
    /// Where effects are noted.
    #[arg(long)]
    sink: PathBuf,
}

/// Runs until SIGTERM, or until the rig is gone.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let sink = Arc::new(Sink::open(&arguments.sink)?);
    let mut terminated = signal(SignalKind::terminate())?;
    std::thread::spawn(end_with_the_rig);
    let (worker, maintenance) = tokio::select! {
        running = start(&arguments, sink) => running?,
        _ = terminated.recv() => return Ok(()),
    };
    terminated.recv().await;
    worker.shutdown().await;
    maintenance.shutdown().await;
    Ok(())
}

/// The rig holds the other end of the input, and says nothing.
fn end_with_the_rig() {
    let mut byte = [0];
    drop(std::io::stdin().read(&mut byte));
    std::process::exit(0);
}

async fn start(arguments: &Arguments, sink: Arc<Sink>) -> Result<(Worker, MaintenanceHandle)> {
    let config = EngineConfig::new(arguments.url.clone())
        .namespace(Namespace::new(&arguments.namespace)?)
        .shards(arguments.shards);
    loop {
        let name: Arc<str> = arguments.name.as_str().into();
        match attempt(config.clone(), name, Arc::clone(&sink)).await {
            Ok(running) => return Ok(running),
            Err(error) if error.is_transient() => tokio::time::sleep(Duration::from_millis(100)).await,
            Err(error) => return Err(error.into()),
        }
    }
}

async fn attempt(
    config: EngineConfig,
    name: Arc<str>,
    sink: Arc<Sink>,
) -> reprieve::Result<(Worker, MaintenanceHandle)> {
    let engine = Engine::connect(config).await?;
    // First, as the program does: a worker of a process that looks claims nothing before that knows the clock.
    let maintenance = engine.maintenance().start();
    let worker = engine
        .worker()
        .queue(QueueName::default(), SLOTS)
        .retry_policy(|_| RETRY_WAIT)
        .grace(GRACE)
        .handler_for_all(move |context| handle(context, Arc::clone(&sink), Arc::clone(&name)))
        .start()
        .await?;
    Ok((worker, maintenance))
}

/// The effect comes first; what the kind says comes after it.
async fn handle(context: JobContext, sink: Arc<Sink>, instance: Arc<str>) -> Result<(), Failure> {
    let (id, token) = (context.id().as_str().to_owned(), context.token().0);
    sink.began(&context, &instance);
    let first = context.attempt() == 1;
    match context.kind().as_str() {
        "slow" => tokio::time::sleep(Duration::from_millis(400)).await, // work
        // Long enough that another instance has it while this one wakes from a freeze.
        "long" => tokio::time::sleep(Duration::from_secs(5)).await, // work
        "flaky" if first => {
            sink.ended(&id, token, false);
            return Err(Failure::retry("the first attempt always fails"));
        }
        "panicky" if first => {
            sink.ended(&id, token, false);
            panic!("the first attempt always panics");
        }
        // Blocks its thread, as a handler should not.
        "blocking" => std::thread::sleep(Duration::from_millis(100)),
        _ => {}
    }
    sink.ended(&id, token, true);
    Ok(())
}
