//! The HTTP client of webhooks: no redirects, no proxy, and only addresses that may be reached.

use super::message::Message;
use super::reply;
use crate::config::{OutgoingConfig, WebhookConfig};
use crate::outgoing::HttpClient;
use crate::public_address::{ALLOW_EITHER, CLOSED, check, is_public, named};
use ipnet::Ipv6Net;
use reprieve::Failure;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

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
        let checked = check(&target.url, target.allow_private, ALLOW_EITHER, &self.nat64);
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
                    "{} resolves to {}: that is {CLOSED}; {ALLOW_EITHER} allows it",
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
    use url::Url;

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
}
