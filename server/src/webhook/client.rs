//! The HTTP client of webhooks: no redirects, no proxy, and only addresses that may be reached.

use super::address::{inside, is_public};
use super::message::Message;
use super::reply;
use crate::config::{OutgoingConfig, WebhookConfig};
use crate::outgoing::HttpClient;
use ipnet::Ipv6Net;
use reprieve::Failure;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

/// How long one look-up and connection may take: a healthy receiver answers in far less.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Open connections kept for each receiver; as many as its jobs are likely to run at once.
const IDLE_CONNECTIONS_MAX: usize = 16;
/// How long an idle connection is kept.
///
/// Many receivers close theirs after five seconds, which is what Node does unless it is told otherwise: a message that goes
/// out just then fails, and costs its job an attempt.
const IDLE_MAX: Duration = Duration::from_secs(4);

/// Two clients, so that an address allowed for one webhook is not thereby allowed for another.
#[derive(Debug, Clone)]
pub(super) struct Clients {
    public: HttpClient,
    any: HttpClient,
    nat64: Arc<[Ipv6Net]>,
}

impl Clients {
    pub(super) fn new(outgoing: &OutgoingConfig) -> anyhow::Result<Self> {
        // Where a proxy leads out, the names are looked up there, and the one name looked up here is its own.
        let is_proxied = outgoing.proxy.is_some();
        let nat64 = outgoing.nat64.as_slice().into();
        Ok(Self { public: client(outgoing, is_proxied)?, any: client(outgoing, true)?, nat64 })
    }

    /// Logs what keeps these from being reached.
    pub(super) fn warn(&self, speaks_tls: bool) {
        self.public.warn("webhooks", speaks_tls);
    }

    /// Posts one message.
    pub(super) async fn post(&self, target: &WebhookConfig, message: Message) -> Result<(), Failure> {
        // Checked at every delivery, not only at the start: it is one look at the URL.
        let checked = check(&target.url, target.allow_private, &self.nat64);
        checked.map_err(|error| Failure::Retry { error })?;
        let client = if target.allow_private { &self.any } else { &self.public };
        let request = client
            .get()
            .post(target.url.clone())
            .timeout(target.timeout)
            .headers(message.headers)
            .body(message.body);
        match request.send().await {
            Ok(response) => reply::outcome(response).await,
            Err(error) => Err(Failure::Retry { error: sentence(client, &error, target.timeout) }),
        }
    }
}

fn client(outgoing: &OutgoingConfig, allow_private: bool) -> anyhow::Result<HttpClient> {
    HttpClient::new(outgoing, |limits| {
        limits
            .dns_resolver(Resolver { allow_private, nat64: outgoing.nat64.as_slice().into() })
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
            .pool_idle_timeout(IDLE_MAX)
    })
}

/// Says why a URL may not be called. Names are checked when they are looked up. `nat64` are the prefixes of the operator's own.
///
/// # Errors
/// A sentence for the operator; without the URL, which may hold a token.
pub(crate) fn check(url: &Url, allow_private: bool, nat64: &[Ipv6Net]) -> Result<(), String> {
    if allow_private {
        return Ok(());
    }
    if url.scheme() != "https" {
        return Err("it is not https, so anyone on the way could read the jobs; \
                    allow_private = true allows http too, for receivers on your own network"
            .to_owned());
    }
    let address: IpAddr = match url.host() {
        Some(Host::Ipv4(address)) => address.into(),
        Some(Host::Ipv6(address)) => address.into(),
        Some(Host::Domain(_)) => return Ok(()),
        None => return Err("it names no host".to_owned()),
    };
    if is_public(address, nat64) {
        Ok(())
    } else {
        Err(format!("{}: that is {CLOSED}", named(address, nat64)))
    }
}

/// What is said of an address that may not be called.
const CLOSED: &str = "not an address of the public internet; allow_private = true allows it";

/// An address, with the one of IPv4 that it leads to.
fn named(address: IpAddr, nat64: &[Ipv6Net]) -> String {
    match inside(address, nat64) {
        Some(v4) => format!("{address}, which leads to {v4}"),
        None => address.to_string(),
    }
}

/// Looks a name up once; the connection goes to the very addresses that were checked.
struct Resolver {
    allow_private: bool,
    nat64: Arc<[Ipv6Net]>,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (allow_private, nat64) = (self.allow_private, Arc::clone(&self.nat64));
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if !allow_private && let Some(bad) = found.iter().find(|found| !is_public(found.ip(), &nat64)) {
                // One closed address spoils the name: a name server that mixes them is up to something.
                return Err(format!(
                    "{} resolves to {}: that is {CLOSED}",
                    name.as_str(),
                    named(bad.ip(), &nat64)
                )
                .into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// What went wrong, without the URL.
fn sentence(client: &HttpClient, error: &reqwest::Error, timeout: Duration) -> String {
    if error.is_timeout() {
        return if error.is_connect() {
            format!("could not connect within {} ms", timeout.min(CONNECT_TIMEOUT).as_millis())
        } else {
            format!("no answer within {} ms", timeout.as_millis())
        };
    }
    let what = if error.is_connect() { "could not connect" } else { "the request failed" };
    match client.why(error) {
        Some(why) => format!("{what}: {why}"),
        None => what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    #[test]
    fn a_url_is_public_https_unless_more_is_allowed() {
        for (url, allow_private, fits) in [
            ("https://example.com/hook", false, true),
            ("https://1.1.1.1/", false, true),
            ("http://example.com/hook", false, false),
            ("https://127.0.0.1/", false, false),
            ("https://[::ffff:169.254.169.254]/latest/meta-data", false, false),
            ("https://0x7f.1:8443/", false, false),
            ("https://[64:ff9b::101:101]/hook", false, true),
            ("https://[64:ff9b::7f00:1]/hook", false, false),
            ("http://127.0.0.1:9000/hook", true, true),
        ] {
            assert_eq!(check(&url.parse().unwrap(), allow_private, &[]).is_ok(), fits, "{url}");
        }
        let said = |url: &str| check(&url.parse().unwrap(), false, &[]).unwrap_err();
        let closed = "that is not an address of the public internet; allow_private = true allows it";
        assert_eq!(said("https://127.0.0.1/"), format!("127.0.0.1: {closed}"));
        let nat64 = format!("64:ff9b::7f00:1, which leads to 127.0.0.1: {closed}");
        assert_eq!(said("https://[64:ff9b::7f00:1]/"), nat64);
        let own = ["2a00:64::/96".parse().unwrap()];
        let said = check(&"https://[2a00:64::7f00:1]/".parse().unwrap(), false, &own).unwrap_err();
        assert_eq!(said, format!("2a00:64::7f00:1, which leads to 127.0.0.1: {closed}"));
    }

    /// A look-up that never ends.
    struct Silent;

    impl Resolve for Silent {
        fn resolve(&self, _: Name) -> Resolving {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test]
    async fn a_receiver_that_cannot_be_reached_is_said_to_have_been_waited_for_as_long_as_it_was() {
        let limits = |limits: reqwest::ClientBuilder| {
            limits.dns_resolver(Silent).connect_timeout(Duration::from_millis(1))
        };
        let client = HttpClient::new(&OutgoingConfig::default(), limits).unwrap();

        let error = client.get().post("http://receiver.example/").send().await.unwrap_err();

        for (timeout, said) in
            [(600, "could not connect within 5000 ms"), (2, "could not connect within 2000 ms")]
        {
            assert_eq!(sentence(&client, &error, Duration::from_secs(timeout)), said);
        }
    }

    /// A receiver that closes nothing by itself, and how many connections it was sent.
    async fn receiver() -> (Url, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = connections.clone();
        tokio::spawn(async move {
            while let Ok((mut connection, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(async move {
                    let mut request = [0; 4096];
                    while connection.read(&mut request).await.is_ok_and(|bytes| bytes > 0) {
                        connection.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
                    }
                });
            }
        });
        (url, connections)
    }

    #[tokio::test]
    async fn a_connection_is_given_up_before_receivers_close_it() {
        let (url, connections) = receiver().await;
        let client = client(&OutgoingConfig::default(), true).unwrap();

        client.get().get(url.clone()).send().await.unwrap();
        // The client reads no clock but the real one. Five seconds are when a receiver may close it.
        tokio::time::sleep(Duration::from_millis(4_800)).await;
        client.get().get(url).send().await.unwrap();

        assert_eq!(connections.load(Ordering::Relaxed), 2);
    }

    fn resolver(allow_private: bool) -> Resolver {
        Resolver { allow_private, nat64: Arc::default() }
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_refused_when_it_is_looked_up() {
        let refused = resolver(false).resolve("localhost".parse().unwrap()).await;
        let Err(error) = refused else { panic!("localhost was let through") };
        let said = error.to_string();
        assert!(
            said.starts_with("localhost resolves to ") && said.contains(": that is not an address"),
            "{said}"
        );

        let allowed = resolver(true).resolve("localhost".parse().unwrap()).await;
        assert!(allowed.unwrap().next().is_some());
    }
}
