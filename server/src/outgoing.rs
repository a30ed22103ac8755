//! HTTP to others, for webhooks, for a provider of sign-in and for the demo: whom TLS trusts, what it shows, which proxy leads
//! out, and what is said where neither gets there.

use crate::config::OutgoingConfig;
use anyhow::Context as _;
use reprieve::tls_refusal;
use reqwest::{Certificate, Client, ClientBuilder, Identity, NoProxy, Proxy};

/// The setting that names more authorities.
const SETTING: &str = "outgoing_ca_file";
/// What names a proxy to other programs, and not to this one.
const PROXY_VARIABLES: [&str; 6] =
    ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"];
/// How rustls says that a machine has no authorities.
const NO_AUTHORITIES: &str = "No CA certificates were loaded";
/// How hyper says that a proxy answered 407.
const PROXY_LOGIN: &str = "proxy authorization required";

/// A client, and what is known of the way out.
#[derive(Debug, Clone)]
pub(crate) struct HttpClient {
    client: Client,
    /// There are no certificates of authorities: plain HTTP works, and TLS does not.
    trusts_nobody: bool,
    has_proxy: bool,
}

impl HttpClient {
    /// A client with these limits. That this machine has no certificates of authorities is for who calls by TLS to hear.
    pub(crate) fn new(
        config: &OutgoingConfig,
        limits: impl Fn(ClientBuilder) -> ClientBuilder,
    ) -> anyhow::Result<Self> {
        install_crypto();
        let certificates = match &config.ca {
            Some(pem) => Certificate::from_pem_bundle(pem).context("outgoing_ca_file does not read")?,
            None => Vec::new(),
        };
        let builder = || -> anyhow::Result<ClientBuilder> {
            let mut builder =
                limits(Client::builder().user_agent(concat!("Reprieve/", env!("CARGO_PKG_VERSION"))));
            if let Some(pem) = &config.client_certificate {
                let shown = Identity::from_pem(pem.expose().as_bytes());
                builder =
                    builder.identity(shown.context("outgoing_cert_file and outgoing_key_file do not read")?);
            }
            let Some(proxy) = &config.proxy else { return Ok(builder.no_proxy()) };
            let proxy = Proxy::all(proxy.expose()).context("outgoing_proxy does not read")?;
            Ok(builder.proxy(proxy.no_proxy(NoProxy::from_env())))
        };
        let has_proxy = config.proxy.is_some();
        match builder()?.tls_certs_merge(certificates).build() {
            Ok(client) => Ok(Self { client, trusts_nobody: false, has_proxy }),
            Err(error) if chain(&error).contains(NO_AUTHORITIES) => {
                let client = builder()?.tls_certs_only([]).build().context("no HTTP client can be made")?;
                Ok(Self { client, trusts_nobody: true, has_proxy })
            }
            Err(error) => Err(error).context("no HTTP client can be made"),
        }
    }

    /// The client itself.
    pub(crate) const fn get(&self) -> &Client {
        &self.client
    }

    /// Logs at the start what would else be met by the first call.
    pub(crate) fn warn(&self, of: &str, speaks_tls: bool) {
        if self.trusts_nobody && speaks_tls {
            let why = tls_refusal(NO_AUTHORITIES, SETTING).unwrap_or_default();
            tracing::warn!("{of} cannot be reached by https: {why}");
        }
        if !self.has_proxy
            && let Some(variable) = proxy_variable()
        {
            tracing::warn!("{variable} is set and is not used for {of}; outgoing_proxy names a proxy");
        }
    }

    /// What is at the bottom of an error, in words and without the URL; `None` where it says nothing.
    pub(crate) fn why(&self, error: &reqwest::Error) -> Option<String> {
        let told = chain(error);
        if let Some(why) = tls_refusal(&told, SETTING) {
            let why = if self.trusts_nobody { tls_refusal(NO_AUTHORITIES, SETTING) } else { Some(why) };
            return why.map(|why| format!("TLS with it fails: {why}"));
        }
        let why = deepest(error)?;
        if self.has_proxy && error.is_connect() {
            return Some(by_proxy(&why));
        }
        match proxy_variable().filter(|_| error.is_connect()) {
            Some(variable) => {
                Some(format!("{why} ({variable} is set and is not used; outgoing_proxy names a proxy)"))
            }
            None => Some(why),
        }
    }
}

/// Chooses ring for all TLS of this process, which HTTP clients want done before they are built.
pub(crate) fn install_crypto() {
    // Only the first call in a process can install it; any later one finds it installed, which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
}

fn proxy_variable() -> Option<&'static str> {
    PROXY_VARIABLES.into_iter().find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// All that an error says, from what was asked for to what is behind it.
fn chain(error: &reqwest::Error) -> String {
    let mut told = String::new();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        told += &format!("{error}: ");
        source = error.source();
    }
    told
}

fn deepest(error: &reqwest::Error) -> Option<String> {
    let mut source = std::error::Error::source(error);
    let mut deepest = None;
    while let Some(error) = source {
        deepest = Some(error.to_string());
        source = error.source();
    }
    deepest
}

/// Why a proxy that is set led nowhere.
fn by_proxy(why: &str) -> String {
    /// How hyper begins what a proxy answered to CONNECT.
    const ANSWERED: &str = "tunnel error: ";
    match why.strip_prefix(ANSWERED) {
        Some(PROXY_LOGIN) => {
            "the proxy of outgoing_proxy asks for a login, or refuses the one it was given: \
                              write http://user:password@host:port"
                .to_owned()
        }
        Some(said) => format!(
            "the proxy of outgoing_proxy does not lead there ({said}); NO_PROXY names what is reached without it"
        ),
        None => format!("{why} (by way of outgoing_proxy, unless NO_PROXY names it)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Secret;
    use crate::tls::made::{Authority, provider};
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use rustls::server::WebPkiClientVerifier;
    use rustls::server::danger::ClientCertVerifier;
    use rustls::{RootCertStore, ServerConfig};
    use std::net::SocketAddr;
    use std::sync::Arc;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    fn client(config: &OutgoingConfig) -> HttpClient {
        HttpClient::new(config, |limits| limits).unwrap()
    }

    /// A server with a certificate for `localhost` that answers everything with 204.
    async fn server(authority: &Authority) -> SocketAddr {
        server_for(authority, WebPkiClientVerifier::no_client_auth()).await
    }

    async fn server_for(authority: &Authority, clients: Arc<dyn ClientCertVerifier>) -> SocketAddr {
        let (certificate, key) = authority.sign("server", 9);
        let chain = vec![CertificateDer::from_pem_file(certificate).unwrap()];
        let key = PrivateKeyDer::from_pem_file(key).unwrap();
        let config = ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
        let config = config.unwrap().with_client_cert_verifier(clients).with_single_cert(chain, key).unwrap();
        let (acceptor, listener) =
            (TlsAcceptor::from(Arc::new(config)), TcpListener::bind("127.0.0.1:0").await.unwrap());
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let mut request = [0; 4096];
                drop(stream.read(&mut request).await);
                drop(stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await);
            }
        });
        address
    }

    #[tokio::test]
    async fn an_authority_of_ones_own_is_trusted_when_it_is_named_and_told_to_be_unknown_when_not() {
        let authority = Authority::new();
        let port = server(&authority).await.port();
        let ca = Some(std::fs::read(authority.path().join("ca.pem")).unwrap());
        let ours = client(&OutgoingConfig { ca, ..OutgoingConfig::default() });
        let usual = client(&OutgoingConfig::default());

        let trusted = ours.get().get(format!("https://localhost:{port}/")).send().await.unwrap();

        assert_eq!(trusted.status(), 204);
        let unknown = usual.get().get(format!("https://localhost:{port}/")).send().await.unwrap_err();
        let why = usual.why(&unknown).unwrap();
        assert!(why.contains("authority") && why.contains("outgoing_ca_file"), "{why}");
        assert!(!why.contains("UnknownIssuer"), "{why}");
        let other = ours.get().get(format!("https://127.0.0.1:{port}/")).send().await.unwrap_err();
        let why = ours.why(&other).unwrap();
        assert!(why.contains("is for localhost, and it was called 127.0.0.1"), "{why}");
    }

    #[tokio::test]
    async fn a_server_that_wants_a_client_certificate_is_shown_ours_and_without_one_it_is_told_how_to_name_it()
     {
        let authority = Authority::new();
        let mut roots = RootCertStore::empty();
        let ca_file = authority.path().join("ca.pem");
        roots.add(CertificateDer::from_pem_file(&ca_file).unwrap()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider());
        let port = server_for(&authority, verifier.build().unwrap()).await.port();
        let (certificate, key) = authority.sign("client", 9);
        let read = |path| std::fs::read_to_string(path).unwrap();
        let pem = format!("{}\n{}", read(certificate), read(key));
        let ca = Some(std::fs::read(ca_file).unwrap());
        let unknown = OutgoingConfig { ca, ..OutgoingConfig::default() };
        let known = OutgoingConfig { client_certificate: Some(Secret::new(pem)), ..unknown.clone() };
        let url = format!("https://localhost:{port}/");

        let taken = client(&known).get().get(&url).send().await.unwrap();

        assert_eq!(taken.status(), 204);
        let unknown = client(&unknown);
        let why = unknown.why(&unknown.get().get(&url).send().await.unwrap_err()).unwrap();
        assert!(why.contains("outgoing_cert_file and outgoing_key_file"), "{why}");
        assert!(!format!("{known:?}").contains("PRIVATE KEY"), "{known:?}");
    }

    #[tokio::test]
    async fn all_goes_by_the_proxy_that_is_named() {
        let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://ann:p%40ss@{}", proxy.local_addr().unwrap());
        let client =
            client(&OutgoingConfig { proxy: Some(Secret::new(address)), ..OutgoingConfig::default() });
        let asked = tokio::spawn(async move {
            let (mut stream, _) = proxy.accept().await.unwrap();
            let mut request = [0; 4096];
            let bytes = stream.read(&mut request).await.unwrap();
            stream.write_all(b"HTTP/1.1 502 Bad Gateway\r\n\r\n").await.unwrap();
            String::from_utf8_lossy(&request[..bytes]).into_owned()
        });

        let refused = client.get().get("https://hooks.example/x").send().await.unwrap_err();

        let asked = asked.await.unwrap();
        assert!(asked.starts_with("CONNECT hooks.example:443 "), "{asked}");
        assert!(asked.to_lowercase().contains("proxy-authorization: basic"), "{asked}");
        let why = client.why(&refused).unwrap();
        assert!(!why.contains("ann") && !why.contains("hooks.example/x"), "{why}");
    }

    #[tokio::test]
    async fn what_a_proxy_refuses_is_said_of_the_proxy() {
        let refused = async |answer: Option<&'static [u8]>| {
            let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = Secret::new(format!("http://{}", proxy.local_addr().unwrap()));
            let client = client(&OutgoingConfig { proxy: Some(address), ..OutgoingConfig::default() });
            if let Some(answer) = answer {
                tokio::spawn(async move {
                    let (mut stream, _) = proxy.accept().await.unwrap();
                    drop(stream.read(&mut [0; 4096]).await);
                    stream.write_all(answer).await.unwrap();
                });
            } else {
                drop(proxy);
            }
            client.why(&client.get().get("https://hooks.example/x").send().await.unwrap_err()).unwrap()
        };

        let login = refused(Some(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")).await;
        let forbidden = refused(Some(b"HTTP/1.1 403 Forbidden\r\n\r\n")).await;
        let away = refused(None).await;

        assert!(login.contains("asks for a login"), "{login}");
        assert!(forbidden.contains("does not lead there"), "{forbidden}");
        assert!(away.contains("Connection refused") && away.contains("by way of outgoing_proxy"), "{away}");
    }
}
