//! `reprieve serve` and `reprieve worker`.

use crate::banner;
use crate::config::Config;
use crate::listener;
use crate::program::Program;
use crate::router::{Dashboard, router};
use crate::shutdown::{on_signal, within};
use crate::sse::Live;
use anyhow::Context;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;

/// Streams end with their token; this is for one that is just being written to.
const STREAMS_STOP_MAX: Duration = Duration::from_secs(2);

/// The dashboard, the HTTP API, the scheduler and the webhooks, until a signal ends them.
///
/// # Errors
/// Whatever keeps them from starting, with the next step.
pub async fn serve(config: Config) -> anyhow::Result<()> {
    let stop = on_signal().context("signals cannot be listened for")?;
    // First, because it is the quickest to be refused.
    let listener = listen(config.listen.address).await?;
    let address = listener.local_addr().context("the listening address is not known")?;
    let Some(program) = Program::start(&config, &stop).await? else { return Ok(()) };
    let dashboard = Dashboard::new(program.engine().clone(), &config.listen.allowed_hosts);
    let live = Live::start(program.engine().clone(), dashboard.build(), stop.clone());
    let routes = router(&dashboard, live.router());
    banner::print(&config, Some(address), program.redis());
    listener::serve(listener, routes, stop).await;
    within(STREAMS_STOP_MAX, "the live streams", live.drained()).await;
    program.stop().await;
    tracing::info!("stopped");
    Ok(())
}

/// The scheduler and the webhooks without the dashboard, until a signal ends them.
///
/// # Errors
/// Whatever keeps them from starting, with the next step.
pub async fn work(config: Config) -> anyhow::Result<()> {
    let stop = on_signal().context("signals cannot be listened for")?;
    let Some(program) = Program::start(&config, &stop).await? else { return Ok(()) };
    banner::print(&config, None, program.redis());
    stop.cancelled().await;
    program.stop().await;
    tracing::info!("stopped");
    Ok(())
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|why| match why.kind() {
        std::io::ErrorKind::AddrInUse => anyhow::anyhow!(
            "{address} is taken by another program; stop that one, or choose another address, \
             such as --listen 127.0.0.1:0 for any free port"
        ),
        _ => anyhow::anyhow!("{address} cannot be listened on: {why}"),
    })
}
