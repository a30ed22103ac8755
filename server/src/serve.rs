//! `reprieve serve`, `reprieve demo` and `reprieve worker`.

use crate::banner::{self, Handlers};
use crate::config::{ApiAuth, Config, LogFormat};
use crate::demo::{self, Shop, Speed};
use crate::listener;
use crate::program::Program;
use crate::router::{Dashboard, router};
use crate::shutdown::{on_signal, within};
use crate::sse::Live;
use anyhow::Context;
use axum::Router;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Streams end with their token; this is for one that is just being written to.
const STREAMS_STOP_MAX: Duration = Duration::from_secs(2);

/// The dashboard, the HTTP API, the scheduler and the webhooks, until a signal ends them.
///
/// # Errors
/// Whatever keeps them from starting, with the next step.
pub async fn serve(config: Config) -> anyhow::Result<()> {
    let Some(site) = Serving::start(&config, "").await? else { return Ok(()) };
    banner::print(&config, Some(site.address), site.program.redis(), Handlers::None);
    site.run().await
}

/// The same on a small shop that keeps it busy.
///
/// # Errors
/// Whatever keeps it from starting, with the next step.
pub async fn serve_demo(mut config: Config, speed: Speed) -> anyhow::Result<()> {
    config.retention = demo::retention();
    // The shop itself calls the API, and there is nothing to protect in it.
    config.api_auth = ApiAuth::Off;
    config.vocabulary = demo::vocabulary();
    let Some(mut site) = Serving::start(&config, demo::ENVIRONMENT).await? else { return Ok(()) };
    let address = format!("http://{}", site.address);
    site.program.work(demo::register(site.program.engine().worker())).await?;
    let shop = Shop::new(address.parse().context("the address is no URL")?, speed)?;
    let shop = tokio::spawn(shop.run(site.stop.clone()));
    banner::print(&config, Some(site.address), site.program.redis(), Handlers::Shop);
    if config.log == LogFormat::Text {
        banner::say(&format!("\n{}", demo::story(&address, speed)));
    }
    site.run().await?;
    shop.await.context("the shop panicked")
}

/// A dashboard about to take connections, and everything behind it.
struct Serving {
    address: SocketAddr,
    listener: TcpListener,
    program: Program,
    routes: Router,
    live: Live,
    stop: CancellationToken,
}

impl Serving {
    /// Starts what is behind the dashboard. `Ok(None)` if a signal came first.
    async fn start(config: &Config, environment: &str) -> anyhow::Result<Option<Self>> {
        let stop = on_signal().context("signals cannot be listened for")?;
        // First, because it is the quickest to be refused.
        let listener = listen(config.listen.address).await?;
        let address = listener.local_addr().context("the listening address is not known")?;
        let Some(program) = Program::start(config, &stop).await? else { return Ok(None) };
        let engine = program.engine();
        let dashboard = Dashboard::new(engine.clone(), &config.listen.allowed_hosts)
            .environment(environment)
            .vocabulary(config.vocabulary.clone())
            .api_auth(config.api_auth);
        let live = Live::start(engine.clone(), dashboard.build(), stop.clone());
        let routes = router(&dashboard, live.router());
        Ok(Some(Self { address, listener, program, routes, live, stop }))
    }

    /// Takes connections until the signal, then ends everything in order.
    async fn run(self) -> anyhow::Result<()> {
        listener::serve(self.listener, self.routes, self.stop).await;
        within(STREAMS_STOP_MAX, "the live streams", self.live.drained()).await;
        self.program.stop().await;
        tracing::info!("stopped");
        Ok(())
    }
}

/// The scheduler and the webhooks without the dashboard, until a signal ends them.
///
/// # Errors
/// Whatever keeps them from starting, with the next step.
pub async fn work(config: Config) -> anyhow::Result<()> {
    let stop = on_signal().context("signals cannot be listened for")?;
    let Some(program) = Program::start(&config, &stop).await? else { return Ok(()) };
    banner::print(&config, None, program.redis(), Handlers::None);
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
