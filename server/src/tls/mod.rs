//! TLS of our own: 1.2 and 1.3 by rustls, with a certificate that is taken anew when its files change.
//!
//! Connections that exist go on with the certificate they began with; sessions of people are cookies and know nothing
//! of it.

mod certificate;
#[cfg(test)]
pub(crate) mod made;

use crate::config::TlsConfig;
use anyhow::Context as _;
use certificate::Certificate;
use jiff::{SignedDuration, Timestamp};
use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// How often the files are looked at: two small reads, against the minutes for which a program that renews waits.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// From when on an end is spoken of: programs that renew have done so a month before it.
const ENDS_SOON: SignedDuration = SignedDuration::from_hours(14 * 24);
/// How often it is spoken of.
const REMIND_EVERY: SignedDuration = SignedDuration::from_hours(24);

/// What the browser and we agree on after the handshake, best first.
const PROTOCOLS: [&[u8]; 2] = [HTTP_2, b"http/1.1"];
/// HTTP/2 as the handshake names it.
pub(crate) const HTTP_2: &[u8] = b"h2";

/// The certificate of the dashboard, now and after its files have changed.
#[derive(Debug)]
pub(crate) struct Tls {
    files: TlsConfig,
    provider: Arc<CryptoProvider>,
    current: Arc<Current>,
}

/// What the next handshake gets.
#[derive(Debug)]
struct Current(RwLock<Certificate>);

impl Current {
    fn get(&self) -> Certificate {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.get().key)
    }
}

impl Tls {
    /// Reads the files for the first time.
    ///
    /// # Errors
    /// Whatever is wrong with them: better not to start than to start with what every browser refuses.
    pub(crate) fn load(files: &TlsConfig) -> anyhow::Result<Self> {
        let provider = Arc::new(ring::default_provider());
        let first = Certificate::read(files, &provider, Timestamp::now()).map_err(anyhow::Error::msg)?;
        if first.is_open {
            tracing::warn!("everybody on this machine may read {0}; chmod 600 {0}", files.key_file.display());
        }
        let current = Arc::new(Current(RwLock::new(first)));
        Ok(Self { files: files.clone(), provider, current })
    }

    /// For handshakes.
    pub(crate) fn server(&self) -> anyhow::Result<Arc<ServerConfig>> {
        let config = ServerConfig::builder_with_provider(Arc::clone(&self.provider));
        let config = config.with_protocol_versions(&[&TLS13, &TLS12]).context("TLS cannot be offered")?;
        let resolver: Arc<dyn ResolvesServerCert> = Arc::clone(&self.current) as _;
        let mut config = config.with_no_client_auth().with_cert_resolver(resolver);
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
        Ok(Arc::new(config))
    }

    /// Until when the present certificate is good, if it says so.
    pub(crate) fn until(&self) -> Option<Timestamp> {
        self.current.get().until
    }

    /// What a SIGHUP wakes up.
    ///
    /// # Errors
    /// If the operating system does not let us listen for it.
    pub(crate) fn hangups() -> anyhow::Result<Signal> {
        signal(SignalKind::hangup()).context("SIGHUP cannot be listened for")
    }

    /// Takes the files anew when they change, at once after a SIGHUP, until `stop`.
    pub(crate) async fn watch(&self, mut hangups: Signal, stop: &CancellationToken) {
        let (mut complaint, mut remind) = (String::new(), Timestamp::MIN);
        loop {
            let now = Timestamp::now();
            let ends_soon = self.until().is_some_and(|until| until.duration_since(now) < ENDS_SOON);
            if ends_soon && now >= remind {
                remind = now.saturating_add(REMIND_EVERY).unwrap_or(Timestamp::MAX);
                self.remind(now);
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK_EVERY) => {}
                _ = hangups.recv() => complaint.clear(),
            }
            match self.look().await {
                Ok(_) => complaint.clear(),
                // Two files are written one after the other: what does not fit yet is said once, and looked at again.
                Err(why) if why == complaint => {}
                Err(why) => {
                    tracing::warn!("the certificate was not taken anew, the one from before goes on: {why}");
                    complaint = why;
                }
            }
        }
    }

    /// Takes the files if they have changed. Whether they had.
    async fn look(&self) -> Result<bool, String> {
        let (files, provider) = (self.files.clone(), Arc::clone(&self.provider));
        let read = move || Certificate::read(&files, &provider, Timestamp::now());
        let read = tokio::task::spawn_blocking(read).await.map_err(|why| why.to_string())?;
        let print = self.current.get().print;
        let new = match read {
            Ok(new) if new.print == print => return Ok(false),
            Ok(new) => new,
            Err(why) => return Err(why),
        };
        if let Some(until) = new.until {
            tracing::info!("the certificate was taken anew; it is good until {until}");
        }
        *self.current.0.write().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(true)
    }

    fn remind(&self, now: Timestamp) {
        let Some(until) = self.until() else { return };
        let file = self.files.cert_file.display();
        if until < now {
            tracing::error!(
                "the certificate in {file} was good until {until}; browsers refuse it, renew it now"
            );
        } else {
            tracing::warn!("the certificate in {file} is good until {until}; renew it");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::made::Authority;
    use super::*;

    #[tokio::test]
    async fn new_files_are_taken_and_wrong_ones_are_not() {
        let authority = Authority::new();
        let ((cert, key), next) = (authority.sign("one", 2), authority.sign("two", 5));
        let tls = Tls::load(&TlsConfig::new(&cert, &key)).unwrap();
        let first = tls.until().unwrap();
        assert_eq!(tls.look().await, Ok(false), "nothing has changed");

        std::fs::copy(&next.0, &cert).unwrap();
        let why = tls.look().await.unwrap_err();
        assert!(why.contains("is not the key"), "{why}");
        assert_eq!(tls.until().unwrap(), first, "the one from before goes on");

        std::fs::copy(&next.1, &key).unwrap();
        assert_eq!(tls.look().await, Ok(true));
        assert!(tls.until().unwrap() > first);
        std::fs::remove_file(&key).unwrap();
        assert!(tls.look().await.unwrap_err().contains("cannot be read"));
        assert!(tls.until().unwrap() > first);
    }
}
