//! A client of one server, and what it needs for TLS.

use crate::error::{Error, Result};
use redis::{Client, ClientTlsConfig, ConnectionInfo, TlsCertificates};
use std::time::Duration;

/// How long a new connection may take. Redis is near; more would only hide that it is gone.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// What TLS needs besides what comes with the program, in PEM.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// Who is trusted to sign for a server, instead of the usual authorities.
    pub authorities: Option<Vec<u8>>,
    /// What this client shows of itself: its certificate, and the key to it.
    pub client: Option<(Vec<u8>, Vec<u8>)>,
}

impl TlsFiles {
    /// Refuses texts that hold no certificate, or no key. One without would trust nobody, and say so of the server.
    pub(super) fn check(&self) -> Result<()> {
        let refuse = |why: &str| Err(Error::Refused { why: why.to_owned() });
        if self.authorities.as_deref().is_some_and(|pem| !holds(pem, b"-----BEGIN CERTIFICATE-----")) {
            return refuse("the authorities hold no certificate in PEM");
        }
        let Some((certificate, key)) = &self.client else { return Ok(()) };
        if !holds(certificate, b"-----BEGIN CERTIFICATE-----") {
            return refuse("the client certificate is none in PEM");
        }
        if !holds(key, b"PRIVATE KEY-----") {
            return refuse("the key of the client certificate is none in PEM");
        }
        if holds(key, b"ENCRYPTED PRIVATE KEY-----") {
            return refuse("the key of the client certificate is encrypted; store it without a passphrase");
        }
        Ok(())
    }

    /// The same as the client takes it; `None` where nothing differs from what comes with it.
    pub(super) fn certificates(&self) -> Option<TlsCertificates> {
        let client_tls = self.client.as_ref().map(|(certificate, key)| ClientTlsConfig {
            client_cert: certificate.clone(),
            client_key: key.clone(),
        });
        (client_tls.is_some() || self.authorities.is_some())
            .then(|| TlsCertificates { client_tls, root_cert: self.authorities.clone() })
    }
}

impl std::fmt::Debug for TlsFiles {
    /// Without the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TlsFiles")
            .field("authorities", &self.authorities.is_some())
            .field("client", &self.client.is_some())
            .finish()
    }
}

fn holds(pem: &[u8], mark: &[u8]) -> bool {
    pem.windows(mark.len()).any(|window| window == mark)
}

/// A client for one server, with these certificates if it speaks TLS.
pub(super) fn client(server: ConnectionInfo, tls: &TlsFiles) -> redis::RedisResult<Client> {
    match tls.certificates() {
        Some(certificates) if is_tls(&server) => Client::build_with_tls(server, certificates),
        _ => Client::open(server),
    }
}

pub(super) fn is_tls(server: &ConnectionInfo) -> bool {
    matches!(server.addr(), redis::ConnectionAddr::TcpTls { .. })
}
