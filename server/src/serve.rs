//! `reprieve serve`, `reprieve demo` and `reprieve worker`.

use crate::auth::{FirstRun, OidcProvider, TrustedProxy};
use crate::banner::{self, Handlers};
use crate::config::{AllowedHost, Config, LogFormat, Login, is_loopback, named_here};
use crate::dashboard::Dashboard;
use crate::demo::{self, Shop, Speed};
use crate::fd_limit;
use crate::listener::{self, Listener};
use crate::middleware::client_ip::TrustedProxies;
use crate::namespaces::{Served, joined};
use crate::program::Program;
use crate::router::router;
use crate::shutdown::{on_signal, within};
use crate::sse::Live;
use crate::tls::Tls;
use anyhow::Context;
use app::places::{Place, origin};
use axum::Router;
use futures_util::future::join_all;
use reprieve::Engine;
use reprieve::model::Namespace;
use reprieve_access::People;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::Signal;
use tokio_util::sync::CancellationToken;

/// Streams end with their token; this is for one that is just being written to.
const STREAMS_STOP_MAX: Duration = Duration::from_secs(2);

/// The dashboard, the HTTP API, the scheduler and the webhooks, until a signal ends them.
///
/// # Errors
/// Whatever keeps them from starting, with the next step.
pub async fn serve(config: Config) -> anyhow::Result<()> {
    warn_of_groups_elsewhere(&config);
    // Who vouches for people does so where its groups mean something.
    let entry = |dashboard: Dashboard, place: &Namespace| {
        let is_main = *place == config.namespace;
        let mut dashboard = dashboard.login(config.login);
        if let Some(provider) = config.oidc.as_ref().and_then(|oidc| oidc.at(place, is_main)) {
            dashboard = dashboard.provider(OidcProvider::through(&provider, &config.outgoing)?);
        }
        if let Some(proxy) = config.proxy.as_ref().and_then(|proxy| proxy.at(place, is_main)) {
            dashboard = dashboard.proxy(TrustedProxy::new(proxy));
        }
        Ok(dashboard)
    };
    let Some(site) = Serving::start(&config, "", entry).await? else { return Ok(()) };
    demo::Day::keep(&config).context("that the data is no demo's cannot be written down")?;
    banner::print(&config, Some(site.address), site.program.redis(), Handlers::None);
    if !site.first_links.is_empty() {
        banner::first_run(&config, &site.first_links);
    }
    site.run().await
}

/// The same on a small shop that keeps it busy, which begins anew whenever a day is over.
///
/// # Errors
/// Whatever keeps it from starting, with the next step.
pub async fn serve_demo(mut config: Config, speed: Speed, day: Duration) -> anyhow::Result<()> {
    if config.tls.is_some() || !is_loopback(config.listen.address.ip()) {
        anyhow::bail!(
            "the demo lets everybody in, so it stays on this machine and speaks plain HTTP there; leave --listen and TLS out"
        );
    }
    demo::prepare(&mut config)?;
    while let Some(listening) = demo_day(&config, speed, day).await? {
        // A port that was chosen for it stays the same.
        config.listen.address = listening;
    }
    Ok(())
}

/// One day of the demo; where it listened, if another one follows.
async fn demo_day(config: &Config, speed: Speed, lasts: Duration) -> anyhow::Result<Option<SocketAddr>> {
    let day = demo::Day::of(config);
    let Some(mut site) =
        Serving::start(config, demo::ENVIRONMENT, |dashboard, _| Ok(dashboard.demo())).await?
    else {
        return Ok(None);
    };
    let (listening, stop) = (site.address, site.stop.clone());
    let address = format!("http://{}", site.address);
    site.program.work(demo::register(site.program.engine().worker())).await?;
    let shop = Shop::new(address.parse().context("the address is not a URL")?, speed)?;
    let shop = tokio::spawn(shop.run(site.stop.clone()));
    banner::print(config, Some(site.address), site.program.redis(), Handlers::Shop);
    if config.log == LogFormat::Text {
        banner::say(&format!("\n{}", demo::story(&address, speed)));
    }
    let until_it_ends = async {
        let ran = site.run().await;
        stop.cancel();
        ran
    };
    let (ran, is_over) = tokio::join!(until_it_ends, day.ends(lasts, stop.clone()));
    ran?;
    shop.await.context("the shop panicked")?;
    if !is_over {
        return Ok(None);
    }
    day.forget().context("what the day left cannot be thrown away")?;
    Ok(Some(listening))
}

/// A dashboard about to take connections, and everything behind it.
struct Serving {
    address: SocketAddr,
    listener: TcpListener,
    proxies: TrustedProxies,
    /// How long an idle connection is kept.
    idle: Duration,
    tls: Option<(Tls, Signal)>,
    program: Program,
    routes: Router,
    live: Vec<Live>,
    stop: CancellationToken,
    /// The links by which the first person comes in, one for each namespace without anybody.
    first_links: Vec<String>,
}

impl Serving {
    /// Starts what is behind the dashboard. `Ok(None)` if a signal came first.
    async fn start(
        config: &Config,
        environment: &str,
        entry: impl Fn(Dashboard, &Namespace) -> anyhow::Result<Dashboard>,
    ) -> anyhow::Result<Option<Self>> {
        let stop = on_signal().context("signals cannot be listened for")?;
        fd_limit::raise();
        // First, because these are the quickest to be refused.
        let tls = match &config.tls {
            Some(files) => Some((Tls::load(files)?, Tls::hangups()?)),
            None => None,
        };
        let speaks_tls = tls.is_some();
        let listener = listen(config.listen.address)?;
        let address = listener.local_addr().context("the listening address is not known")?;
        let Some(program) = Program::start(config, &stop).await? else { return Ok(None) };
        let engine = program.engine();
        let shown: Vec<(&Engine, &Namespace, &AllowedHost)> =
            std::iter::once((engine, &config.namespace, &config.host))
                .chain(program.extra_namespaces().iter().map(|n| (&n.engine, &n.config.name, &n.config.host)))
                .collect();
        let place = |(engine, _, host): &(&Engine, &Namespace, &AllowedHost)| {
            Place::new((*engine).clone(), host.authority(), host.https).under_tls(speaks_tls)
        };
        let places: Arc<[Place]> = shown.iter().map(place).collect();
        let mut hosts = config.listen.allowed_hosts.clone();
        hosts.extend(shown.iter().map(|(_, _, host)| (*host).clone()));
        let base = &config.listen.base_path;
        let (mut live, mut served, mut first_links) = (Vec::<Live>::new(), Vec::new(), Vec::new());
        for (index, (engine, name, host)) in shown.into_iter().enumerate() {
            let dashboard = Dashboard::new(engine.clone())
                .allowed_hosts(&hosts)
                .environment(environment)
                .vocabulary(config.vocabulary.clone())
                .traces(config.traces.clone())
                .places(Arc::clone(&places))
                .api_auth(config.api_auth)
                .trusted_proxies(&config.listen.trusted_proxies)
                .base_path(base.clone());
            let mut dashboard = entry(dashboard, name)?;
            if index == 0 {
                dashboard = dashboard.webhooks(&config.webhooks);
            }
            if speaks_tls {
                dashboard = dashboard.tls();
            }
            if config.login != Login::Off
                && People::new(engine).is_empty().await.context("who may sign in cannot be read")?
            {
                let (first, link) = FirstRun::open();
                dashboard = dashboard.first_run(first);
                let neighbour = (index > 0).then_some(host);
                first_links.push(format!("{}{base}{link}", first_origin(neighbour, speaks_tls, address)));
            }
            let stream = match live.first() {
                Some(main) => main.beside(engine.clone(), dashboard.build()),
                None => Live::start(engine.clone(), dashboard.build(), stop.clone()),
            };
            let routes = router(&dashboard, stream.router());
            live.push(stream);
            served.push(Served::new(name.clone(), host.clone(), routes).under_tls(speaks_tls));
        }
        let mut served = served.into_iter();
        let Some(main) = served.next() else { anyhow::bail!("there is no namespace to show") };
        let routes = base.nest(base.lead_out(joined(main, served.collect(), base)));
        let proxies = TrustedProxies::new(&config.listen.trusted_proxies);
        let idle = config.listen.keep_alive;
        Ok(Some(Self { address, listener, proxies, idle, tls, program, routes, live, stop, first_links }))
    }

    /// Takes connections until the signal, then ends everything in order.
    async fn run(self) -> anyhow::Result<()> {
        let Self { listener, proxies, idle, routes, stop, .. } = self;
        match self.tls {
            None => {
                Listener::new(listener, None, routes).behind(proxies).keeping_alive(idle).serve(stop).await;
            }
            Some((tls, hangups)) => {
                let listener = Listener::new(listener, Some(tls.server()?), routes).behind(proxies);
                let listener = listener.keeping_alive(idle);
                tokio::join!(listener.serve(stop.clone()), tls.watch(hangups, &stop));
            }
        }
        let drained = join_all(self.live.iter().map(Live::drained));
        within(STREAMS_STOP_MAX, "the live streams", async { drop(drained.await) }).await;
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
    demo::Day::keep(&config).context("that the data is no demo's cannot be written down")?;
    banner::print(&config, None, program.redis(), Handlers::None);
    stop.cancelled().await;
    program.stop().await;
    tracing::info!("stopped");
    Ok(())
}

/// Says which groups mean something in a namespace alone that this program does not show.
fn warn_of_groups_elsewhere(config: &Config) {
    let shown = |name: &Namespace| {
        *name == config.namespace || config.extra_namespaces.iter().any(|neighbour| neighbour.name == *name)
    };
    let groups = config.oidc.iter().flat_map(|oidc| &oidc.groups);
    for group in groups.chain(config.proxy.iter().flat_map(|proxy| &proxy.groups)) {
        for name in group.namespaces.iter().filter(|name| !shown(name)) {
            tracing::warn!(group = group.name, "a group names the namespace {name}, which is not shown here");
        }
    }
}

/// Where the first person of a namespace comes in: of the main one at this machine, whatever stands before it; of a neighbour
/// under the name it answers to, by which alone it is found.
fn first_origin(neighbour: Option<&AllowedHost>, speaks_tls: bool, address: SocketAddr) -> String {
    let Some(host) = neighbour else {
        let scheme = if speaks_tls { "https" } else { "http" };
        return format!("{scheme}://{}", named_here(address));
    };
    origin(&host.authority(), host.https, speaks_tls, Some(address.port()))
}

fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    listener::bind(address).map_err(|why| match why.kind() {
        std::io::ErrorKind::AddrInUse => anyhow::anyhow!(
            "{address} is taken by another program; stop that one, or choose another address, \
             such as --listen 127.0.0.1:0 for any free port"
        ),
        _ => anyhow::anyhow!("{address} cannot be listened on: {why}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_person_of_a_neighbour_behind_a_proxy_comes_in_through_it() {
        let address: SocketAddr = "127.0.0.1:8080".parse().unwrap();
        let here = AllowedHost::read("billing.localhost").unwrap();
        let behind = AllowedHost::read("https://billing-jobs.example").unwrap();
        assert_eq!(first_origin(None, false, address), format!("http://{}", named_here(address)));
        assert_eq!(first_origin(Some(&here), false, address), "http://billing.localhost:8080");
        assert_eq!(first_origin(Some(&here), true, address), "https://billing.localhost:8080");
        assert_eq!(first_origin(Some(&behind), false, address), "https://billing-jobs.example");
        let at_a_port = AllowedHost::read("https://billing-jobs.example:8443").unwrap();
        assert_eq!(first_origin(Some(&at_a_port), false, address), "https://billing-jobs.example:8443");
    }
}
